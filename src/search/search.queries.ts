import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../db.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import type { DegreesBox } from '../http/rules/box.ts';
import type { Position } from '../http/rules/paging.ts';
import { bound } from '../platform/sql/statements.ts';
import { CALLER_PARAMETERS, type CallerParameters, callerValues, namesCaller } from '../projects/visibility.queries.ts';
import { byName, byRank, type KINDS, type PageOf, page, type SearchRow } from './hits.queries.ts';

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
  /** Up to this number of entries that have the words, all of them are looked through at once. */
  matches: number;
  /** Number of entries in the order of their names that are tried before the index of words is used. */
  names: number;
  /**
   * Number of entries for each hit of the page that are put in order, before all are: their rights may still take some
   * away.
   */
  candidates: number;
}
export const EFFORT: SearchEffort = { projects: 8000, matches: 8000, names: 5000, candidates: 8 };

const Words = z.object({ count: z.number(), name: z.string() });
/** Number of different words of a text, and the text as names are compared. */
export const readWords = (db: Reads, words: string) =>
  db.one(
    sql.type(Words)`select cardinality(search_words(${words})) as count, coalesce(search_name(${words}), '') as name`,
  );

interface Search extends PageOf {
  words: string;
  /** The words as names are compared. */
  name: string;
  filter: SearchFilter;
  /** Whether the caller is Owner of a tenant, or has an API key of one. */
  hasTenants: boolean;
  after: { rank: string; name: string; id: string } | undefined;
}

const none = sql.fragment``;
const grantedTo = (caller: CallerParameters, column: Fragment) =>
  sql.fragment`array(select ${column} from permission_grants g where not g.denied and ${column} is not null and ${namesCaller(caller)})`;
const grantedProjects = (caller: CallerParameters) => grantedTo(caller, sql.fragment`g.project_id`);
const grantedDatasets = (caller: CallerParameters) => grantedTo(caller, sql.fragment`g.dataset_id`);
const wholeTenants = ({ ownedTenants, keyTenant }: CallerParameters) => sql.fragment`(${ownedTenants} || ${keyTenant})`;
const memberships = ({ userId }: CallerParameters) =>
  sql.fragment`(select project_id from project_members where user_id = ${userId})`;

/** Conditions on a project `p`. */
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

/** Whether the project of the entry `e` fulfils a condition on `p`. */
const ofProject = (condition: Fragment) =>
  sql.fragment`exists (select from projects p where p.id = e.project_id and ${condition})`;

/**
 * Condition on the entry `e`: the same as `namingProjects`, or permissions of the dataset. It is tried on each match,
 * so that it asks for tenants and permissions only where the caller has some.
 */
const isNaming = ({ caller, hasTenants }: Search, hasGrants: boolean) => sql.fragment`
  (e.member_source_id in ${memberships(caller)}
    ${hasTenants ? sql.fragment`or e.tenant_id = any(${wholeTenants(caller)})` : none}
    ${
      hasGrants
        ? sql.fragment`or e.id = any(${grantedDatasets(caller)})
            or ${ofProject(sql.fragment`p.path && ${grantedProjects(caller)}`)}`
        : none
    })`;

/** The box of a query, also one turn further west and east, because locations run on beyond 180. */
function boxes({ west, south, east, north }: DegreesBox): Fragment {
  const end = west > east ? east + 360 : east;
  const box = (turn: number) =>
    sql.fragment`box(point(${west + turn}::float8, ${south}::float8), point(${end + turn}::float8, ${north}::float8))`;
  return sql.fragment`array[${box(-360)}, ${box(0)}, ${box(360)}]`;
}

