import { sql } from '../../../db.ts';
import { lockTables, sqlRule } from '../sql-rule.queries.ts';

const differences = sql.fragment`
  differences as (
    select tenant_id, created_by, status, sum(counted) as counted, sum(present) as present
    from (
      select tenant_id, created_by, status, count as counted, 0 as present from transfer_counts
      union all
      select tenant_id, created_by, status, 0, count(*) from transfers where share_id is null group by tenant_id, created_by, status) both_sides
    group by tenant_id, created_by, status having sum(counted) <> sum(present))`;

/** The counts for lists of transfers are the numbers of rows. */
export const transferCounts = sqlRule(
  'transfer-counts',
  sql.fragment`
    with ${differences}
    select concat_ws('/', tenant_id, created_by, status) as id, 'Lists count ' || counted || ' transfers of the account ' || created_by
      || ' that are ' || status || ' in the tenant ' || tenant_id || ', but there are ' || present || '.' as message
    from differences`,
  async (tx, ids) => {
    await lockTables(tx, ['transfers', 'transfer_counts']);
    await tx.query(sql.unsafe`
      with ${differences}
      insert into transfer_counts (tenant_id, created_by, status, count)
      select tenant_id, created_by, status, present - counted from differences
      where concat_ws('/', tenant_id, created_by, status) = any(${sql.array(ids, 'text')})`);
  },
);
