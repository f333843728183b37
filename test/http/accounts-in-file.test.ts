import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { z } from 'zod';
import { lockFile } from '../../src/accounts/file-store.queries.ts';
import { FileStore } from '../../src/accounts/file-store.ts';
import { removeNeverActivated } from '../../src/accounts/never-activated.ts';
import { openAccountStore } from '../../src/accounts/open-store.ts';
import { Passwords } from '../../src/accounts/password.ts';
import { sql } from '../../src/db.ts';
import { bootstrap } from '../../src/tenants/bootstrap.ts';
import { PASSWORD, PASSWORD_ITERATIONS, testDatabase, world } from '../world.ts';
import { accountRules } from './account-rules.ts';

const name = `accounts-${randomUUID()}.json`;
const path = join(tmpdir(), name);
const w = world(test, { 'accounts.store': `file:${path}`, 'accounts.registration': 'true' });
test.after.always('the file goes', () => rm(path, { force: true }));

accountRules(test, w);

const log = pino({ level: 'silent' });
type File = { version: number; accounts: Record<string, unknown>[] };
const read = async (): Promise<File> => JSON.parse(await readFile(path, 'utf8'));
/** Saves like an editor: a new file replaces the old one. */
async function save(text: string) {
  await writeFile(`${path}.edited`, text);
  await rename(`${path}.edited`, path);
}
async function edit(change: (file: File) => void) {
  const file = await read();
  change(file);
  await save(JSON.stringify(file, null, 2));
}
const entryOf = (file: File, id: string) => file.accounts.find((account) => account.id === id) ?? {};
const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });

test.serial(
  'the file holds every account, is readable only by its owner, and is written without leaving a temporary file',
  async (t) => {
    const { id, userId } = await w.account({ roles: 'BackOffice' });
    t.like(entryOf(await read(), id), { id, userId, roles: ['BackOffice'], enabled: true });
    t.is((await stat(path)).mode & 0o777, 0o600);
    t.deepEqual(
      (await readdir(tmpdir())).filter((each) => each.startsWith(name)),
      [name],
    );
  },
);

test.serial('a manual change of the account file applies to the next request', async (t) => {
  const { id } = await w.account();
  const tokens = (await login(id)).body;
  const hash = entryOf(await read(), id).passwordHash;
  await edit((file) => {
    Object.assign(entryOf(file, id), { enabled: false, company: 'By hand' });
    file.accounts.push({ id: 'Added.By.Hand', name: 'Added', passwordHash: hash });
  });
  t.is((await login(id)).body.detail, 'Account is disabled.');
  t.is((await login('added.by.hand')).status, 200);
  t.is((await w.nobody.post('/api/tokens/refresh', tokens.refreshToken.token)).status, 400);
  const root = w.as(await w.administrator());
  t.is((await root.get(`/api/accounts/${id}`)).body.company, 'By hand');
  t.regex(String(entryOf(await read(), 'Added.By.Hand').userId), /^[0-9a-f-]{36}$/, 'it was given an id');
  t.true((await root.get('/api/account/list')).raw.includes('Added.By.Hand'));
  await edit((file) => {
    file.accounts = file.accounts.filter((account) => account.id !== 'Added.By.Hand');
  });
  t.is((await login('added.by.hand')).body.detail, 'Account validation failed.');
  t.false((await root.get('/api/account/list')).raw.includes('Added.By.Hand'));
});

test.serial('a malformed account file changes nothing; changes are refused until it is corrected', async (t) => {
  const { id } = await w.account();
  const root = w.as(await w.administrator());
  const good = await readFile(path, 'utf8');
  for (const [broken, line] of [
    [good.slice(0, -10), good.slice(0, -10).split('\n').length],
    [good.replace(/"enabled": true/, '"enabled": "yes"'), 4],
    [good.replace('"accounts": [', '"accounts": [\n{"id": ""},'), 4],
    ['{"version":1,"accounts":[]}', 1],
  ] as const) {
    await save(broken);
    t.is((await login(id)).status, 200, 'logins go on');
    const { status, body } = await root.put('/api/accounts', { id, name: 'Not now' });
    t.is(status, 503);
    t.is(body.code, 'AccountFileNotUnderstood');
    t.true(body.detail.includes(`Line ${line}: `), body.detail);
    t.false(body.detail.includes(path));
    t.is(await readFile(path, 'utf8'), broken, 'nobody writes over it');
  }
  await save(good);
  t.is((await root.put('/api/accounts', { id, name: 'Now' })).status, 200);
  t.is(entryOf(await read(), id).name, 'Now');
});

test.serial('a deleted account file is written again with the same accounts', async (t) => {
  const { id } = await w.account();
  await rm(path);
  t.is((await login(id)).status, 200);
  await w.account();
  t.is(entryOf(await read(), id).id, id);
});

