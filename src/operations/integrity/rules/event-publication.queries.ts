import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** An event is not left unpublished while later ones are published. The transaction of an event may take minutes. */
export const eventPublication = sqlRule(
  'event-publication',
  sql.fragment`
    select id, 'The event of ' || time || ' is not published, although later ones are.' as message
    from events e where "offset" is null
      and (select time from events where "offset" is not null order by "offset" desc limit 1) > e.time + interval '15 minutes'`,
);
