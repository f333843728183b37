import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A webhook gets published events of its tenant. */
export const deliveryEvents = sqlRule(
  'delivery',
  sql.fragment`
    select d.webhook_id || '/' || d.event_id as id, 'The webhook ' || d.webhook_id || ' is to get the event ' || d.event_id || ', which is '
      || case when e."offset" is null then 'not published.' else 'of another tenant.' end as message
    from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
    where e."offset" is null or e.tenant_id is distinct from w.tenant_id`,
);
