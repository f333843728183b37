import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BLOB_LIST, blobName, type Manifest, manifestName, tableName } from '../../src/operations/backup/manifest.ts';
import { writePacked } from '../../src/operations/backup/packed-file.ts';
import { pruneBackups } from '../../src/operations/backup/prune.ts';
import { markPrune } from '../../src/operations/backup/prune-mark.ts';
import { listBackups, newId, openTarget, type Target, writeManifest } from '../../src/operations/backup/target.ts';
import { verifyBackup } from '../../src/operations/backup/verify.ts';
import { command } from '../world/empty-place.ts';
import { until } from '../world/hooks.ts';
import { environmentOf } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);
const NEVER = new AbortController().signal;
const quiet = { stop: NEVER, progress: () => {}, dryRun: false };
const HOUR_MS = 3_600_000;

async function newTarget(t: ExecutionContext): Promise<{ target: Target; folder: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'platform-prune-'));
  t.teardown(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'backups');
  return { folder, target: await openTarget(folder, {}, { create: true }) };
}

const bytesOf = (text: string) => [Buffer.from(text)];
const put = (target: Target, name: string, text: string) =>
  target.store.put(name, bytesOf(text) as never, Number.POSITIVE_INFINITY);

interface Made {
  hoursAgo: number;
  database?: string;
  state?: Manifest['state'];
  /** Contents of its blobs. */
  blobs?: readonly string[];
}

/** A backup as `create` writes it, with one table. */
async function backup(target: Target, { hoursAgo, database = 'one', state = 'complete', blobs = [] }: Made) {
  const time = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const id = newId(time);
  const entries = [];
  for (const content of blobs) {
    const sha256 = createHash('sha256').update(content).digest('hex');
    await put(target, blobName(sha256), content);
    entries.push({ name: `dataset/${content}`, size: content.length, sha256 });
  }
  const lines = entries.map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
  const table = await writePacked(target.store, tableName(id, 'accounts'), bytesOf('a row\n'), NEVER);
  const isFinished = state !== 'unfinished';
  const list = isFinished ? await writePacked(target.store, tableName(id, BLOB_LIST), lines, NEVER) : undefined;
  await writeManifest(target, {
    format: 1,
    id,
    time,
    state,
    database,
    migrations: [],
    tables: [{ ...table, name: 'accounts', columns: ['id'] }],
    sequences: [],
    ...(list && { blobs: list }),
    blobBytes: 0,
    missing: [],
  });
  return id;
}

const ids = (backups: readonly { id: string }[]) => backups.map(({ id }) => id).sort();
const listed = async (target: Target) => ids(await listBackups(target));

/** Every file, for comparison. */
async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.includes('/') && !name.includes('.tmp')).sort();
}

/** Each backup that is listed has all that it needs. */
async function allWhole(t: ExecutionContext, target: Target, message = '') {
  for (const { id, manifest } of await listBackups(target)) {
    if (manifest?.state === 'unfinished') continue;
    t.deepEqual((await verifyBackup(target, id, quiet)).problems, [], `${message} ${id}`);
  }
}

