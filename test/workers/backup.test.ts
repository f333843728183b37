import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadConfig } from '../../src/config.ts';
import { encodeManifest } from '../../src/operations/backup/manifest.ts';
import { Snapshot } from '../../src/operations/backup/snapshot.queries.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/blob-deletions.ts';
import { serve } from '../../src/server.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { openSilentBucket } from '../world/bucket.ts';
import { command, type EmptyPlace, emptyPlace } from '../world/empty-place.ts';
import { until } from '../world/hooks.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { environmentOf } from '../world/worker.ts';
import { switchedWorker, workHere } from '../world/worker-here.ts';
import { type User, world } from '../world.ts';

const w = world(test);
const worker = switchedWorker(w);
const env = (): Record<string, string> => environmentOf(w, {});
// each command listens to signals
process.setMaxListeners(200);

async function newTarget(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-backups-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'backups');
}

async function newPlace(t: ExecutionContext, options?: Parameters<typeof emptyPlace>[1]): Promise<EmptyPlace> {
  const place = await emptyPlace(w.url, options);
  t.teardown(() => place.close());
  return place;
}

/** Runs a command with `--json`, and returns what it printed. */
async function json(t: ExecutionContext, argv: string[], more = env()) {
  const { code, out, err } = await command([...argv, '--json'], more);
  t.is(code, 0, err);
  return JSON.parse(out);
}

const create = (t: ExecutionContext, target: string) => json(t, ['backup', 'create', target]);

/** A dataset with this content, imported by a worker. */
async function imported(user: User, content: Buffer | string) {
  await worker.start();
  const client = w.as(user);
  const project = await newProject(client);
  const { body } = await start(client, copyRequest(project, await upload(w, client, content)));
  const { status, errorMessage } = await untilEnd(client, body.id);
  if (status !== 'Completed') throw new Error(errorMessage);
  const [row] = await w.sql<{ id: string; blob: string }>('select id, blob from datasets where project_id = $1', [
    project,
  ]);
  return row!;
}

const files = async (target: string, area: string) =>
  (await readdir(join(target, area)).catch(() => [])).map((name) => join(target, area, name));

test.serial(
  'a backup is restored with rows, blobs, jobs, sequences and rights, by a role that is no superuser',
  async (t) => {
    const user = await w.account();
    const content = randomBytes(100_000);
    const { blob, id } = await imported(user, content);
    await worker.stop();
    const client = w.as(user);
    const waiting = await start(client, copyRequest(await newProject(client), await upload(w, client, 'later')));
    const target = await newTarget(t);
    const made = await create(t, target);
    t.deepEqual(Object.keys(made), ['id', 'time']);
    t.deepEqual(await json(t, ['backup', 'list', target]), { data: [{ ...made, complete: true }] });
    t.like(await json(t, ['backup', 'verify', target, made.id]), { id: made.id, complete: true, problems: [] });
    for (const area of ['backup', 'table', 'blob'])
      for (const file of await files(target, area)) t.is((await stat(file)).mode & 0o777, 0o600, file);

    for (const oneRole of [false, true]) {
      const place = await newPlace(t, { oneRole });
      t.like(await json(t, ['backup', 'restore', target], place.env), { id: made.id, missing: [] });
      t.deepEqual(await schemaOf(place), await schemaOf({ sql: (text) => w.sql(text) }));
      for (const query of [
        ...['accounts', 'datasets', 'transfers', 'audit', 'credit_pools', 'blob_digests'].map(
          (table) => `select * from ${table} t order by t::text`,
        ),
        "select payload, key, attempts from queue_jobs where key ~ '^transfer' order by key",
      ])
        t.deepEqual(await place.sql(query), await w.sql(query), query);
      // the next number of the sequence is free
      t.is((await place.sql("insert into audit (action, subject) values ('x', 'x') returning id")).length, 1);
      t.true((await readFile(join(place.folder, 'blobs', blob))).equals(content));
      const here = await workHere(place, oneRole ? {} : { 'database.ownerUrl': place.ownerUrl });
      try {
        const status = `select status from transfers where id = '${waiting.body.id}'`;
        await until(async () => (await place.sql<{ status: string }>(status))[0]?.status === 'Completed');
      } finally {
        await here.stop();
      }
      t.is((await place.sql(`select from datasets where id = '${id}'`)).length, 1);
    }
  },
);

