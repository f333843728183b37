import type { z } from 'zod';
import type { Price } from '../../credits/prices.ts';
import { amount, availableNow } from '../../credits/queries.ts';
import { sql, type Transaction } from '../../db.ts';
import { notifyAfterCommit } from '../../jobs.ts';
import { type Event, eventInsert } from '../../outbox.ts';
import { hasEvents } from '../events.ts';
import { Summary, summaryColumns } from '../queries.ts';
import { enqueueNew } from '../queue/enqueue.ts';
import { LOW_PRIORITY, nextVirtualTime } from '../queue/virtual-time.queries.ts';
import type { AcceptedRequest, MoveOrCopy, TransferType } from './request.ts';

/** A file or dataset that a transfer reads besides its first input: one of the three. */
export interface OtherInput {
  stagedBlob?: string | undefined;
  sourceId?: string | undefined;
  datasetId?: string | undefined;
  /** Id or address by which a transformation names it. Absent: a file that is joined with the first input. */
  key?: string | undefined;
}

export interface NewTransfer {
  id: string;
  tenantId: string;
  projectId: string;
  type: TransferType;
  format: string;
  request: AcceptedRequest;
  stagedBlob?: string;
  /** Row of the sealed address of a remote file. */
  sourceId?: string;
  inputDatasetId?: string;
  /** In the order of the request. */
  others?: readonly OtherInput[];
  /** An existing dataset that the transfer writes or moves. */
  outputDatasetId?: string;
  retryOf?: string;
  /** A move or copy, with tenant and project of the source dataset. */
  carry?: MoveOrCopy | undefined;
  sourceTenantId?: string | undefined;
  sourceProjectId?: string | undefined;
  /** The link to a dataset whose holder starts it. */
  shareId?: string | undefined;
  createdBy: string;
  accountId: string;
  requestId: string;
  traceparent?: string | undefined;
  /** Memory limit. */
  memoryMb: number;
  /** Requested cores; absent: the worker's cores divided by its slots. */
  cores?: number | undefined;
  /** Encoded requirements, see `requirements.ts`. */
  flags?: readonly string[];
  /** Absent: it is free. */
  price?: Price | undefined;
}

/** `available`: credits that the payer of a priced transfer can use. */
const Inserted = Summary.extend({ available: amount().optional() });

/**
 * Inserts transfer, event, if it has any, and queue row in one statement, and so in one round trip. Workers are
 * notified after the commit. Fires `transfers_counted`, which fills `transfer_counts`, and at the commit
 * `reserves_price`.
 */
export function insertTransfer(tx: Transaction, row: NewTransfer, event: Event): Promise<z.infer<typeof Inserted>> {
  notifyAfterCommit(tx);
  const available = row.price && sql.fragment`, ${availableNow(row.sourceTenantId ?? row.tenantId)} as available`;
  return tx.one(sql.write(Inserted, 'insert transfer')`
    with begun as (
    insert into transfers as t (id, tenant_id, project_id, type, format, request, staged_blob, source_id, input_dataset_id, output_dataset_id, created_by,
      updated_by, account_id, request_id, memory_mb, cores, retry_of, carry, source_tenant_id, source_project_id, flags, virtual_time, traceparent, price, share_id)
    values (${row.id}, ${row.tenantId}, ${row.projectId}, ${row.type}, ${row.format}, ${sql.jsonb(row.request as never)},
      ${row.stagedBlob ?? null}, ${row.sourceId ?? null}, ${row.inputDatasetId ?? null}, ${row.outputDatasetId ?? null}, ${row.createdBy},
      ${row.createdBy}, ${row.accountId}, ${row.requestId}, ${row.memoryMb}, ${row.cores ?? null}, ${row.retryOf ?? null}, ${row.carry ?? null},
      ${row.sourceTenantId ?? null}, ${row.sourceProjectId ?? null},
      ${sql.array(row.flags ?? [], 'text')}, ${nextVirtualTime(row.tenantId, row.flags ?? [])} + ${row.shareId === undefined ? 0 : LOW_PRIORITY}::bigint, ${row.traceparent ?? null},
      ${row.price === undefined ? null : JSON.stringify(row.price)}::jsonb, ${row.shareId ?? null}::uuid)
    returning ${summaryColumns}, virtual_time),
    event as (${eventInsert(event, sql.fragment`${hasEvents(row)}::boolean`)}),
    ${enqueueNew({ id: row.id, flags: row.flags ?? [], virtualTime: sql.fragment`begun.virtual_time` }, sql.fragment`begun`)}
    select * ${available ?? sql.fragment``} from begun`);
}

/** Inserts the inputs of a new transfer besides its first one. */
export const insertInputs = (tx: Transaction, transferId: string, inputs: readonly OtherInput[]) =>
  tx.query(sql.unsafe`
    insert into transfer_inputs (transfer_id, number, key, staged_blob, source_id, dataset_id)
    select ${transferId}, number, key, staged_blob, source_id, dataset_id
    from jsonb_to_recordset(${sql.jsonb(
      inputs.map(({ key, stagedBlob, sourceId, datasetId }, n) => ({
        number: n + 1,
        key: key ?? null,
        staged_blob: stagedBlob ?? null,
        source_id: sourceId ?? null,
        dataset_id: datasetId ?? null,
      })),
    )}) as given (number int, key text, staged_blob text, source_id uuid, dataset_id uuid)`);
