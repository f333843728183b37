import type { Db } from './db.ts';
import { sql } from './db.ts';

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
  /** The key was never used before, so that there is nothing to replace: looking for it costs more than the rest. */
  freshKey?: boolean;
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

/** For the `from` of a statement that states the fact itself: puts the job into the queue. */
export const enqueueing = <Name extends keyof Jobs>(name: Name, payload: Jobs[Name], options: JobOptions = {}) =>
  sql.fragment`graphile_worker.add_job(
    ${name},
    payload => ${JSON.stringify(payload)}::json,
    job_key => ${options.jobKey ?? null},
    job_key_mode => ${options.freshKey ? 'unsafe_dedupe' : 'replace'},
    flags => ${sql.array(options.flags ?? [CHORE], 'text')},
    priority => ${options.priority ?? null},
    run_at => ${runAt(options)},
    max_attempts => ${options.maxAttempts ?? null})`;

/** Puts a job into the queue within the transaction of the fact that asks for it: no commit, no job; no job, no commit. */
export async function enqueue<Name extends keyof Jobs>(
  tx: Db,
  name: Name,
  payload: Jobs[Name],
  options: JobOptions = {},
) {
  await tx.query(sql.unsafe`select from ${enqueueing(name, payload, options)}`);
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

/** The queue runs what is due in the order of its time, so a turn is a time long ago. A priority would hold no more than 16 bits. */
function runAt({ delay, turn }: JobOptions) {
  if (delay !== undefined) return sql.fragment`now() + ${delay} * interval '1 millisecond'`;
  return turn === undefined
    ? sql.fragment`null`
    : sql.fragment`least(now(), to_timestamp(0) + ${turn}::bigint * interval '1 microsecond')`;
}

/** Whether a chore is due that nobody has taken; those come before all others. */
export const choresWait = (db: Db): Promise<boolean> =>
  db.exists(sql.unsafe`
    select from graphile_worker._private_jobs where is_available and priority <= 0 and run_at <= now() limit 1`);