test.serial('tables of the operator are left out of a restore, which names them', async (t) => {
  await w.sql('create table of_the_operator (id bigint generated always as identity)');
  t.teardown(async () => void (await w.sql('drop table of_the_operator')));
  await w.sql('insert into of_the_operator default values');
  const target = await newTarget(t);
  t.regex((await command(['backup', 'create', target], env())).err, /permission denied for table of_the_operator/);
  await w.sql('grant select on of_the_operator, of_the_operator_id_seq to platform_runtime');
  await create(t, target);
  const { code, err } = await command(['backup', 'restore', target], (await newPlace(t)).env);
  t.is(code, 0);
  t.regex(err, /The table 'of_the_operator' is none of the platform's tables\. Its rows are not restored\./);
});

/** Constraints, triggers, indexes and sequences. */
const schemaOf = async ({ sql }: Pick<EmptyPlace, 'sql'>) => ({
  constraints: await sql(
    `select conrelid::regclass::text as table, conname, convalidated, pg_get_constraintdef(oid) as text from pg_constraint
    where connamespace = 'public'::regnamespace order by 1, 2`,
  ),
  triggers: await sql(
    `select tgrelid::regclass::text as table, tgname, tgenabled from pg_trigger
    where not tgisinternal and tgrelid::regclass::text not like 'graphile%' order by 1, 2`,
  ),
  indexes: await sql(`select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`),
});

test.serial('a second backup writes only new blobs, and equal bytes once', async (t) => {
  const user = await w.account();
  const target = await newTarget(t);
  await create(t, target);
  const before = await files(target, 'blob');
  const content = randomBytes(50_000);
  const one = await imported(user, content);
  const other = await imported(user, content);
  t.not(one.blob, other.blob);
  await create(t, target);
  const after = await files(target, 'blob');
  const added = after.filter((name) => !before.includes(name));
  t.is(added.length, 1);
  t.true((await readFile(added[0]!)).equals(content));
  const { mtimeMs } = await stat(added[0]!);
  // it does not even read what it knows
  await rm(join(w.folder, 'blobs', one.blob));
  const { out } = await command(['backup', 'create', target], env());
  t.regex(out, /\n?.* 0 of the blobs \(0 B\) were new in/);
  t.is((await stat(added[0]!)).mtimeMs, mtimeMs);
  await writeFile(join(w.folder, 'blobs', one.blob), content);
});

test.serial('a bucket takes backups; key and secret may stand in the environment', async (t) => {
  await imported(await w.account(), randomBytes(20_000));
  const bucket = await openSilentBucket();
  t.teardown(() => bucket.close());
  const url = new URL(bucket.url);
  const target = `s3://${url.host}/blobs/nightly?tls=false`;
  const key = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  t.regex((await command(['backup', 'list', target], env())).err, /AWS_ACCESS_KEY_ID/);
  const { id } = await json(t, ['backup', 'create', target], { ...env(), ...key });
  t.like(await json(t, ['backup', 'verify', target, id], { ...env(), ...key }), { problems: [] });
  // from a bucket into a bucket
  const place = await newPlace(t, { settings: { 'blobs.url': bucket.url.replace('/blobs?', '/blobs/restored?') } });
  t.like(await json(t, ['backup', 'restore', target], { ...place.env, ...key }), { id, missing: [] });
  const more = await json(t, ['backup', 'create', target], { ...env(), ...key });
  const pruned = await json(t, ['backup', 'prune', target, '--keep', '1'], { ...env(), ...key });
  t.deepEqual(
    pruned.data.map((one: { id: string }) => one.id),
    [id],
  );
  t.like(await json(t, ['backup', 'verify', target], { ...env(), ...key }), { id: more.id, problems: [] });
  const { err } = await command(['backup', 'create', bucket.url.replace('/blobs?', '/blobs/restored?')], env());
  t.regex(err, /is the blob store of a platform\. Give the backups another folder\.\n$/);
  t.notRegex(err, /S3RVER/);
});

test.serial('a place that is not empty is refused, and not changed', async (t) => {
  const target = await newTarget(t);
  t.regex((await command(['backup', 'list', target], env())).err, /There is no folder .*backups/);
  await mkdir(target);
  t.regex((await command(['backup', 'verify', target], env())).err, /There are no backups in /);
  await create(t, target);
  const own = await command(['backup', 'restore', target], env());
  t.is(own.code, 1);
  t.regex(
    own.err,
    /The database 'test_\w+' is not empty: it has \d+ tables\. A backup is restored into an empty place/,
  );
  const place = await newPlace(t);
  await mkdir(join(place.folder, 'blobs', 'dataset'), { recursive: true });
  await writeFile(join(place.folder, 'blobs', 'dataset', 'x'), 'x');
  const { code, err } = await command(['backup', 'restore', target], place.env);
  t.is(code, 1);
  t.regex(err, /The blob store .* is not empty\. A backup is restored into an empty place/);
  t.deepEqual(await place.sql(`select from pg_class where relnamespace = 'public'::regnamespace`), []);
});

test.serial('on half a restore nothing starts, until the same restore has ended', async (t) => {
  const { blob } = await imported(await w.account(), 'of a half');
  const target = await newTarget(t);
  const first = await create(t, target);
  const second = await create(t, target);
  const place = await newPlace(t);
  // the target loses a file of the backup
  const jobs = join(target, 'table', `${second.id}.queue-jobs.zst`);
  await cp(jobs, `${jobs}.kept`);
  await rm(jobs);
  const half = await command(['backup', 'restore', target], place.env);
  t.is(half.code, 1);
  t.regex(half.err, /The file of 'queue-jobs' of the backup \S+ is missing\./);
  for (const argv of [['serve'], ['work'], ['start'], ['migrate'], ['backup', 'create', target]]) {
    const { code, err } = await command(argv, place.env);
    t.is(code, 1, argv[0]);
    t.regex(err, new RegExp(`The backup ${second.id} is only half restored into this database\\.`), argv[0]);
  }
  t.regex(
    (await command(['backup', 'restore', target, first.id], place.env)).err,
    new RegExp(`A restore of the backup ${second.id} was begun in this place\\.`),
  );
  await cp(`${jobs}.kept`, jobs);
  // a newer one does not matter
  await create(t, target);
  t.like(await json(t, ['backup', 'restore', target], place.env), { id: second.id });
  t.is((await command(['migrate'], place.env)).code, 0);
  t.is(await readFile(join(place.folder, 'blobs', blob), 'utf8'), 'of a half');
});

test.serial('a verification finds each changed and each lost file', async (t) => {
  await imported(await w.account(), randomBytes(3000));
  const target = await newTarget(t);
  const { id } = await create(t, target);
  const verify = () => command(['backup', 'verify', target, id], env());
  t.is((await verify()).code, 0);
  const damages: [string, RegExp][] = [
    [join(target, 'table', `${id}.datasets.zst`), /The file of 'datasets' is damaged/],
    [join(target, 'table', `${id}.blob-list.zst`), /The list of blobs of the backup \S+ is damaged/],
    [(await files(target, 'blob')).at(-1)!, /The blob \S+ \(blob\/\w+, \d+ bytes\) is damaged in the backup/],
    [join(target, 'backup', `${id}.json`), /The manifest backup\/\S+ in .* is damaged/],
  ];
  for (const [file, sentence] of damages) {
    const right = await readFile(file);
    const wrong = Buffer.from(right);
    wrong[Math.floor(wrong.length / 2)]! ^= 1;
    await writeFile(file, wrong);
    const { code, err } = await verify();
    t.is(code, 1, file);
    t.regex(err, sentence);
    if (!file.endsWith('.json')) {
      await rm(file);
      t.regex((await verify()).err, /is missing/);
    }
    await writeFile(file, right);
  }
  t.is((await verify()).code, 0);
});

test.serial('a lost blob makes a backup incomplete: it is named, and restored only by its id', async (t) => {
  const { blob } = await imported(await w.account(), 'will be lost');
  const target = await newTarget(t);
  await rm(join(w.folder, 'blobs', blob));
  const { code, out, err } = await command(['backup', 'create', target, '--json'], env());
  await writeFile(join(w.folder, 'blobs', blob), 'will be lost');
  t.is(code, 1);
  t.regex(
    JSON.parse(err.trimEnd().split('\n').at(-1)!).detail,
    /is not complete\. The content of dataset 'notes\.txt' \(\S+\) is missing/,
  );
  const { id } = JSON.parse(out);
  t.like((await json(t, ['backup', 'list', target])).data, [{ id, complete: false }]);
  const place = await newPlace(t);
  t.regex(
    (await command(['backup', 'restore', target], place.env)).err,
    /None of the 1 backups in .* is complete\. To restore one that lacks blobs, give its id\./,
  );
  const restored = await command(['backup', 'restore', target, id, '--json'], place.env);
  t.is(restored.code, 1);
  t.deepEqual(JSON.parse(restored.out).missing, [blob]);
  t.is((await command(['migrate'], place.env)).code, 0);
});

test.serial('no blob is deleted while a backup is being made; a sweep deletes it afterwards', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const { id, blob } = await imported(user, 'to be purged');
  const url = local(await upload(w, client, 'to be deleted'));
  const name = new URL(url, 'http://x').pathname.split('/').at(-1)!;
  const [staged] = await w.sql<{ blob: string }>('select blob from staged_blobs where name = $1', [name]);
  await worker.stop();
  const snapshot = await Snapshot.open(w.runtimeUrl, new AbortController().signal);
  const there = async (each: string) => (await w.blobs.info(each)) !== undefined;
  const sweep = async () => {
    await removeSpentBlobs(w.db, w.blobs);
    await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  };
  try {
    t.regex(
      (await command(['backup', 'create', await newTarget(t)], env())).err,
      /Another backup of this database is being made\. Try again when it has ended\./,
    );
    t.is((await client.delete(`/api/metadata/dataset/${id}`)).status, 204);
    t.is((await client.delete(`/api/recycle-bin/dataset/${id}`)).status, 204);
    t.is((await w.nobody.delete(url)).status, 202);
    await sweep();
    t.true(await there(blob));
    t.true(await there(staged!.blob));
  } finally {
    await snapshot.close();
  }
  await sweep();
  t.false(await there(blob));
  t.false(await there(staged!.blob));
});

