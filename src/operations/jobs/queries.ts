import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';
import {
  component,
  createdAt,
  createdBy,
  finishedAt,
  number,
  text,
  texts,
  timeText,
  uuidText,
} from '../../http/rules/members.ts';
import type { Position } from '../../http/rules/paging.ts';
import { endsWith, LoggedLine, transferName } from '../../transfers/queries.ts';

/**
 * States of a job. `spent`: failed and out of attempts. `failed`, `cancelled` and `completed` are final states of
 * transfers.
 */
export const JOB_STATES = ['waiting', 'delayed', 'running', 'spent', 'failed', 'cancelled', 'completed'] as const;
export type JobState = (typeof JOB_STATES)[number];
const ENDS: readonly JobState[] = ['failed', 'cancelled', 'completed'];

/** Task of transfers, whose state is in `transfers`. The state of every other job is in its queue row. */
const TRANSFERS = 'runTransfer';

/** A transfer (its id is a UUID) or another job of the queue (its id is a number). */
export const Job = component('Job', {
  id: uuidText('Id of the transfer, or number of the job in the queue.'),
  task: text('Task of the queue.', 'convert'),
  state: z.enum(JOB_STATES).describe('State of the job.'),
  tenantId: uuidText('Id of the tenant of the transfer.').optional(),
  type: text('Type of the transfer.', 'Import').optional(),
  /** Only for transfers. */
  name: text('Name of the new dataset, else of the exported or the read file.', 'Valley').optional(),
  reader: text('Reader of the transfer.', 'AsciiGridReader').optional(),
  writer: text('Writer of the transfer.', 'GeoTiffWriter').optional(),
  time: timeText('Time of the end or, before that, of the request, UTC; lists are ordered by it.'),
  createdAt,
  startedAt: timeText('Start of the last attempt, UTC.').optional(),
  finishedAt: finishedAt.optional(),
  runAt: timeText('Time before which a delayed job does not run, UTC.').optional(),
  attempts: number('Number of attempts.'),
  worker: text('Id of the worker that runs it.', 'node-7-1').optional(),
  progress: number('Percent; 100 only after completion.', 100).optional(),
  priority: number('Priority; smaller runs first.').optional(),
  needs: texts('Resource requests.', ['label:gpu=a100', 'memory:4096']).optional(),
  error: text('Error message of a failed job.', 'The file is no GeoTIFF.').optional(),
  fingerprint: text('Id of a group of failures with the same message.', '9c1185a5c5e9fc54').optional(),
});
export type Job = z.infer<typeof Job>;

export interface JobFilter {
  states: readonly JobState[];
  task?: string | undefined;
  tenantId?: string | undefined;
  fingerprint?: string | undefined;
  /** Pool id of a worker. */
  worker?: string | undefined;
  /** The end of a transfer's id, or the whole number of another job. */
  idEnding?: string | undefined;
  /** Minimum age in milliseconds. */
  olderThan?: number | undefined;
}

const transferState = sql.fragment`
  case t.status when 'InProgress' then 'running' when 'Completed' then 'completed'
    when 'Error' then case when t.fingerprint is null then 'cancelled' else 'failed' end
    else case when j.run_at > now() then 'delayed' else 'waiting' end end`;
const otherState = sql.fragment`
  case when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'spent'
    when j.run_at > now() then 'delayed' else 'waiting' end`;

const transferColumns = sql.fragment`
  t.id::text as id, ${TRANSFERS}::text as task, ${transferState} as state, t.tenant_id, t.type, ${transferName} as name, t.request ->> 'readerName' as reader,
  t.request ->> 'writerName' as writer, coalesce(t.finished_at, t.created_at) as time, t.created_at, t.started_at, t.finished_at,
  case when j.run_at > now() then j.run_at end as run_at, (t.attempt - t.handed_back)::int as attempts, t.worker_pool as worker, t.progress, j.priority::int as priority, t.requested_flags as needs,
  t.error_message as error, t.fingerprint`;
const otherColumns = sql.fragment`
  j.id::text as id, k.identifier as task, ${otherState} as state, null::uuid as tenant_id, null as type, null as name, null as reader, null as writer,
  j.created_at as time, j.created_at, j.locked_at as started_at, null::timestamptz as finished_at,
  case when j.run_at > now() then j.run_at end as run_at, j.attempts::int as attempts,
  j.locked_by as worker, null::real as progress, j.priority::int as priority, null::text[] as needs, j.last_error as error, null as fingerprint`;
const transferTables = sql.fragment`transfers t left join queue_jobs j on j.key = t.id::text`;
const otherTables = sql.fragment`queue_jobs j join queue_tasks k on k.id = j.task_id`;

