/**
 * The outcome of a transaction on a connection of the pool, with its error as a value: slonik closes a connection whose
 * work throws, and opening another one costs more than the refused request. After a rollback the connection is as
 * before.
 * @param ask sends a statement on the connection
 * @throws the error of the transaction, if the connection does not answer any more
 */
export async function keptConnection<T>(
  transaction: Promise<T>,
  ask: () => Promise<unknown>,
): Promise<{ result: T } | { error: unknown }> {
  try {
    return { result: await transaction };
  } catch (error) {
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (!answers) throw error;
    return { error };
  }
}
