import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** The price of a transfer is reserved until its end, and no longer. */
export const creditHolds = sqlRule(
  'credit-hold',
  sql.fragment`
    select t.id, 'The transfer has ended, but ' || trim_scale(sum(h.amount::numeric - h.spent::numeric - h.released::numeric))
      || ' credits are still reserved for it.' as message
    from credit_holds h join transfers t on t.id::text = h.operation_id::text
    where h.is_open and t.price is not null and t.finished_at is not null and h.pool_id = coalesce(t.source_tenant_id, t.tenant_id)
    group by t.id`,
);
