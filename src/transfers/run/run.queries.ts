import type { LogLevel } from 'hydrofiles';
import { z } from 'zod';
import { type NewContent, releases, replacement } from '../../datasets/locks.queries.ts';
import { datasetInsert, type NewDataset } from '../../datasets/queries.ts';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';
import { type Event, eventInsert } from '../../outbox.ts';
import { type Counts, MAX_ATTEMPTS } from '../ends/outcome.ts';
import { advanceClock } from '../queue/virtual-time.queries.ts';
import { MoveOrCopy, TransferType } from '../starts/request.ts';

/** A claimed transfer: everything that an attempt needs. */
const Claimed = z.object({
  id: z.string(),
  type: TransferType,
  format: z.string(),
  request: z.unknown(),
  tenantId: z.string(),
  projectId: z.string(),
  createdBy: z.string(),
  requestId: z.string().optional(),
  traceparent: z.string().optional(),
  attempt: z.number(),
  /** Earlier attempts that do not count, because their worker was asked to stop. */
  handedBack: z.number(),
  memoryMb: z.number(),
  /** Absent unless the request asks for a number. */
  cores: z.number().optional(),
  childDeaths: z.number(),
  outages: z.number(),
  /** Price limit, which limits the run time. */
  price: z.object({ timeLimitMs: z.number().optional(), maxCredits: z.number().optional() }).optional(),
  inputDatasetId: z.string().optional(),
  /** The existing dataset that it writes or moves. */
  outputDatasetId: z.string().optional(),
  carry: MoveOrCopy.optional(),
  sourceTenantId: z.string().optional(),
  sourceProjectId: z.string().optional(),
  shareId: z.string().optional(),
  /** Name of the input in the blob store; absent for a remote file, or if the input was deleted. */
  inputBlob: z.string().optional(),
  /** A remote file: the row of its address, and the sealed address. */
  sourceId: z.string().optional(),
  sealedSource: z.instanceof(Uint8Array).optional(),
  /** Bytes of the input. */
  inputSize: z.number().optional(),
  cancelled: z.boolean(),
  projectDeleted: z.boolean(),
});
export type ClaimedRow = z.infer<typeof Claimed>;

/** A project is in the recycle bin, or below a project there, or removed. */
export const deleted = (projectId: Fragment) => sql.fragment`not exists (
  select from projects p
  where p.id = ${projectId} and not exists (select from projects a where a.id = any(p.path) and a.deleted_at is not null))`;
/** The transfer's project, or the one that a dataset is moved or copied from. */
const projectDeleted = sql.fragment`(${deleted(sql.fragment`transfers.project_id`)}
  or (transfers.source_project_id is not null and ${deleted(sql.fragment`transfers.source_project_id`)}))`;
/** Columns that say why a transfer of `transfers` must stop. */
export const stopped = sql.fragment`cancel_requested_at is not null as cancelled, ${projectDeleted} as project_deleted`;

/**
 * Claims a pending transfer for this pool and counts an attempt. Null: it has ended, another worker has it, it has
 * another resource request, it has no attempts left, or this pool lost its liveness lock. Sets the virtual clock to its
 * virtual time. Fires `transfers_counted_anew`, which fills `transfer_counts`.
 * @param timeLimit milliseconds
 */
export const claimTransfer = (
  tx: Transaction,
  { id, flags }: { id: string; flags: readonly string[] },
  pool: string,
  timeLimit: number,
) =>
  tx.maybeOne(sql.write(Claimed, 'claim transfer')`
    update transfers set status = 'InProgress', attempt = attempt + 1, worker_pool = ${pool},
      deadline = now() + least(${timeLimit}::float8, (price ->> 'timeLimitMs')::float8) * interval '1 millisecond', started_at = now(), updated_at = now(),
      phase = 'Starting'
    where id = ${id} and status = 'Pending' and flags = ${sql.array(flags, 'text')} and attempt < ${MAX_ATTEMPTS}
      and exists (select from workers where pool = ${pool})
    returning ${advanceClock}, id, type, format, request, tenant_id, project_id, created_by, request_id, traceparent, attempt,
      handed_back, price, memory_mb, cores::float8 as cores, child_deaths, outages, input_dataset_id, output_dataset_id, carry, source_tenant_id, source_project_id, share_id, source_id, ${stopped},
      (select sealed from remote_sources where remote_sources.id = source_id) as sealed_source,
      coalesce((select blob from staged_blobs where name = staged_blob),
        (select blob from datasets where datasets.id = input_dataset_id)) as input_blob,
      coalesce((select size from staged_blobs where name = staged_blob),
        (select storage_size from datasets where datasets.id = input_dataset_id)) as input_size`);

