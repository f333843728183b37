import { randomUUID } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { Database } from '../../src/db.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { bytes, text } from '../blobs/rules.ts';
import { until } from '../world/hooks.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { type Client, type User, world } from '../world.ts';

/** Nobody is there. */
const REMOTE = '127.0.0.1:1';
const w = world(test, { 'outbound.allow': REMOTE });
const HOUR = 3_600_000;

async function query(statement: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** As if all bytes had been lying there for longer than an hour. */
const sweep = () => removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -HOUR });
const there = async (name: string) => (await w.blobs.info(name)) !== undefined;

async function put(name: string) {
  await w.blobs.put(name, bytes('x'), 1);
  return name;
}

/** A staged file: its name, and the name of its bytes. */
async function staged(owner: User, columns: Record<string, unknown> = {}) {
  const { body } = await w.as(owner).get('/api/conversion/transfer/upload-url');
  const url = new URL(body.data);
  await w.nobody.put(url.pathname + url.search, Buffer.from('input'));
  const name = url.pathname.split('/').at(-1)!;
  for (const [column, value] of Object.entries(columns)) {
    await query(`update staged_blobs set ${column} = $1 where name = $2`, [value, name]);
  }
  const [row] = await query('select blob from staged_blobs where name = $1', [name]);
  return { name, blob: row.blob as string };
}

async function transfer(owner: User, projectId: string, columns: Record<string, unknown>) {
  const all: Record<string, unknown> = {
    id: randomUUID(),
    tenant_id: owner.tenantId,
    project_id: projectId,
    type: 'Import',
    format: 'file',
    request: '{}',
    created_by: owner.userId,
    account_id: owner.id,
    updated_by: owner.userId,
    memory_mb: 256,
    ...columns,
  };
  const names = Object.keys(all);
  await query(
    `insert into transfers (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(all),
  );
}

const project = async (owner: User): Promise<string> =>
  (await w.as(owner).post('/api/metadata/project', { name: 'p' })).body.id;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR);
const ended = (hours: number) => ({ status: 'Completed', progress: 100, finished_at: ago(hours) });

test.serial(
  'blobs without references are deleted after an hour; a younger one may get its reference yet',
  async (t) => {
    const names = [];
    for (const area of ['dataset', 'staging', 'export']) names.push(await put(`${area}/${randomUUID()}`));
    t.is((await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: HOUR })).removed, 0);
    for (const name of names) t.true(await there(name));
    t.is((await sweep()).removed, 3);
    for (const name of names) t.false(await there(name));
  },
);

test.serial('blobs that a dataset, a staged file or an export references are kept', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const dataset = await put(`dataset/${randomUUID()}`);
  await query(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by, deleted_at, deleted_by)
     values ($1, 'd', 'file', 'file', $2, 1, $3, $3, now(), $3)`,
    [projectId, dataset, owner.userId],
  );
  const exported = await put(`export/${randomUUID()}`);
  await transfer(owner, projectId, { type: 'Export', output_blob: exported, ...ended(6 * 24) });
  const { blob } = await staged(owner);
  await sweep();
  t.true((await there(dataset)) && (await there(exported)) && (await there(blob)));
  t.is(await text(w.blobs.read(blob)), 'input');
});

test.serial('an export is kept for seven days', async (t) => {
  const owner = await w.account();
  const exported = await put(`export/${randomUUID()}`);
  await transfer(owner, await project(owner), { type: 'Export', output_blob: exported, ...ended(7 * 24 + 1) });
  await sweep();
  t.false(await there(exported));
});

test.serial('the list of skipped records is kept for seven days', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const [kept, old] = [await put(`export/${randomUUID()}-1-bad`), await put(`export/${randomUUID()}-1-bad`)];
  await transfer(owner, projectId, { type: 'Import', bad_records_blob: kept, ...ended(6 * 24) });
  await transfer(owner, projectId, { type: 'Import', bad_records_blob: old, ...ended(7 * 24 + 1) });
  await sweep();
  t.true(await there(kept));
  t.false(await there(old));
});

test.serial('uncommitted blobs of a running attempt are kept, those of earlier attempts are deleted', async (t) => {
  const owner = await w.account();
  const id = randomUUID();
  const running = { status: 'InProgress', attempt: 2, worker_pool: 'p', deadline: ago(-1) };
  await transfer(owner, await project(owner), { id, ...running });
  const [result, bad] = [await put(`dataset/${id}-2`), await put(`export/${id}-2-bad`)];
  const left = [await put(`dataset/${id}-1`), await put(`export/${id}-1-bad`)];
  await sweep();
  t.true((await there(result)) && (await there(bad)));
  for (const name of left) t.false(await there(name));
  await query('delete from transfers where id = $1', [id]);
});