test.serial('the secret key is no part of a backup: a restore without it is refused before it begins', async (t) => {
  const secret = randomBytes(32).toString('base64');
  const source = await newPlace(t, { settings: { secretKey: secret } });
  const target = await newTarget(t);
  t.is((await command(['migrate'], source.env)).code, 0);
  await (await serve(loadConfig({ ...source.env, PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'fatal' }))).close();
  await json(t, ['backup', 'create', target], source.env);
  const place = await newPlace(t);
  t.regex(
    (await command(['backup', 'restore', target], place.env)).err,
    /encrypted with the secret key \w+, which is no part of it\. Set PLATFORM_SECRET_KEY/,
  );
  t.deepEqual(await place.sql(`select from pg_class where relnamespace = 'public'::regnamespace`), []);
  await json(t, ['backup', 'restore', target], { ...place.env, PLATFORM_SECRET_KEY: secret });
  for (const file of [...(await files(target, 'backup')), ...(await files(target, 'table'))])
    t.false((await readFile(file)).includes(secret));
});

test.serial('a backup of an earlier version gets the tables of its version, and then the changes since', async (t) => {
  const sql = new URL('../../sql/', import.meta.url);
  const folder = await mkdtemp(join(tmpdir(), 'platform-sql-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(sql, folder, { recursive: true });
  const last = (await readdir(join(folder, 'migrations'))).sort().at(-1)!;
  await rm(join(folder, 'migrations', last));
  // functions of the present version may need the last migration
  for (const name of await readdir(join(folder, 'functions')))
    if (!['blobs.sql', 'queue.sql'].includes(name)) await rm(join(folder, 'functions', name));
  await rm(join(folder, 'comments'), { recursive: true });
  await mkdir(join(folder, 'comments'));
  const source = await newPlace(t);
  await migrate(source.ownerUrl, { folder: new URL(`file://${folder}/`), runtimeUrl: source.runtimeUrl });
  await source.sql(`insert into tenants (name) values ('Of the earlier version')`);
  const target = await newTarget(t);
  await json(t, ['backup', 'create', target], source.env);
  const place = await newPlace(t);
  await json(t, ['backup', 'restore', target], place.env);
  t.is((await place.sql(`select from tenants where name = 'Of the earlier version'`)).length, 1);
  t.is((await place.sql(`select from migrations where name = '${last}'`)).length, 1);
  t.deepEqual(await schemaOf(place), await schemaOf({ sql: (text) => w.sql(text) }));
  // the other way round
  const newer = await newTarget(t);
  await create(t, newer);
  const manifest = (await files(newer, 'backup'))[0]!;
  const { manifest: found } = JSON.parse(await readFile(manifest, 'utf8'));
  found.migrations.push({ name: '9999_of_tomorrow.sql', sha256: 'x' });
  await writeFile(manifest, encodeManifest(found));
  t.regex(
    (await command(['backup', 'restore', newer], (await newPlace(t)).env)).err,
    /was made by another version of the platform: this one does not know the migration 9999_of_tomorrow\.sql/,
  );
});
