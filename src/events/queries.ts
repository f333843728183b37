import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { type Caller, isAdministrator, ownedTenants } from '../http/caller.ts';
import { namedIn, visibleProjects } from '../projects/visibility.queries.ts';
import { EventRow } from './cloud-event.ts';

/** Columns of `EventRow`, from table `e`. */
export const eventColumns = sql.fragment`
  e."offset", e.id, e.type, e.source, e.subject, e.time, e.tenant_id, e.project_id, e.user_id, e.resource_id, e.data`;

/** The highest offset, or 0 if nothing has been published. */
export const lastOffset = (db: Reads) =>
  db.oneFirst(sql.type(z.object({ last: z.number() }))`select coalesce(max("offset"), 0) as last from events`);

/** Up to this many events, checking the project of each is cheaper than listing the projects that the caller sees. */
const FEW_EVENTS = 500;

/** Condition: the caller may read event `e`. `few`: the surrounding statement reads few events. */
function visible(caller: Caller, few: boolean) {
  if (isAdministrator(caller)) return sql.fragment`true`;
  const p = few
    ? sql.fragment`p.id = e.project_id`
    : caller.key
      ? sql.fragment`true`
      : sql.fragment`p.path && ${namedIn(caller)}`;
  const readable = few
    ? sql.fragment`exists (select from ${visibleProjects(caller)} p where ${p})`
    : sql.fragment`e.project_id in (select p.id from ${visibleProjects(caller)} p where ${p})`;
  return sql.fragment`
    (e.user_id = ${caller.userId} or e.tenant_id = any(${sql.array(ownedTenants(caller), 'uuid')}) or ${readable} or ${isFormerMember(caller)})`;
}

/**
 * Condition: the project of event `e` was purged, and the caller was a member or sees the project from which it
 * inherited its members. A member whose read access was denied does not see its events either.
 */
const isFormerMember = (caller: Caller) => sql.fragment`
  exists (
    select from removed_projects g where g.id = e.project_id
      and not g.denied_ids && ${sql.array([caller.userId, caller.foldedId], 'text')}
      and not g.denied_groups && ${sql.array([...caller.groups], 'text')} and (
      exists (select from removed_project_members m where m.project_id = g.member_source_id and m.user_id = ${caller.userId})
      or exists (select from ${visibleProjects(caller)} p where p.id = g.member_source_id)))`;

/**
 * Events visible to the caller with offsets above `after`, up to `upTo`, in order. `newest`: the last ones instead of
 * the first.
 */
export const listVisible = (
  db: Reads,
  caller: Caller,
  { after, upTo, limit, newest = false }: { after: number; upTo: number; limit: number; newest?: boolean },
) =>
  db.any(sql.type(EventRow)`
    select * from (
      select ${eventColumns} from events e
      where e."offset" > ${after} and e."offset" <= ${upTo} and ${visible(caller, upTo - after <= FEW_EVENTS)}
      order by e."offset" ${newest ? sql.fragment`desc` : sql.fragment`asc`} limit ${limit}) listed
    order by "offset"`);

/** Deletes one batch of expired events with their deliveries. Returns whether there may be more. */
export async function forgetOldEvents(tx: Transaction, keptDays: number, atOnce: number): Promise<boolean> {
  const interval = sql.fragment`make_interval(days => ${-keptDays}::int)`;
  // ids are UUIDv7, which start with the time, so the index on ids finds old events
  const { count } = await tx.one(sql.write(z.object({ count: z.number() }))`
    with old as (
      delete from events where id in (
        select id from events where id < uuidv7(${interval}) and "offset" is not null order by id limit ${atOnce})
      returning 1),
    projects as (delete from removed_projects where removed_at < now() + ${interval}),
    members as (delete from removed_project_members where removed_at < now() + ${interval})
    select count(*) from old`);
  return count === atOnce;
}
