import { type Database, type Fragment, type Reads, sql, type Transaction } from './db.ts';

/**
 * Jobs of the queue by name, with their payloads: only ids, because state lives in tables. Every job may run twice
 * without harm.
 */
export interface Jobs {
  runTransfer: { transferId: string };
  removeSpentBlobs: Record<string, never>;
  cleanUp: Record<string, never>;
  sweepRecycleBin: Record<string, never>;
  expireCredits: Record<string, never>;
  verifyBlobs: Record<string, never>;
  drawThumbnails: Record<string, never>;
  sendAccountMail: { mailId: string };
  /** Enqueued by a trigger of the database, too: `sql/functions/tiles.sql`. */
  drawVectorOverview: { datasetId: string };
  /** Enqueued by a function of the database: `sql/functions/previews.sql`. */
  makePreview: { blob: string };
}

/**
 * Schedules (UTC) of jobs that one of all workers runs. A missed run is not repeated: the next one does the same work.
 */
export const CRON = {
  cleanUp: '23 * * * *',
  sweepRecycleBin: '37 2 * * *',
  expireCredits: '3 * * * *',
  verifyBlobs: '11 3 * * *',
  drawThumbnails: '* * * * *',
} as const satisfies Partial<Record<keyof Jobs, string>>;

export interface JobOptions {
  /** A job of the same key that has not started is replaced. */
  jobKey?: string;
  /** Flags that the worker must satisfy, such as `label:gpu`. Default: a short job, which any worker may take. */
  flags?: readonly string[];
  /** Smaller runs earlier; short jobs have 0. */
  priority?: number;
  maxAttempts?: number;
  /** Milliseconds before it may start. */
  delay?: number;
  /** Microseconds of a virtual clock: among jobs of equal priority the lowest runs first, instead of the oldest. */
  virtualTime?: number | Fragment;
}

/**
 * Flag of jobs that are short and need no resources: mails, sweeps. Queue rows and metrics of earlier versions have
 * this value.
 */
export const SHORT_JOB = 'chore';

/** Enqueues a job in the caller's transaction, so that it exists if and only if the transaction commits. */
export async function enqueue<Name extends keyof Jobs>(
  tx: Transaction,
  name: Name,
  payload: Jobs[Name],
  options: JobOptions = {},
) {
  await tx.query(sql.unsafe`
    select from graphile_worker.add_job(
      ${name},
      payload => ${sql.json(payload as never)},
      job_key => ${options.jobKey ?? null},
      flags => ${sql.array(options.flags ?? [SHORT_JOB], 'text')},
      priority => ${options.priority ?? null},
      run_at => ${runAt(options)},
      max_attempts => ${options.maxAttempts ?? null})`);
}

/** A job with a virtual time. Replaces a job of the same key that has not started. */
export interface FairJob<Name extends keyof Jobs> {
  jobKey: string;
  payload: Jobs[Name];
  flags: readonly string[];
  virtualTime: number;
}

/** Enqueues any number of jobs in one statement. */
export async function enqueueAll<Name extends keyof Jobs>(
  tx: Transaction,
  name: Name,
  jobs: readonly FairJob<Name>[],
  priority: number,
) {
  if (jobs.length === 0) return;
  await tx.query(sql.unsafe`
    select from graphile_worker.add_jobs(array(
      select row(${name}, payload, null, ${runAt({ virtualTime: sql.fragment`"virtualTime"` })}, null, "jobKey", ${priority}::int, flags)::graphile_worker.job_spec
      from jsonb_to_recordset(${sql.jsonb(jobs as never)}) as job ("jobKey" text, payload json, flags text[], "virtualTime" bigint)))`);
}

/** A job whose key is new, so that it replaces none. */
export interface FreshJob<Name extends keyof Jobs> {
  name: Name;
  payload: Jobs[Name];
  jobKey: string;
  flags: readonly string[];
  priority: number;
  virtualTime: Fragment;
}

/**
 * Parts of a `with` that enqueue the job once per row of `from`, so that one statement writes the caller's row and its
 * job. Unlike `add_job` they notify no worker: Postgres commits notifying transactions one after the other, which takes
 * four times as long as group commit. Call `notifyAfterCommit` instead.
 */
export const enqueueFragment = <Name extends keyof Jobs>(job: FreshJob<Name>, from: Fragment) => sql.fragment`
  known_task as (select id from queue_tasks where identifier = ${job.name}),
  new_task as (
    insert into queue_tasks (identifier) select ${job.name} where not exists (select from known_task)
    on conflict (identifier) do update set identifier = excluded.identifier returning id),
  job as (
    insert into queue_jobs (task_id, payload, key, flags, priority, run_at)
    select coalesce((select id from known_task), (select id from new_task)), ${sql.json(job.payload as never)}, ${job.jobKey},
      ${sql.jsonb(Object.fromEntries(job.flags.map((flag) => [flag, true])))}, ${job.priority}::int, ${runAt(job)}
    from ${from})`;

/**
 * Notifies workers of a job of `enqueueFragment` once its transaction has committed. If this process ends before, they
 * find the job when they poll, within two seconds.
 */
export const notifyAfterCommit = (tx: Transaction) => tx.afterCommit(notifySoon);

/** Number of jobs committed while a notification of the same database is under way. */
const unnotified = new WeakMap<Database, number>();

/** Sends one notification at a time, for all jobs committed meanwhile. */
async function notifySoon(db: Database): Promise<void> {
  const meanwhile = unnotified.get(db);
  unnotified.set(db, (meanwhile ?? 0) + 1);
  if (meanwhile !== undefined) return;
  try {
    for (let count = 1; count > 0; count = unnotified.get(db) ?? 0) {
      unnotified.set(db, 0);
      await notifyWorkers(db, count);
    }
  } catch {
    // the database is unreachable, or this process ends: workers poll
  } finally {
    unnotified.delete(db);
  }
}

/** More jobs than any worker runs. */
const MANY = 100;

/** Wakes workers for `count` new jobs; without `count`, all workers. */
export const notifyWorkers = (db: Reads, count = MANY) =>
  db.any(sql.unsafe`select pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${count}::int)::text)`);

/**
 * graphile-worker runs due jobs by `run_at`, so a virtual time is encoded as a `run_at` near 1970. A priority has only
 * 16 bits.
 */
function runAt({ delay, virtualTime }: Pick<JobOptions, 'delay' | 'virtualTime'>) {
  if (delay !== undefined) return sql.fragment`now() + ${delay} * interval '1 millisecond'`;
  return virtualTime === undefined
    ? sql.fragment`null`
    : sql.fragment`least(now(), to_timestamp(0) + ${virtualTime}::bigint * interval '1 microsecond')`;
}

/**
 * Whether a short job is due that no worker has taken. Short jobs have the lowest priority numbers, so they run first.
 */
export const shortJobsWait = (db: Reads): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from queue_jobs where is_available and priority <= 0 and run_at <= now() limit 1`);
