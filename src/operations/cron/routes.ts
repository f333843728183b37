import { z } from 'zod';
import type { Db } from '../../db.ts';
import { notFound } from '../../errors.ts';
import type { App } from '../../http/route.ts';
import { listOf } from '../../http/rules/paging.ts';
import { CRON, enqueue } from '../../jobs.ts';
import { findSweepState } from '../../transfers/store/sweep-state.queries.ts';
import { ChoreFailure, listChoreRuns } from './chores.queries.ts';
import { nextRun } from './cron.ts';
import { listLastRuns } from './queries.ts';

const names = Object.keys(CRON) as (keyof typeof CRON)[];

/** What workers do by the clock, for administrators to look at and to have done now. */
export async function cronRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];
  const Name = z.object({ name: z.string() });

  app.get(
    '/api/admin/cron',
    {
      config,
      schema: {
        tags,
        summary: 'What workers do by the clock (UTC): its schedule, when it was last done and when it will be next',
        description:
          '`failed` counts what the last run that came to its end could not do, `failures` tells the first of it; the next run tries it again.',
        response: {
          200: listOf(
            Name.extend({
              schedule: z.string(),
              lastRun: z.string().optional(),
              nextRun: z.string().optional(),
              finishedAt: z.string().optional(),
              failed: z.number().optional(),
              failures: z.array(ChoreFailure).optional(),
              stopped: z.string().optional().meta({ description: 'What it left undone, why, and what to do about it' }),
            }),
          ),
        },
      },
    },
    async () => {
      const last = new Map((await listLastRuns(db)).map(({ name, lastRun }) => [name, lastRun]));
      const ended = new Map((await listChoreRuns(db)).map((run) => [run.name, run]));
      const stopped = new Map([['cleanUp', (await findSweepState(db))?.stoppedBecause]]);
      const now = new Date();
      const data = names.map((name) => {
        const lastRun = last.get(name);
        const next = nextRun(CRON[name], now);
        const { finishedAt, failed, failures } = ended.get(name) ?? {};
        const why = stopped.get(name);
        return {
          name,
          schedule: CRON[name],
          ...(lastRun === undefined ? {} : { lastRun }),
          ...(next === undefined ? {} : { nextRun: next }),
          ...(finishedAt === undefined ? {} : { finishedAt, failed, failures: [...(failures ?? [])] }),
          ...(why === undefined ? {} : { stopped: why }),
        };
      });
      return { data };
    },
  );

  app.post(
    '/api/admin/cron/:name/run',
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
