import { z } from 'zod';
import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import { CRON, enqueue } from '../jobs.ts';
import { listOf } from './paging.ts';
import type { App } from './route.ts';

const names = Object.keys(CRON) as (keyof typeof CRON)[];

/** What workers do by the clock, for administrators to have done now. */
export async function jobRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['jobs'];
  const Name = z.object({ name: z.string() });

  app.get(
    '/api/admin/job',
    {
      config,
      schema: {
        tags,
        summary: 'Jobs that run by the clock (cron, UTC)',
        response: { 200: listOf(Name.extend({ schedule: z.string() })) },
      },
    },
    async () => ({ data: names.map((name) => ({ name, schedule: CRON[name] })) }),
  );

  app.post(
    '/api/admin/job/:name/run',
    {
      config,
      schema: {
        tags,
        summary: 'Has a worker do such a job now',
        description: 'Answers when it is in the queue. Asking again before it has started changes nothing.',
        params: Name,
        response: { 202: Name },
      },
    },
    async ({ params }, reply) => {
      const name = names.find((known) => known.toLowerCase() === params.name.toLowerCase());
      if (name === undefined) throw notFound('Job', params.name);
      await enqueue(db, name, {}, { jobKey: `${name} now` });
      return reply.code(202).send({ name });
    },
  );
}
