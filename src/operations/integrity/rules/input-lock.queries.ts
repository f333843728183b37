import { sql } from '../../../db.ts';
import { lockTables, sqlRule } from '../sql-rule.queries.ts';

const unkept = sql.fragment`
  unkept as (
    select t.id as transfer_id, d.id as dataset_id from transfers t
    cross join lateral (
      select t.input_dataset_id as id where t.input_dataset_id is not null
      union select i.dataset_id from transfer_inputs i where i.transfer_id = t.id and i.dataset_id is not null) input
    join datasets d on d.id = input.id
    where t.finished_at is null and d.locked_by is distinct from t.id
      and not exists (select from dataset_readers r where r.transfer_id = t.id and r.dataset_id = d.id))`;

/** The datasets that an unfinished transfer reads are kept as they are. */
export const inputLock = sqlRule(
  'input-lock',
  sql.fragment`
    with ${unkept}
    select dataset_id || '/' || transfer_id as id, 'The transfer ' || transfer_id || ' reads the dataset ' || dataset_id
      || ', which is not kept for it and may change.' as message
    from unkept`,
  async (tx, ids) => {
    await lockTables(tx, ['transfers', 'datasets']);
    await tx.query(sql.unsafe`
      with ${unkept}
      insert into dataset_readers (dataset_id, transfer_id)
      select u.dataset_id, u.transfer_id from unkept u join datasets d on d.id = u.dataset_id
      where u.dataset_id || '/' || u.transfer_id = any(${sql.array(ids, 'text')}) and d.locked_by is null
      on conflict do nothing`);
  },
);