/** Redundant conditions, with which an index or the queue finds the few matching rows. */
const running = sql.fragment`t.status = 'InProgress'`;
const delayed = sql.fragment`t.id in (
  select j.key::uuid from queue_jobs j
  where j.run_at > now() and j.key is not null
    and j.task_id = (select id from queue_tasks where identifier = ${TRANSFERS}))`;

const all = (parts: readonly Fragment[]) => sql.join([...parts], sql.fragment` and `);

/**
 * One page of jobs, newest first. Each branch scans its own index, so that a page costs the same for a queue of any
 * length.
 */
export function listJobs(db: Reads, filter: JobFilter, position: Position | undefined, limit: number) {
  const { states, task, tenantId, fingerprint, worker, idEnding, olderThan } = filter;
  const below = (time: Fragment, id: Fragment): Fragment[] => [
    ...(position === undefined
      ? []
      : [
          sql.fragment`${time} <= ${position.value}::timestamptz`,
          sql.fragment`(${time} < ${position.value}::timestamptz or ${id}::text collate "C" < ${position.id})`,
        ]),
    ...(olderThan === undefined ? [] : [sql.fragment`${time} < now() - ${olderThan} * interval '1 millisecond'`]),
  ];
  const wanted = sql.array([...states], 'text');
  const ofTransfers = [
    ...(tenantId === undefined ? [] : [sql.fragment`t.tenant_id = ${tenantId}`]),
    ...(worker === undefined ? [] : [sql.fragment`t.worker_pool = ${worker}`]),
    ...(fingerprint === undefined ? [] : [sql.fragment`t.fingerprint = ${fingerprint}`]),
    ...(idEnding === undefined ? [] : [endsWith(sql.fragment`${idEnding}::text`)]),
  ];
  const transfers = (time: 'created_at' | 'finished_at', own: readonly Fragment[]) => {
    const column = sql.identifier(['t', time]);
    const when = all([
      ...own,
      ...ofTransfers,
      sql.fragment`${transferState} = any(${wanted})`,
      ...below(sql.fragment`${column}`, sql.fragment`t.id`),
    ]);
    return sql.fragment`
      (select ${transferColumns} from ${transferTables} where ${when} order by ${column} desc, t.id desc limit ${limit})`;
  };

  const branches: Fragment[] = [];
  if (task === undefined || task === TRANSFERS) {
    const unfinished = states.filter((state) => !ENDS.includes(state) && state !== 'spent');
    if (unfinished.length > 0) {
      const [only] = unfinished.length === 1 ? unfinished : [];
      const narrower = only === 'running' ? [running] : only === 'delayed' ? [delayed] : [];
      branches.push(transfers('created_at', [sql.fragment`t.finished_at is null`, ...narrower]));
    }
    if (states.some((state) => ENDS.includes(state))) {
      const failed = states.filter((state) => ENDS.includes(state)).every((state) => state === 'failed');
      const status = failed ? [sql.fragment`t.fingerprint is not null`] : [];
      branches.push(transfers('finished_at', [sql.fragment`t.finished_at is not null`, ...status]));
    }
  }
  if (task !== TRANSFERS && tenantId === undefined && fingerprint === undefined) {
    const when = all([
      sql.fragment`k.identifier <> ${TRANSFERS}`,
      ...(task === undefined ? [] : [sql.fragment`k.identifier = ${task}`]),
      ...(worker === undefined ? [] : [sql.fragment`j.locked_by = ${worker}`]),
      ...(idEnding === undefined ? [] : [sql.fragment`j.id::text = ${idEnding}`]),
      sql.fragment`${otherState} = any(${wanted})`,
      ...below(sql.fragment`j.created_at`, sql.fragment`j.id`),
    ]);
    branches.push(sql.fragment`
      (select ${otherColumns} from ${otherTables} where ${when} order by j.created_at desc, j.id::text collate "C" desc limit ${limit})`);
  }
  if (branches.length === 0) return Promise.resolve([]);
  return db.any(sql.type(Job)`
    select * from (${sql.join(branches, sql.fragment` union all `)}) jobs order by time desc, id collate "C" desc limit ${limit}`);
}

