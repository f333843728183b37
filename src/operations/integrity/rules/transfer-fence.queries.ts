import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A transfer that runs or completed was claimed, and no more attempts were lost or handed back than begun. */
export const transferFence = sqlRule(
  'transfer-fence',
  sql.fragment`
    select id, 'The transfer is ' || status || ' after ' || attempt || ' attempts, of which ' || handed_back || ' were handed back and '
      || worker_losses || ' lost.' as message
    from transfers
    where attempt < 0 or handed_back < 0 or handed_back + worker_losses > attempt
      or (status in ('InProgress', 'Completed') and attempt - handed_back < 1)
      or (status = 'Completed' and started_at is null)`,
);
