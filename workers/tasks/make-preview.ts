import type { JobHelpers } from 'graphile-worker';
import type { Config } from '../../src/config.ts';
import { mostBytes } from '../../src/preview/clean-up.ts';
import { makeStore } from '../../src/preview/make-store.ts';
import { putOffStore } from '../../src/preview/previews.queries.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import type { Admission } from '../admission.ts';

type Settings = Pick<Config, 'data' | 'preview.overviewCells' | 'preview.maxSize'>;

/**
 * Takes the capacity of a transfer. Allocates it before the first await: until then no other slot of this worker can
 * poll for a job.
 */
export const makePreviewTask =
  (executor: Promise<Executor>, admission: Admission, config: Settings) =>
  async (payload: unknown, { abortSignal }: Pick<JobHelpers, 'abortSignal'>): Promise<void> => {
    const { blob } = payload as { blob: string };
    const allocation = admission.admit(blob, []);
    if (!allocation) {
      await (await executor).db.transaction((tx) => putOffStore(tx, blob));
      return;
    }
    try {
      const { 'preview.overviewCells': overviewCells } = config;
      const parts = { ...(await executor), overviewCells, mostBytes: await mostBytes(config) };
      await makeStore(parts, blob, abortSignal);
    } finally {
      allocation.release();
    }
  };
