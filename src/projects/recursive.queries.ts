import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { judgedProjects, seen } from './visibility.queries.ts';

export const BelowItem = z.object({
  id: z.string(),
  parentProjectId: z.string(),
  name: z.string(),
  /** Names of the projects between, from the top, parted by slashes; empty directly below. */
  relativePath: z.string(),
});

/** What the caller sees anywhere below a project that he sees, as a table `p` with `relative_path`. */
export const below = (caller: Caller, id: string) => sql.fragment`
  (with recursive tree as (
     select id, parent_id, name, '' as relative_path from projects where parent_id = ${id} and deleted_at is null
     union all
     select c.id, c.parent_id, c.name, case when t.relative_path = '' then t.name else t.relative_path || '/' || t.name end
     from tree t join projects c on c.parent_id = t.id
     where c.deleted_at is null)
   select t.id, t.parent_id, t.name, t.relative_path from tree t join ${judgedProjects(caller)} j on j.id = t.id
   where ${seen(sql.fragment`j`)})`;

export const countBelow = (db: Db, caller: Caller, id: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from ${below(caller, id)} p`);

export const listBelow = (db: Db, caller: Caller, id: string, { offset, limit }: { offset: number; limit: number }) =>
  db.any(sql.type(BelowItem)`
    select p.id, p.parent_id as parent_project_id, p.name, p.relative_path from ${below(caller, id)} p
    order by p.relative_path collate "C", p.name collate "C", p.id limit ${limit} offset ${offset}`);
