import { z } from 'zod';
import { visible } from '../../datasets/queries.ts';
import { type Reads, sql } from '../../db.ts';
import { type Caller, isAdministrator, ownedTenants } from '../../http/caller.ts';
import { visibleProjects } from '../../projects/visibility.queries.ts';

const Named = z.object({ id: z.string(), name: z.string() });
export type Named = z.infer<typeof Named>;

/** Names of those of the projects and datasets that the caller sees: being an administrator gives no sight of them. */
export async function listContentNames(
  db: Reads,
  caller: Caller,
  { projects, datasets }: Record<'projects' | 'datasets', readonly string[]>,
): Promise<readonly Named[]> {
  if (projects.length + datasets.length === 0) return [];
  return db.any(sql.type(Named)`
    select p.id, p.name from ${visibleProjects(caller)} p where p.id = any(${sql.array([...projects], 'uuid')})
    union all
    (select d.id, d.name ${visible(caller)} and d.id = any(${sql.array([...datasets], 'uuid')}))`);
}

/** Names of those of the groups, tenants, features and webhooks that the caller may list. */
export async function listNames(
  db: Reads,
  caller: Caller,
  { groups, tenants, features, webhooks }: Record<'groups' | 'tenants' | 'features' | 'webhooks', readonly string[]>,
): Promise<readonly Named[]> {
  if (groups.length + tenants.length + features.length + webhooks.length === 0) return [];
  const all = isAdministrator(caller);
  const own = sql.array(
    caller.tenants.map(({ id }) => id),
    'uuid',
  );
  const governed = sql.array(ownedTenants(caller), 'uuid');
  return db.any(sql.type(Named)`
    select id, name from user_groups where ${all} and id = any(${sql.array([...groups], 'text')})
    union all
    select id::text, name from tenants where id = any(${sql.array([...tenants], 'uuid')}) and (${all} or id = any(${own}))
    union all
    select f.id::text, f.name from features f where f.id = any(${sql.array([...features], 'uuid')})
      and (${all} or exists (select from feature_licences l where l.feature_id = f.id and l.tenant_id = any(${governed})))
    union all
    select id::text, url from webhooks where id = any(${sql.array([...webhooks], 'uuid')}) and tenant_id = any(${governed})`);
}