const QueueRow = z.object({
  id: text('Queue number of the job.', '4711'),
  key: text('Job key; a job replaces another one with the same key.', 'k').optional(),
  priority: number('Priority; smaller runs first.'),
  runAt: timeText('Earliest start, UTC.'),
  attempts: number('Number of attempts so far.'),
  maxAttempts: number('Maximum number of attempts.'),
  lastError: text('Error of the last attempt.', 'The database cannot be reached.').optional(),
  lockedAt: timeText('Time when a worker took the job, UTC.').optional(),
  lockedBy: text('Id of the worker pool that took the job.', 'pool-1').optional(),
  flags: texts('Flags that the worker must satisfy.'),
  payload: z.any().meta({ description: 'Payload of the job.', type: 'object', additionalProperties: true }),
});
const queueColumns = sql.fragment`
  j.id::text as id, j.key, j.priority::int as priority, j.run_at, j.attempts::int as attempts, j.max_attempts::int as max_attempts,
  j.last_error, j.locked_at, j.locked_by, array(select jsonb_object_keys(coalesce(j.flags, '{}')) order by 1) as flags, j.payload`;

/** Members of a transfer that only its details contain. */
const TransferDetails = z.object({
  projectId: uuidText('Id of the project of the transfer.'),
  format: text('Output format.', 'geotiff'),
  accountId: text('Login id of the account that started it.', 'ann'),
  createdBy,
  requestId: uuidText('`x-request-id` of the request that started it.').optional(),
  request: z.any().meta({ description: 'The accepted request.', type: 'object', additionalProperties: true }),
  phase: text('Current phase.', 'Writing').optional(),
  cancelRequestedAt: timeText('Time of the request to cancel, UTC.').optional(),
  deadline: timeText('Time when it is stopped, UTC.').optional(),
  workerLosses: number('Number of workers that died while they ran it.'),
  childDeaths: number('Number of conversion processes that died.'),
  outages: number('Number of outages of the services that it needs.'),
  memoryMb: number('Memory that it needs, in MB.', 4096),
  cores: number('Number of CPU cores that it needs.').optional(),
  inputDatasetId: uuidText('Id of the dataset that it reads.').optional(),
  outputDatasetId: uuidText('Id of the dataset that it writes.').optional(),
  retryOf: uuidText('Id of the transfer that this one retries.').optional(),
  retries: texts('Ids of the transfers that retried this one.'),
});

/** All details of a job. */
export const JobDetail = Job.extend(TransferDetails.partial().shape)
  .extend({
    queue: QueueRow.optional().describe('Job in the queue.'),
    host: text('Name of the machine.', 'node-7').optional(),
    log: z.array(LoggedLine).describe('Last lines of the log.'),
  })
  .meta({ id: 'JobDetail' });
export type JobDetail = z.infer<typeof JobDetail>;

export const findTransferJob = (db: Reads, id: string) =>
  db.maybeOne(sql.type(Job.extend(TransferDetails.shape).extend({ host: z.string().optional() }))`
    select ${transferColumns}, t.project_id, t.format, t.account_id, t.created_by, t.request_id, t.request, t.phase,
      t.cancel_requested_at, t.deadline, t.worker_losses, t.child_deaths, t.outages, t.memory_mb, t.cores::float8 as cores,
      t.input_dataset_id, t.output_dataset_id, t.retry_of,
      array(select r.id::text from transfers r where r.retry_of = t.id order by r.created_at) as retries, w.host
    from ${transferTables} left join workers w on w.pool = t.worker_pool where t.id = ${id}`);

export const findOtherJob = (db: Reads, id: string) =>
  db.maybeOne(
    sql.type(
      Job,
    )`select ${otherColumns} from ${otherTables} where j.id = ${id}::bigint and k.identifier <> ${TRANSFERS}`,
  );

/** Finds a queue row by the id of its transfer (`key`) or its own id. */
export const findQueueRow = (db: Reads, id: { key: string } | { id: string }) =>
  db.maybeOne(sql.type(QueueRow)`
    select ${queueColumns} from queue_jobs j
    where ${'key' in id ? sql.fragment`j.key = ${id.key}` : sql.fragment`j.id = ${id.id}::bigint`}`);

/** The last lines of a transfer's log, oldest first. */
export const listLogTail = (db: Reads, transferId: string, lines: number) =>
  db.any(sql.type(LoggedLine)`
    select time, level, message from (
      select id, time, level, message from transfer_log where transfer_id = ${transferId} order by id desc limit ${lines}) last
    order by id`);

const Id = z.object({ id: z.string() });

/** Removes a job from the queue. Null if it is running or no longer exists. */
export const removeJob = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Id)`select id::text from graphile_worker.complete_jobs(array[${id}::bigint])`);

/** Lets a job run now, with all its attempts. Null if it is running or no longer exists. */
export const restartJob = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Id)`
    select id::text from graphile_worker.reschedule_jobs(array[${id}::bigint], run_at => now(), attempts => 0)`);
