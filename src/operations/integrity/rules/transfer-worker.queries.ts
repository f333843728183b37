import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A running transfer has a registered worker. The sweep of any worker lets the others wait again. */
export const transferWorker = sqlRule(
  'transfer-worker',
  sql.fragment`
    select id, 'The transfer is in progress on the worker ' || worker_pool || ', which is not registered.' as message
    from transfers t where status = 'InProgress' and not exists (select from workers w where w.pool = t.worker_pool)`,
);
