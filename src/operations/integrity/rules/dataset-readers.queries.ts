import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

const reader = sql.fragment`select from transfers t where t.id = r.transfer_id and t.finished_at is null`;

/** A dataset is kept as it is for transfers that have not ended. */
export const datasetReaders = sqlRule(
  'dataset-reader',
  sql.fragment`
    select dataset_id || '/' || transfer_id as id, 'The dataset ' || dataset_id || ' is kept for the transfer ' || transfer_id
      || ', which has ended or does not exist.' as message
    from dataset_readers r where not exists (${reader})`,
  (tx, ids) =>
    tx.query(sql.unsafe`
      delete from dataset_readers r where dataset_id || '/' || transfer_id = any(${sql.array(ids, 'text')}) and not exists (${reader})`),
);