test.serial('a change is answered when the file contains it, also while other processes read the file', async (t) => {
  const store = await FileStore.open(path, w.db, log);
  const { id, userId } = await w.account();
  await store.refresh();
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  let release = () => {};
  let holding: Promise<unknown> | undefined;
  let isAnswered = false;
  const changing = store
    .change(async (tx) => {
      await tx.query(sql.unsafe`update accounts set company = 'Answered' where user_id = ${userId}`);
      // it waits for the lock of this change, and gets it before the file can be written
      holding = w.db.transaction(async (next) => {
        await lockFile(next);
        locked();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      // test files share a server, so others may wait for the locks of their accounts
      const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and not l.granted and l.objid = 7201955 and d.datname = current_database()`;
      while ((await w.sql(waiting)).length === 0) await sleep(5);
      // as many requests do
      void (async () => {
        while (!isAnswered) {
          void store.refresh().catch(() => {});
          await sleep(0);
        }
      })();
    })
    .finally(() => {
      isAnswered = true;
    });
  await isLocked;
  await sleep(300);
  t.false(isAnswered);
  t.not(entryOf(await read(), id).company, 'Answered');
  release();
  await changing;
  t.is(entryOf(await read(), id).company, 'Answered');
  await holding;
  await store.close();
});

test.serial('concurrent processes write the account file without losing changes', async (t) => {
  const stores = await Promise.all(Array.from({ length: 3 }, () => openAccountStore(w.config, w.db, log)));
  t.teardown(async () => {
    for (const store of stores) await store.close();
  });
  const made = await Promise.all(Array.from({ length: 12 }, () => w.account()));
  await Promise.all(stores.map((store) => store.refresh()));
  const file = await read();
  for (const { id } of made) t.is(entryOf(file, id).id, id);
  const [row] = await w.sql<{ count: string }>('select count(*) from accounts');
  t.is(file.accounts.length, Number(row?.count));
});

test.serial('a change immediately after a manual edit of the file keeps both', async (t) => {
  const { id } = await w.account();
  const root = w.as(await w.administrator());
  await edit((file) => {
    file.accounts.push({ id: 'without.id', name: 'Added', passwordHash: entryOf(file, id).passwordHash });
  });
  t.is((await root.put('/api/accounts', { id, company: 'Right after' })).status, 200);
  const file = await read();
  t.is(entryOf(file, id).company, 'Right after');
  t.regex(String(entryOf(file, 'without.id').userId), /^[0-9a-f-]{36}$/);
  t.is((await root.delete('/api/accounts/without.id')).status, 204);
});

test.serial('a change whose commit fails is not in the file', async (t) => {
  const { id } = await w.account();
  const root = w.as(await w.administrator());
  const before = await readFile(path, 'utf8');
  await w.sql(
    `create function refused() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$`,
  );
  await w.sql(`create constraint trigger refused after update on accounts deferrable initially deferred for each row
    when (new.company = 'Never') execute function refused()`);
  t.true((await root.put('/api/accounts', { id, company: 'Never' })).status >= 500);
  await w.sql('drop function refused cascade');
  t.is(await readFile(path, 'utf8'), before);
  t.is((await root.put('/api/accounts', { id, company: 'Now' })).status, 200);
  t.is(entryOf(await read(), id).company, 'Now');
});

// not with the file of the world, at which its API looks every second
test('a committed change is written at the next start, if the process ended before', async (t) => {
  const { db, folder, close } = await testDatabase();
  t.teardown(close);
  const own = join(folder, 'accounts.json');
  const open = () => FileStore.open(own, db, log);
  const text = () => readFile(own, 'utf8');
  const store = await open();
  await bootstrap(db, { accountId: 'root', password: PASSWORD }, new Passwords(PASSWORD_ITERATIONS), { store });
  const before = await text();
  await store.change((tx) => tx.query(sql.unsafe`update accounts set company = 'Late'`));
  const after = await text();
  await store.close();
  t.true(after.includes('Late'));
  /** State after a process that was killed between commit and writing the file. */
  const endedEarly = () =>
    db.transaction((tx) =>
      tx.query(
        sql.unsafe`update account_file set pending = ${after}, replaces = sha256(convert_to(${before}, 'UTF8'))`,
      ),
    );
  for (const made of [() => writeFile(own, before), () => rm(own), () => writeFile(own, after)]) {
    await endedEarly();
    await made();
    await (await open()).close();
    t.is(await text(), after);
    t.deepEqual(
      await db.any(sql.unsafe`select from account_file where (pending, replaces) is not distinct from (null, null)`),
      [{}],
    );
  }
  // changed by hand since: that is newer
  await endedEarly();
  await writeFile(own, after.replace('Late', 'By hand'));
  await (await open()).close();
  t.is(await db.oneFirst(sql.type(z.object({ company: z.string() }))`select company from accounts`), 'By hand');
});

test('closing a store waits for its running writes', async (t) => {
  const { db, folder, close } = await testDatabase();
  t.teardown(close);
  const own = join(folder, 'accounts.json');
  await writeFile(own, '{"version":1,"accounts":[{"id":"a"}]}');
  const store = await FileStore.open(own, db, log);
  const before = await readFile(own, 'utf8');
  const waits = sql.unsafe`
    select from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`;
  let closing: Promise<void> | undefined;
  let isClosed = false;
  await db.transaction(async (tx) => {
    await lockFile(tx);
    await writeFile(own, before.replace('"a"', '"b"'));
    while ((await tx.any(waits)).length === 0) await sleep(20);
    closing = store.close().then(() => {
      isClosed = true;
    });
    await sleep(20);
    t.false(isClosed);
  });
  await closing;
  t.is(await db.oneFirst(sql.type(z.object({ id: z.string() }))`select id from accounts`), 'b');
});

test.serial('a registration that was never activated is also removed from the file', async (t) => {
  const id = 'never-activated';
  const request = { id, name: id, email: `${id}@example.org`, password: PASSWORD };
  t.is((await w.nobody.post('/api/accounts/registration', request)).status, 202);
  t.like(entryOf(await read(), id), { id, activated: false, registered: true });
  await w.sql('delete from account_mails');
  await w.sql('update accounts set created_at = $1, updated_at = $1 where id = $2', ['2020-01-01T00:00:00Z', id]);
  const { db } = w;
  await removeNeverActivated(db, () => openAccountStore({ 'accounts.store': `file:${path}` }, db, log), 86_400_000);
  t.is(entryOf(await read(), id).id, undefined);
  t.is((await w.sql('select from accounts where id = $1', [id])).length, 0);
});

test('startup fails on a malformed account file and names the file and line', async (t) => {
  const { db, folder, close } = await testDatabase();
  const broken = join(folder, 'broken.json');
  await writeFile(broken, '{ "version": 1,\n  "accounts": [\n    { "id": "a", "passwordHash": "plain" }\n  ]\n}\n');
  const error = await t.throwsAsync(FileStore.open(broken, db, log));
  t.is(error?.message, `${broken}: Line 3: passwordHash is not a supported password hash.`);
  for (const time of ['tomorrow', '2026-02-30T08:00:00']) {
    await writeFile(broken, `{"version":1,"accounts":[\n{"id":"a","locked":true,"lockedDateEnd":"${time}"}]}`);
    const wrong = await t.throwsAsync(FileStore.open(broken, db, log));
    t.is(wrong?.message, `${broken}: Line 2: lockedDateEnd must be a time such as 2026-01-24T08:17:02.`);
  }
  await close();
});

test('two login ids that differ only in letter case are refused with the line, in any script', async (t) => {
  const { db, folder, close } = await testDatabase();
  const file = join(folder, 'accounts.json');
  for (const [one, other] of [
    ['straße', 'STRASSE'],
    ['ΝΙΚΟΣ', 'νικος'],
    ['İbrahim', 'i̇brahim'],
  ]) {
    await writeFile(file, `{"version":1,"accounts":[\n{"id":"x"},\n{"id":"${one}"},\n{"id":"${other}"}]}`);
    const error = await t.throwsAsync(FileStore.open(file, db, log));
    t.is(error?.message, `${file}: Line 4: line 3 has the same id ${other}.`);
  }
  await writeFile(file, '{"version":1,"accounts":[{"id":"ΝΙΚΟΣ"}]}');
  await (await FileStore.open(file, db, log)).close();
  const [before] = JSON.parse(await readFile(file, 'utf8')).accounts;
  await writeFile(file, '{"version":1,"accounts":[{"id":"νικος"}]}');
  await (await FileStore.open(file, db, log)).close();
  const [after] = JSON.parse(await readFile(file, 'utf8')).accounts;
  t.like(after, { id: 'νικος', userId: before.userId }, 'who is written in another case is the same account');
  await close();
});

test('an account in the file without a password cannot sign in until its password is reset', async (t) => {
  const { db, folder, close } = await testDatabase();
  const file = join(folder, 'accounts.json');
  await writeFile(file, '{"version":1,"accounts":[{"id":"a"},{"id":"A"}]}');
  await t.throwsAsync(FileStore.open(file, db, log), { message: /Line 1: line 1 has the same id A\./ });
  await writeFile(file, '{"version":1,"accounts":[{"id":"a"}]}');
  const store = await FileStore.open(file, db, log);
  await store.close();
  t.true((await readFile(file, 'utf8')).includes('"passwordHash": "!"'));
  await close();
});
