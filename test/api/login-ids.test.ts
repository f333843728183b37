import test from 'ava';
import { makeProject } from '../world/projects.ts';
import { ownWorld, PASSWORD } from '../world.ts';

const w = ownWorld(test, { 'accounts.registration': 'true' });
const administrator = async () => w.as(await w.administrator());
const login = (id: string) => w.nobody.post('/api/tokens', { id, password: PASSWORD });

/**
 * A login id, and the same in other letter cases. Lower case of JavaScript, and of Postgres, misses each of them in one
 * way or another.
 */
const SPELLINGS: [string, ...string[]][] = [
  ['İbrahim', 'i̇brahim', 'İBRAHIM'],
  ['ΝΙΚΟΣ', 'νικος', 'νικοσ', 'Νικος'],
  ['Straße', 'STRASSE', 'STRAẞE', 'strasse'],
  ['José', 'JOSÉ', 'José'],
  ['Ådne', 'ådne', 'ÅDNE', 'Ådne'],
];
let marks = 0;
/** The spellings, as nobody else in this file has them. */
const fresh = ([first, ...others]: readonly string[]) => {
  const mark = `-${++marks}`;
  return { id: `${first}${mark}`, others: others.map((other) => `${other}${mark}`) };
};

for (const spellings of SPELLINGS) {
  const [shown] = spellings;

  test(`'${shown}' logs in, is found and is reserved in any letter case`, async (t) => {
    const { id, others } = fresh(spellings);
    const { userId } = await w.account({ id });
    const admin = await administrator();
    for (const other of others) {
      t.is((await login(other)).status, 200, other);
      t.is((await admin.get(`/api/accounts/${encodeURIComponent(other)}`)).body.userId, userId, other);
      t.is((await admin.post('/api/accounts', { id: other, password: PASSWORD })).status, 409, other);
      t.is((await w.as({ userId }).get(`/api/tokens/family?account=${encodeURIComponent(other)}`)).status, 200);
      t.is((await w.as({ userId }).put('/api/accounts/me', { id: other, name: other })).status, 200, other);
      t.is((await admin.post('/api/usergroups', { name: other })).body.code, 'NameTaken', other);
    }
  });

  test(`permissions that name '${shown}' in any letter case apply to its account`, async (t) => {
    const { id, others } = fresh(spellings);
    const [maker, user] = [await w.account(), await w.account({ id })];
    for (const principal of [id, ...others]) {
      const { id: open } = await makeProject(w, maker, {
        permissions: [{ principals: [principal], operation: 'read' }],
      });
      t.is((await w.as(user).get(`/api/metadata/project/${open}`)).status, 200, principal);
      const { id: closed } = await makeProject(w, maker, {
        members: [[user, 'Reader']],
        permissions: [{ principals: [principal], operation: 'read', type: 'Denied' }],
      });
      t.is((await w.as(user).get(`/api/metadata/project/${closed}`)).status, 404, principal);
    }
  });

  test(`'${shown}' joins groups in any letter case; a group with that name excludes an account with it`, async (t) => {
    const { id, others } = fresh(spellings);
    await w.account({ id });
    const admin = await administrator();
    const made = await admin.post('/api/usergroups', { name: `Group of ${id}`, users: others });
    t.deepEqual(made.body.users, [id], JSON.stringify(made.body));
    const missing = await admin.post('/api/usergroups', { name: `Other of ${id}`, users: [id, 'nobody-there'] });
    t.regex(missing.body.errors['users[1]'][0], /nobody-there/);

    const group = fresh(spellings);
    t.is((await admin.post('/api/usergroups', { name: group.id })).status, 201);
    for (const other of group.others)
      t.is((await admin.post('/api/accounts', { id: other, password: PASSWORD })).status, 409, other);
  });
}

test('the audit trail of an account is found in any letter case', async (t) => {
  const { id, others } = fresh(SPELLINGS[1]!);
  await w.account({ id });
  for (const other of others) {
    const { body } = await (await administrator()).get(`/api/audit/list?account=${encodeURIComponent(other)}`);
    t.true(
      body.data.some(({ action, subject }: Record<string, string>) => action === 'account.create' && subject === id),
    );
  }
});

test('a login id cannot be a UUID in any spelling', async (t) => {
  const admin = await administrator();
  // folded, 'ﬀ' is 'ff'
  const userId = '019bffc4-8f6f-7c41-9d3e-ff5b6a7c8d9e';
  for (const id of [userId, userId.toUpperCase(), userId.replace('ff', 'ﬀ'), userId.replaceAll('ff', 'ﬀ')]) {
    const { status, body } = await admin.post('/api/accounts', { id, password: PASSWORD });
    t.is(status, 400, id);
    t.regex(body.errors.id[0], /is a UUID, like user ids/);
    const registered = { id, name: 'x', email: 'x@example.org', password: PASSWORD };
    t.is((await w.nobody.post('/api/accounts/registration', registered)).status, 400, id);
  }
  const { userId: other } = await w.account();
  const spelled = w.sql('update accounts set id = $1 where user_id = $2', [userId.replace('ff', 'ﬀ'), other]);
  await t.throwsAsync(spelled, { message: /accounts_id_is_no_uuid/ }, 'nor by another way');
});
