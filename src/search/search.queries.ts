import { z } from 'zod';
import { joinProjectAndRights } from '../datasets/queries.ts';
import { type Fragment, type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { DegreesBox } from '../http/rules/box.ts';
import { component, text, uuidText } from '../http/rules/members.ts';
import type { Position } from '../http/rules/paging.ts';
import { bound } from '../platform/sql/statements.ts';
import {
  CALLER_PARAMETERS,
  type CallerParameters,
  callerValues,
  isVisible,
  namesCaller,
  notDeleted,
} from '../projects/visibility.queries.ts';

export const KINDS = ['Project', 'Dataset'] as const;

export const SearchHit = component('SearchHit', {
  type: z.enum(KINDS).describe('`Project` or `Dataset`.'),
  id: uuidText('Id of the project or dataset.'),
  name: text('Name of the project or dataset.', 'Upper valley'),
  path: text(
    'Names from the root project on, each after a slash. A slash in a name is `%2F`.',
    '/Upper valley/surveys/2026',
  ),
  datasetFormat: text('File format of a dataset, such as `geotiff`.', 'geotiff').optional(),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** A hit with its place in the order. */
const Row = SearchHit.extend({ rank: z.string(), nameKey: z.string() });
export type SearchRow = z.infer<typeof Row>;

export interface SearchFilter {
  kind?: (typeof KINDS)[number] | undefined;
  /** Only in this tenant. */
  tenantId?: string | undefined;
  /** Only below this project. */
  projectId?: string | undefined;
  /** Only datasets whose location intersects this box. */
  bbox?: DegreesBox | undefined;
  changedAfter?: string | undefined;
}

/** How many rows a search may look through. Tests set them, so that each way finds the same. */
export interface SearchEffort {
  /** Up to this number of projects that name the caller, all of them are looked through. */
  projects: number;
  /** Number of entries in the order of their names that are tried before the index of words is used. */
  names: number;
}
export const EFFORT: SearchEffort = { projects: 8000, names: 5000 };

const Words = z.object({ count: z.number(), name: z.string() });
/** Number of different words of a text, and the text as names are compared. */
export const readWords = (db: Reads, words: string) =>
  db.one(
    sql.type(Words)`select cardinality(search_words(${words})) as count, coalesce(search_name(${words}), '') as name`,
  );

interface Search {
  words: string;
  /** The words as names are compared. */
  name: string;
  filter: SearchFilter;
  caller: CallerParameters;
  after: { rank: string; name: string; id: string } | undefined;
  limit: number;
}

const none = sql.fragment``;
const grantedTo = (caller: CallerParameters, column: Fragment) =>
  sql.fragment`array(select ${column} from permission_grants g where not g.denied and ${column} is not null and ${namesCaller(caller)})`;
const grantedProjects = (caller: CallerParameters) => grantedTo(caller, sql.fragment`g.project_id`);
const grantedDatasets = (caller: CallerParameters) => grantedTo(caller, sql.fragment`g.dataset_id`);
const wholeTenants = ({ ownedTenants, keyTenant }: CallerParameters) => sql.fragment`(${ownedTenants} || ${keyTenant})`;
const memberships = ({ userId }: CallerParameters) =>
  sql.fragment`(select project_id from project_members where user_id = ${userId})`;

/** Conditions on the project `p` of an entry. */
const within = ({ tenantId, projectId }: SearchFilter) => sql.fragment`
  ${tenantId === undefined ? none : sql.fragment`and p.tenant_id = ${tenantId}::uuid`}
  ${projectId === undefined ? none : sql.fragment`and p.path @> array[${projectId}::uuid]`}`;

/**
 * Ids of the projects in which the caller may see something, and some more: what a permission or a deletion takes away
 * is in it. May repeat an id.
 */
const namingProjects = (caller: CallerParameters, filter: SearchFilter) => sql.fragment`
  select p.id from projects p where p.tenant_id = any(${wholeTenants(caller)}) ${within(filter)}
  union all select p.id from project_members m
    cross join lateral (select * from projects p where p.member_source_id = m.project_id offset 0) p
    where m.user_id = ${caller.userId} ${within(filter)}
  union all select p.id from projects p where p.path && ${grantedProjects(caller)} ${within(filter)}`;

/** Condition on the entry `e` and its project `p`: the same as `namingProjects`, or permissions of the dataset. */
const isNaming = (caller: CallerParameters) => sql.fragment`
  (p.tenant_id = any(${wholeTenants(caller)}) or p.member_source_id in ${memberships(caller)}
    or p.path && ${grantedProjects(caller)} or e.id = any(${grantedDatasets(caller)}))`;

/** The box of a query, also one turn further west and east, because locations run on beyond 180. */
function boxes({ west, south, east, north }: DegreesBox): Fragment {
  const end = west > east ? east + 360 : east;
  const box = (turn: number) =>
    sql.fragment`box(point(${west + turn}::float8, ${south}::float8), point(${end + turn}::float8, ${north}::float8))`;
  return sql.fragment`array[${box(-360)}, ${box(0)}, ${box(360)}]`;
}

/** Conditions on an entry `e`. */
const matches = ({ words, filter: { kind, projectId, bbox, changedAfter } }: Search) => sql.fragment`
  e.words @@ search_query(${words})
  ${kind === undefined ? none : sql.fragment`and e.kind = ${kind}`}
  ${projectId === undefined ? none : sql.fragment`and e.id <> ${projectId}::uuid`}
  ${bbox === undefined ? none : sql.fragment`and exists (select from unnest(e.areas) area, unnest(${boxes(bbox)}) wanted where area && wanted)`}
  ${
    changedAfter === undefined
      ? none
      : sql.fragment`and case e.kind when 'Project' then (select updated_at from projects where id = e.id)
          else (select updated_at from datasets where id = e.id) end > ${changedAfter}::timestamptz`
  }`;

/** Condition on an entry `e`: its name begins with the words. */
const begins = (name: string) =>
  sql.fragment`(e.name >= ${name} collate "C" and e.name < (${name} || chr(1114111)) collate "C")`;
/** Names that begin with the words come first, and among them the shortest, which is the words themselves. */
const rankOf = (name: string) => sql.fragment`case when ${begins(name)} then '0' else '1' end`;

/** The project `p` of an entry, looked up one by one: the planner would read all projects. */
const project = sql.fragment`cross join lateral (select * from projects p where p.id = e.project_id offset 0) p`;

const entries = (from: Fragment, rank: Fragment) => sql.fragment`
  select e.id, e.project_id, e.kind, e.name, ${rank} as rank ${from}`;

const behindIn = ({ after }: Search, rank: '0' | '1') =>
  after === undefined || after.rank < rank
    ? none
    : sql.fragment`and (e.name, e.id) > (${after.name} collate "C", ${after.id}::uuid)`;

/** Entries of one rank in the order of their names: the first `count`, of which the matching ones are kept. */
function inOrder(search: Search, rank: '0' | '1', count: number) {
  const { name, filter, caller } = search;
  const range = rank === '0' ? begins(name) : sql.fragment`not ${begins(name)}`;
  const kind = filter.kind === undefined ? none : sql.fragment`and kind = ${filter.kind}`;
  const tried = (which: Fragment) =>
    sql.fragment`select * from search_entries e where ${which} ${kind} ${behindIn(search, rank)} order by e.name, e.id limit ${count}`;
  // the names that begin with the words have to be complete before others follow
  const complete =
    rank === '0' || (search.after?.rank ?? '0') === '1'
      ? none
      : sql.fragment`and (select count(*) < ${count} from (
          select from search_entries e where ${begins(name)} ${kind} ${behindIn(search, '0')} limit ${count}) named)`;
  return entries(
    sql.fragment`from (${tried(range)}) e ${project}
      where ${matches(search)} and ${isNaming(caller)} ${within(filter)} ${complete}`,
    sql.fragment`${rank}`,
  );
}

const behind = (search: Search) =>
  search.after === undefined
    ? none
    : sql.fragment`and (${rankOf(search.name)}, e.name, e.id) > (${search.after.rank}, ${search.after.name} collate "C", ${search.after.id}::uuid)`;

/** Entries of the projects that name the caller. */
const ofCaller = (search: Search) =>
  entries(
    sql.fragment`from search_entries e
      where (e.project_id = any(array(${namingProjects(search.caller, search.filter)})) or e.id = any(array(
          select d.id from datasets d join projects p on p.id = d.project_id
          where d.id = any(${grantedDatasets(search.caller)}) ${within(search.filter)})))
        and ${matches(search)} ${behind(search)}`,
    rankOf(search.name),
  );

/** Entries that the index of words finds. */
const byWords = (search: Search) =>
  entries(
    sql.fragment`from search_entries e join projects p on p.id = e.project_id
      where ${matches(search)} and ${isNaming(search.caller)} ${within(search.filter)} ${behind(search)}`,
    rankOf(search.name),
  );

const byRank = (rows: Fragment) => sql.fragment`order by ${rows}.rank, ${rows}.name, ${rows}.id`;
/** Within one rank, so that the planner sees that the index has this order. */
const byName = (rows: Fragment) => sql.fragment`order by ${rows}.name, ${rows}.id`;

/**
 * The first entries of `found` that the caller sees. Their rights are worked out one by one in the order of the
 * result, until the page is full: a lateral join that the planner may not take apart.
 */
const page = (db: Reads, { caller, limit }: Search, found: Fragment, order: typeof byRank) =>
  db.any(sql.type(Row)`
    select f.kind as type, f.id, f.shown as name, f.rank, f.name as name_key, f.dataset_format,
      place.path || '/' || path_segment(f.shown) as path
    from (
      select c.id, c.kind, c.rank, c.name, r.*
      from (select * from (${found}) e ${order(sql.fragment`e`)} offset 0) c
      cross join lateral (
        select coalesce(x.name, p.name) as shown, x.dataset_format,
          case d.kind when 'Project' then j.path[:cardinality(j.path) - 1] else j.path end as above
        from (select c.*) d ${joinProjectAndRights(caller)}
        left join datasets x on x.id = d.id
        where x.deleted_at is null and ${notDeleted(sql.fragment`j`)} and ${isVisible(sql.fragment`j`)} offset 0) r
      ${order(sql.fragment`c`)} limit ${limit}) f
    cross join lateral (
      select coalesce(string_agg('/' || path_segment(a.name), '' order by i.n), '') as path
      from unnest(f.above) with ordinality i (id, n) join projects a on a.id = i.id) place
    ${byRank(sql.fragment`f`)}`);

/**
 * Projects and datasets that the caller sees and whose words begin with these words: first those whose name begins with
 * them, in the order of names.
 *
 * A caller whom few projects name gets the matches among these. Others mostly see many of the matches, so that the
 * first entries in the order of names fill a page. If they do not, the matches are few, and the index of words finds
 * them.
 */
export async function findEntries(
  db: Reads,
  caller: Caller,
  { words, name }: { words: string; name: string },
  filter: SearchFilter,
  position: Position | undefined,
  limit: number,
  effort = EFFORT,
): Promise<readonly SearchRow[]> {
  const parameters = bound(CALLER_PARAMETERS, callerValues(caller));
  const after = position && { rank: position.value.slice(0, 1), name: position.value.slice(1), id: position.id };
  const search: Search = { words, name, filter, caller: parameters, after, limit };
  const named = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from (select from (${namingProjects(parameters, filter)}) p limit ${effort.projects + 1}) p`);
  if (named <= effort.projects) return page(db, search, ofCaller(search), byRank);
  const first = after?.rank === '1' ? [] : await page(db, search, inOrder(search, '0', effort.names), byName);
  if (first.length === limit) return first;
  const others = { ...search, limit: limit - first.length };
  const rest = await page(db, others, inOrder(others, '1', effort.names), byName);
  if (first.length + rest.length === limit) return [...first, ...rest];
  return page(db, search, byWords(search), byRank);
}
