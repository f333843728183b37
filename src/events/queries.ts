import { z } from 'zod';
import { mayQueryAll, mayQueryGeneric, queriedTenants } from '../credits/rights.ts';
import { datasetsWithRights } from '../datasets/queries.ts';
import { type Reads, sql, type Transaction } from '../db.ts';
import { type Caller, isAdministrator, ownedTenants } from '../http/caller.ts';
import {
  isVisible,
  namedIn,
  namesCaller,
  projectsWithRights,
  visibleProjects,
} from '../projects/visibility.queries.ts';
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
const visible = (caller: Caller, few: boolean) =>
  sql.fragment`case when e.transaction_id is null then ${mayRead(caller, few)} else ${seesChange(caller, few)} end`;

/**
 * Condition: the caller sees what change event `e` tells of, or saw it before the change. What lies in the recycle bin
 * counts as before its deletion; what was deleted for good is not seen.
 */
function seesChange(caller: Caller, few: boolean) {
  const p = sql.fragment`p`;
  const j = sql.fragment`j`;
  const project = few
    ? sql.fragment`exists (
        select from ${projectsWithRights(caller)} p where p.id = e.project_id and ${isVisible(p)})`
    : sql.fragment`e.project_id in (
        select p.id from ${projectsWithRights(caller)} p
        where ${caller.key ? sql.fragment`true` : sql.fragment`p.path && ${namedIn(caller)}`} and ${isVisible(p)})`;
  // permissions of a dataset may open it to those who do not see its project, or close it
  const named = sql.fragment`e.dataset_id in (
    select g.dataset_id from permission_grants g where g.dataset_id is not null and ${namesCaller(caller)})`;
  const dataset = sql.fragment`(${few ? sql.fragment`true` : sql.fragment`(${project} or ${named})`} and exists (
    select from ${datasetsWithRights(caller)} j where j.id = e.dataset_id and ${isVisible(j)}))`;
  return sql.fragment`
    (${caller.userId} = any(e.former_readers) or e.tenant_id = any(${sql.array(ownedTenants(caller), 'uuid')})
      or case when e.dataset_id is not null then ${dataset} when e.project_id is not null then ${project}
        else ${seesCredits(caller)} end)`;
}

/** Condition: the caller may query the credits of the tenant of event `e`, or of the generic pool. */
const seesCredits = (caller: Caller) => sql.fragment`
  case when e.tenant_id is null then ${mayQueryGeneric(caller)}
    else ${mayQueryAll(caller)} or e.tenant_id = any(${sql.array(queriedTenants(caller), 'uuid')}) end`;

/** Condition: the caller may read event `e`, which is no change event. */
function mayRead(caller: Caller, few: boolean) {
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

/** Which events to read. */
export interface EventFilter {
  types?: readonly string[] | undefined;
  /** Only events of this project and of those below it. */
  projectId?: string | undefined;
}

interface Range {
  /** Offset before the first event. */
  after: number;
  upTo: number;
  limit: number;
}

/** Events `e` that the caller may read, as a `from … where` clause. */
const readable = (caller: Caller, { after, upTo }: Range, { types, projectId }: EventFilter) => sql.fragment`
  from events e
  where e."offset" > ${after} and e."offset" <= ${upTo}
    and ${types === undefined ? sql.fragment`true` : sql.fragment`e.type = any(${sql.array(types, 'text')})`}
    and ${projectId === undefined ? sql.fragment`true` : isWithin(projectId)}
    and ${visible(caller, upTo - after <= FEW_EVENTS)}`;

const isWithin = (projectId: string) => sql.fragment`
  (e.project_id = ${projectId} or e.project_id in (select id from projects where path @> array[${projectId}::uuid]))`;

/**
 * Events visible to the caller with offsets above `after`, up to `upTo`, in order. `newest`: the last ones instead of
 * the first.
 */
export const listVisible = (
  db: Reads,
  caller: Caller,
  { newest = false, ...range }: Range & { newest?: boolean },
  filter: EventFilter,
) =>
  db.any(sql.type(EventRow)`
    select * from (
      select ${eventColumns} ${readable(caller, range, filter)}
      order by e."offset" ${newest ? sql.fragment`desc` : sql.fragment`asc`} limit ${range.limit}) listed
    order by "offset"`);

/** Number of events visible to the caller in a range, at most `limit`. */
export const countVisible = (db: Reads, caller: Caller, range: Range, filter: EventFilter) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from (select ${readable(caller, range, filter)} limit ${range.limit}) found`);

/** Deletes one batch of expired events with their deliveries. Returns whether there may be more. */
export async function forgetOldEvents(tx: Transaction, ageMs: number, atOnce: number): Promise<boolean> {
  const interval = sql.fragment`(${-ageMs} * interval '1 millisecond')`;
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
