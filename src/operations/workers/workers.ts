import { z } from 'zod';
import type { Db } from '../../db.ts';
import { needsOf, roomOn } from '../../transfers/queue/needs.ts';
import { listWorkerRows, WorkerRow } from './queries.ts';

/** A worker process as it is shown. */
export const WorkerState = WorkerRow.omit({ under: true, taken: true })
  .extend({
    /** Transfers under way, and those that it has just taken from the queue. */
    running: z.number(),
    /** What the transfers under way take of these. */
    reserved: z.object({ memoryMb: z.number(), cores: z.number(), scratchGb: z.number() }),
  })
  .meta({ id: 'Worker' });
export type WorkerState = z.infer<typeof WorkerState>;

export async function listWorkerStates(db: Db): Promise<WorkerState[]> {
  const rows = await listWorkerRows(db);
  return rows.map(({ under, taken, ...worker }) => {
    const reserved = { memoryMb: 0, cores: 0, scratchGb: 0 };
    for (const flags of under) {
      const room = roomOn(worker, needsOf(flags));
      reserved.memoryMb += room.memoryMb;
      reserved.cores += room.cores;
      reserved.scratchGb += room.scratchGb;
    }
    return { ...worker, running: under.length + taken, reserved };
  });
}
