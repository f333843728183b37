import type { Database } from '../../../db.ts';
import { CRON } from '../../../jobs.ts';
import { dateFromTimestamp } from '../../../platform/text/time.ts';
import { nextRun } from '../../cron/cron.ts';
import { listMaintenanceRuns } from '../../cron/maintenance-task.queries.ts';
import { listLastRuns } from '../../cron/queries.ts';
import { listWorkerStates } from '../../workers/workers.ts';
import { ill, type Result, well } from '../check.ts';

/** A worker takes up the jobs of a minute within seconds; a busy one later. */
const LATE_MS = 1_800_000;

export async function checkWorkers(db: Database): Promise<Result> {
  const workers = await listWorkerStates(db);
  const alive = workers.filter((worker) => worker.alive);
  const taking = alive.filter(({ draining }) => !draining);
  const hosts = new Set(alive.map(({ host }) => host)).size;
  if (alive.length === 0) return ill('No worker runs.', "Start one: 'platform work', or 'platform start'.");
  if (taking.length === 0)
    return ill(
      `All ${alive.length} workers drain: they start no transfers.`,
      "End it with 'platform job drain --end', or 'platform job resume'.",
    );
  const places = taking.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const running = alive.reduce((sum, worker) => sum + worker.running, 0);
  return well(`${alive.length} workers on ${hosts} hosts run ${running} transfers, and take ${places} at once.`);
}

/** Whether each periodic job began when it should, and its last run had no failures. */
export async function checkCron(db: Database, now = new Date()): Promise<Result> {
  const last = new Map((await listLastRuns(db)).map(({ name, lastRun }) => [name, lastRun]));
  const late: string[] = [];
  for (const [name, schedule] of Object.entries(CRON)) {
    const lastRun = last.get(name);
    // no worker has run for an hour yet, which is another check
    if (lastRun === undefined) continue;
    const due = await nextRun(schedule, dateFromTimestamp(lastRun));
    if (due !== undefined && dateFromTimestamp(due).getTime() + LATE_MS < now.getTime()) late.push(name);
  }
  if (late.length > 0)
    return ill(
      `Late: ${late.join(', ')}.`,
      "Start a worker, or see why it takes no short jobs: 'platform cron list', 'platform job list'.",
    );
  const failed = (await listMaintenanceRuns(db)).filter((run) => run.failed > 0).map(({ name }) => name);
  if (failed.length > 0)
    return ill(`The last run had failures: ${failed.join(', ')}.`, "See them: 'platform cron list'.");
  return well(`${Object.keys(CRON).length} periodic jobs run in time.`);
}