test.serial('a staged file and its row are deleted after a day', async (t) => {
  const owner = await w.account();
  const [fresh, old] = [await staged(owner), await staged(owner, { expires_at: ago(2) })];
  await sweep();
  t.true(await there(fresh.blob));
  t.false(await there(old.blob));
  t.deepEqual(await query('select from staged_blobs where name = $1', [old.name]), []);
});

test.serial('an expired or deleted file stays until its transfers have been over for a day', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const gone = { named_at: ago(30), expires_at: ago(3), deleted_at: ago(2) };
  const [waiting, justOver, longOver] = [
    await staged(owner, gone),
    await staged(owner, gone),
    await staged(owner, gone),
  ];
  await transfer(owner, projectId, { staged_blob: waiting.name });
  await transfer(owner, projectId, { staged_blob: justOver.name, ...ended(23) });
  await transfer(owner, projectId, { staged_blob: justOver.name, ...ended(50) });
  await transfer(owner, projectId, { staged_blob: longOver.name, ...ended(25) });
  await sweep();
  t.true(await there(waiting.blob));
  t.true(await there(justOver.blob));
  t.false(await there(longOver.blob));
});

/**
 * The sweep sees the rows of this table, and does no more before `go`: between what it sees and what it locks there is
 * time for others.
 */
async function pausedSweep(table: string) {
  const held = new pg.Client({ connectionString: w.url });
  await held.connect();
  await held.query(`
    select pg_advisory_lock(77);
    create function pause() returns boolean language plpgsql as $$ begin
      if current_setting('application_name') = 'sweeper' then perform pg_advisory_xact_lock_shared(77); end if;
      return true;
    end $$;
    alter table ${table} rename to all_rows;
    create view ${table} as select * from all_rows where pause();
    grant select, insert, update, delete on ${table} to public`);
  const db = new Database(w.url, 2, 'sweeper');
  const swept = removeOrphanBlobs(db, w.blobs, { olderThanMs: -HOUR });
  const waits = `select from pg_locks where locktype = 'advisory' and objid = 77 and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until(async () => (await held.query(waits)).rowCount === 1);
  return async function go() {
    await held.query('select pg_advisory_unlock(77)');
    try {
      await swept;
    } finally {
      await held.query(`drop view ${table}; alter table all_rows rename to ${table}; drop function pause()`);
      await held.end();
      await db.end();
    }
  };
}

for (const [table, what, address] of [
  ['remote_sources', 'address of a remote file', () => `http://${REMOTE}/terrain`],
  ['staged_blobs', 'staged file', (client: Client) => upload(w, client, 'input')],
] as const) {
  test.serial(`the ${what} is kept for a transfer that is retried during its deletion`, async (t) => {
    const client = w.as(await w.account());
    const wish = copyRequest(await newProject(client), await address(client));
    const { id } = (await start(client, wish)).body;
    t.is((await client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);
    await query(`update transfers set finished_at = now() - interval '25 hours' where id = $1`, [id]);
    await query(`update staged_blobs set expires_at = now() - interval '2 hours'`, []);
    const go = await pausedSweep(table);
    const again = await client.post(`/api/conversion/transfer/${id}/retry`);
    t.is(again.status, 202, JSON.stringify(again.body));
    await go();
    const kept = await query(
      `select from transfers t where id = $1 and (exists (select from remote_sources where id = t.source_id)
        or exists (select from staged_blobs where name = t.staged_blob and blob is not null))`,
      [again.body.id],
    );
    t.is(kept.length, 1);
    await client.post(`/api/conversion/transfer/${again.body.id}/cancel`);
    await query(`update transfers set finished_at = now() - interval '25 hours' where id in ($1, $2)`, [
      id,
      again.body.id,
    ]);
    await sweep();
    const late = await client.post(`/api/conversion/transfer/${again.body.id}/retry`);
    t.like(late, { status: 409, body: { code: 'InputGone' } });
  });
}

test.serial('the sweep covers more blobs than one batch, and concurrent sweeps are safe', async (t) => {
  for (let n = 0; n < 1100; n++) await put(`dataset/orphan-${n}`);
  await query(`insert into released_blobs select 'dataset/orphan-' || n from generate_series(0, 1099) n`, []);
  const owner = await w.account();
  const { blob } = await staged(owner);
  await Promise.all([sweep(), sweep()]);
  t.deepEqual(await Array.fromAsync(w.blobs.list('dataset/orphan-')), []);
  t.true(await there(blob));
});

test('a sweep notes how many blobs it found, and their size', async (t) => {
  await put(`content/${randomUUID()}`);
  await sweep();
  const [found] = await query('select all_bytes > 0 as has_size, swept_at is not null as swept from blob_store', []);
  t.deepEqual(found, { has_size: true, swept: true });
});
