import type { User, World } from '../world.ts';

export interface Made {
  id: string;
  rowVersion: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  [member: string]: any;
}

/** Creates a project as `user`: a root project, or a subproject of `parentId`. Throws if the request fails. */
export async function makeProject(
  w: World,
  user: User,
  { parentId, members, ...more }: { parentId?: string; members?: [User, string][]; [member: string]: unknown } = {},
): Promise<Made> {
  const url = parentId === undefined ? '/api/metadata/project' : `/api/metadata/project/${parentId}/subproject`;
  const given = members && { members: members.map(([{ userId }, role]) => ({ userId, role })) };
  const answer = await w.as(user).post(url, { name: 'River', ...given, ...more });
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates a subproject that inherits the members of its parent. */
export const makeFolder = (w: World, user: User, parentId: string, name = 'Folder') =>
  makeProject(w, user, { parentId, name, inheritsMembers: true });

/** The user's role in a project, derived from the capabilities; the HTTP status if the request fails. */
export async function roleOf(w: World, user: User, id: string): Promise<string | number> {
  const { status, body } = await w.as(user).get(`/api/metadata/project/${id}/capabilities`);
  if (status !== 200) return status;
  return body.canDelete ? 'Owner' : body.canEdit ? 'Contributor' : 'Reader';
}

/**
 * Ids of projects whose root, path or member source is inconsistent with their parents. Empty for a consistent tree.
 */
export const unsound = (w: World) =>
  w.sql(`
    with recursive truth as (
      select id, id as root_id, array[id] as path, id as source from projects where parent_id is null
      union all
      select p.id, t.root_id, t.path || p.id, case when p.inherits_members then t.source else p.id end
      from projects p join truth t on t.id = p.parent_id)
    select p.id from projects p left join truth t using (id)
    where (p.root_id, p.path, p.member_source_id) is distinct from (t.root_id, t.path, t.source)`);
