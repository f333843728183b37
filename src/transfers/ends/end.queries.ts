import { z } from 'zod';
import { releases } from '../../datasets/locks.queries.ts';
import { sql, type Transaction } from '../../db.ts';
import { type Fence, held, type LogLine, logged } from '../run/run.queries.ts';
import { TransferType } from '../starts/request.ts';

const EndedRow = z.object({
  id: z.string(),
  type: TransferType,
  progress: z.number(),
  tenantId: z.string(),
  projectId: z.string(),
  createdBy: z.string(),
  requestId: z.string().optional(),
  sourceTenantId: z.string().optional(),
  sourceProjectId: z.string().optional(),
  shareId: z.string().optional(),
});
export type EndedRow = z.infer<typeof EndedRow>;
const ended = sql.fragment`id, type, progress, tenant_id, project_id, created_by, request_id, source_tenant_id, source_project_id, share_id`;

/**
 * Ends an attempt, and so its transfer, with this error message. Null: another process took the transfer over. Fires
 * `transfers_counted_anew`, which fills `transfer_counts`, and `settles_price`, which books the price.
 */
export const failTransfer = (tx: Transaction, fence: Fence, sentence: string, lines: readonly LogLine[]) =>
  tx.maybeOne(sql.write(EndedRow)`
    with changed as (
      update transfers set status = 'Error', error_message = ${sentence}, phase = null, finished_at = now(), updated_at = now()
      where ${held(fence)} returning *),
    lines as (${logged(lines)}),
    ${releases(sql.fragment`changed`)}
    select ${ended} from changed`);

/** Part of a `with`: removes the queue rows of `changed` that no worker has taken. */
const unqueued = sql.fragment`
  unqueued as (
    delete from queue_jobs where key = any(array(select id::text from changed)) and locked_at is null)`;

/**
 * Ends a transfer that no worker runs, or whose worker does not respond. Null: it has ended or got another attempt
 * meanwhile. Fires `transfers_counted_anew`, which fills `transfer_counts`, and `settles_price`, which books the price.
 */
export const failUnheldTransfer = (
  tx: Transaction,
  { id, attempt }: Fence,
  sentence: string,
  lines: readonly LogLine[],
) =>
  tx.maybeOne(sql.write(EndedRow)`
    with changed as (
      update transfers set status = 'Error', error_message = ${sentence}, phase = null, finished_at = now(), updated_at = now()
      where id = ${id} and attempt = ${attempt} and status in ('Pending', 'InProgress') returning *),
    lines as (${logged(lines)}),
    ${unqueued},
    ${releases(sql.fragment`changed`)}
    select ${ended} from changed`);

/**
 * Ends those of these transfers that wait, with one error message. Fires `transfers_counted_anew`, which fills
 * `transfer_counts`, and `settles_price`, which books the price.
 */
export const failWaiting = (tx: Transaction, ids: readonly string[], sentence: string) =>
  tx.any(sql.write(EndedRow)`
    with waiting as (
      -- in one order, so that concurrent calls do not deadlock
      select id from transfers where id = any(${sql.array(ids, 'uuid')}) and status = 'Pending' order by id for update),
    changed as (
      update transfers set status = 'Error', error_message = ${sentence}, phase = null, finished_at = now(), updated_at = now()
      where id in (select id from waiting) and status = 'Pending' returning *),
    lines as (insert into transfer_log (transfer_id, level, message) select id, 'error', ${sentence} from changed),
    ${unqueued},
    ${releases(sql.fragment`changed`)}
    select ${ended} from changed`);

/** Waiting transfers that write to one of these projects or below it, or move or copy a dataset from there. */
export const listWaitingBelow = (tx: Transaction, projectIds: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    with below as materialized (select id from projects where path && ${sql.array(projectIds, 'uuid')})
    select id from transfers
    where status = 'Pending' and (project_id in (select id from below) or source_project_id in (select id from below))
    order by id`);
