import type { z } from 'zod';
import { type Reads, sql } from '../../db.ts';
import { component, number, text, timeText, uuidText } from '../../http/rules/members.ts';

/** Failed transfers with the same fingerprint. */
export const FailureGroup = component('FailureGroup', {
  fingerprint: text('Id of a group of failures with the same message.', '9c1185a5c5e9fc54'),
  sentence: text('Common error message, without names and numbers.', 'The file is no GeoTIFF.'),
  type: text('Type of the transfers.', 'Import'),
  reader: text('Reader of the transfers.', 'AsciiGridReader').optional(),
  writer: text('Writer of the transfers.', 'GeoTiffWriter').optional(),
  count: number('Number of failures.'),
  open: number('Number of failures that were not retried.'),
  firstAt: timeText('Time of the first failure, UTC.'),
  lastAt: timeText('Time of the last failure, UTC.'),
  exampleId: uuidText('Id of the latest failed transfer.'),
  exampleError: text('Error message of the latest failed transfer.', 'The file is no GeoTIFF.'),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

export interface FailureFilter {
  tenantId?: string | undefined;
  since?: string | undefined;
  limit: number;
}

/** Groups with the most open failures first. */
export function listFailures(db: Reads, { tenantId, since, limit }: FailureFilter) {
  const parts = [sql.fragment`t.fingerprint is not null`];
  if (tenantId !== undefined) parts.push(sql.fragment`t.tenant_id = ${tenantId}`);
  if (since !== undefined) parts.push(sql.fragment`t.finished_at >= ${since}::timestamptz`);
  return db.any(sql.type(FailureGroup)`
    with groups as (
      select t.fingerprint, count(*) as count, min(t.finished_at) as first_at, max(t.finished_at) as last_at,
        count(*) filter (where not exists (select from transfers r where r.retry_of = t.id)) as open,
        (array_agg(t.id order by t.finished_at desc, t.id desc))[1] as example_id
      from transfers t where ${sql.join(parts, sql.fragment` and `)}
      group by t.fingerprint)
    select g.fingerprint, g.count, g.open, g.first_at, g.last_at, g.example_id, failure_pattern(e.error_message) as sentence,
      e.error_message as example_error, e.type, e.request ->> 'readerName' as reader, e.request ->> 'writerName' as writer
    from groups g join transfers e on e.id = g.example_id
    order by g.open desc, g.last_at desc, g.fingerprint limit ${limit}`);
}

export const isFailure = (db: Reads, fingerprint: string) =>
  db.exists(sql.unsafe`select from transfers where fingerprint = ${fingerprint}`);
