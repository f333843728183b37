import type pg from 'pg';
import type { BenchPlatform } from './platform.ts';

/**
 * Inserts `count` children below the projects `p` that match the SQL condition `parents`. `own`: SQL condition on the
 * number `n` of a child that gets members of its own.
 */
export type Below = (parents: string, count: number, own: string) => Promise<void>;

export interface PlantedTree {
  run(text: string, values?: unknown[]): Promise<pg.QueryResult>;
  below: Below;
}

/**
 * Inserts members `u1`, `u2` … of the tenant and root projects. With SQL, because it would take an hour through the
 * API.
 */
export async function plantTree(
  { pool, tenantId, userId }: BenchPlatform,
  { users, roots }: { users: number; roots: number },
): Promise<PlantedTree> {
  const run = (text: string, values: unknown[] = []) => pool.query(text, values);
  await run(
    `insert into accounts (id, tenant_id, password_hash, activated)
     select 'u' || n, $1, 'none', true from generate_series(1, $2) n`,
    [tenantId, users],
  );
  await run(
    `insert into tenant_members (tenant_id, user_id, role) select $1, user_id, 'Member' from accounts where id like 'u%'`,
    [tenantId],
  );
  await run(
    `insert into projects (id, root_id, path, member_source_id, name, created_by, updated_by, tenant_id)
     select id, id, array[id], id, 'root ' || n, $1, $1, $2 from (select uuidv7() id, n from generate_series(1, $3) n) x`,
    [userId, tenantId, roots],
  );
  return {
    run,
    async below(parents, count, own) {
      await run(
        `insert into projects (id, parent_id, root_id, path, inherits_members, member_source_id, name, created_by, updated_by, tenant_id)
         select x.id, p.id, p.root_id, p.path || x.id, not x.own, case when x.own then x.id else p.member_source_id end,
           p.name || '.' || x.n, $1, $1, $2
         from projects p cross join lateral (
           select uuidv7() id, n, ${own} as own from generate_series(1, $3) n where p.id is not null) x
         where ${parents}`,
        [userId, tenantId, count],
      );
    },
  };
}
