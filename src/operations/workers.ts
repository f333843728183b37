import { z } from 'zod';
import type { Db } from '../db.ts';
import { needsOf, roomOn } from '../transfers/needs.ts';
import { listWorkerRows } from './workers.queries.ts';

/** A worker process, and what it is doing. */
export const WorkerState = z.object({
  /** Its pool in the queue. */
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  labels: z.array(z.string()),
  startedAt: z.string(),
  /** It holds its lock; one that does not is gone, and what it held is taken from it within seconds. */
  alive: z.boolean(),
  /** It is to take no more transfers. */
  draining: z.boolean(),
  /** Since when it certainly takes none. */
  drainingSince: z.string().optional(),
  concurrency: z.number(),
  /** Transfers under way, and those that it has just taken from the queue. */
  running: z.number(),
  memoryMb: z.number(),
  cores: z.number(),
  scratchGb: z.number(),
  /** What the transfers under way take of these. */
  reserved: z.object({ memoryMb: z.number(), cores: z.number(), scratchGb: z.number() }),
});
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
