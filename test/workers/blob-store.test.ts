import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import pg from 'pg';
import pino from 'pino';
import type { BlobStore } from '../../src/blobs/blobs.ts';
import { Bucket } from '../../src/blobs/bucket.ts';
import { parseBucketAddress } from '../../src/blobs/bucket-address.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { openOwnStore } from '../../src/transfers/store/owner.ts';
import { bytes } from '../blobs/rules.ts';
import { machines } from '../cli/machine.ts';
import { openSilentBucket } from '../world/bucket.ts';
import { until } from '../world/hooks.ts';
import { startServer } from '../world/server.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { type TestDatabase, testDatabase, world } from '../world.ts';

const server = await openSilentBucket();
const w = world(test);
const machine = machines(w);
const HOUR = 3_600_000;
const log = pino({ level: 'silent' });
const OTHERS = /belongs to another database \('test_\w+', since \d{4}-[\s\S]*'platform blobs adopt'/;

test.after.always(() => server.close());
let folders = 0;

type Test = { teardown(end: () => Promise<void>): void };
async function another(t: Test): Promise<TestDatabase> {
  const made = await testDatabase(4);
  t.teardown(() => made.close());
  return made;
}

async function query(url: string, statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** As if all bytes had been lying there for longer than an hour. */
const sweep = (db: TestDatabase['db'], blobs: BlobStore) => removeOrphanBlobs(db, blobs, { olderThanMs: -HOUR });
const put = async (blobs: BlobStore, ...names: string[]) => {
  for (const name of names) await blobs.put(name, bytes('x'), 1);
};
const namesIn = async (blobs: BlobStore) => (await Array.fromAsync(blobs.list(''))).map(({ name }) => name).sort();

/** A row of a staged file without an owner that refers to a blob of this name. */
const nameIt = (made: TestDatabase, blob: string) =>
  query(
    made.url,
    `insert into staged_blobs (name, user_id, expires_at, blob, size)
     values ($1, gen_random_uuid(), now() + interval '1 day', $2, 1)`,
    [randomUUID(), blob],
  );

const places = {
  folder: (made: TestDatabase) => ({ url: undefined, folder: join(made.folder, 'blobs') }),
  bucket: (made: TestDatabase) => ({ url: server.url.replace('?', `/${++folders}?`), folder: made.folder }),
};

for (const [kind, place] of Object.entries(places)) {
  test.serial(
    `a ${kind} of another database is neither opened nor swept, not even by a copy of that database`,
    async (t) => {
      const [first, second] = [await another(t), await another(t)];
      const settings = place(first);
      const blobs = await openOwnStore(first.db, settings, log);
      await put(blobs, 'dataset/a');
      await openOwnStore(first.db, settings, log);
      t.regex((await t.throwsAsync(openOwnStore(second.db, settings, log)))!.message, OTHERS);
      const [{ id }] = await query(first.url, 'select id from blob_store');
      await query(second.url, 'update blob_store set id = $1', [id]);
      t.regex((await t.throwsAsync(openOwnStore(second.db, settings, log)))!.message, OTHERS);
      t.regex((await t.throwsAsync(sweep(second.db, blobs)))!.message, OTHERS);
      t.deepEqual(await namesIn(blobs), ['dataset/a']);
    },
  );

  test.serial(
    `when processes of two databases open a new ${kind} concurrently, one database gets it for all its processes`,
    async (t) => {
      const [first, second] = [await another(t), await another(t)];
      const settings = place(first);
      const opened = await Promise.allSettled(
        [first, second, first, second].map(({ db }) => openOwnStore(db, settings, log)),
      );
      const outcomes = opened.map(({ status }) => status);
      // a server without conditional PUT may let both pass: then the later one has it, and the sweep of the other
      // refuses
      if (kind === 'folder') t.is(new Set([outcomes[0], outcomes[1]]).size, 2);
      const owners = [];
      for (const { db } of [first, second]) {
        const opens = await openOwnStore(db, settings, log).then(
          () => true,
          () => false,
        );
        owners.push(opens);
      }
      t.deepEqual(owners.sort(), [false, true]);
    },
  );

  test.serial(`a database that is older than its ${kind} does not open it until it is adopted`, async (t) => {
    const made = await another(t);
    const { run } = await machine(t);
    const settings = kind === 'folder' ? { url: undefined, folder: join(made.folder, 'data', 'blobs') } : place(made);
    await openOwnStore(made.db, settings, log);
    const [backup] = await query(made.url, 'select counter from blob_store');
    const blobs = await openOwnStore(made.db, settings, log);
    await put(blobs, 'dataset/new');
    await query(made.url, 'update blob_store set counter = $1', [backup.counter]);
    const older = /is older than its blob store[\s\S]*'platform blobs adopt'[\s\S]*'platform blobs verify'/;
    t.regex((await t.throwsAsync(openOwnStore(made.db, settings, log)))!.message, older);
    t.regex((await t.throwsAsync(sweep(made.db, blobs)))!.message, older);
    t.deepEqual(await namesIn(blobs), ['dataset/new']);
    const env = {
      DATABASE_URL: made.url,
      PLATFORM_DATA: join(made.folder, 'data'),
      ...(settings.url === undefined ? {} : { PLATFORM_BLOBS_URL: settings.url }),
    };
    const adopted = await run(['blobs', 'adopt'], { env });
    t.is(adopted.code, 0, adopted.err);
    t.regex(adopted.out, /It was newer than this database/);
    t.truthy(await openOwnStore(made.db, settings, log));
    t.regex((await sweep(made.db, blobs)).keptBecause!, /^1 of 1 blobs/);
  });

  test.serial(`a ${kind} that was emptied is not opened as if it were new`, async (t) => {
    const made = await another(t);
    const settings = place(made);
    const blobs = await openOwnStore(made.db, settings, log);
    await put(blobs, 'staging/b');
    await nameIt(made, 'staging/b');
    t.truthy(await openOwnStore(made.db, settings, log));
    if (kind === 'folder') await rm(settings.folder, { recursive: true });
    else {
      const bucket = new Bucket(parseBucketAddress(settings.url!)!);
      for (const key of ['staging/b', '.platform-store.json']) await bucket.remove(key);
    }
    const emptied = /has no marker, and none of the blobs that this database references[\s\S]*'platform blobs adopt'/;
    t.regex((await t.throwsAsync(openOwnStore(made.db, settings, log)))!.message, emptied);
  });

  test.serial(`a ${kind} without marker is opened only if this database refers to its blobs`, async (t) => {
    const [first, second] = [await another(t), await another(t)];
    const settings = place(first);
    const before = await openBlobStore(settings.url, settings.folder);
    await put(before, 'dataset/a', 'staging/b');
    const refused = await t.throwsAsync(openOwnStore(second.db, settings, log));
    t.regex(refused!.message, /has blobs that this database does not reference, [\s\S]*'platform blobs adopt'/);
    await nameIt(first, 'staging/b');
    t.deepEqual(await namesIn(await openOwnStore(first.db, settings, log)), ['dataset/a', 'staging/b']);
    t.regex((await t.throwsAsync(openOwnStore(second.db, settings, log)))!.message, OTHERS);
  });
}

test.serial('in a shared bucket only blobs of the platform are swept', async (t) => {
  const made = await another(t);
  const bucket = new Bucket(parseBucketAddress(server.url)!);
  const theirs = ['dataset/theirs.csv', 'photos/cat.jpg', 'platform/report/q1', 'staging/2026/a', 'top'];
  for (const key of theirs) await bucket.put(key, Buffer.from('x'));
  const blobs = await openOwnStore(made.db, { url: server.url, folder: made.folder }, log);
  await put(blobs, 'dataset/orphan');
  t.like(await sweep(made.db, blobs), { removed: 1 });
  await blobs.removeLeftovers(-HOUR);
  for (const key of theirs) t.is((await bucket.head(key)).status, 200, key);
  for (const key of theirs) await bucket.remove(key);
  await bucket.remove('platform/.platform-store.json');
});

test.serial(
  'blobs that an earlier version stored at the top of a bucket stay there, and new ones are added there',
  async (t) => {
    const [made, other] = [await another(t), await another(t)];
    const settings = { url: server.url, folder: made.folder };
    const before = await openBlobStore(server.url, made.folder);
    await put(before, 'staging/old');
    await nameIt(made, 'staging/old');
    const blobs = await openOwnStore(made.db, settings, log);
    await put(blobs, 'dataset/new');
    t.deepEqual(await namesIn(before), ['dataset/new', 'staging/old']);
    t.regex((await t.throwsAsync(openOwnStore(other.db, settings, log)))!.message, OTHERS);
    const bucket = new Bucket(parseBucketAddress(server.url)!);
    for (const key of ['staging/old', 'dataset/new', '.platform-store.json']) await bucket.remove(key);
  },
);

test.serial('an unreachable bucket is opened by a database that has used it', async (t) => {
  const made = await another(t);
  const url = server.url.replace('?', `/${++folders}?`);
  await openOwnStore(made.db, { url, folder: made.folder }, log);
  const away = url.replace(/:\d+\//, ':1/');
  await t.throwsAsync(openOwnStore(made.db, { url: away, folder: made.folder }, log), { message: /cannot be reached/ });
  await query(made.url, `update blob_store set place = replace(place, $1, ':1/')`, [
    /:\d+\//.exec(url)![0].replace(/^.*@/, ''),
  ]);
  t.truthy(await openOwnStore(made.db, { url: away, folder: made.folder }, log));
});

test.serial(
  'processes end with a sentence when the store belongs to another database, until it is adopted',
  async (t) => {
    const other = await another(t);
    const { run } = await machine(t);
    const folder = join(other.folder, 'data');
    await openOwnStore(w.db, { url: undefined, folder: join(folder, 'blobs') }, log);
    const scene = { url: other.url, folder };
    for (const launch of [startServer, startWorker]) {
      t.regex(
        (await t.throwsAsync<Error>(launch(scene)))!.message,
        /ended before it was ready \(1\): [\s\S]*belongs to another database/,
      );
    }
    const env = { DATABASE_URL: other.url, PLATFORM_DATA: folder };
    const adopted = await run(['blobs', 'adopt', '--reason', 'moved'], { env });
    t.is(adopted.code, 0, adopted.err);
    t.regex(
      adopted.out,
      /belongs to this database now; it belonged to the database 'test_\w+'\. Unreferenced blobs .* --confirm'\.$/m,
    );
    const [audited] = await query(other.url, `select subject, reason from audit where action = 'blobs.adopt'`);
    t.deepEqual(audited, { subject: join(folder, 'blobs'), reason: 'moved' });
    t.regex((await run(['blobs', 'adopt'], { env })).out, /belongs to this database already/);
    const worker = await startWorker(scene);
    await worker.stop();
    t.regex(
      (await t.throwsAsync(openOwnStore(w.db, { url: undefined, folder: join(folder, 'blobs') }, log)))!.message,
      OTHERS,
    );
  },
);

test.serial(
  'after an adoption the sweep asks before it deletes unknown blobs; a damaged marker can be replaced',
  async (t) => {
    const made = await another(t);
    const folder = join(made.folder, 'data');
    await mkdir(join(folder, 'blobs', 'dataset'), { recursive: true });
    await writeFile(join(folder, 'blobs', 'dataset', 'theirs'), 'x');
    await writeFile(join(folder, 'blobs', '.platform-store.json'), '{');
    const settings = { url: undefined, folder: join(folder, 'blobs') };
    await t.throwsAsync(openOwnStore(made.db, settings, log), { message: /is damaged/ });
    const { run } = await machine(t);
    const env = { DATABASE_URL: made.url, PLATFORM_DATA: folder };
    t.is((await run(['blobs', 'adopt', '--json'], { env })).code, 0);
    const blobs = await openOwnStore(made.db, settings, log);
    t.regex(
      (await sweep(made.db, blobs)).keptBecause!,
      /^1 of 1 blobs \(1 bytes\) were never referenced by this database/,
    );
    t.deepEqual(await namesIn(blobs), ['dataset/theirs']);
  },
);

test.serial(
  'a sweep that would remove many unknown blobs asks for confirmation, and then removes only those',
  async (t) => {
    await w.administrator();
    const { run, logIn } = await machine(t);
    await logIn('root');
    await upload(w, w.as(await w.account()), 'before the first sweep');
    t.regex((await run(['blobs', 'show'])).out, /^blobs +1$/m);
    const worker = await startWorker(w);
    t.teardown(() => worker.stop());
    const folder = join(w.folder, 'blobs', 'dataset');
    await mkdir(folder, { recursive: true });
    const old = new Date(Date.now() - 2 * HOUR);
    const plant = async (some: string[]) => {
      for (const name of some) {
        await writeFile(join(folder, name), 'x');
        await utimes(join(folder, name), old, old);
      }
    };
    const planted = async () => (await readdir(folder)).filter((name) => name.startsWith('theirs')).length;
    const state = async () => (await w.as(await w.administrator()).get('/api/admin/blob-store')).body;
    const client = w.as(await w.account());
    const { id } = (await start(client, copyRequest(await newProject(client), await upload(w, client, 'mine')))).body;
    t.is((await untilEnd(client, id)).status, 'Completed');
    t.is((await run(['blobs', 'sweep', '--confirm'])).code, 1, 'there is nothing to confirm');

    await plant(Array.from({ length: 101 }, (_, n) => `theirs-${n}`));
    t.is((await run(['cron', 'run', 'cleanUp'])).code, 0);
    await until(async () => (await state()).stoppedBecause !== undefined);
    t.is(await planted(), 101);
    const sentence = /101 of 10\d blobs \(101 bytes\) were never referenced by this database/;
    t.regex((await run(['cron', 'list'])).out, sentence);
    const shown = await run(['blobs', 'show']);
    t.regex(shown.out, sentence);
    await until(() => sentence.test(worker.output()));
    t.regex(worker.output(), sentence);
    const metrics = (await w.nobody.send({ method: 'GET', url: '/metrics' })).raw.toString();
    t.regex(metrics, /^platform_blob_sweep_stopped 1$/m);
    t.regex(metrics, /^platform_blob_sweep_unknown_blobs 101$/m);

    // the confirmation does not cover blobs that are found later
    await query(w.url, `select graphile_worker.add_job('nothing')`);
    const confirmed = await run(['blobs', 'sweep', '--confirm', '--reason', 'looked']);
    t.is(confirmed.code, 0, confirmed.err);
    t.regex(confirmed.out, /It may delete 101 unknown blobs/);
    await until(async () => (await state()).stoppedBecause === undefined);
    t.is(await planted(), 0);
    t.false((await run(['cron', 'list'])).out.includes('never referenced'));
    const [audited] = await query(w.url, `select reason, details from audit where action = 'blobs.sweep.confirm'`);
    t.deepEqual(audited, { reason: 'looked', details: { blobs: 101, bytes: 101 } });
    t.is((await client.get(`/api/conversion/transfer/${id}`)).body.status, 'Completed');

    await plant(Array.from({ length: 100 }, (_, n) => `theirs-${n}`));
    t.is((await run(['blobs', 'sweep'])).code, 0);
    await until(async () => (await planted()) === 0);
    t.is((await state()).stoppedBecause, undefined);
  },
);

test.serial('a confirmation is valid for the reported number of blobs; released blobs need none', async (t) => {
  const made = await another(t);
  const blobs = await openOwnStore(made.db, places.folder(made), log);
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `dataset/${prefix}-${n}`);
  await put(blobs, ...many('a', 120));
  t.regex((await sweep(made.db, blobs)).keptBecause!, /^120 of 120 blobs/);
  await query(made.url, 'update blob_store set confirmed = unknown_blobs');
  await put(blobs, ...many('b', 150));
  t.regex((await sweep(made.db, blobs)).keptBecause!, /^270 of 270 blobs/);
  await query(made.url, 'update blob_store set confirmed = unknown_blobs');
  t.like(await sweep(made.db, blobs), { removed: 270, keptBecause: undefined });

  const expired = many('c', 150);
  await put(blobs, ...expired);
  for (const name of expired) await nameIt(made, name);
  await query(made.url, `update staged_blobs set expires_at = now() - interval '2 hours'`);
  t.like(await sweep(made.db, blobs), { removed: 150, stopped: undefined });
  t.deepEqual(await query(made.url, 'select from released_blobs'), []);
});
