/**
 * The values of all, when the last one has ended, also after a failure: a drawing that has ended reads nothing any
 * more, because its thread goes on with another source.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