const hasWords = ({ words }: Search) => sql.fragment`e.words @@ search_query(${words})`;
/** Conditions on an entry `e`. */
const matches = (search: Search) => sql.fragment`${hasWords(search)} ${passes(search)}`;
/** Conditions on an entry `e` besides those on its words. */
const passes = ({ filter: { kind, tenantId, projectId, bbox, changedAfter } }: Search) => sql.fragment`
  ${kind === undefined ? none : sql.fragment`and e.kind = ${kind}`}
  ${tenantId === undefined ? none : sql.fragment`and e.tenant_id = ${tenantId}::uuid`}
  ${projectId === undefined ? none : sql.fragment`and e.id <> ${projectId}::uuid and ${ofProject(sql.fragment`p.path @> array[${projectId}::uuid]`)}`}
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
const rankOf = (name: string) => sql.fragment`(case when ${begins(name)} then '0' else '1' end collate "C")`;

const entries = (from: Fragment, rank: Fragment) => sql.fragment`
  select e.id, e.project_id, e.kind, e.name, ${rank} as rank ${from}`;

const behindIn = ({ after }: Search, rank: '0' | '1') =>
  after === undefined || after.rank < rank
    ? none
    : sql.fragment`and (e.name, e.id) > (${after.name} collate "C", ${after.id}::uuid)`;

/** Entries of one rank in the order of their names: the first `count`, of which the matching ones are kept. */
function inOrder(search: Search, rank: '0' | '1', { names: count, hasGrants }: { names: number; hasGrants: boolean }) {
  const { name, filter } = search;
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
    sql.fragment`from (${tried(range)}) e where ${matches(search)} and ${isNaming(search, hasGrants)} ${complete}`,
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
const byWords = (search: Search, hasGrants: boolean) =>
  entries(
    sql.fragment`from search_entries e where ${matches(search)} and ${isNaming(search, hasGrants)} ${behind(search)}`,
    rankOf(search.name),
  );

const Measured = z.object({ hasFewProjects: z.boolean(), matches: z.number(), hasGrants: z.boolean() });
/** This part of the matches that are looked through at once is fewer than the projects of most callers. */
const TINY = 6;

/**
 * Whether few projects name the caller, and about how many entries have the words. Memberships are counted first,
 * because the projects below them have to be looked up. No projects are counted where the matches are fewer.
 */
const measure = (db: Reads, { caller, filter, words }: Search, { projects, matches: most }: SearchEffort) => {
  const few = (rows: Fragment) =>
    sql.fragment`(select count(*) <= ${projects} from (select from (${rows}) r limit ${projects + 1}) counted)`;
  const isWide = filter.projectId === undefined;
  return db.one(sql.type(Measured)`
    select m.matches, exists (select from permission_grants g where ${namesCaller(caller)}) as has_grants,
      case when m.matches <= ${Math.floor(most / TINY)} then false
      when ${isWide} and not ${few(memberships(caller))} then false else ${few(namingProjects(caller, filter))} end as has_few_projects
    from (select estimated_matches(${words}) as matches offset 0) m`);
};

/**
 * Projects and datasets that the caller sees and whose words begin with these words: first those whose name begins with
 * them, in the order of names.
 *
 * A caller whom few projects name gets the matches among these. Of words that few entries have, all matches are looked
 * through. Otherwise callers mostly see many of the matches, so that the first entries in the order of names fill a
 * page; if they do not, the index of words finds the matches.
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
  const hasTenants = ownedTenants(caller).length > 0 || caller.key !== undefined;
  const search: Search = { words, name, filter, caller: parameters, hasTenants, after, limit };
  const { hasFewProjects, matches, hasGrants } = await measure(db, search, effort);
  const most = limit * effort.candidates;
  if (hasFewProjects) return page(db, search, ofCaller(search), byRank, most);
  if (matches > effort.matches) {
    const tried = { names: effort.names, hasGrants };
    const first = after?.rank === '1' ? [] : await page(db, search, inOrder(search, '0', tried), byName);
    if (first.length === limit) return first;
    const others = { ...search, limit: limit - first.length };
    const rest = await page(db, others, inOrder(others, '1', tried), byName);
    if (first.length + rest.length === limit) return [...first, ...rest];
  }
  return page(db, search, byWords(search, hasGrants), byRank, most);
}
