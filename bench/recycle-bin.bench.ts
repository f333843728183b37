import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../src/db.ts';
import { enqueue } from '../src/jobs.ts';
import { startWorker } from '../test/world/worker.ts';
import { load } from './load.ts';
import { plantTree } from './planted-tree.ts';
import { type BenchPlatform, statementsOf, withPlatform } from './platform.ts';

const ROOTS = 200;
const FOLDERS = 50;
const LEAVES = 21;
/** Number of deleted projects, and of deleted datasets. */
const DELETED = 50_000;
const USERS = 500;
const SECONDS = 2;
const TARGET_MS = 50;

/**
 * A recycle bin of 100,000 items in a tenant with 220,000 projects. Response times of its lists with four clients, as
 * an Owner of the tenant, as a member of some projects and as an owner of half of them; then speed and memory of a
 * worker that purges all items.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    await plant(platform);
    const [few, many] = [await platform.headersOf('u1'), await platform.headersOf('u2')];
    for (const [who, headers] of [
      ['tenant owner', platform.headers],
      ['member of some', few],
      ['owner of many', many],
    ] as const) {
      for (const list of [
        'all-deleted-items',
        'all-deleted-items?offset=5000',
        'all-deleted-items?sortBy=Name',
        'my-deleted-items',
        'my-deleted-items?sortBy=StorageSize&sortOrder=Desc',
        'project/list?limit=50',
        'dataset/list?limit=50',
      ]) {
        const path = `/api/recycle-bin/${list}`;
        const { length } = await statementsOf(() => platform.app.inject({ url: path, headers }));
        const port = await platform.port();
        const { p50, p95 } = await load({ port, paths: [path], headers, connections: 4, seconds: SECONDS });
        const verdict = p95 <= TARGET_MS ? '' : `  MORE THAN ${TARGET_MS}`;
        console.log(
          `${who.padEnd(16)} ${list.padEnd(52)} p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms, ${length} statements${verdict}`,
        );
      }
    }
    await sweep(platform);
  });

async function plant(platform: BenchPlatform) {
  const { userId } = platform;
  const { run, below } = await plantTree(platform, { users: USERS, roots: ROOTS });
  await below('p.parent_id is null', FOLDERS, 'n % 2 = 0');
  await below('cardinality(p.path) = 2', LEAVES, 'false');
  // u2 owns half of the projects with their own members; the other users have roles in a hundredth of them
  await run(
    `insert into project_members (project_id, user_id, role)
     select p.id, a.user_id, case when a.n = 2 then 'Owner' when a.n % 3 = 0 then 'Reader' else 'Contributor' end
     from (select id, row_number() over (order by id) n from projects where not inherits_members) p
     join (select user_id, substr(id, 2)::int n from accounts where id like 'u%') a
       on (a.n = 2 and p.n % 2 = 0) or (a.n <> 2 and (a.n * 7 + p.n) % 100 = 0)`,
  );
  await run(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     select id, 'data ' || n, 'file', 'file', 'dataset/bench-' || n, n, $1, $1
     from (select id, row_number() over (order by random()) n from projects where cardinality(path) = 3) p
     where n <= $2`,
    [userId, 2 * DELETED],
  );
  await run('analyze');
  const deleter = `case when random() < 0.5 then (select user_id from accounts where id = 'u2') else $1::uuid end`;
  const when = `now() - interval '200 days' - random() * interval '100 days'`;
  // the triggers would take minutes, so the recycle bin is filled in one statement, as in its migration
  await run(
    'alter table datasets disable trigger datasets_binned; alter table projects disable trigger projects_binned',
  );
  await run(`update datasets set deleted_at = ${when}, deleted_by = ${deleter} where storage_size <= $2`, [
    userId,
    DELETED,
  ]);
  await run(
    `update projects set deleted_at = ${when}, deleted_by = ${deleter}
     where id in (select project_id from datasets where storage_size > $2)`,
    [userId, DELETED],
  );
  await run('alter table datasets enable trigger datasets_binned; alter table projects enable trigger projects_binned');
  await run(
    `insert into recycle_bin (id, item_type, tenant_id, container_id, own_source_id, container_source_id, name, storage_size, weight,
       deleted_at, deleted_by)
     select p.id, 'Project', p.tenant_id, p.parent_id, p.member_source_id, parent.member_source_id, p.name, d.storage_size, 2,
       p.deleted_at, p.deleted_by
     from projects p join projects parent on parent.id = p.parent_id join datasets d on d.project_id = p.id
     where p.deleted_at is not null
     union all
     select d.id, 'Dataset', p.tenant_id, p.id, null, p.member_source_id, d.name, d.storage_size, 1, d.deleted_at, d.deleted_by
     from datasets d join projects p on p.id = d.project_id where d.deleted_at is not null`,
  );
  await run('vacuum analyze');
  const { rows } = await run(
    'select (select count(*) from projects) as projects, (select count(*) from recycle_bin) as items',
  );
  console.log(`${rows[0].projects} projects, ${rows[0].items} items in the bin, ${USERS} users`);
}

/** Purges with a real worker and a file per dataset. */
async function sweep({ pool, databaseUrl }: BenchPlatform) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-worker-'));
  await mkdir(join(folder, 'blobs', 'dataset'), { recursive: true });
  const names = Array.from({ length: 2 * DELETED }, (_, n) => `bench-${n + 1}`);
  while (names.length > 0)
    await Promise.all(names.splice(0, 200).map((name) => writeFile(join(folder, 'blobs', 'dataset', name), 'x')));
  const worker = await startWorker({ url: databaseUrl, folder });
  const db = new Database(databaseUrl, 2);
  const count = async (table: string) => Number((await pool.query(`select count(*) n from ${table}`)).rows[0].n);
  const memory = async () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024;
  try {
    const idle = await memory();
    const before = (await count('projects')) + (await count('datasets'));
    const started = performance.now();
    await db.transaction((tx) => enqueue(tx, 'sweepRecycleBin', {}));
    while ((await pool.query('select from recycle_bin limit 1')).rowCount) await sleep(100);
    const seconds = (performance.now() - started) / 1000;
    const rows = before - (await count('projects')) - (await count('datasets'));
    console.log(
      `sweep: ${2 * DELETED} items (${rows} rows) in ${seconds.toFixed(1)} s: ${((2 * DELETED) / seconds).toFixed(0)} items/s; ` +
        `the worker took at most ${(await memory()).toFixed(0)} MB (${idle.toFixed(0)} MB before)`,
    );
    while ((await pool.query('select from blob_deletions limit 1')).rowCount) await sleep(100);
    console.log(
      `bytes: ${2 * DELETED} files gone ${((performance.now() - started) / 1000).toFixed(1)} s after the start`,
    );
  } finally {
    await worker.stop();
    await db.end();
    await rm(folder, { recursive: true });
  }
}
