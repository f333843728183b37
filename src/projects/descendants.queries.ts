import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { component, text, uuidText } from '../http/rules/members.ts';
import { isVisible, projectsWithRights } from './visibility.queries.ts';

export const ProjectDescendant = component('ProjectDescendant', {
  id: uuidText('Id of the project.'),
  parentProjectId: uuidText('Id of the parent project. Absent for top-level projects.'),
  name: text('Name of the project.', 'Upper valley'),
  relativePath: text(
    'Names of the projects in between, separated by slashes; empty for direct subprojects.',
    'surveys/2026',
  ),
});
export type ProjectDescendant = z.infer<typeof ProjectDescendant>;

/**
 * Visible descendants of a visible project, as a table with `relative_path`. A project that the caller does not see can
 * have visible descendants, so the query walks all projects and returns the visible ones.
 */
export const visibleDescendants = (caller: Caller, id: string) => sql.fragment`
  (with recursive projects_with_rights as materialized (
     select j.id, j.parent_id, j.name, ${isVisible(sql.fragment`j`)} as visible from ${projectsWithRights(caller)} j
     where j.path @> array[${id}::uuid] and j.deleted_at is null),
   tree as (
     select id, parent_id, name, visible, '' as relative_path from projects_with_rights where parent_id = ${id}
     union all
     select j.id, j.parent_id, j.name, j.visible, concat_ws('/', nullif(t.relative_path, ''), path_segment(t.name))
     from tree t join projects_with_rights j on j.parent_id = t.id)
   select id, parent_id, name, relative_path from tree where visible)`;

export const countDescendants = (db: Reads, caller: Caller, id: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from ${visibleDescendants(caller, id)} p`);

export const listDescendants = (
  db: Reads,
  caller: Caller,
  id: string,
  { offset, limit }: { offset: number; limit: number },
) =>
  db.any(sql.type(ProjectDescendant)`
    select p.id, p.parent_id as parent_project_id, p.name, p.relative_path from ${visibleDescendants(caller, id)} p
    order by p.relative_path collate "C", p.name collate "C", p.id limit ${limit} offset ${offset}`);
