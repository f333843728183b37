import { z } from 'zod';
import type { Db } from '../../db.ts';
import type { App } from '../../http/route.ts';
import { listOf } from '../../http/rules/paging.ts';
import { drain, draining, endDrain, targetOf } from './drain.ts';
import { Drain, listDrains } from './queries.ts';
import { listWorkerStates, WorkerState } from './workers.ts';

const Draining = z.object({
  drains: z.array(Drain),
  workers: z.array(WorkerState),
  running: z.number(),
  drained: z.boolean(),
});
/** Nothing: all workers. */
const Target = { worker: z.string().min(1).max(128).optional(), host: z.string().min(1).max(255).optional() };

/** Worker processes, and having them take no more transfers. */
export async function workerRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];

  app.get(
    '/api/admin/worker',
    {
      config,
      schema: {
        tags,
        summary:
          'Worker processes: where they run, what they have, what they are doing; and the drains that are in force',
        response: { 200: listOf(WorkerState).extend({ drains: z.array(Drain) }) },
      },
    },
    async () => ({ data: [...(await listWorkerStates(db))], drains: [...(await listDrains(db))] }),
  );

  app.get(
    '/api/admin/drain',
    {
      config,
      schema: {
        tags,
        summary: 'Which workers take no more transfers, and what still runs there',
        response: { 200: Draining },
      },
    },
    () => draining(db),
  );

  app.put(
    '/api/admin/drain',
    {
      config,
      schema: {
        tags,
        summary: 'Has workers take no more transfers: all, those of a host, or one',
        description:
          'What runs goes to its end; mails and sweeps go on. Holds until it is ended, also for workers that are started later ' +
          '(with `worker` for that process alone).',
        body: z.object(Target),
        response: { 200: Draining },
      },
    },
    ({ caller, body }) => drain(db, caller, targetOf(body)),
  );

  app.delete(
    '/api/admin/drain',
    {
      config,
      schema: {
        tags,
        summary: 'Lets these workers take transfers again',
        querystring: z.object(Target),
        response: { 200: Draining },
      },
    },
    ({ caller, query }) => endDrain(db, caller, targetOf(query)),
  );
}
