import { sweepBin } from '../../src/recycle-bin/sweep.ts';
import type { RunParts } from '../../src/transfers/run.ts';

/** Daily, by whichever worker comes first. `retention` is milliseconds. */
export const sweepRecycleBinTask =
  (parts: Promise<RunParts>, retention: number) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    await sweepBin((await parts).db, { retention, signal });
  };
