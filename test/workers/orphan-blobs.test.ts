import { randomUUID } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { removeOrphanBlobs } from '../../src/transfers/orphan-blobs.ts';
import { bytes, text } from '../blobs/rules.ts';
import type { User } from '../world.ts';
import { world } from '../world.ts';

const w = world(test);
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
  'bytes without a row go when they are older than an hour; younger ones may be about to get theirs',
  async (t) => {
    const names = [];
    for (const area of ['dataset', 'staging', 'export']) names.push(await put(`${area}/${randomUUID()}`));
    t.is((await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: HOUR })).removed, 0);
    for (const name of names) t.true(await there(name));
    t.is((await sweep()).removed, 3);
    for (const name of names) t.false(await there(name));
  },
);

test.serial('bytes that a dataset, a staged file or an export names stay', async (t) => {
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

test.serial('the places of skipped records are kept for seven days, whatever the transfer made', async (t) => {
  const owner = await w.account();
  const projectId = await project(owner);
  const [kept, old] = [await put(`export/${randomUUID()}-1-bad`), await put(`export/${randomUUID()}-1-bad`)];
  await transfer(owner, projectId, { type: 'Import', bad_records_blob: kept, ...ended(6 * 24) });
  await transfer(owner, projectId, { type: 'Import', bad_records_blob: old, ...ended(7 * 24 + 1) });
  await sweep();
  t.true(await there(kept));
  t.false(await there(old));
});

test.serial('what a run has stored and not yet committed stays, what an earlier attempt left goes', async (t) => {
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

test.serial('a staged file goes when its day is over, and so does its place', async (t) => {
  const owner = await w.account();
  const [fresh, old] = [await staged(owner), await staged(owner, { expires_at: ago(2) })];
  await sweep();
  t.true(await there(fresh.blob));
  t.false(await there(old.blob));
  t.deepEqual(await query('select from staged_blobs where name = $1', [old.name]), []);
});

test.serial(
  'a named file stays past its day, and when it was deleted, until its transfers have been over for a day',
  async (t) => {
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
  },
);

test.serial('more blobs than one batch are all looked at, and two sweeps at once do no harm', async (t) => {
  for (let n = 0; n < 1100; n++) await put(`dataset/orphan-${n}`);
  const owner = await w.account();
  const { blob } = await staged(owner);
  await Promise.all([sweep(), sweep()]);
  t.deepEqual(await Array.fromAsync(w.blobs.list('dataset/orphan-')), []);
  t.true(await there(blob));
});
