import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { sql } from '../../src/db.ts';
import { type Answer, PASSWORD, type User, world } from '../world.ts';

const w = world(test);
const administrator = async () => w.as(await w.administrator());
const url = '/api/usergroups';
let count = 0;
const unique = (name: string) => `${name} ${++count}`;

async function newGroup(users: string[] = [], more: Record<string, unknown> = {}): Promise<string> {
  const id = unique('group');
  const { status, body } = await (await administrator()).post(url, { id, users, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return id;
}
const group = async (id: string) => (await (await administrator()).get(`${url}/${encodeURIComponent(id)}`)).body;
const lastRow = async (subject: string) =>
  (await w.sql('select * from audit where subject = $1 order by id desc limit 1', [subject]))[0];

test('a group has id, name, users (login ids) and metadata; the client chooses the id', async (t) => {
  const [one, two] = [await w.account({ id: 'Zoe' }), await w.account({ id: 'adam' })];
  const wanted = { id: 'north', name: 'People of the north', users: ['ZOE', two.userId], metadata: { a: { B: null } } };
  const { status, headers, body } = await (await administrator()).post(url, wanted);
  t.is(status, 201);
  t.is(headers.location, '/api/usergroups/north');
  const { rowVersion, ...made } = body;
  t.is(typeof rowVersion, 'string');
  t.deepEqual(made, { id: 'north', name: wanted.name, users: [one.id, two.id], metadata: { a: { B: null } } });
  t.deepEqual(await group('north'), body);
});

test('the id of a group is its name by default', async (t) => {
  const name = unique('Only named');
  const { body } = await (await administrator()).post(url, { name });
  const { rowVersion: _, ...made } = body;
  t.deepEqual(made, { id: name, name, users: [], metadata: {} });
  t.is((await (await administrator()).post(url, {})).status, 400);
});

test('a taken id or name is 409, whatever its letter case', async (t) => {
  const admin = await administrator();
  const id = await newGroup();
  for (const wanted of [{ id }, { id: id.toUpperCase() }, { id: unique('x'), name: id.toUpperCase() }])
    t.is((await admin.post(url, wanted)).status, 409, JSON.stringify(wanted));
  const many = await Promise.all(Array.from({ length: 8 }, () => admin.post(url, { id: 'raced' })));
  t.deepEqual(many.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
});

test('a group cannot have the id of an account, because permissions name both', async (t) => {
  const admin = await administrator();
  const { id, userId } = await w.account();
  t.is((await admin.post(url, { name: id.toUpperCase() })).status, 409);
  t.is((await admin.post(url, { id: 'x', name: userId })).status, 400);
  t.is((await admin.put(url, { id: await newGroup(), name: id })).status, 409);
});

test('an account cannot have the id of a group', async (t) => {
  const admin = await administrator();
  const name = await newGroup();
  for (const id of ['editors', name]) {
    const refused = await admin.post('/api/accounts', { id, password: PASSWORD });
    t.is(refused.status, 409);
    t.is(refused.body.code, 'AccountExists');
  }
  t.is((await w.sql('select from accounts where lower(id) = lower($1)', [name])).length, 0);
});

test('if an account and a group take the same name concurrently, the later one is refused', async (t) => {
  const admin = await administrator();
  /** The answer of a request that finds the row of an open transaction in its way. */
  async function beside(
    insert: ReturnType<typeof sql.unsafe>,
    name: string,
    send: () => ReturnType<typeof admin.post>,
  ) {
    const inserted = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const ended = w.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select lock_name(${name})`);
      await tx.query(insert);
      inserted.resolve();
      await end.promise;
    });
    ended.catch(inserted.reject);
    await inserted.promise;
    let answered = false;
    const answer = send().finally(() => {
      answered = true;
    });
    const waiting = () =>
      w.sql(`select from pg_locks where locktype = 'advisory' and not granted and classid = 7201956
        and database = (select oid from pg_database where datname = current_database())`);
    while (!answered && (await waiting()).length === 0) await sleep(20);
    end.resolve();
    await ended;
    return answer;
  }
  const one = unique('Taken At Once');
  const refused = await beside(
    sql.unsafe`insert into accounts (id, password_hash) values (${one.toUpperCase()}, '!')`,
    one,
    () => admin.post(url, { name: one }),
  );
  t.is(refused.status, 409);
  t.is(refused.body.code, 'NameTaken');
  const two = unique('Taken At Once');
  const late = await beside(sql.unsafe`insert into user_groups (id, name) values (${two}, ${two})`, two, () =>
    admin.post('/api/accounts', { id: two.toLowerCase(), name: two, password: PASSWORD }),
  );
  t.is(late.status, 409);
});

test('the list, count and ids of groups are bare values', async (t) => {
  const admin = await administrator();
  const id = await newGroup();
  const all = (await admin.get(url)).body;
  t.true(Array.isArray(all));
  const ids = all.map((each: { id: string }) => each.id);
  for (const each of ['Administrators', 'Editors', id]) t.true(ids.includes(each));
  t.is((await admin.get(`${url}/count`)).body >= 3, true);
  const [first, ...others] = (await admin.get(`${url}?limit=1&offset=0`)).body;
  t.deepEqual([first.id, others], ['Administrators', []], 'its members change with other tests');
  t.true((await admin.get(`${url}/ids`)).body.includes(id));
});

test('ids?userId= lists the groups of a user, by user id or login id', async (t) => {
  const admin = await administrator();
  const user = await w.account();
  const [one, two] = [await newGroup([user.id]), await newGroup([user.userId])];
  const expected = [one, two].sort();
  t.deepEqual((await admin.get(`${url}/ids?userId=${user.userId}`)).body, expected);
  t.deepEqual((await admin.get(`${url}/ids?UserId=${user.id.toUpperCase()}`)).body, expected);
  t.is((await admin.get(`${url}/ids?userId=nobody-at-all`)).status, 404);
});

test('user/{userId} adds a user to groups and removes it from one or all, by uuid or login id', async (t) => {
  const admin = await administrator();
  const user = await w.account();
  const [one, two, three] = [await newGroup(), await newGroup(), await newGroup()];
  const ids = async () => (await admin.get(`${url}/ids?userId=${user.id}`)).body;
  t.is((await admin.post(`${url}/user/${user.userId}`, [one, two])).status, 204);
  t.is((await admin.post(`${url}/user/${user.id}`, [two, three])).status, 204, 'who is in one stays in it');
  t.is((await admin.post(`${url}/user/${user.id}`)).status, 204, 'clients leave out an empty list');
  t.deepEqual(await ids(), [one, two, three].sort());
  const removed = await admin.delete(`${url}/user/${user.id}?groupId=${encodeURIComponent(one)}`);
  t.is(removed.status, 204);
  t.deepEqual(await ids(), [two, three].sort());
  t.is((await admin.delete(`${url}/user/${user.userId}`)).status, 204);
  t.deepEqual(await ids(), []);
});

test('unknown groups and users are refused and named', async (t) => {
  const admin = await administrator();
  const user = await w.account();
  const group = await newGroup();
  const unknown = await admin.post(`${url}/user/${user.id}`, [group, 'none']);
  t.is(unknown.status, 400);
  t.deepEqual(Object.keys(unknown.body.errors), ['[1]']);
  t.deepEqual((await admin.get(`${url}/ids?userId=${user.id}`)).body, [], 'all or nothing');
  t.is((await admin.post(`${url}/user/nobody-at-all`, [group])).status, 404);
  t.is((await admin.delete(`${url}/user/nobody-at-all`)).status, 404);
  t.is((await admin.delete(`${url}/user/${user.id}?groupId=none`)).status, 404);
  t.is((await admin.get(`${url}/none`)).status, 404);
  t.is((await admin.delete(`${url}/none`)).status, 404);
  t.is((await admin.put(url, { id: 'none' })).status, 404);
  const strangers = await admin.post(url, { name: unique('x'), users: [user.id, 'nobody-at-all'] });
  t.is(strangers.status, 400);
  t.deepEqual(Object.keys(strangers.body.errors), ['users[1]']);
});

test('PUT replaces the members sent; absent name, users and metadata are kept', async (t) => {
  const admin = await administrator();
  const [one, two] = [await w.account(), await w.account()];
  const id = await newGroup([one.id], { metadata: { a: 1 } });
  const name = unique('Renamed');
  t.like((await admin.put(url, { id, name })).body, { id, name, users: [one.id], metadata: { a: 1 } });
  t.deepEqual((await admin.put(url, { id, users: [two.id] })).body.users, [two.id]);
  t.like((await admin.put(url, { id, users: [], metadata: {} })).body, { id, name, users: [], metadata: {} });
});

test('built-in groups cannot be deleted or renamed: 409', async (t) => {
  const admin = await administrator();
  for (const id of ['Administrators', 'Editors']) {
    t.is((await admin.delete(`${url}/${id}`)).status, 409);
    t.is((await admin.put(url, { id, name: unique('x') })).status, 409);
    t.is((await admin.put(url, { id, name: id, metadata: {} })).status, 200);
  }
});

test('a deleted group is removed from the groups of its members', async (t) => {
  const admin = await administrator();
  const user = await w.account();
  const id = await newGroup([user.id]);
  t.is((await admin.delete(`${url}/${encodeURIComponent(id)}`)).status, 204);
  t.is((await admin.get(`${url}/${encodeURIComponent(id)}`)).status, 404);
  t.deepEqual((await admin.get(`/api/accounts/${user.id}`)).body.userGroups, []);
});

test('malformed second-factor entries are refused when the group is saved, and no setup code is repeated', async (t) => {
  const admin = await administrator();
  const id = await newGroup();
  for (const entries of [
    ['CIDR:10.0.0.0/33'],
    ['CIDR:10.0.0.0/8', 'APPAUTH:tooShort'],
    ['cidr:10.0.0.0/8'],
    'CIDR:10.0.0.0/8',
    [7],
  ]) {
    const metadata = { '2FAMetadata': entries };
    for (const answer of [
      await admin.post(url, { name: unique('x'), metadata }),
      await admin.put(url, { id, metadata }),
    ]) {
      t.is(answer.status, 400, JSON.stringify(entries));
      t.false(JSON.stringify(answer.body).includes('tooShort'));
    }
  }
  const second = await admin.put(url, { id, metadata: { '2FAMetadata': ['CIDR:10.0.0.0/8', 'APPAUTH:short'] } });
  t.deepEqual(Object.keys(second.body.errors), ['metadata.2FAMetadata[1]']);
  t.is((await admin.put(url, { id, metadata: { '2fametadata': [] } })).status, 400, 'it would protect nobody');
  const good = { '2FAMetadata': ['CIDR:10.0.0.0/8&Comment:office', 'APPAUTH:0123456789abcdef'] };
  const shown = { '2FAMetadata': ['CIDR:10.0.0.0/8&Comment:office', `APPAUTH:${'*'.repeat(16)}`] };
  t.deepEqual((await admin.put(url, { id, metadata: good })).body.metadata, shown);
});

test.serial('the last administrator cannot be removed: 409', async (t) => {
  const root = await w.administrator();
  const admin = w.as(root);
  const disabled = await w.account({ userGroups: ['Administrators'] });
  await w.sql('update accounts set enabled = false where user_id = $1', [disabled.userId]);
  const attempts = [
    () => admin.delete(`${url}/user/${root.id}`),
    () => admin.delete(`${url}/user/${root.userId}?groupId=Administrators`),
    () => admin.put(url, { id: 'Administrators', users: [] }),
    () => admin.put(url, { id: 'Administrators', users: [disabled.id] }),
  ];
  for (const attempt of attempts) {
    const { status, body } = await attempt();
    t.is(status, 409, 'an administrator who is disabled lets nobody in');
    t.is(body.code, 'LastAdministrator');
  }
  t.is((await admin.delete(`${url}/user/${disabled.id}`)).status, 204);
  t.deepEqual((await group('Administrators')).users, [root.id]);
});

test.serial('two concurrent requests cannot remove the last two administrators', async (t) => {
  const root = await w.administrator();
  const ways: ((user: User) => Promise<Answer>)[] = [
    async (user) => w.as(root).delete(`${url}/user/${user.userId}`),
    async (user) => w.as(root).delete(`${url}/user/${user.userId}?groupId=Administrators`),
  ];
  for (let round = 0; round < 10; round++) {
    const other = await w.account({ userGroups: ['Administrators'] });
    const way = ways[round % 2] as (user: User) => Promise<Answer>;
    const answers = await Promise.all([way(root), way(other)]);
    const left = await w.sql(`select from group_members where group_id = 'Administrators'`);
    t.is(left.length, 1);
    t.is(answers.filter(({ status }) => status === 204).length, 1, JSON.stringify(answers.map((each) => each.status)));
    await w.sql(`insert into group_members values ('Administrators', $1) on conflict do nothing`, [root.userId]);
    await w.sql(`delete from group_members where group_id = 'Administrators' and user_id <> $1`, [root.userId]);
  }
});

test('changes of groups apply immediately in this process, for existing tokens too', async (t) => {
  const admin = await administrator();
  const user = await w.account();
  const client = w.as(user);
  const { body } = await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD });
  const old = { authorization: `Bearer ${body.accessToken.token}` };
  t.is((await client.get(url)).status, 403);
  await admin.post(`${url}/user/${user.id}`, ['Administrators']);
  t.is((await w.nobody.get(url, old)).status, 200);
  await admin.delete(`${url}/user/${user.id}`);
  t.is((await w.nobody.get(url, old)).status, 403);
});

test('each change of a group has an audit row with actor, action, address and request id, without metadata values', async (t) => {
  const root = await w.administrator();
  const admin = w.as(root);
  const user = await w.account();
  const id = unique('audited');
  const headers = { 'x-request-id': 'groups-audit' };
  const by = { account_id: root.id, address: '127.0.0.1', request_id: 'groups-audit' };
  const metadata = { '2FAMetadata': ['APPAUTH:canary-canary-12'] };
  await admin.post(url, { id, users: [user.id], metadata }, headers);
  t.like(await lastRow(id), { action: 'group.create', ...by });
  await admin.put(url, { id, users: [], metadata: {} }, headers);
  t.like(await lastRow(id), {
    action: 'group.change',
    ...by,
    details: { added: [], removed: [user.id], metadataKeys: ['2FAMetadata'] },
  });
  await admin.post(`${url}/user/${user.userId}`, [id], headers);
  t.like(await lastRow(user.id), { action: 'group.member.add', ...by, details: { groups: [id] } });
  await admin.delete(`${url}/user/${user.userId}`, headers);
  t.like(await lastRow(user.id), { action: 'group.member.remove', ...by, details: { groups: [id] } });
  await admin.delete(`${url}/${encodeURIComponent(id)}`, headers);
  t.like(await lastRow(id), { action: 'group.delete', ...by });
  t.is((await w.sql(`select from audit where details::text like '%canary%'`)).length, 0);
});

test('a response without the setup codes of its request is stored for replay', async (t) => {
  const admin = w.as(await w.administrator());
  const code = randomBytes(8).toString('hex');
  const secret = { name: `secret-${code.slice(0, 4)}`, metadata: { '2FAMetadata': [`APPAUTH:${code}`] } };
  const plain = { name: `plain-${code.slice(0, 4)}`, metadata: { room: '1' } };
  const key = (name: string) => ({ 'idempotency-key': `${name}-${code}` });
  t.is((await admin.post('/api/usergroups', secret, key('secret'))).status, 201);
  t.is((await admin.post('/api/usergroups', secret, key('secret'))).headers['idempotent-replayed'], 'true');
  t.is((await admin.put('/api/usergroups', { name: secret.name, users: [] }, key('change'))).status, 200);
  t.is((await admin.put('/api/usergroups', { name: secret.name, users: [] }, key('change'))).status, 200);
  t.is((await admin.post('/api/usergroups', plain, key('plain'))).status, 201);
  t.is((await admin.post('/api/usergroups', plain, key('plain'))).headers['idempotent-replayed'], 'true');
  const kept = await w.sql<{ body?: string }>('select body from idempotency_keys where key like $1', [`%${code}`]);
  t.is(kept.length, 3);
  t.false(kept.some(({ body }) => body?.includes(code)));
});
