/** Works on several items at a time, at least on one. No work goes on after the caller has got an error. */
export async function inLanes<T>(items: Iterator<T>, many: number, work: (item: T) => Promise<void>): Promise<void> {
  let failed = false;
  const next = async () => {
    for (let { value, done } = items.next(); !done && !failed; { value, done } = items.next()) await work(value);
  };
  const lanes = Array.from({ length: Math.max(1, many) }, () =>
    next().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}
