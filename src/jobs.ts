import type { Db } from './db.ts';
import { sql } from './db.ts';

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
  /** What a worker must not have forbidden to take the job, such as `label:gpu`. */
  flags?: string[];
  /** Smaller runs earlier. */
  priority?: number;
  maxAttempts?: number;
  /** Milliseconds before it may start. */
  delay?: number;
}

/** For the `from` of a statement that states the fact itself: puts the job into the queue. */
export const enqueueing = <Name extends keyof Jobs>(name: Name, payload: Jobs[Name], options: JobOptions = {}) =>
  sql.fragment`graphile_worker.add_job(
    ${name},
    payload => ${JSON.stringify(payload)}::json,
    job_key => ${options.jobKey ?? null},
    job_key_mode => ${options.freshKey ? 'unsafe_dedupe' : 'replace'},
    flags => ${options.flags ? sql.array(options.flags, 'text') : null},
    priority => ${options.priority ?? null},
    run_at => ${options.delay === undefined ? null : sql.fragment`now() + ${options.delay} * interval '1 millisecond'`},
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
