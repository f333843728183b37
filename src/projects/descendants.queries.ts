import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { judgedProjects, seen } from './visibility.queries.ts';

export const BelowItem = z
  .object({
    id: z.string(),
    parentProjectId: z.string(),
    name: z.string(),
    /** Names of the projects between as path segments, from the top, parted by slashes; empty directly below. */
    relativePath: z.string(),
  })
  .meta({ id: 'ProjectDescendant' });

/**
 * What the caller sees anywhere below a project that he sees, as a table `p` with `relative_path`. A closed project stands between what is
 * open above and below it, so all are walked and only what is seen is told.
 */
export const below = (caller: Caller, id: string) => sql.fragment`
  (with recursive judged as materialized (
     select j.id, j.parent_id, j.name, ${seen(sql.fragment`j`)} as seen from ${judgedProjects(caller)} j
     where j.path @> array[${id}::uuid] and j.deleted_at is null),
   tree as (
     select id, parent_id, name, seen, '' as relative_path from judged where parent_id = ${id}
     union all
     select j.id, j.parent_id, j.name, j.seen, concat_ws('/', nullif(t.relative_path, ''), path_segment(t.name))
     from tree t join judged j on j.parent_id = t.id)
   select id, parent_id, name, relative_path from tree where seen)`;

export const countBelow = (db: Db, caller: Caller, id: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from ${below(caller, id)} p`);

export const listBelow = (db: Db, caller: Caller, id: string, { offset, limit }: { offset: number; limit: number }) =>
  db.any(sql.type(BelowItem)`
    select p.id, p.parent_id as parent_project_id, p.name, p.relative_path from ${below(caller, id)} p
    order by p.relative_path collate "C", p.name collate "C", p.id limit ${limit} offset ${offset}`);
