import type { JobHelpers } from 'graphile-worker';
import { drawOverview } from '../../src/tiles/vector/draw-overview.ts';
import { putOff } from '../../src/tiles/vector/overviews.queries.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import type { Admission } from '../admission.ts';

/**
 * Takes the capacity of a transfer. Allocates it before the first await: until then no other slot of this worker can
 * poll for a job.
 */
export const drawVectorOverviewTask =
  (executor: Promise<Executor>, admission: Admission) =>
  async (payload: unknown, { abortSignal }: Pick<JobHelpers, 'abortSignal'>): Promise<void> => {
    const { datasetId } = payload as { datasetId: string };
    const allocation = admission.admit(datasetId, []);
    if (!allocation) return putOff((await executor).db, datasetId);
    try {
      await drawOverview(await executor, datasetId, abortSignal);
    } finally {
      allocation.release();
    }
  };
