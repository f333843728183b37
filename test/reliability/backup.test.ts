import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { digestOfFile } from '../../src/blobs/digest.ts';
import { command, type EmptyPlace, emptyPlace } from '../world/empty-place.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { startOnce } from '../world/worker.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';
import { choices, SEED, times } from './flags.ts';

const KILLS = times(3, 20);
/** Imports before and after the backups of the drill. */
const BETWEEN = 6;
const SIGNALS = ['SIGKILL', 'SIGTERM'] as const;
/** With what a process may end that got the signal: it was done, or it did not listen yet. */
const ENDS: Record<(typeof SIGNALS)[number], (number | NodeJS.Signals | null)[]> = {
  SIGKILL: [0, 'SIGKILL'],
  SIGTERM: [0, 143, 'SIGTERM'],
};
const w = world(test);
process.setMaxListeners(200);

async function newTarget(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-backups-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'backups');
}

async function newPlace(t: ExecutionContext): Promise<EmptyPlace> {
  const place = await emptyPlace(w.url);
  t.teardown(() => place.close());
  return place;
}

interface Listed {
  data: { id: string; time: string; complete: boolean }[];
}

async function json(t: ExecutionContext, argv: string[], place?: EmptyPlace) {
  const env = place?.env ?? {};
  const { code, out, err } = await command([...argv, '--json'], env);
  t.is(code, 0, `${argv.join(' ')}: ${err} ${out}`);
  return JSON.parse(out);
}

/** Starts a command in a process of its own, in the world or in another place. */
const launch = (argv: string[], place?: EmptyPlace) =>
  startOnce(place ?? w, argv, place === undefined ? {} : { 'database.ownerUrl': place.ownerUrl });

async function finish(t: ExecutionContext, argv: string[], place?: EmptyPlace): Promise<string> {
  const { code, out, err } = await launch(argv, place).ended;
  t.is(code, 0, `${argv.join(' ')}: ${err}`);
  return out;
}

/** A platform that works: imports, deletions for ever, uploads that are deleted. */
async function load() {
  const user = await w.account();
  const client = w.as(user);
  /** Times of answers, by the id of the transfer. */
  const acknowledged = new Map<string, number>();
  const ended = new Set<string>();
  let isOver = false;
  const importing = async () => {
    while (!isOver) {
      const project = await newProject(client);
      const request = copyRequest(project, await upload(w, client, randomBytes(30_000)));
      const { status, body } = await start(client, request);
      if (status !== 200) throw new Error(JSON.stringify(body));
      acknowledged.set(body.id, Date.now());
      const transfer = await untilEnd(client, body.id);
      if (transfer.status !== 'Completed') throw new Error(transfer.errorMessage);
      ended.add(body.id);
      if (ended.size % 2 === 0) continue;
      const [dataset] = await w.sql<{ id: string }>('select id from datasets where project_id = $1', [project]);
      await client.delete(`/api/metadata/dataset/${dataset!.id}`);
      await client.delete(`/api/recycle-bin/dataset/${dataset!.id}`);
    }
  };
  const uploading = async () => {
    while (!isOver) {
      await w.nobody.delete(local(await upload(w, client, randomBytes(10_000))));
      await sleep(20);
    }
  };
  const lanes = Promise.all([importing(), importing(), importing(), uploading()]);
  lanes.catch(() => {});
  return {
    acknowledged,
    async untilMore() {
      const wanted = ended.size + BETWEEN;
      while (ended.size < wanted) await Promise.race([sleep(50), lanes]);
    },
    async stop() {
      isOver = true;
      await lanes;
    },
  };
}

test.serial('a backup under load is restored whole: nothing that was acknowledged before is lost', async (t) => {
  const worker = await workHere(w);
  const target = await newTarget(t);
  const work = await load();
  try {
    await work.untilMore();
    for (let n = 0; n < 2; n++) {
      await finish(t, ['backup', 'create', target]);
      await work.untilMore();
    }
    await work.stop();
  } finally {
    await worker.stop();
  }
  const { data } = (await json(t, ['backup', 'list', target])) as Listed;
  t.deepEqual(
    data.map(({ complete }) => complete),
    [true, true],
  );
  for (const { id, time } of data) {
    await json(t, ['backup', 'verify', target, id]);
    const place = await newPlace(t);
    await finish(t, ['backup', 'restore', target, id], place);
    const wanted = [...work.acknowledged].filter(([, at]) => at < Date.parse(time)).map(([transfer]) => transfer);
    t.true(wanted.length >= BETWEEN);
    const rows = await place.sql<{ id: string }>('select id from transfers');
    const there = new Set(rows.map((row) => row.id));
    t.deepEqual(
      wanted.filter((transfer) => !there.has(transfer)),
      [],
    );
    t.deepEqual(await wrongBlobs(place), []);
    t.deepEqual((await json(t, ['integrity'], place)).findings, []);
    const again = await workHere(place, { 'database.ownerUrl': place.ownerUrl });
    try {
      while ((await place.sql("select from transfers where status not in ('Completed', 'Error')")).length > 0)
        await sleep(100);
    } finally {
      await again.stop();
    }
    t.deepEqual(await place.sql("select id, error_message from transfers where status <> 'Completed'"), []);
    const doubled = 'select project_id from datasets group by project_id having count(*) > 1';
    t.deepEqual(await place.sql(doubled), []);
    t.deepEqual(await wrongBlobs(place), []);
  }
});

