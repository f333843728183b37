import { z } from 'zod';
import { ownGrantsSince } from '../datasets/bytes.queries.ts';
import { visible as visibleDatasets } from '../datasets/queries.ts';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { component, createdAt, createdBy, text, timeText, uuidText } from '../http/rules/members.ts';
import { statement } from '../platform/sql/statements.ts';
import { rightOf } from '../projects/access.ts';
import { generationNow } from '../projects/grant-generations.queries.ts';
import {
  CALLER_PARAMETERS,
  type CallerOrParameters,
  type CallerParameters,
  callerParameters,
  callerValues,
  visibleProjects,
} from '../projects/visibility.queries.ts';
import { isFresh } from './cluster/cluster-views.queries.ts';
import { NO_WORKER } from './queue/queue-status.ts';
import { lockOf } from './queue/sweep.queries.ts';
import { MoveOrCopy, TransferType } from './starts/request.ts';

export const STATUSES = ['None', 'Pending', 'InProgress', 'Completed', 'Error'] as const;
export type Status = (typeof STATUSES)[number];

/** Whether the status is final. */
export const isFinal = (status: Status) => status === 'Completed' || status === 'Error';

/** Members of every answer about a transfer. */
export const Summary = component('TransferSummary', {
  id: uuidText('Id of the transfer.'),
  createdAt,
  createdBy,
  type: TransferType.describe('Type of the transfer.'),
  format: text('Output format.', 'geotiff'),
  status: z.enum(STATUSES).describe('`Pending`, `InProgress`, then finally `Completed` or `Error`.'),
  name: text('Name of the new dataset, else of the exported or the read file.', 'Valley'),
});
export type Summary = z.infer<typeof Summary>;
/** Name of the dataset or file of a transfer `t`. */
export const transferName = sql.fragment`
  coalesce(t.request #>> '{output,name}', t.request ->> 'outputFileName', t.request ->> 'inputName', '')`;
export const summaryColumns = sql.fragment`t.id, t.created_at, t.created_by, t.type, t.format, t.status, ${transferName} as name`;

/**
 * Condition: the text of the UUID `id` of a transfer ends so, in lower case, with 6 characters at least (index
 * `transfers_ending`).
 */
export const endsWith = (ending: Fragment) =>
  sql.fragment`right(t.id::text, 6) = right(${ending}, 6) and right(t.id::text, length(${ending})) = ${ending}`;

/**
 * Transfers that the caller sees: those they started, those of projects in which they have a role, and those into or
 * out of a tenant that they own. `p.rights` are their rights in the project. Transfers of links to datasets are seen by
 * the link alone.
 */
export const visible = (caller: CallerOrParameters) => {
  const parameters = callerParameters(caller);
  const owned = parameters.ownedTenants;
  return sql.fragment`
  from transfers t left join ${visibleProjects(parameters)} p on p.id = t.project_id
  where t.share_id is null and (p.id is not null or t.created_by = ${parameters.userId} or t.tenant_id = any(${owned}) or t.source_tenant_id = any(${owned}))`;
};

/**
 * Whether the caller may read files, receipt and log of a transfer of `visible`. They must be able to read its input
 * and its output dataset, and neither may be deleted. A transfer without datasets concerns an uploaded file: readable
 * for its starter, and for who may change content in its project.
 */
const readsContents = (caller: CallerParameters) => sql.fragment`
    case when ${hasNoDataset} then ${readsUploads(caller)} else ${readsAll(visibleDatasets(caller))} end`;

/**
 * A cheap form of `readsContents` for the usual case: datasets in the transfer's own project without permissions of
 * their own, which are readable for everybody who sees the project. Null: undecided, ask `readsContents`.
 */
const readsContentsHere = (caller: CallerParameters) => sql.fragment`
    case when ${hasNoDataset} then ${readsUploads(caller)} when ${readsAll(plainIn)} then true end`;

/**
 * `is not distinct from` keeps the planner from walking the index of the project: the datasets are looked up by their
 * ids.
 */
const plainIn = sql.fragment`
    from datasets d where d.project_id is not distinct from p.id and d.deleted_at is null and d.permissions = '[]'`;
const hasNoDataset = sql.fragment`t.input_dataset_id is null and t.output_dataset_id is null`;
const readsUploads = (caller: CallerParameters) => sql.fragment`
      t.created_by = ${caller.userId} or t.tenant_id = any(${caller.ownedTenants})
        or coalesce(p.rights, 0) & ${rightOf('canUpdateContent')}::int <> 0`;
