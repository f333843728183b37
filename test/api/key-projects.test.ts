import test from 'ava';
import { sweepBin } from '../../src/recycle-bin/sweep.ts';
import { type Client, world } from '../world.ts';

/** Projects of the holder of an API key, a caller without an account. */
const w = world(test);

async function keyHolder() {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const { status, body } = await w.as(owner).post('/api/iam/key', { name: 'ci', role: 'Owner' });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const headers = { 'svc-open-api-key': body.key as string };
  const with_ = (more: Record<string, string> = {}) => ({ ...headers, ...more });
  const client: Client = {
    get: (url, more) => w.nobody.get(url, with_(more)),
    post: (url, given, more) => w.nobody.post(url, given, with_(more)),
    put: (url, given, more) => w.nobody.put(url, given, with_(more)),
    patch: (url, given, more) => w.nobody.patch(url, given, with_(more)),
    delete: (url, more) => w.nobody.delete(url, with_(more)),
    send: (options) => w.nobody.send({ ...options, headers: with_(options.headers as Record<string, string>) }),
  };
  return { owner, client, keyId: body.id as string };
}

/** A project with a subproject that has members of its own, and a file. */
async function tree(client: Client): Promise<string> {
  const root = await client.post('/api/metadata/project', { name: 'By key' });
  const sub = await client.post(`/api/metadata/project/${root.body.id}/subproject`, { name: 'Below' });
  const actions = [{ type: 'PathActionCreate', path: 'Below/file.txt' }];
  const file = await client.post(`/api/hierarchy/project/${root.body.id}`, { actions });
  for (const { status, body } of [root, sub, file]) if (status >= 300) throw new Error(JSON.stringify(body));
  return root.body.id;
}

test('items created by a key can be deleted and permanently removed by the key or a tenant Owner', async (t) => {
  const { owner, client } = await keyHolder();
  for (const remover of [client, w.as(owner)]) {
    const id = await tree(client);
    t.is((await remover.delete(`/api/metadata/project/${id}`)).status, 204);
    const removed = await remover.delete(`/api/recycle-bin/project/${id}`);
    t.is(removed.status, 204, JSON.stringify(removed.body));
    t.is((await remover.get(`/api/recycle-bin/project/${id}`)).status, 404);
  }
});

test('membership of a key is stored as long as the events of a removed project', async (t) => {
  const { client, keyId } = await keyHolder();
  const id = await tree(client);
  await client.delete(`/api/metadata/project/${id}`);
  t.is((await client.delete(`/api/recycle-bin/project/${id}`)).status, 204);
  const members = await w.sql('select user_id from removed_project_members where project_id = $1', [id]);
  t.deepEqual(members, [{ user_id: keyId }]);
});

test('the sweep removes items created by a key, also after the key is revoked', async (t) => {
  for (const revoked of [false, true]) {
    const { owner, client, keyId } = await keyHolder();
    const id = await tree(client);
    t.is((await client.delete(`/api/metadata/project/${id}`)).status, 204);
    if (revoked) t.is((await w.as(owner).delete(`/api/iam/key/${keyId}`)).status, 204);
    await w.sql(`update recycle_bin set deleted_at = now() - interval '181 days' where id = $1`, [id]);
    await sweepBin(w.db, 180 * 86_400_000);
    t.deepEqual(await w.sql('select id from projects where id = $1', [id]), []);
  }
});

test('columns that refer to accounts hold accounts only, never keys', async (t) => {
  const rows = await w.sql<{ reference: string }>(`
    select conrelid::regclass || '.' || attname as reference
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where confrelid = 'accounts'::regclass and contype = 'f' order by 1`);
  t.deepEqual(
    rows.map(({ reference }) => reference),
    [
      'account_authenticators.user_id',
      'account_mails.user_id',
      'account_tokens.user_id',
      'group_members.user_id',
      'logins.user_id',
      'otp_failures.user_id',
      'password_history.user_id',
      // who is invited
      'project_invitations.user_id',
      // empty where a key is the member
      'project_members.account_id',
      'recovery_codes.user_id',
      'refresh_families.user_id',
      'tenant_members.user_id',
    ],
    'a table that names callers must not be added here',
  );
});

test('routes for accounts only refuse a key with a sentence', async (t) => {
  const { owner, client, keyId } = await keyHolder();
  const root = w.as(await w.administrator());
  const group = await root.post('/api/usergroups', { name: 'Keys', users: [] });
  const answers = [
    await client.get('/api/accounts/me'),
    await client.put('/api/accounts/me', { name: 'Key' }),
    await w.as(owner).post(`/api/iam/tenant/${owner.tenantId}/member`, { userId: keyId, role: 'Member' }),
    await root.post(`/api/usergroups/user/${keyId}`, [group.body.id]),
  ];
  for (const { status, body } of answers) {
    t.true([400, 403, 404].includes(status), `${status} ${JSON.stringify(body)}`);
    t.truthy(body.detail);
  }
});
