import type { JobHelpers } from 'graphile-worker';
import { TRANSFER } from '../../src/transfers/queue/requirements.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { perform, putBack } from '../../src/transfers/run/perform.ts';
import type { Admission } from '../admission.ts';

/** Allocates resources before the first await: until then no other slot of this worker can poll for a job. */
export const runTransferTask =
  (executor: Promise<Executor>, admission: Admission) =>
  async (payload: unknown, { job }: Pick<JobHelpers, 'job'>): Promise<void> => {
    const { transferId: id } = payload as { transferId: string };
    const flags = Object.keys(job.flags ?? {})
      .filter((flag) => flag !== TRANSFER)
      .sort();
    const allocation = admission.admit(id, flags);
    if (!allocation) return putBack((await executor).db, id);
    try {
      await perform(await executor, { id, flags });
    } finally {
      allocation.release();
    }
  };
