import type { JobHelpers } from 'graphile-worker';
import { TRANSFER } from '../../src/transfers/queue/requirements.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { perform, putBack } from '../../src/transfers/run/perform.ts';
import type { Gate } from '../admission.ts';

/** Takes the capacity before it awaits anything: until then no other slot of this worker can look for a job. */
export const runTransferTask =
  (executor: Promise<Executor>, gate: Gate) =>
  async (payload: unknown, { job }: Pick<JobHelpers, 'job'>): Promise<void> => {
    const { transferId: id } = payload as { transferId: string };
    const flags = Object.keys(job.flags ?? {})
      .filter((flag) => flag !== TRANSFER)
      .sort();
    const place = gate.enter(id, flags);
    if (!place) return putBack((await executor).db, id);
    try {
      await perform(await executor, { id, flags });
    } finally {
      place.release();
    }
  };