const OtherRow = z.object({
  number: z.number(),
  /** Id or address by which a transformation names it. Absent: a file that is joined with the first input. */
  key: z.string().optional(),
  /** Name in the blob store; absent for a remote file, or if the file was deleted. */
  blob: z.string().optional(),
  size: z.number().optional(),
  sourceId: z.string().optional(),
  sealedSource: z.instanceof(Uint8Array).optional(),
  datasetId: z.string().optional(),
  /** Of a dataset. */
  format: z.string().optional(),
});
export type OtherRow = z.infer<typeof OtherRow>;

/** The inputs of a transfer besides its first one, in their order. */
export const listOtherInputs = (db: Reads, transferId: string) =>
  db.any(sql.type(OtherRow)`
    select i.number, i.key, coalesce(s.blob, d.blob) as blob, coalesce(s.size, d.storage_size) as size, i.source_id,
      r.sealed as sealed_source, i.dataset_id, d.dataset_format as format
    from transfer_inputs i left join staged_blobs s on s.name = i.staged_blob
      left join remote_sources r on r.id = i.source_id left join datasets d on d.id = i.dataset_id
    where i.transfer_id = ${transferId} order by i.number`);

/** Removes the queue row of a transfer, unless a worker has taken it. */
export const removeQueueRow = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`delete from queue_jobs where key = ${id} and locked_at is null`);

const Stops = z.object({ cancelled: z.boolean(), projectDeleted: z.boolean() });
const Released = Stops.extend({
  id: z.string(),
  flags: z.array(z.string()),
  virtualTime: z.number(),
  attempt: z.number(),
});
const released = sql.fragment`id, flags, virtual_time, attempt, ${stopped}`;

/** Locks a transfer that waits. Null: it does not wait, or it has this resource request and attempts left. */
export const lockWaiting = (tx: Transaction, id: string, unless: readonly string[] | undefined) =>
  tx.maybeOne(sql.write(Released)`
    select ${released} from transfers
    where id = ${id} and status = 'Pending' and (
      attempt >= ${MAX_ATTEMPTS} or flags is distinct from ${unless ? sql.array(unless, 'text') : sql.fragment`null`})
    for update`);

/** Why a running transfer must stop. */
export const getStops = (db: Reads, id: string) =>
  db.one(sql.type(Stops)`
    select ${stopped} from transfers where id = ${id}`);

const Changed = z.object({ id: z.string() });

/**
 * The fence of an attempt: after a takeover, an end or a hand-back the row has another attempt or status, and the
 * attempt writes nothing.
 */
export interface Fence {
  id: string;
  attempt: number;
}

export const held = ({ id, attempt }: Fence) =>
  sql.fragment`id = ${id} and attempt = ${attempt} and status = 'InProgress'`;

export interface LogLine {
  /** ISO 8601. */
  time: string;
  level: LogLevel;
  message: string;
  /** Of a line that may have been written already, although the answer was lost: it is not written twice. */
  id?: string;
}

/** Ids for lines that are about to be written. */
export const takeLineIds = (tx: Transaction, count: number) =>
  tx.anyFirst(sql.write(z.object({ id: z.string() }))`
    select nextval('transfer_log_id_seq')::text as id from generate_series(1, ${count}::int)`);

/** Inserts log lines for the transfers of the part `changed` of a `with`. */
export function logged(lines: readonly LogLine[]) {
  const record = sql.jsonb(lines as never);
  // most transfers end before a line was sent: the check for conflicts would be a tenth of what a small one costs the
  // database
  if (lines.every(({ id }) => id === undefined))
    return sql.fragment`
      insert into transfer_log (transfer_id, time, level, message)
      select changed.id, line.time, line.level, line.message
      from changed, jsonb_to_recordset(${record}) as line (time timestamptz, level text, message text)`;
  return sql.fragment`
    insert into transfer_log (id, transfer_id, time, level, message) overriding system value
    select coalesce(line.id, nextval('transfer_log_id_seq')), changed.id, line.time, line.level, line.message
    from changed, jsonb_to_recordset(${record}) as line (id bigint, time timestamptz, level text, message text)
    on conflict (id) do nothing`;
}

export interface ProgressUpdate {
  progress: number;
  phase: string | undefined;
  lines: readonly LogLine[];
  /** A progress event; not stored if an earlier attempt got further. */
  event: Event | undefined;
}

