import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { component, text, uuidText } from '../http/rules/members.ts';
import { visibleProjects } from '../projects/visibility.queries.ts';
import { visible } from './queries.ts';

export const FOUND_TYPES = ['Project', 'Dataset'] as const;

export const FoundItem = component('FoundItem', {
  id: uuidText('Id of the project or dataset.'),
  itemType: z.enum(FOUND_TYPES).describe('Type of the item: `Project` or `Dataset`.'),
  name: text('Name of the project or dataset.', 'Upper valley'),
  projectId: uuidText('Id of the project that contains the item; absent for a root project.').optional(),
  path: text(
    'Names from the root project on, each after a slash. A slash in a name is `%2F`.',
    '/Upper valley/surveys/2026',
  ),
});
export type FoundItem = z.infer<typeof FoundItem>;

/** A path to search for: its names, and whether it starts at a root project, in a given project, or anywhere. */
export interface WantedPath {
  names: readonly string[];
  from: 'root' | 'anywhere' | { projectId: string };
}

/**
 * Joins to rows `f` (columns `above`, the ids from the root project down, and `name`) their path as `place`, and keeps
 * rows that match the wanted path. The path shows names of projects that the caller does not see; the path routes show
 * them too.
 */
const matchingPath = ({ names, from }: WantedPath) => {
  const wanted = sql.array(names, 'text');
  const all = sql.fragment`(place.names || f.name)`;
  const first =
    from === 'root'
      ? sql.fragment`1`
      : from === 'anywhere'
        ? sql.fragment`greatest(1, cardinality(${all}) - cardinality(${wanted}) + 1)`
        : sql.fragment`array_position(f.above, ${from.projectId}::uuid) + 1`;
  return sql.fragment`
    cross join lateral (
      select coalesce(array_agg(a.name order by i.n), '{}') as names,
        coalesce(string_agg('/' || path_segment(a.name), '' order by i.n), '') as path
      from unnest(f.above) with ordinality i (id, n) join projects a on a.id = i.id) place
    where ${all}[${first}:] = ${wanted}`;
};

/** Tenant to search: that of the project in which the path starts, else the caller's current tenant. */
const tenantOf = (caller: Caller, { from }: WantedPath) =>
  typeof from === 'object'
    ? sql.fragment`(select tenant_id from projects where id = ${from.projectId})`
    : sql.fragment`${caller.tenantId ?? null}::uuid`;

/** Visible projects at a path, ordered by path. */
export const findProjects = (db: Reads, caller: Caller, path: WantedPath, limit: number) =>
  db.any(sql.type(FoundItem)`
    select f.id, 'Project' as item_type, f.name, f.project_id, place.path || '/' || path_segment(f.name) as path
    from (
      select p.id, p.name, p.parent_id as project_id, p.path[:cardinality(p.path) - 1] as above
      from ${visibleProjects(caller)} p
      where p.tenant_id = ${tenantOf(caller, path)} and p.name collate "C" = ${path.names.at(-1) ?? ''}) f
    ${matchingPath(path)} order by place.path collate "C", f.id limit ${limit}`);

/** Visible datasets at a path, ordered by path. */
export const findDatasets = (db: Reads, caller: Caller, path: WantedPath, limit: number) =>
  db.any(sql.type(FoundItem)`
    select f.id, 'Dataset' as item_type, f.name, f.project_id, place.path || '/' || path_segment(f.name) as path
    from (
      select d.id, d.name, d.project_id, j.path as above
      ${visible(caller)} and j.tenant_id = ${tenantOf(caller, path)} and d.name collate "C" = ${path.names.at(-1) ?? ''}) f
    ${matchingPath(path)} order by place.path collate "C", f.id limit ${limit}`);
