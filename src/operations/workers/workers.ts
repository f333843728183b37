import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { number } from '../../http/rules/members.ts';
import { allocationOn, decodeRequirements } from '../../transfers/queue/requirements.ts';
import { listWorkerRows, WorkerRow } from './queries.ts';

/** A worker process in answers. */
export const WorkerState = WorkerRow.omit({ runningFlags: true, taken: true })
  .extend({
    running: number('Number of running transfers, including those just taken from the queue.'),
    reserved: z
      .object({
        memoryMb: number('Memory that transfers use, in MB.', 4096),
        cores: number('CPU cores that transfers use.'),
        scratchGb: number('Scratch space that transfers use, in GB.', 150),
      })
      .describe('Resources that running transfers use.'),
  })
  .meta({ id: 'Worker' });
export type WorkerState = z.infer<typeof WorkerState>;

export async function listWorkerStates(db: Reads): Promise<WorkerState[]> {
  const rows = await listWorkerRows(db);
  return rows.map(({ runningFlags, taken, ...worker }) => {
    const reserved = { memoryMb: 0, cores: 0, scratchGb: 0 };
    for (const flags of runningFlags) {
      const allocation = allocationOn(worker, decodeRequirements(flags));
      reserved.memoryMb += allocation.memoryMb;
      reserved.cores += allocation.cores;
      reserved.scratchGb += allocation.scratchGb;
    }
    return { ...worker, running: runningFlags.length + taken, reserved };
  });
}
