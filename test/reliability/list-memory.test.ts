import { readFile } from 'node:fs/promises';
import test from 'ava';
import { startServer } from '../world/server.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);

/**
 * Megabytes of an API process, whatever is stored; it has about 190 at its start, and 215 at the first one, which
 * compiles.
 */
const MOST = 300;
const COUNT = 60;
const WRITES = 30;

/** Megabytes of memory that a process ever had. */
const peakOf = async (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Objects of nearly 1 MiB as JSON: one that packs well, and one that takes much more memory when it is read. */
const FREE_FORMS = {
  text: `jsonb_build_object('text', repeat('x', 1048560))`,
  lists: `jsonb_build_object('lists', (select jsonb_agg('[]'::jsonb) from generate_series(1, 349000)))`,
};

const runs = process.platform === 'linux' ? test : test.skip;

runs('lists of everything keep the memory of the API within bounds, whatever is stored', async (t) => {
  const root = await w.administrator();
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  for (const [column, made] of Object.entries({ metadata: FREE_FORMS.text, settings: FREE_FORMS.lists })) {
    await w.sql(`create table made_${column} as select ${made} as value`);
  }
  const [metadata, other] = ['(select value from made_metadata)', '(select value from made_settings)'];
  const numbers = `generate_series(1, ${COUNT}) n`;
  await w.sql(
    `insert into projects (id, tenant_id, parent_id, root_id, path, member_source_id, name, metadata, settings, created_by, updated_by)
     select id, p.tenant_id, p.id, p.root_id, p.path || made.id, made.id, 'n' || n, ${metadata}, ${other}, p.created_by, p.updated_by
     from projects p, (select gen_random_uuid() as made_id, n from ${numbers}) m (id, n), lateral (select m.id) made (id)
     where p.id = $1`.replace('select id, p.tenant_id', 'select m.id, p.tenant_id'),
    [projectId],
  );
  await w.sql(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, metadata, properties, created_by, updated_by)
     select $1, 'n' || n, 'file', 'file', 'dataset/' || gen_random_uuid(), 0, ${metadata}, ${other}, $2, $2 from ${numbers}`,
    [projectId, owner.userId],
  );
  await w.sql(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, metadata, properties, created_by, updated_by,
       deleted_at, deleted_by)
     select $1, 'n' || n, 'file', 'file', 'dataset/' || gen_random_uuid(), 0, ${metadata}, ${other}, $2, $2, now(), $2 from ${numbers}`,
    [projectId, owner.userId],
  );
  await w.sql(
    `update datasets set deleted_at = now(), deleted_by = $2 where project_id = $1 and deleted_at is not null`,
    [projectId, owner.userId],
  );
  await w.sql(
    `insert into accounts (id, password_hash, name, metadata) select 'n' || n, '!', 'n', ${metadata} from ${numbers}`,
  );
  await w.sql(`insert into user_groups (id, name, metadata) select 'n' || n, 'n' || n, ${metadata} from ${numbers}`);

  const server = await startServer(w);
  t.teardown(() => server.stop());
  t.log(`${Math.round(await peakOf(server.pid))} MB at the start`);
  // the records of others come in through the same process
  for (let n = 0; n < WRITES; n++) {
    const answer = await fetch(`${server.url}/api/metadata/project/${projectId}/subproject`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await w.tokenOf(owner)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `written ${n}`, metadata: { text: 'x'.repeat(2 ** 20 - 20) } }),
    });
    t.is(answer.status, 201);
    await answer.arrayBuffer();
  }
  const written = await peakOf(server.pid);
  t.log(`${WRITES} records written: at most ${Math.round(written)} MB so far`);
  t.true(written < MOST, `${written} MB`);
  const lists: [string, { userId: string }][] = [
    [`/api/metadata/project/${projectId}/dataset/list`, owner],
    [`/api/metadata/project/${projectId}/dataset/list?limit=1000`, owner],
    [`/api/metadata/project/${projectId}/dataset/list-summaries`, owner],
    [`/api/project/${projectId}/subprojects`, owner],
    ['/api/recycle-bin/dataset/list', owner],
    [`/api/recycle-bin/project/${projectId}/dataset/list`, owner],
    ['/api/accounts', root],
    ['/api/usergroups', root],
    ['/api/account/list', root],
  ];
  for (const [path, user] of lists) {
    const answer = await fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${await w.tokenOf(user)}` },
    });
    t.is(answer.status, 200, path);
    let bytes = 0;
    let tail = '';
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      tail = Buffer.from(chunk.slice(-2)).toString();
    }
    const peak = await peakOf(server.pid);
    t.log(`${path}: ${Math.round(bytes / 2 ** 20)} MiB, at most ${Math.round(peak)} MB so far`);
    if (!/summaries|account\/list/.test(path)) t.true(bytes > COUNT * 2 ** 19, `${path} is the whole list`);
    t.regex(tail, /[\]}]$/, path);
    t.true(peak < MOST, `${path}: ${peak} MB`);
  }
});