test('of each database the newest complete backups stay, and what is newer than they', async (t) => {
  for (const [rules, stay] of [
    [{ keep: 1 }, ['a1', 'a2', 'b1', 'c1']],
    [{ keep: 2 }, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']],
    [{ keep: 9 }, ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']],
    [{ olderThan: 25 * HOUR_MS }, ['a1', 'a2', 'a3', 'b1', 'c1']],
    [{ olderThan: HOUR_MS / 2 }, ['a1', 'a2', 'b1', 'c1']],
    [{ keep: 1, olderThan: 49 * HOUR_MS }, ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']],
    [{}, ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']],
  ] as const) {
    const { target } = await newTarget(t);
    const made = {
      a1: await backup(target, { hoursAgo: 1, state: 'incomplete' }),
      a2: await backup(target, { hoursAgo: 2 }),
      a3: await backup(target, { hoursAgo: 24, state: 'incomplete' }),
      a4: await backup(target, { hoursAgo: 48 }),
      a5: await backup(target, { hoursAgo: 72 }),
      b1: await backup(target, { hoursAgo: 50, database: 'other' }),
      b2: await backup(target, { hoursAgo: 60, database: 'other' }),
      // the only one, without some blobs
      c1: await backup(target, { hoursAgo: 900, database: 'third', state: 'incomplete' }),
    };
    const { deleted, kept } = await pruneBackups(target, { ...quiet, ...rules });
    const expected = ids(stay.map((name) => ({ id: made[name] })));
    t.deepEqual(await listed(target), expected, JSON.stringify(rules));
    t.deepEqual(ids(kept), expected);
    t.is(deleted.length, 8 - stay.length);
    await allWhole(t, target);
  }
});

test('what other backups need stays; a dry run deletes nothing', async (t) => {
  const { target, folder } = await newTarget(t);
  await backup(target, { hoursAgo: 3, blobs: ['shared', 'only old'] });
  const last = await backup(target, { hoursAgo: 1, blobs: ['shared', 'new'] });
  await put(target, 'blob/of-a-stopped-prune', 'left');
  await put(target, 'table/20200101T000000Z-aaaaaa.accounts.zst', 'left');
  const before = await filesOf(folder);
  const wanted = { count: 2, bytes: 'only old'.length + 'left'.length };
  const dry = await pruneBackups(target, { ...quiet, keep: 1, dryRun: true });
  t.deepEqual(dry.blobs, wanted);
  t.deepEqual(await filesOf(folder), before);
  t.deepEqual((await pruneBackups(target, { ...quiet, keep: 1 })).blobs, wanted);
  t.deepEqual(await listed(target), [last]);
  const left = await filesOf(folder);
  t.is(left.filter((name) => name.startsWith('blob/')).length, 2);
  t.true(left.filter((name) => name.startsWith('table/')).every((name) => name.includes(last)));
  await allWhole(t, target);
});

test('a prune that is stopped at any moment leaves no broken backup, and the next one ends its work', async (t) => {
  const make = async () => {
    const { target, folder } = await newTarget(t);
    for (const hoursAgo of [5, 4, 3, 2]) await backup(target, { hoursAgo, blobs: ['shared', `of ${hoursAgo}`] });
    return { target, folder };
  };
  let ended = false;
  for (let steps = 0; !ended; steps++) {
    const { target, folder } = await make();
    let left = steps;
    const dying: Target = {
      name: target.name,
      store: new Proxy(target.store, {
        get: (store, member) => {
          if (member === 'remove')
            return async (name: string) => {
              if (left-- <= 0) throw new Error('killed');
              await store.remove(name);
            };
          const value = Reflect.get(store, member);
          return typeof value === 'function' ? value.bind(store) : value;
        },
      }),
    };
    ended = await pruneBackups(dying, { ...quiet, keep: 1 }).then(
      () => true,
      () => false,
    );
    await allWhole(t, target, `after ${steps} steps`);
    await pruneBackups(target, { ...quiet, keep: 1 });
    const files = await filesOf(folder);
    t.is(files.filter((name) => !name.endsWith('.prune')).length, 5, `after ${steps} steps: ${files}`);
    t.true(steps < 100);
  }
});

test('prunes at once delete nothing that one of them keeps', async (t) => {
  const { target } = await newTarget(t);
  for (let hoursAgo = 1; hoursAgo <= 12; hoursAgo++)
    await backup(target, { hoursAgo, blobs: ['shared', `of ${hoursAgo % 5}`] });
  await Promise.all([5, 3, 4, 3, 12].map((keep) => pruneBackups(target, { ...quiet, keep })));
  t.is((await listed(target)).length, 3);
  await allWhole(t, target);
});

test('while a backup is being made there is no prune; one that was stopped is deleted', async (t) => {
  const { target, folder } = await newTarget(t);
  const old = await backup(target, { hoursAgo: 9, blobs: ['a'] });
  const last = await backup(target, { hoursAgo: 8, blobs: ['b'] });
  const open = await backup(target, { hoursAgo: 1, state: 'unfinished' });
  const before = await filesOf(folder);
  await t.throwsAsync(pruneBackups(target, { ...quiet, keep: 1 }), {
    message: new RegExp(`The backup ${open} is being made in .*Prune when it has ended`),
  });
  t.deepEqual(await filesOf(folder), before);
  const long = new Date(Date.now() - HOUR_MS);
  await utimes(join(folder, manifestName(open)), long, long);
  t.deepEqual(ids((await pruneBackups(target, { ...quiet, keep: 1 })).deleted), [old, open].sort());
  t.deepEqual(await listed(target), [last]);
});

test('a damaged manifest or list of blobs stops a prune before it deletes anything', async (t) => {
  const { target, folder } = await newTarget(t);
  await backup(target, { hoursAgo: 9, blobs: ['a'] });
  const last = await backup(target, { hoursAgo: 8, blobs: ['b'] });
  const before = await filesOf(folder);
  const list = join(folder, tableName(last, BLOB_LIST));
  await writeFile(list, randomBytes(40));
  await t.throwsAsync(pruneBackups(target, { ...quiet, keep: 1 }), { message: /damaged.*so nothing is deleted/ });
  t.deepEqual(await filesOf(folder), before);
  await writeFile(join(folder, manifestName(last)), 'x');
  await t.throwsAsync(pruneBackups(target, { ...quiet, keep: 1 }), { message: /damaged.*so nothing is deleted/ });
  t.deepEqual(await filesOf(folder), before);
});

test.serial('a backup waits for the end of a prune; the command deletes, and says what', async (t) => {
  const { target, folder } = await newTarget(t);
  const env = environmentOf(w, {});
  t.regex((await command(['backup', 'prune', folder], env)).err, /Give --keep, --older-than, or both/);
  t.is((await command(['backup', 'prune', folder], env)).code, 2);
  t.regex((await command(['backup', 'prune', folder, '--keep', '1'], env)).err, /There are no backups in /);
  t.is((await command(['backup', 'create', folder], env)).code, 0);

  const mark = await markPrune(target);
  const making = command(['backup', 'create', folder, '--json'], env);
  let ended = false;
  void making.then(() => {
    ended = true;
  });
  const tables = async () => (await filesOf(folder)).filter((name) => name.startsWith('table/')).length;
  const written = await tables();
  await until(async () => (await listBackups(target)).length === 2);
  // meanwhile it would have written some
  for (let times = 0; times < 3; times++) t.is((await command(['backup', 'verify', folder], env)).code, 0);
  t.is(await tables(), written);
  t.false(ended);
  await mark[Symbol.asyncDispose]();
  const made = await making;
  t.is(made.code, 0, made.err);
  t.true((await tables()) > written);

  const { out } = await command(['backup', 'prune', folder, '--keep', '1', '--older-than', '90d', '--dry-run'], env);
  t.regex(out, /^To be deleted: 0 backups, and 0 blobs \(0 B\) that no other one needs\. 2 backups stay in /m);
  const { data } = JSON.parse((await command(['backup', 'prune', folder, '--keep', '1', '--json'], env)).out);
  t.is(data.length, 1);
  t.deepEqual(await listed(target), [JSON.parse(made.out).id]);
  t.is((await command(['backup', 'verify', folder], env)).code, 0);
  t.is((await stat(join(folder, 'backup'))).isDirectory(), true);
});
