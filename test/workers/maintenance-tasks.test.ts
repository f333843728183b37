import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { machines } from '../cli/machine.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { sharedProcess } from '../world/worker.ts';
import { type User, world } from '../world.ts';

/** Periodic jobs of which a part fails. */
/** Nobody is there. */
const SILENT = { 'outbound.allow': '127.0.0.1:1' };
const w = world(test, { ...SILENT, 'accounts.registration': 'true' });
const worker = sharedProcess(test, w, SILENT);
const machine = machines(w);

interface Listed {
  name: string;
  finishedAt?: string;
  failed?: number;
  failures?: { part: string; item?: string; reason: string }[];
}

async function until(what: () => Promise<boolean>) {
  for (let tries = 0; tries < 600; tries++) {
    if (await what()) return;
    await sleep(100);
  }
  throw new Error('It takes too long.');
}

async function listed(name: string): Promise<Listed> {
  const { body } = await w.as(await w.administrator()).get('/api/admin/cron');
  return body.data.find((one: Listed) => one.name === name);
}

/** Runs the job, and returns the log lines written after it. */
async function run(name: string): Promise<Listed> {
  await worker();
  const before = (await listed(name)).finishedAt;
  const { status } = await w.as(await w.administrator()).post(`/api/admin/cron/${name}/run`);
  if (status !== 202) throw new Error(String(status));
  let now = await listed(name);
  await until(async () => {
    now = await listed(name);
    return now.finishedAt !== undefined && now.finishedAt !== before;
  });
  return now;
}

/** Waits until the metrics, which are cached briefly, report this number of failed items. */
const untilTold = (task: string, failed: number) =>
  until(async () => {
    const { body } = await w.nobody.send({ method: 'GET', url: '/metrics', remoteAddress: '127.0.0.1' });
    return body.includes(`\nplatform_chore_failed_items{chore="${task}"} ${failed}\n`);
  });

/** Makes each removal of rows like this fail, until the function that it gives is called. */
async function refuse(table: string, condition: string, reason: string): Promise<() => Promise<unknown>> {
  const name = `refuse_${table}`;
  await w.sql(`
    create function ${name}() returns trigger language plpgsql as $$ begin raise exception '${reason}'; end $$;
    create trigger ${name} before delete on ${table} for each row when (${condition}) execute function ${name}()`);
  return () => w.sql(`drop trigger ${name} on ${table}; drop function ${name}()`);
}

async function binned(user: User, days: number, weight = 1): Promise<string> {
  const client = w.as(user);
  const id = await newProject(client);
  await client.delete(`/api/project/${id}`);
  await w.sql(`update recycle_bin set deleted_at = now() - $2 * interval '1 day', weight = $3 where id = $1`, [
    id,
    days,
    weight,
  ]);
  return id;
}
const inBin = async (ids: string[]) =>
  (await w.sql<{ id: string }>('select id from recycle_bin where id = any($1) order by deleted_at', [ids])).map(
    ({ id }) => id,
  );

test.serial(
  'the recycle bin sweep keeps, counts and retries items that it cannot delete, and deletes the others',
  async (t) => {
    const [one, other] = [await w.account(), await w.account({ tenantId: await w.tenant() })];
    // the first of its batch, one that is a batch by itself, and one of another tenant
    const bad = [await binned(one, 300), await binned(one, 250, 1000), await binned(other, 260)];
    const good = [
      await binned(one, 299),
      await binned(one, 240),
      await binned(one, 200, 1000),
      await binned(other, 255),
    ];
    const mend = await refuse('projects', `old.id in ('${bad.join("','")}')`, 'it holds on');
    const told = await run('sweepRecycleBin');
    t.deepEqual(await inBin(good), []);
    t.deepEqual((await inBin(bad)).sort(), [...bad].sort());
    t.is(told.failed, 3);
    const wanted = bad.map((item) => ({ part: 'recycle bin', item, reason: 'it holds on' }));
    const byItem = (a: { item?: string }, b: { item?: string }) => String(a.item).localeCompare(String(b.item));
    t.deepEqual([...(told.failures ?? [])].sort(byItem), wanted.sort(byItem));
    await untilTold('sweepRecycleBin', 3);
    const log = (await worker()).output();
    for (const id of bad) t.true(log.includes(id), log);
    const root = await w.administrator();
    const { run: command, logIn } = await machine(t);
    t.is((await logIn(root.id)).code, 0);
    const { out } = await command(['cron', 'list']);
    t.regex(out, /^sweepRecycleBin +37 2 \* \* \* +3 /m);
    for (const id of bad) t.true(out.includes(`\nsweepRecycleBin: recycle bin: ${id}: it holds on`), out);

    await mend();
    t.like(await run('sweepRecycleBin'), { failed: 0, failures: [] });
    t.deepEqual(await inBin(bad), []);
    await untilTold('sweepRecycleBin', 0);
    t.regex((await command(['cron', 'list'])).out, /^sweepRecycleBin +37 2 \* \* \* +0 /m);
  },
);

