import { z } from 'zod';
import { visible as visibleDatasets } from '../../datasets/queries.ts';
import { type Reads, sql } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { transferName, visible } from '../queries.ts';

const made = {
  transferId: z.string(),
  time: z.string(),
  by: z.string(),
  reader: z.string().optional(),
  writer: z.string().optional(),
  transformations: z.array(z.string()),
};
const Role = z.enum(['input', 'sideInput']);

const Step = z.object({
  ...made,
  action: z.string(),
  kind: z.enum(['dataset', 'upload', 'remoteFile']),
  /** Of a dataset its id, of a file the id of the transfer and its number there. */
  fromId: z.string(),
  fromName: z.string().optional(),
  role: Role,
  toId: z.string(),
});
/** An input of a completed transfer that wrote a dataset. */
export type Step = z.infer<typeof Step>;

const madeColumns = sql.fragment`
  t.id as transfer_id, t.finished_at as time, t.created_by as by,
  case when t.carry is null then t.request ->> 'readerName' end as reader, case when t.carry is null then t.request ->> 'writerName' end as writer,
  array(select one ->> 'type' from jsonb_array_elements(t.request -> 'transformations') one where one ? 'type') as transformations`;

/**
 * The inputs of transfers that wrote these datasets (`up`), or these datasets as inputs (`down`), newest first.
 */
export const listSteps = (db: Reads, direction: 'up' | 'down', ids: readonly string[], limit: number) => {
  const from = sql.array(ids, 'uuid');
  return db.any(sql.type(Step)`
    select ${madeColumns}, coalesce(t.carry, lower(t.type)) as action, i.kind, i.from_id, i.from_name, i.role, t.output_dataset_id as to_id
    from transfers t cross join lateral (
      select case when t.staged_blob is not null then 'upload' when t.source_id is not null then 'remoteFile' else 'dataset' end as kind,
        coalesce(t.input_dataset_id::text, t.id || ':0') as from_id, case when t.input_dataset_id is null then t.request ->> 'inputName' end as from_name,
        'input' as role
      where num_nonnulls(t.input_dataset_id, t.staged_blob, t.source_id) > 0
      union all
      select case when o.staged_blob is not null then 'upload' when o.source_id is not null then 'remoteFile' else 'dataset' end,
        coalesce(o.dataset_id::text, t.id || ':' || o.number),
        case when o.dataset_id is not null then null when o.key is null then t.request #>> array['inputs', o.number::text, 'name'] else (
          select side ->> 'name' from jsonb_array_elements(t.request -> 'sideInputs') side where side ->> 'key' = o.key limit 1) end,
        case when o.key is null then 'input' else 'sideInput' end
      from transfer_inputs o where o.transfer_id = t.id) i
    where t.status = 'Completed' and t.output_dataset_id is not null
      and ${
        direction === 'up'
          ? sql.fragment`t.output_dataset_id = any(${from})`
          : sql.fragment`t.id = any(array(
              select id from transfers where input_dataset_id = any(${from})
              union select transfer_id from transfer_inputs where dataset_id = any(${from})))
            and i.from_id = any(${from}::text[])`
      }
    order by t.finished_at desc, t.id, i.from_id limit ${limit}`);
};

const Export = z.object({
  ...made,
  fileName: z.string(),
  from: z.array(z.object({ id: z.string(), role: Role })),
});
/** A completed transfer from datasets to a file. */
export type Export = z.infer<typeof Export>;

/** Exports of these datasets that the caller sees, newest first. */
export const listExports = (db: Reads, caller: Caller, ids: readonly string[], limit: number) => {
  const from = sql.array(ids, 'uuid');
  return db.any(sql.type(Export)`
    select ${madeColumns}, coalesce(t.output_file_name, ${transferName}) as file_name, (
      select jsonb_agg(jsonb_build_object('id', i.id, 'role', i.role) order by i.role, i.id) from (
        select t.input_dataset_id as id, 'input' as role
        union select dataset_id, case when key is null then 'input' else 'sideInput' end from transfer_inputs where transfer_id = t.id) i
      where i.id = any(${from})) as from
    ${visible(caller)} and t.type = 'Export' and t.status = 'Completed' and t.id = any(array(
      select id from transfers where input_dataset_id = any(${from})
      union select transfer_id from transfer_inputs where dataset_id = any(${from})))
    order by t.finished_at desc, t.id limit ${limit}`);
};

/** Names of the datasets among these that the caller sees. */
export const listNames = (db: Reads, caller: Caller, ids: readonly string[]) =>
  db.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    select d.id, d.name ${visibleDatasets(caller)} and d.id = any(${sql.array(ids, 'uuid')})`);

/** The transfers among these that the caller sees. */
export const listSeenTransfers = (db: Reads, caller: Caller, ids: readonly string[]) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select t.id ${visible(caller)} and t.id = any(${sql.array(ids, 'uuid')})`);
