import { randomUUID } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import type { User } from '../world.ts';
import { world } from '../world.ts';

const w = world(test);
async function query(text: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

interface Node {
  id: string;
  source: string;
  path: string[];
}

/** A tree as other requests make it: a root with members, below it subprojects that inherit or have members of their own. */
async function root(owner: User, members: [User, string][] = []): Promise<Node> {
  const given = members.map(([user, role]) => ({ userId: user.userId, role }));
  const { body } = await w.as(owner).post('/api/metadata/project', { name: 'root', members: given });
  return { id: body.id, source: body.id, path: [body.id] };
}
async function below(parent: Node, owner: User, members?: [User, string][]): Promise<Node> {
  const id = randomUUID();
  const node = { id, source: members ? id : parent.source, path: [...parent.path, id] };
  await query(
    `insert into projects (id, tenant_id, parent_id, root_id, path, member_source_id, inherits_members, name, created_by, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, 'below', $8, $8)`,
    [id, owner.tenantId, parent.id, parent.path[0], node.path, node.source, members === undefined, owner.userId],
  );
  for (const [user, role] of members ?? []) {
    await query('insert into project_members (project_id, user_id, role) values ($1, $2, $3)', [id, user.userId, role]);
  }
  return node;
}

const roleOf = async (user: User, node: Node) => {
  const { status, body } = await w.as(user).get(`/api/metadata/project/${node.id}/capabilities`);
  if (status !== 200) return status;
  return body.canDelete ? 'Owner' : body.canEdit ? 'Contributor' : 'Reader';
};

test('members are taken from the first ancestor that does not inherit', async (t) => {
  const [owner, ann, bob] = [await w.account(), await w.account(), await w.account()];
  const top = await root(owner, [[ann, 'Reader']]);
  const inheriting = await below(await below(top, owner), owner);
  const own = await below(inheriting, owner, [
    [bob, 'Contributor'],
    [ann, 'Owner'],
  ]);
  const beneath = await below(own, owner);
  t.is(await roleOf(ann, inheriting), 'Reader');
  t.is(await roleOf(bob, inheriting), 404);
  t.is(await roleOf(ann, beneath), 'Owner');
  t.is(await roleOf(bob, beneath), 'Contributor');
  t.is(await roleOf(owner, beneath), 404);
  const { body } = await w.as(bob).get(`/api/metadata/project/${beneath.id}/member`);
  t.deepEqual(
    body.data.map((member: { userId: string }) => member.userId),
    [ann.userId, bob.userId],
  );
  const record = (await w.as(bob).get(`/api/metadata/project/${beneath.id}`)).body;
  t.like(record, { inheritsMembers: true, parentProjectId: own.id });
  t.deepEqual(record.members, []);
});

test('below a deleted project nothing is there, and nothing of it was touched', async (t) => {
  const owner = await w.account();
  const top = await root(owner);
  const middle = await below(top, owner);
  const leaf = await below(middle, owner);
  t.is((await w.as(owner).delete(`/api/project/${middle.id}`)).status, 204);
  t.is(await roleOf(owner, middle), 404);
  t.is(await roleOf(owner, leaf), 404);
  t.is(await roleOf(owner, top), 'Owner');
  t.is((await w.as(owner).delete(`/api/project/${leaf.id}`)).status, 404);
  const { rows } = await query('select deleted_at, row_version from projects where id = $1', [leaf.id]);
  t.deepEqual(rows, [{ deleted_at: null, row_version: '1' }]);
});

test('who has canDeleteContent on the parent deletes a subproject, also one that leaves him out', async (t) => {
  const [owner, contributor, reader] = [await w.account(), await w.account(), await w.account()];
  const top = await root(owner, [
    [contributor, 'Contributor'],
    [reader, 'Reader'],
  ]);
  const inheriting = await below(top, owner);
  const closed = await below(top, owner, [[owner, 'Owner']]);
  t.is((await w.as(reader).delete(`/api/project/${inheriting.id}`)).status, 403);
  t.is((await w.as(reader).delete(`/api/project/${closed.id}`)).status, 404);
  t.is((await w.as(contributor).delete(`/api/project/${inheriting.id}`)).status, 204);
  t.is(await roleOf(contributor, closed), 404);
  t.is((await w.as(contributor).delete(`/api/project/${closed.id}`)).status, 204);
  t.is((await w.as(contributor).delete(`/api/project/${top.id}`)).status, 403);
});

test('lists of root projects show no subproject', async (t) => {
  const owner = await w.account();
  await below(await root(owner), owner);
  const { body } = await w.as(owner).get('/api/metadata/project/offset-list');
  t.is(body.totalCount, 1);
});
