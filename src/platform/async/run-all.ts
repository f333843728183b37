/** Runs all steps one after the other, also after one has failed. Then throws the first error, if any. */
export async function runAll(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
