import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { createDatabase, dropDatabase } from '../world/database.ts';
import { makeProject } from '../world/projects.ts';
import { PASSWORD, testDatabase, world } from '../world.ts';

const w = world(test, { 'accounts.registration': 'true' });
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

  test(`'${shown}' logs in, is found and is taken in any letter case`, async (t) => {
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

/** A database with the migrations before this number. */
async function migratedBefore(t: ExecutionContext, number: string) {
  const { url, folder, close } = await testDatabase(1);
  t.teardown(close);
  const database = `folding_${randomBytes(6).toString('hex')}`;
  const run = async <Row>(to: string, text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: to });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  await createDatabase(url, database);
  t.teardown(() => dropDatabase(url, database));
  const to = Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const before = join(folder, 'before');
  await mkdir(before);
  const all = new URL('../../sql/migrations/', import.meta.url);
  for (const name of await readdir(all)) if (name < number) await cp(new URL(name, all), join(before, name));
  await migrate(to, { folder: pathToFileURL(`${before}/`) });
  return { to, run };
}

test('the migration keeps existing ids; if two differ only in case, the newer is renamed, also in permissions', async (t) => {
  const { to, run } = await migratedBefore(t, '0039');
  // folded, a UUID
  const spelled = '019bﬀc4-8f6f-7c41-9d3e-005b6a7c8d9e';
  for (const [id, day] of [
    ['straße', 2],
    ['STRASSE', 1],
    ['strasse-2', 3],
    ['Ann', 4],
    [spelled, 5],
  ] as const)
    await run(to, `insert into accounts (id, password_hash, created_at) values ($1, '!', $2)`, [id, `2026-01-0${day}`]);
  const permissions = [
    { type: 'Denied', operation: 'read', principals: ['x', 'STRAßE', 'Strasse'] },
    { type: 'Allowed', operation: 'other', principals: [] },
    { type: 'Denied', operation: 'update', principals: [spelled.replace('ﬀ', 'ff'), spelled] },
  ];
  await run(
    to,
    `with t as (insert into tenants (name) values ('T') returning id), p as (select uuidv7() as id)
     insert into projects (id, tenant_id, root_id, path, member_source_id, name, created_by, updated_by, permissions)
     select p.id, t.id, p.id, array[p.id], p.id, 'P', t.id, t.id, $1 from t, p`,
    [JSON.stringify(permissions)],
  );

  await migrate(to);
  const [{ fresh = '' } = {}] = await run<{ fresh: string }>(
    to,
    `select id as fresh from accounts where created_at = '2026-01-05' and id = $1 || '-' || user_id`,
    [spelled],
  );
  t.not(fresh, '', 'it is no spelling of a user id any more');
  t.deepEqual(await run(to, `select id, folded_id from accounts where created_at < '2026-01-05' order by created_at`), [
    { id: 'STRASSE', folded_id: 'strasse' },
    { id: 'straße-3', folded_id: 'strasse-3' },
    { id: 'strasse-2', folded_id: 'strasse-2' },
    { id: 'Ann', folded_id: 'ann' },
  ]);
  const renamed = [
    { ...permissions[0], principals: ['x', 'straße-3', 'Strasse'] },
    permissions[1],
    { ...permissions[2], principals: [spelled.replace('ﬀ', 'ff'), fresh] },
  ];
  t.deepEqual(await run(to, 'select permissions from projects'), [{ permissions: renamed }]);
  t.deepEqual(await run(to, `select folded_principal from permission_grants where operation = 'read' order by 1`), [
    { folded_principal: 'strasse' },
    { folded_principal: 'strasse-3' },
    { folded_principal: 'x' },
  ]);
  const audit = await run<{ subject: string; details: object }>(to, `select subject, details from audit`);
  t.like(audit, [
    { subject: 'straße', details: { to: 'straße-3' } },
    { subject: spelled, details: { to: fresh } },
  ]);
});

test('the migration ends permissions that are older than the deletion of the account or group that they name', async (t) => {
  const { to, run } = await migratedBefore(t, '0078');
  await run(to, `insert into accounts (id, password_hash, created_at) values ('Anna', '!', '2026-01-03')`);
  await run(
    to,
    `insert into audit (action, subject, details, time) values ('account.delete', 'Anna', '{}', '2026-01-02'),
       ('group.delete', 'g', '{"name":"North"}', '2026-01-02'), ('account.delete', 'Bert', '{}', '2025-12-01')`,
  );
  const permissions = [
    { type: 'Allowed', operation: 'read', principals: ['ANNA', 'Bert', 'Invited'] },
    { type: 'Allowed', operation: 'update', principals: ['North'] },
    { type: 'Denied', operation: 'delete', principals: ['anna', 'north'] },
  ];
  for (const [name, day] of [
    ['Before', 1],
    ['After', 3],
  ])
    await run(
      to,
      `with t as (insert into tenants (name) values ('T') returning id), p as (select uuidv7() as id)
       insert into projects (id, tenant_id, root_id, path, member_source_id, name, created_by, updated_by, updated_at, permissions)
       select p.id, t.id, p.id, array[p.id], p.id, $1, t.id, t.id, $2, $3 from t, p`,
      [name, `2026-01-0${day}`, JSON.stringify(permissions)],
    );
  await migrate(to);
  t.deepEqual(await run(to, 'select name, permissions from projects order by name'), [
    { name: 'After', permissions },
    { name: 'Before', permissions: [{ ...permissions[0], principals: ['Bert', 'Invited'] }, permissions[2]] },
  ]);
  const told = await run(
    to,
    `select subject, details->'entities' as entities from audit where action = 'permissions.end' order by subject`,
  );
  t.deepEqual(told, [
    { subject: 'Anna', entities: 1 },
    { subject: 'North', entities: 1 },
  ]);
});

test('a login id is no UUID, in whatever spelling', async (t) => {
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