test.serial('a tenant whose recycle bin cannot be read does not stop the sweep of others', async (t) => {
  const [one, other] = [
    await w.account({ tenantId: await w.tenant() }),
    await w.account({ tenantId: await w.tenant() }),
  ];
  const ids = [await binned(one, 200), await binned(other, 200)];
  const good = ids[0] ?? '';
  // a row as no deletion makes it
  const checks = await w.sql<{ name: string }>(`
    select conname as name from pg_constraint where conrelid = 'recycle_bin'::regclass and contype = 'c'`);
  for (const { name } of checks) await w.sql(`alter table recycle_bin drop constraint ${name}`);
  await w.sql(`update recycle_bin set item_type = 'Dataset', container_id = null where tenant_id = $1`, [
    other.tenantId,
  ]);
  const told = await run('sweepRecycleBin');
  t.deepEqual(await inBin([good]), []);
  t.is(told.failed, 1, JSON.stringify(told));
  t.like(told.failures?.[0], { part: 'recycle bin of a tenant', item: other.tenantId });
  await w.sql('delete from recycle_bin where tenant_id = $1', [other.tenantId]);
});

test.serial('a failed part or item of the clean-up does not stop the others', async (t) => {
  const past = '2020-01-01T00:00:00Z';
  const user = await w.account();
  // before there is anything to remove: a worker cleans up by the clock, too
  const mends = [
    await refuse('idempotency_keys', `old.key = 'old'`, 'the first part fails'),
    await refuse('refresh_families', 'true', 'old logins stay'),
  ];
  await w.sql(
    `insert into idempotency_keys (user_id, key, request_hash, status, headers, created_at) values ($1, 'old', '', 200, '{}', $2)`,
    [user.userId, past],
  );
  await w.sql(`insert into drains (scope, name, since, account_id) values ('pool', 'gone', $1, 'root')`, [past]);
  await w.sql(`insert into refresh_families (user_id, expires_at) values ($1, $2)`, [user.userId, past]);
  await w.sql(`insert into registration_mails (recipient, ordered_at) values ('a@example.org', $1)`, [past]);
  await w.sql(`insert into login_failures (client, failures, last_at) values ('192.0.2.1', 1, $1)`, [past]);
  const register = async () => {
    const id = `never-${randomUUID()}`;
    const request = { id, name: id, email: `${id}@example.org`, password: 'Correct-horse-7' };
    const { status } = await w.nobody.post('/api/accounts/registration', request);
    if (status !== 202) throw new Error(String(status));
    return id;
  };
  const registered = [await register(), await register(), await register()];
  mends.push(await refuse('accounts', `old.id = '${registered[1]}'`, 'this one stays'));
  // their mails are sent, and make tokens, at any moment
  await worker();
  await until(async () => (await w.sql('select from account_mails')).length === 0);
  await w.sql(`delete from account_tokens where user_id in (select user_id from accounts where id = any($1))`, [
    registered,
  ]);
  await w.sql('update accounts set created_at = $1, updated_at = $1 where id = any($2)', [past, registered]);
  const spent = Array.from({ length: 3 }, () => `dataset/${randomUUID()}`);
  async function* content() {
    yield Buffer.from('x');
  }
  for (const name of [spent[0], spent[2]]) await w.blobs.put(name as string, content(), 1);
  // a folder that holds something is no blob that could be removed
  const stuck = join(w.folder, 'blobs', spent[1] as string);
  await mkdir(join(stuck, 'inside'), { recursive: true });
  await w.sql(`insert into blob_deletions (name) select unnest($1::text[])`, [spent]);

  const counts = async () => {
    const [row] = await w.sql(
      `select (select count(*)::int from idempotency_keys where key = 'old') as keys,
        (select count(*)::int from drains where name = 'gone') as drains,
        (select count(*)::int from refresh_families where expires_at = $1) as logins,
        (select count(*)::int from registration_mails where recipient = 'a@example.org') as notes,
        (select count(*)::int from login_failures where client = '192.0.2.1') as failures,
        (select count(*)::int from accounts where id = any($2)) as accounts,
        (select count(*)::int from blob_deletions where name = any($3)) as spent`,
      [past, registered, spent],
    );
    return row;
  };
  const told = await run('cleanUp');
  t.deepEqual(await counts(), { keys: 1, drains: 0, logins: 1, notes: 0, failures: 0, accounts: 1, spent: 1 });
  t.is(told.failed, 4, JSON.stringify(told));
  t.deepEqual(
    told.failures?.map(({ part, reason }) => [part, reason]),
    [
      ['answers of repeated requests', 'the first part fails'],
      ['old logins', 'old logins stay'],
      ['spent blobs', told.failures?.[2]?.reason ?? ''],
      ['accounts that were never activated', 'this one stays'],
    ],
  );
  t.is(told.failures?.[2]?.item, spent[1]);
  t.false(told.failures?.[2]?.reason.includes(w.folder), 'a place on the disk is nobody else’s business');
  await untilTold('cleanUp', 4);

  for (const mend of mends) await mend();
  await rm(stuck, { recursive: true });
  t.like(await run('cleanUp'), { failed: 0, failures: [] });
  t.deepEqual(await counts(), { keys: 0, drains: 0, logins: 0, notes: 0, failures: 0, accounts: 0, spent: 0 });
});