/** @param readable `from` and `where` that select the datasets `d` that the caller can read */
const readsAll = (readable: Fragment) => sql.fragment`
      (select count(*) ${readable} and d.id = any(array[t.input_dataset_id, t.output_dataset_id]))
        = num_nonnulls(t.input_dataset_id, nullif(t.output_dataset_id, t.input_dataset_id))`;

const Row = Summary.extend({
  updatedAt: z.string(),
  updatedBy: z.string(),
  projectId: z.string(),
  request: z.unknown(),
  inputDatasetId: z.string().optional(),
  progress: z.number(),
  phase: z.string().optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  attempt: z.number(),
  waitingReason: z.string().optional(),
  needs: z.array(z.string()).optional(),
  recordsRead: z.number().optional(),
  recordsWritten: z.number().optional(),
  recordsSkipped: z.number().optional(),
  errorMessage: z.string().optional(),
  outputDatasetId: z.string().optional(),
  outputBlob: z.string().optional(),
  outputFileName: z.string().optional(),
  outputMediaType: z.string().optional(),
  badRecordsBlob: z.string().optional(),
  receipt: z.unknown().optional(),
  retryOf: z.string().optional(),
  carry: MoveOrCopy.optional(),
  /** The caller's rights in the project; 0 if they only started the transfer. */
  rights: z.number(),
  /** Whether the caller may read files, receipt and log; absent if there are neither files nor a receipt. */
  readsContents: z.boolean().optional(),
  /** Generation of grants, for addresses that are signed for this caller. */
  generation: z.number(),
});
export type TransferRow = z.infer<typeof Row>;

/** For a transfer `t` that backs off after an outage: when it is retried. Null for others. */
export const backOffReason = sql.fragment`
  case when t.status = 'Pending' and t.outages > 0 then (
    select 'It is retried after an outage (see its log) at ' || to_char(run_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z".')
    from queue_jobs where key = t.id::text and run_at > now() and locked_at is null) end`;

/**
 * For a waiting transfer `t`: why its pod cannot start, else the reason that the last sweep stored for its flags, else
 * that it backs off. Null for others, and for one whose pod is starting on a node.
 */
const waitingReason = sql.fragment`
  case when t.status = 'Pending' then
    case when exists (select from workers where exists ${lockOf('workers.pool')}) or exists (select from cluster_views where ${isFresh})
      then (
        select case when j.node is not null then j.reason else coalesce(j.reason, (
          select reason from waiting_requirements where waiting_requirements.flags = t.flags), j.unscheduled, ${backOffReason}) end
        from (select) always left join kubernetes_jobs j on j.transfer_id = t.id)
      else ${NO_WORKER} end
  end`;

const visibleTransfer = (name: string, reason: Fragment) =>
  statement(
    name,
    Row,
    { ...CALLER_PARAMETERS, id: 'uuid' },
    ({ id, ...caller }) => sql.fragment`
    select ${summaryColumns}, t.updated_at, t.updated_by, t.project_id, t.request, t.input_dataset_id, t.progress, t.phase, t.started_at,
      t.finished_at, t.attempt - t.handed_back as attempt, ${reason} as waiting_reason, t.requested_flags as needs, t.records_read, t.records_written,
      t.records_skipped, t.error_message, t.output_dataset_id, t.output_blob, t.output_file_name, t.output_media_type, t.bad_records_blob, t.receipt,
      t.retry_of, t.carry, coalesce(p.rights, 0) as rights, ${generationNow} as generation,
      case when num_nonnulls(t.output_blob, t.bad_records_blob, t.receipt) > 0 then ${readsContentsHere(caller)} end as reads_contents
    ${visible(caller)} and t.id = ${id}`,
  );
const transfer = visibleTransfer('transfer', sql.fragment`null::text`);
const waitingTransfer = visibleTransfer('waiting transfer', waitingReason);

/**
 * The transfer, if the caller sees it. Reads a waiting transfer again with its waiting reason, and contents' rights in
 * other projects with a query of their own: each would be a third of the cost of every read.
 */
export async function findTransfer(db: Reads, caller: Caller, id: string): Promise<TransferRow | null> {
  const values = { ...callerValues(caller), id };
  const read = await db.maybeOne(transfer(values));
  const found = read?.status === 'Pending' ? await db.maybeOne(waitingTransfer(values)) : read;
  if (found === null || found.readsContents !== undefined) return found;
  if (found.outputBlob === undefined && found.badRecordsBlob === undefined && found.receipt === undefined) return found;
  return { ...found, readsContents: await mayReadContents(db, caller, id) };
}