/** Stores progress, phase and log lines of an attempt. Null: the attempt does not hold the transfer any more. */
export const reportProgress = (tx: Transaction, fence: Fence, { progress, phase, lines, event }: ProgressUpdate) =>
  tx.maybeOne(sql.write(Changed)`
    with changed as (
      update transfers set progress = greatest(progress, ${progress}), phase = coalesce(${phase ?? null}, phase), updated_at = now()
      where ${held(fence)} returning id, progress),
    ${event ? sql.fragment`event as (${eventInsert(event, sql.fragment`exists (select from changed where progress = ${progress})`)}),` : sql.fragment``}
    lines as (${logged(lines)})
    select id from changed`);

/** Output of a conversion: a new dataset, new content of a dataset, or a file for downloading. */
export type Output =
  | { dataset: NewDataset & { id: string } }
  | { replaced: NewContent }
  | { exported: { blob: string; fileName: string; mediaType: string | undefined } };

export interface Completion {
  output: Output;
  badRecordsBlob: string | undefined;
  receipt: unknown;
  recordsRead: number;
  recordsWritten: number;
  recordsSkipped: number;
  lines: readonly LogLine[];
  event: Event | undefined;
}

/**
 * Writes dataset, transfer, receipt, log and event in one statement, so all or nothing. Null: the attempt was taken
 * over or cancelled, or its project deleted, and nothing is written. It ends when this is written, not when its
 * transaction began: before, that may have written rows of time series for long. Fires `transfers_counted_anew`, which
 * fills `transfer_counts`, and `settles_price`, which books the price; for the dataset, those of `replacement` or
 * `datasetInsert`.
 */
export function completeTransfer(tx: Transaction, fence: Fence, { output, lines, event, ...done }: Completion) {
  const dataset = 'dataset' in output ? output.dataset : undefined;
  const exported = 'exported' in output ? output.exported : undefined;
  const replaced = 'replaced' in output ? output.replaced : undefined;
  const changed = sql.fragment`changed`;
  const completed = sql.fragment`exists (select from changed)`;
  return tx.maybeOne(sql.write(Changed, 'complete transfer')`
    with changed as (
      update transfers set status = 'Completed', progress = 100, phase = null, finished_at = clock_timestamp(), updated_at = now(),
        output_dataset_id = ${dataset?.id ?? replaced?.datasetId ?? null}, output_blob = ${exported?.blob ?? null},
        output_file_name = ${exported?.fileName ?? null}, output_media_type = ${exported?.mediaType ?? null}, bad_records_blob = ${done.badRecordsBlob ?? null}, receipt = ${sql.jsonb(done.receipt as never)},
        records_read = ${done.recordsRead}, records_written = ${done.recordsWritten}, records_skipped = ${done.recordsSkipped}
      where ${held(fence)} and cancel_requested_at is null and not ${projectDeleted} returning id),
    lines as (${logged(lines)}),
    ${event ? sql.fragment`event as (${eventInsert(event, completed)}),` : sql.fragment``}
    ${replaced === undefined ? releases(changed) : replacement(replaced, changed)}
    ${dataset === undefined ? sql.fragment`` : sql.fragment`, dataset as (${datasetInsert(dataset, completed)})`}
    select id from changed`);
}

/**
 * Makes a transfer wait again. Null: another process took it over. Fires `transfers_counted_anew`, which fills
 * `transfer_counts`.
 */
export const releaseTransfer = (
  tx: Transaction,
  fence: Fence,
  { handedBack = 0, childDeaths = 0, outages = 0 }: Counts,
  lines: readonly LogLine[],
) =>
  tx.maybeOne(sql.write(Released)`
    with changed as (
      update transfers set status = 'Pending', worker_pool = null, deadline = null, phase = null, updated_at = now(),
        handed_back = handed_back + ${handedBack}, child_deaths = child_deaths + ${childDeaths}, outages = outages + ${outages}
      where ${held(fence)} returning ${released}),
    lines as (${logged(lines)})
    select * from changed`);

/** Transfers that this pool holds according to their rows. */
export const listHeld = (db: Reads, pool: string) =>
  db.any(sql.type(
    z.object({ id: z.string(), attempt: z.number(), cancelled: z.boolean(), projectDeleted: z.boolean() }),
  )`
    select id, attempt, ${stopped} from transfers where status = 'InProgress' and worker_pool = ${pool}`);
