import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** The metrics of transfers have counted no further than events were published. */
export const metricsPosition = sqlRule(
  'metrics-position',
  sql.fragment`
    select m."offset" as id, 'Metrics of transfers have counted up to the event ' || m."offset" || ', but the last one is '
      || s.last_value || '.' as message
    from transfer_metrics_position m, event_offsets s where m."offset" > s.last_value`,
  (tx) =>
    tx.query(sql.unsafe`
      update transfer_metrics_position set "offset" = least("offset", (select last_value from event_offsets))`),
);
