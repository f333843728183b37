import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** Positions of events come from the sequence, so that later events get higher ones. */
export const eventOffset = sqlRule(
  'event-offset',
  sql.fragment`
    select e.id, 'The event has the position ' || e."offset" || ', but the next one would get ' || s.last_value + 1 || '.' as message
    from events e, event_offsets s where e."offset" > s.last_value`,
);
