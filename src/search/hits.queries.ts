import { z } from 'zod';
import { joinProjectAndRights } from '../datasets/queries.ts';
import { type Fragment, type Reads, sql } from '../db.ts';
import { component, text, uuidText } from '../http/rules/members.ts';
import { type CallerParameters, isVisible, notDeleted } from '../projects/visibility.queries.ts';

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

export const byRank = (rows: Fragment) => sql.fragment`order by ${rows}.rank, ${rows}.name, ${rows}.id`;
/** Within one rank, so that the planner sees that the index has this order. */
export const byName = (rows: Fragment) => sql.fragment`order by ${rows}.name, ${rows}.id`;

export interface PageOf {
  readonly caller: CallerParameters;
  readonly limit: number;
}

/** A hit with the number of bounded candidates. Where the caller sees none of them, a row without a hit tells it. */
const Seen = Row.partial().extend({ candidates: z.number().optional() });

/**
 * The first entries of `found` that the caller sees. Their rights are worked out one by one in the order of the
 * result, until the page is full: a lateral join that the planner may not take apart. Not all of `found` are put in
 * order for that, unless too few of the first ones are seen: among many entries, the order takes most of the time.
 * @param most number of entries that are put in order at first
 */
export async function page(
  db: Reads,
  search: PageOf,
  found: Fragment,
  order: typeof byRank,
  most?: number,
): Promise<SearchRow[]> {
  const rows = await db.any(sql.type(Seen)`${pageOf(search, found, order, most)}`);
  const seen = rows.filter((row): row is SearchRow & { candidates?: number } => row.id !== undefined);
  if (most === undefined || seen.length === search.limit || (rows[0]?.candidates ?? 0) < most)
    return seen.map(({ candidates: _, ...row }) => row);
  return page(db, search, found, order);
}

const pageOf = ({ caller, limit }: PageOf, found: Fragment, order: typeof byRank, most: number | undefined) => {
  const [c, f] = [sql.fragment`c`, sql.fragment`f`];
  const ordered = (end: Fragment) => sql.fragment`select * from (${found}) c ${order(c)} ${end}`;
  const page = (candidates: Fragment) => sql.fragment`
    select f.kind as type, f.id, f.shown as name, f.rank, f.name as name_key, f.dataset_format,
      place.path || '/' || path_segment(f.shown) as path
    from (
      select c.id, c.kind, c.rank, c.name, r.*
      from ${candidates} c
      cross join lateral (
        select coalesce(x.name, p.name) as shown, x.dataset_format,
          case d.kind when 'Project' then j.path[:cardinality(j.path) - 1] else j.path end as above
        from (select c.*) d ${joinProjectAndRights(caller)}
        left join datasets x on x.id = d.id
        where x.deleted_at is null and ${notDeleted(sql.fragment`j`)} and ${isVisible(sql.fragment`j`)} offset 0) r
      ${order(c)} limit ${limit}) f
    cross join lateral (
      select coalesce(string_agg('/' || path_segment(a.name), '' order by i.n), '') as path
      from unnest(f.above) with ordinality i (id, n) join projects a on a.id = i.id) place
    ${byRank(f)}`;
  if (most === undefined) return page(sql.fragment`(${ordered(sql.fragment`offset 0`)})`);
  return sql.fragment`
    with candidates as materialized (${ordered(sql.fragment`limit ${most}`)})
    select n.candidates, f.* from (select count(*)::int as candidates from candidates) n
    left join (${page(sql.fragment`candidates`)}) f on true
    order by f.rank, f.name_key, f.id`;
};
