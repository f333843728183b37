import { z } from 'zod';
import type { Database } from '../../db.ts';
import { notFound } from '../../errors.ts';
import { type App, Routes } from '../../http/route.ts';
import { finishedAt, number, text, timeText } from '../../http/rules/members.ts';
import { listOf } from '../../http/rules/paging.ts';
import { CRON, enqueue } from '../../jobs.ts';
import { findSweepState } from '../../transfers/store/sweep-state.queries.ts';
import { nextRun } from './cron.ts';
import { FailedItem, listMaintenanceRuns } from './maintenance-task.queries.ts';
import { listLastRuns } from './queries.ts';

const names = Object.keys(CRON) as (keyof typeof CRON)[];

const Name = z.object({ name: text('Name of the periodic task.', 'cleanUp') });
export type Name = z.infer<typeof Name>;
const CronJob = Name.extend({
  schedule: text('Cron schedule, UTC.', '0 3 * * *'),
  lastRun: timeText('Time of the last run, UTC.').optional(),
  nextRun: timeText('Time of the next run, UTC.').optional(),
  finishedAt: finishedAt.optional(),
  failed: number('Number of items that failed in the last run.').optional(),
  failures: z.array(FailedItem).optional().describe('Failures of the last run; the next run retries them.'),
  stopped: text('What the run did not do, why, and what to do about it').optional(),
});
export type CronJob = z.infer<typeof CronJob>;

/** Cron jobs of workers, for administrators. */
export async function cronRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  routes.get('/api/admin/cron', {
    operationId: 'listCronJobs',
    summary: 'Lists cron jobs with schedule, last run and next run (UTC)',
    description:
      '`failed` is the number of failed items of the last finished run; `failures` lists the first ones. The next run tries them again.',
    response: {
      200: listOf(CronJob),
    },
    handler: async () => {
      const last = new Map((await listLastRuns(db)).map(({ name, lastRun }) => [name, lastRun]));
      const ended = new Map((await listMaintenanceRuns(db)).map((run) => [run.name, run]));
      const stopped = new Map([['cleanUp', (await findSweepState(db))?.stoppedBecause]]);
      const now = new Date();
      const readCronJob = async (name: (typeof names)[number]) => {
        const lastRun = last.get(name);
        const next = await nextRun(CRON[name], now);
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
      };
      return { data: await Promise.all(names.map(readCronJob)) };
    },
  });

  routes.post('/api/admin/cron/:name/run', {
    operationId: 'runCronJob',
    summary: 'Runs a cron job now',
    description: 'Returns once the job is in the queue. Sending the request again before it has started has no effect.',
    params: Name,
    response: { 202: Name },
    handler: async ({ params }) => {
      const name = names.find((known) => known.toLowerCase() === params.name.toLowerCase());
      if (name === undefined) throw notFound('Job', params.name);
      await db.transaction((tx) => enqueue(tx, name, {}, { jobKey: `${name} now` }));
      return { name };
    },
  });
}