/** Named blobs whose bytes are not those that the database knows. */
async function wrongBlobs({ folder, sql }: EmptyPlace): Promise<string[]> {
  const wrong: string[] = [];
  const named = await sql<{ name: string; size: string; digest: string }>(
    'select distinct n.name, d.size, d.digest from named_blobs n left join blob_digests d on d.name = n.name',
  );
  for (const { name, size, digest } of named) {
    const found = await digestOfFile(join(folder, 'blobs', name)).catch(() => undefined);
    if (!found?.equals({ size: Number(size), digest })) wrong.push(name);
  }
  return wrong;
}

/** Runs a command once to its end, and returns how long it took. */
async function duration(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

test.serial('backups that are killed at any moment leave none that is called complete and is not', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const random = choices(1);
  const target = await newTarget(t);
  const whole = await duration(() => finish(t, ['backup', 'create', target]));
  for (let n = 0; n < KILLS; n++) {
    const running = launch(['backup', 'create', target]);
    await sleep(random.between(0.3, 1) * whole);
    const signal = random.of(SIGNALS);
    running.process.kill(signal);
    const { code, err } = await running.ended;
    t.true(ENDS[signal].includes(code), `${signal}: ${code} ${err}`);
    await w.untilLeft('platform backup');
    for (const { id, complete } of ((await json(t, ['backup', 'list', target])) as Listed).data)
      if (complete) await json(t, ['backup', 'verify', target, id]);
  }
  await finish(t, ['backup', 'create', target]);
  const { data } = (await json(t, ['backup', 'list', target])) as Listed;
  t.true(data.every(({ complete }) => complete));
  await json(t, ['backup', 'verify', target]);
  // nothing is left of those that were killed
  const ids = new Set((await readdir(join(target, 'table'))).map((name) => name.split('.')[0]));
  t.deepEqual([...ids].sort(), data.map(({ id }) => id).sort());
});

test.serial('a restore that is killed at any moment leaves its mark, and ends when it is run again', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const random = choices(2);
  const target = await newTarget(t);
  await finish(t, ['backup', 'create', target]);
  let place = await newPlace(t);
  const whole = await duration(() => finish(t, ['backup', 'restore', target], place));
  place = await newPlace(t);
  for (let n = 0; n < KILLS; n++) {
    const running = launch(['backup', 'restore', target], place);
    await sleep(random.between(0.2, 1) * whole);
    const signal = random.of(SIGNALS);
    running.process.kill(signal);
    const { code, err: said } = await running.ended;
    t.true(ENDS[signal].includes(code), `${signal}: ${code} ${said}`);
    const [state] = await place.sql<{ tables: number; marked: boolean }>(`
      select (select count(*)::int from pg_tables where schemaname in ('public', 'graphile_worker')) as tables,
        to_regclass('public.unfinished_restore') is not null as marked`);
    if (state!.tables > 0 && !state!.marked) {
      // it had ended
      t.deepEqual(await contentsOf(place), await contentsOf(w));
      place = await newPlace(t);
    } else t.not(code, 0);
    if (!state!.marked) continue;
    const { code: refused, err } = await command(['migrate'], place.env);
    t.is(refused, 1);
    t.regex(err, /is only half restored into this database/);
  }
  await finish(t, ['backup', 'restore', target], place);
  t.deepEqual(await contentsOf(place), await contentsOf(w));
  t.deepEqual(await wrongBlobs(place), []);
  t.is((await command(['migrate'], place.env)).code, 0);
});

/** Digests of the rows of tables that no process of a test changes by itself. */
async function contentsOf({ sql }: { sql<Row>(text: string): Promise<Row[]> }) {
  const tables = ['accounts', 'projects', 'datasets', 'transfers', 'staged_blobs', 'audit', 'events', 'queue_jobs'];
  const found: Record<string, string | undefined> = {};
  for (const table of tables) {
    const columns = { queue_jobs: 'payload::text, key', events: 'id, type, data' }[table] ?? 't';
    const lines = `select row(${columns})::text as line from ${table} t`;
    const text = `select md5(string_agg(line, '|' order by line)) as digest from (${lines}) lines`;
    found[table] = (await sql<{ digest: string }>(text))[0]?.digest;
  }
  return found;
}