test.serial('a failed mail is enqueued again, and dropped after a week', async (t) => {
  const user = await w.account();
  const ask = async () => {
    const { status } = await w.nobody.post('/api/accounts/passwordreset', JSON.stringify(user.id), {
      'content-type': 'application/json',
    });
    t.is(status, 202);
  };
  const stranded = async (kind: string, age: string) => {
    const [row] = await w.sql<{ id: string }>(
      `insert into account_mails (kind, identifier, created_at) values ($1, $2, now() - $3::interval) returning id`,
      [kind, user.id, age],
    );
    return row?.id ?? '';
  };
  const fresh = await stranded('passwordResetAsked', '2 hours');
  await ask();
  t.like(await run('cleanUp'), { failed: 0 });
  await until(async () => (await w.sql('select from account_mails where id = $1', [fresh])).length === 0);
  t.deepEqual(await w.sql('select from account_mails where id = $1', [fresh]), [], 'it was dealt with');
  const audited = await w.sql(`select from audit where action = 'account.password.resetAsked' and subject = $1`, [
    user.id,
  ]);
  t.is(audited.length, 0, 'this account has no address');

  const old = await stranded('passwordResetAsked', '8 days');
  t.like(await run('cleanUp'), { failed: 0 });
  t.deepEqual(await w.sql('select from account_mails where id = $1', [old]), []);
  t.deepEqual(await w.sql(`select from graphile_worker._private_jobs where key = $1`, [old]), []);
});

test.serial('an expired file whose row cannot be changed does not stop the clean-up of others', async (t) => {
  const client = w.as(await w.account());
  const names: string[] = [];
  for (const content of ['one', 'two', 'three'])
    names.push(new URL(await upload(w, client, content)).pathname.split('/').at(-1) as string);
  await w.sql(`update staged_blobs set expires_at = now() - interval '2 hours' where name = any($1)`, [names]);
  await w.sql(`
    create function keep_staged() returns trigger language plpgsql as $$ begin raise exception 'kept'; end $$;
    create trigger keep_staged before update on staged_blobs for each row
      when (old.name = '${names[1]}') execute function keep_staged()`);
  const left = () => w.sql(`select name from staged_blobs where name = any($1) and blob is not null`, [names]);
  const { failed, failures } = await run('cleanUp');
  t.deepEqual(
    { failed, failures },
    { failed: 1, failures: [{ part: 'expired uploads', item: names[1] ?? '', reason: 'kept' }] },
  );
  t.deepEqual(await left(), [{ name: names[1] }]);
  await w.sql('drop trigger keep_staged on staged_blobs');
  t.like(await run('cleanUp'), { failed: 0 });
  t.deepEqual(await left(), []);
});

test.serial('events are published even if outcomes of deliveries cannot be stored', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  await worker();
  const hook = await client.post('/api/eventing/webhook', { url: 'http://127.0.0.1:1/' });
  t.is(hook.status, 201, JSON.stringify(hook.body));
  await w.sql(`
    create function unnoted() returns trigger language plpgsql as $$ begin raise exception 'not noted'; end $$;
    create trigger unnoted before update on deliveries for each row
      when (new.attempts > old.attempts) execute function unnoted()`);
  const happens = async () => {
    const projectId = await newProject(client);
    const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'words')));
    const published = () => w.sql(`select from events where resource_id = $1 and "offset" is not null`, [body.id]);
    await until(async () => (await published()).length > 0);
  };
  await happens();
  const claims = () => w.sql('select from deliveries where webhook_id = $1 and claim > 0', [hook.body.id]);
  await until(async () => (await claims()).length > 0);
  await until(async () => (await worker()).output().includes('events cannot be delivered now'));
  await happens();
  await w.sql('drop trigger unnoted on deliveries');
  const noted = () => w.sql('select from deliveries where webhook_id = $1 and attempts > 0', [hook.body.id]);
  await until(async () => (await noted()).length > 0);
  t.pass();
});