const tenant = statement(
  'tenant of transfer',
  z.object({ tenantId: z.string() }),
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`select t.tenant_id ${visible(caller)} and t.id = ${id}`,
);

/** The tenant of a transfer that the caller sees. */
export const findTenant = (db: Reads, caller: Caller, id: string) =>
  db.maybeOneFirst(tenant({ ...callerValues(caller), id }));

const readableContents = statement(
  'may read contents',
  z.object({ may: z.boolean() }),
  { ...CALLER_PARAMETERS, id: 'uuid' },
  ({ id, ...caller }) => sql.fragment`
    select exists (select ${visible(caller)} and t.id = ${id} and ${readsContents(caller)}) as may`,
);

/** Whether a caller who sees a transfer may read its files, receipt and log. */
export const mayReadContents = (db: Reads, caller: Caller, id: string) =>
  db.oneFirst(readableContents({ ...callerValues(caller), id }));

export const findSummary = (db: Reads, id: string) =>
  db.one(sql.prepared('find summary', Summary)`select ${summaryColumns} from transfers t where t.id = ${id}`);

export const hasEnded = (db: Reads, id: string) =>
  db.exists(sql.unsafe`select from transfers where id = ${id} and status in ('Completed', 'Error')`);

/** Versions of these transfers. A version changes whenever the row is written or the waiting reason changes. */
export const listVersions = (db: Reads, ids: readonly string[]) =>
  db.any(sql.type(z.object({ id: z.string(), version: z.string(), ended: z.boolean() }))`
    select id, concat_ws(' ', t.xmin, ${waitingReason}) as version, status in ('Completed', 'Error') as ended
    from transfers t where id = any(${sql.array(ids, 'uuid')})`);

/** The transfers among these that the caller sees; at most a hundred. */
export const listSeen = (db: Reads, caller: Caller, ids: readonly string[]) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select t.id ${visible(caller)} and t.id = any(${sql.array(ids, 'uuid')}) order by t.started_at, t.id limit 100`);

/** Blob and file name of an export, while it is stored. */
export const findExport = (db: Reads, id: string) =>
  db.maybeOne(sql.type(z.object({ blob: z.string(), fileName: z.string() }))`
    select output_blob as blob, output_file_name as file_name from transfers
    where id = ${id} and type = 'Export' and output_blob is not null`);

/** Blob of the GeoJSON of skipped records, while it is stored. */
export const findBadRecords = (db: Reads, id: string) =>
  db.maybeOneFirst(sql.type(z.object({ blob: z.string() }))`
    select bad_records_blob as blob from transfers where id = ${id} and bad_records_blob is not null`);

/**
 * Whether grants of this generation are revoked for a dataset that the transfer read or wrote, or such a dataset no
 * longer exists.
 */
export const hasVoidGrants = (db: Reads, id: string, generation: number) =>
  db.exists(sql.unsafe`
    select from transfers t
    join unnest(array[t.input_dataset_id, t.output_dataset_id]) used (id) on used.id is not null
    left join datasets d on d.id = used.id left join projects p on p.id = d.project_id
    where t.id = ${id} and (d.id is null or ${ownGrantsSince} > ${generation}::bigint)`);

/** In ascending severity. */
const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export const LogLevelName = z.enum(LOG_LEVELS);
type LogLevelName = z.infer<typeof LogLevelName>;
export const LoggedLine = component('LogLine', {
  time: timeText('Time of the line, UTC.'),
  level: LogLevelName.describe('Log level.'),
  message: text('Text of the line.', 'Read 3 rows.'),
});
export type LoggedLine = z.infer<typeof LoggedLine>;

/** @param level minimum severity */
export const listLog = (
  db: Reads,
  transferId: string,
  { level = 'debug', after, limit }: { level?: LogLevelName | undefined; after?: string | undefined; limit: number },
) =>
  db.any(sql.type(LoggedLine.extend({ id: z.number() }))`
    select id, time, level, message from transfer_log
    where transfer_id = ${transferId} and id > ${after ?? '0'}::bigint
      and level = any(${sql.array(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)), 'text')})
    order by id limit ${limit}`);

/** Locks a transfer until the transaction ends. */
export const lockTransfer = (tx: Transaction, id: string) =>
  tx.one(sql.write(z.object({ id: z.string(), attempt: z.number(), status: z.enum(STATUSES) }))`
    select id, attempt, status from transfers where id = ${id} for update`);

export const requestCancel = (tx: Transaction, id: string, userId: string) =>
  tx.query(sql.unsafe`
    update transfers set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_by = ${userId}, updated_at = now()
    where id = ${id}`);
