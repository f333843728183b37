import type { Db } from './db.ts';
import { behindCommit, sql } from './db.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** What the queue can be asked to do; the payload is ids, the state lives in tables, and running twice is safe. */
export interface Jobs {
  runTransfer: { transferId: string };
  removeSpentBlobs: Record<string, never>;
  cleanUp: Record<string, never>;
  sweepRecycleBin: Record<string, never>;
  sendAccountMail: { mailId: string };
}

/** Once over all workers. A turn that nobody took is not made up for: the next one does the same. */
export const CRON = {
  cleanUp: '23 * * * *',
  sweepRecycleBin: '37 2 * * *',
} as const satisfies Partial<Record<keyof Jobs, string>>;

export interface JobOptions {
  /** A job of the same key that has not started is replaced. */
  jobKey?: string;
  /** What a worker must not have forbidden to take the job, such as `label:gpu`; without any it is a chore. */
  flags?: readonly string[];
  /** Smaller runs earlier; chores have 0. */
  priority?: number;
  maxAttempts?: number;
  /** Milliseconds before it may start. */
  delay?: number;
  /** Microseconds of a clock of the caller's own: of jobs with the same priority the smaller runs earlier, instead of the older. */
  turn?: number | Fragment;
}

/** The flag of jobs that need nothing but a moment: mails, sweeps. */
export const CHORE = 'chore';

/** Puts a job into the queue within the transaction of the fact that asks for it: no commit, no job; no job, no commit. */
export async function enqueue<Name extends keyof Jobs>(
  tx: Db,
  name: Name,
  payload: Jobs[Name],
  options: JobOptions = {},
) {
  await tx.query(sql.unsafe`
    select from graphile_worker.add_job(
      ${name},
      payload => ${sql.json(payload as never)},
      job_key => ${options.jobKey ?? null},
      flags => ${sql.array(options.flags ?? [CHORE], 'text')},
      priority => ${options.priority ?? null},
      run_at => ${runAt(options)},
      max_attempts => ${options.maxAttempts ?? null})`);
}

/** A job at its turn, which replaces one of its key that has not started. */
export interface JobAtTurn<Name extends keyof Jobs> {
  jobKey: string;
  payload: Jobs[Name];
  flags: readonly string[];
  turn: number;
}

/** The same for any number of jobs, in one statement. */
export async function enqueueAll<Name extends keyof Jobs>(
  tx: Db,
  name: Name,
  jobs: readonly JobAtTurn<Name>[],
  priority: number,
) {
  if (jobs.length === 0) return;
  await tx.query(sql.unsafe`
    select from graphile_worker.add_jobs(array(
      select row(${name}, payload, null, ${runAt({ turn: sql.fragment`turn` })}, null, "jobKey", ${priority}::int, flags)::graphile_worker.job_spec
      from jsonb_to_recordset(${sql.jsonb(jobs as never)}) as job ("jobKey" text, payload json, flags text[], turn bigint)))`);
}

/** A job with a key that was never used before. */
export interface FreshJob<Name extends keyof Jobs> {
  name: Name;
  payload: Jobs[Name];
  jobKey: string;
  flags: readonly string[];
  priority: number;
  turn: Fragment;
}

/**
 * Parts of a `with`, for a statement that states the fact itself: put the job into the queue, as many times as `from` has rows. Nobody is
 * told: `add_job` notifies, and transactions that notify commit one after the other, each with a flush of its own, which takes four times
 * as long as together. `callBehind` tells when the transaction is over.
 */
export const enqueueing = <Name extends keyof Jobs>(job: FreshJob<Name>, from: Fragment) => sql.fragment`
  known_task as (select id from graphile_worker._private_tasks where identifier = ${job.name}),
  new_task as (
    insert into graphile_worker._private_tasks (identifier) select ${job.name} where not exists (select from known_task)
    on conflict (identifier) do update set identifier = excluded.identifier returning id),
  job as (
    insert into graphile_worker._private_jobs (task_id, payload, key, flags, priority, run_at)
    select coalesce((select id from known_task), (select id from new_task)), ${sql.json(job.payload as never)}, ${job.jobKey},
      ${sql.jsonb(Object.fromEntries(job.flags.map((flag) => [flag, true])))}, ${job.priority}::int, ${runAt(job)}
    from ${from})`;

/**
 * Workers hear of a job of `enqueueing` when its transaction has committed. Should this process end just then, they find it by themselves,
 * two seconds later at most.
 */
export const callBehind = (tx: Db) => behindCommit(tx, callSoon);

/** Of pools whose workers are being called: how many jobs were committed meanwhile. */
const untold = new WeakMap<Db, number>();

/** One call at a time, for all that were committed meanwhile. */
async function callSoon(db: Db): Promise<void> {
  const meanwhile = untold.get(db);
  untold.set(db, (meanwhile ?? 0) + 1);
  if (meanwhile !== undefined) return;
  try {
    for (let count = 1; count > 0; count = untold.get(db) ?? 0) {
      untold.set(db, 0);
      await callWorkers(db, count);
    }
  } catch {
    // the database is away, or this process ends: workers look by themselves
  } finally {
    untold.delete(db);
  }
}

/** More jobs than any worker runs. */
const MANY = 100;

/** Tells waiting workers that there may be so many jobs; without a number all of them look. */
export const callWorkers = (db: Db, count = MANY) =>
  db.query(sql.unsafe`select pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${count}::int)::text)`);

/** The queue runs what is due in the order of its time, so a turn is a time long ago. A priority would hold no more than 16 bits. */
function runAt({ delay, turn }: Pick<JobOptions, 'delay' | 'turn'>) {
  if (delay !== undefined) return sql.fragment`now() + ${delay} * interval '1 millisecond'`;
  return turn === undefined
    ? sql.fragment`null`
    : sql.fragment`least(now(), to_timestamp(0) + ${turn}::bigint * interval '1 microsecond')`;
}

/** Whether a chore is due that nobody has taken; those come before all others. */
export const choresWait = (db: Db): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from graphile_worker._private_jobs where is_available and priority <= 0 and run_at <= now() limit 1`);
