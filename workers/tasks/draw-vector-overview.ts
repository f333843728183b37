import type { JobHelpers } from 'graphile-worker';
import { putOff } from '../../src/tiles/vector/draw-ahead.queries.ts';
import { drawAhead } from '../../src/tiles/vector/draw-ahead.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import type { Admission } from '../admission.ts';

/**
 * Takes the capacity of a transfer. Allocates it before the first await: until then no other slot of this worker can
 * poll for a job.
 */
export const drawVectorOverviewTask =
  (executor: Promise<Executor>, admission: Admission, keptBytes: number) =>
  async (payload: unknown, { abortSignal }: Pick<JobHelpers, 'abortSignal'>): Promise<void> => {
    const { datasetId } = payload as { datasetId: string };
    const allocation = admission.admit(datasetId, []);
    if (!allocation) return (await executor).db.transaction((tx) => putOff(tx, datasetId));
    try {
      await drawAhead({ ...(await executor), keptBytes }, datasetId, abortSignal);
    } finally {
      allocation.release();
    }
  };
