import { sql } from '../../../db.ts';
import { sqlRule, uuids } from '../sql-rule.queries.ts';

const holder = sql.fragment`select from transfers t where t.id = d.locked_by and t.finished_at is null`;

/** A dataset is locked by a transfer that has not ended. */
export const datasetLock = sqlRule(
  'dataset-lock',
  sql.fragment`
    select id, 'The dataset ''' || name || ''' is locked by the transfer ' || locked_by || ', which has ended or does not exist.' as message
    from datasets d where locked_by is not null and not exists (${holder})`,
  (tx, ids) =>
    tx.query(sql.unsafe`
      update datasets d set locked_by = null where id = any(${uuids(ids)}) and locked_by is not null and not exists (${holder})`),
);
