import { removeSpentBlobs } from '../../src/recycle-bin/spent-blobs.ts';
import type { RunParts } from '../../src/transfers/run.ts';

export const removeSpentBlobsTask =
  (parts: Promise<RunParts>) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs } = await parts;
    await removeSpentBlobs(db, blobs, signal);
  };
