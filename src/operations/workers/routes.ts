import { z } from 'zod';
import type { Database } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { listOf } from '../../http/rules/paging.ts';
import { Draining, drain, draining, drainTarget, endDrain } from './drain.ts';
import { Drain, listDrains } from './queries.ts';
import { listWorkerStates, WorkerState } from './workers.ts';

const Workers = listOf(WorkerState).extend({
  drains: z.array(Drain).describe('Drains: workers in their scope accept no more transfers.'),
});
export type Workers = z.infer<typeof Workers>;
/** Without members: all workers. */
const Target = {
  worker: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Id of the only worker to drain.', example: 'node-7-1' }),
  host: z.string().min(1).max(255).optional().meta({
    description: 'Name of the only machine to drain; also a node of Kubernetes, whose pods it concerns.',
    example: 'node-7',
  }),
};

/** Worker processes and drains, for administrators. */
export async function workerRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  routes.get('/api/admin/worker', {
    operationId: 'listWorkers',
    summary: 'Lists worker processes with their resources and running transfers, and active drains',
    response: { 200: Workers },
    handler: async () => ({ data: [...(await listWorkerStates(db))], drains: [...(await listDrains(db))] }),
  });

  routes.get('/api/admin/drain', {
    operationId: 'listDrains',
    summary: 'Returns active drains and the transfers that still run on draining workers',
    response: { 200: Draining },
    handler: () => draining(db),
  });

  routes.put('/api/admin/drain', {
    operationId: 'drainWorkers',
    summary: 'Drains all workers, those of a host, or one: they take no new transfers',
    description:
      'Running transfers finish; other jobs, such as mails and sweeps, still run. The drain lasts until it is ended and also covers ' +
      'workers that start later (with `worker`, only that process). No more pods are sent to a drained node of Kubernetes.',
    body: z.object(Target),
    response: { 200: Draining },
    handler: ({ caller, body }) => drain(db, caller, drainTarget(body)),
  });

  routes.delete('/api/admin/drain', {
    operationId: 'resumeWorkers',
    summary: 'Ends a drain: its workers take transfers again',
    querystring: z.object(Target),
    response: { 200: Draining },
    handler: ({ caller, query }) => endDrain(db, caller, drainTarget(query)),
  });
}
