import type { Database } from '../../db.ts';
import { adminSummary } from '../summary/summary.ts';
import { type Check, ill, type Result, runCheck, well } from './check.ts';
import { checkCron, checkWorkers } from './checks/work.ts';

const LONG_WAIT_S = 3600;

/** How the platform does, at a glance. */
export async function glance(db: Database): Promise<Check[]> {
  const check = (name: string, work: () => Promise<Result>) => runCheck(name, "Run 'platform doctor'.", work);
  const workers = await check('workers', () => checkWorkers(db));
  const summary = await adminSummary(db);
  const of = (name: string, result: Result): Check => ({ name, ...result });
  return [
    of('pause', pause(summary.pause)),
    workers,
    of('queue', queue(summary.queue)),
    of('failures', failures(summary.failures)),
    of('webhooks', webhooks(summary.webhooks)),
    of('blobs', blobs(summary.blobs)),
    await check('cron', () => checkCron(db)),
    of('people', well(`${summary.accounts} accounts, ${summary.tenants} tenants.`)),
  ];
}

type Summary = Awaited<ReturnType<typeof adminSummary>>;

const pause = ({ paused, reason }: Summary['pause']): Result =>
  paused
    ? ill(`New work is paused: ${reason ?? 'no reason was given'}`, "Let workers go on: 'platform job resume'.")
    : well('New work is started.');

function queue({ waiting, delayed, running, spent, oldestTransferSeconds = 0 }: Summary['queue']): Result {
  const message =
    `${waiting} jobs wait, ${delayed} for a later time, ${running} run, ${spent} failed too often` +
    `${oldestTransferSeconds > 0 ? `; the oldest transfer waits ${Math.round(oldestTransferSeconds)} s` : ''}.`;
  if (oldestTransferSeconds > LONG_WAIT_S)
    return ill(
      message,
      "See why: 'platform job list --state waiting', 'platform job why ID'. More workers shorten the queue.",
    );
  return spent > 0 ? ill(message, "See them: 'platform job list --state failed'.") : well(message);
}

const failures = ({ lastDay, kinds }: Summary['failures']): Result =>
  well(`${lastDay} transfers of ${kinds} kinds failed in the last 24 hours and were not retried.`);

const webhooks = ({ due, later, failing, disabled }: Summary['webhooks']): Result =>
  well(`${due} deliveries are due, ${later} wait; ${failing} webhooks fail, ${disabled} were disabled.`);

function blobs({ damagedBlobs, missingBlobs }: Summary['blobs']): Result {
  if (damagedBlobs + missingBlobs === 0) return well('No content is known to be damaged or missing.');
  return ill(
    `${damagedBlobs} blobs are damaged, ${missingBlobs} are missing.`,
    "List them with 'platform blobs verify', and put them back from a backup.",
  );
}
