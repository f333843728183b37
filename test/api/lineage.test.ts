import { randomUUID } from 'node:crypto';
import test from 'ava';
import { newDataset } from '../world/content.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, type User, world } from '../world.ts';

/** Completed transfers stand in the table as a worker leaves them; no worker runs. */
const w = world(test);

interface Node {
  id: string;
  kind: string;
  name?: string;
  hidden?: true;
}
interface Edge {
  from: string;
  to: string;
  role: string;
  action: string;
  transfer?: { id: string; reader?: string; transformations: string[] };
}
async function lineage(client: Client, id: string) {
  const { status, body } = await client.get(`/api/metadata/dataset/${id}/lineage`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as { nodes: Node[]; edges: Edge[]; truncated: boolean };
}

async function transfer(
  owner: User,
  projectId: string,
  output: string,
  { input, side, name = '' }: { input?: string; side?: string; name?: string },
): Promise<string> {
  const id = randomUUID();
  const request = {
    readerName: 'GeoTiffReader',
    writerName: 'GeoTiffWriter',
    inputName: name,
    transformations: [{ type: 'resampleTransformation', like: { datasetId: side } }],
  };
  await w.sql(
    `insert into transfers (id, tenant_id, project_id, type, status, format, request, source_id, input_dataset_id, created_by, account_id,
       updated_by, progress, finished_at, output_dataset_id, memory_mb)
     values ($1, $2, $3, $4, 'Completed', 'geotiff', $5, $6, $7, $8, $9, $8, 100, now(), $10, 256)`,
    [
      id,
      owner.tenantId,
      projectId,
      input ? 'Conversion' : 'Import',
      request,
      input ? null : randomUUID(),
      input ?? null,
    ].concat([owner.userId, owner.id, output]),
  );
  if (side)
    await w.sql(
      'insert into transfer_inputs (transfer_id, number, key, dataset_id) values ($1, 1, $2::uuid::text, $2::uuid)',
      [id, side],
    );
  return id;
}

async function scene() {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const make = (name: string, into = projectId) => newDataset(w, into, owner, { name });
  return { owner, client, projectId, make };
}

test('lineage goes from a remote file over datasets and side inputs to what was made of them', async (t) => {
  const { owner, client, projectId, make } = await scene();
  const [first, zones, second, third] = [
    await make('first'),
    await make('zones'),
    await make('second'),
    await make('third'),
  ];
  const imported = await transfer(owner, projectId, first, { name: 'valley.tif' });
  const converted = await transfer(owner, projectId, second, { input: first, side: zones });
  await transfer(owner, projectId, third, { input: second });
  const { nodes, edges, truncated } = await lineage(client, second);
  t.false(truncated);
  t.deepEqual(nodes[0], { id: second, kind: 'dataset', name: 'second' });
  t.deepEqual(nodes.map(({ name }) => name).sort(), ['first', 'second', 'third', 'valley.tif', 'zones']);
  t.deepEqual(
    edges.map(({ from, to, role }) => [from, to, role]).sort(),
    [
      [`${imported}:0`, first, 'input'],
      [first, second, 'input'],
      [zones, second, 'sideInput'],
      [second, third, 'input'],
    ].sort(),
  );
  const made = edges.find(({ from }) => from === first);
  t.like(made, { action: 'conversion', transfer: { id: converted, transformations: ['resampleTransformation'] } });
  // siblings are no part of it
  t.deepEqual((await lineage(client, zones)).nodes.map(({ name }) => name).sort(), ['second', 'third', 'zones']);
});

test('what the caller may not see is hidden, and nothing is shown beyond it', async (t) => {
  const { owner, client, projectId, make } = await scene();
  const secret = await newProject(client, 'Secret');
  const [origin, hidden, open] = [await make('origin', secret), await make('hidden', secret), await make('open')];
  await transfer(owner, secret, hidden, { input: origin });
  await transfer(owner, secret, open, { input: hidden });
  const reader = await w.account({ tenantId: owner.tenantId });
  await client.post(`/api/metadata/project/${projectId}/member`, { userId: reader.userId, role: 'Reader' });
  const { nodes, edges } = await lineage(w.as(reader), open);
  t.deepEqual(nodes, [
    { id: open, kind: 'dataset', name: 'open' },
    { id: 'hidden:1', kind: 'dataset', hidden: true },
  ]);
  t.deepEqual(edges, [{ from: 'hidden:1', to: open, role: 'input', action: 'conversion' }]);
  t.is((await lineage(client, open)).nodes.length, 3);
});

test('ids of what is hidden are in no answer', async (t) => {
  const { owner, client, projectId, make } = await scene();
  const secret = await newProject(client, 'Secret');
  const [hidden, side, open] = [await make('hidden', secret), await make('side', secret), await make('open')];
  const transfers = [
    await transfer(owner, secret, open, { name: 'secret.tif' }),
    await transfer(owner, secret, open, { input: hidden, side }),
    await transfer(owner, secret, hidden, { input: open }),
  ];
  const reader = await w.account({ tenantId: owner.tenantId });
  await client.post(`/api/metadata/project/${projectId}/member`, { userId: reader.userId, role: 'Reader' });
  const answer = await lineage(w.as(reader), open);
  for (const id of [hidden, side, 'secret.tif', ...transfers]) t.false(JSON.stringify(answer).includes(id));
  const known = new Set(answer.nodes.map(({ id }) => id));
  t.is(known.size, 4);
  t.true(answer.edges.every(({ from, to }) => known.has(from) && known.has(to)));
  t.deepEqual(await lineage(w.as(reader), open), answer, 'stable');
});

test('exports to files are shown to those who see their transfers, also those of what was made of the dataset', async (t) => {
  const { owner, client, projectId, make } = await scene();
  const [one, other] = [await make('one'), await make('other')];
  await transfer(owner, projectId, other, { input: one });
  const secret = await newProject(client, 'Secret');
  const exported = async (input: string, project: string, status: string, share?: string) => {
    const id = randomUUID();
    await w.sql(
      `insert into transfers (id, tenant_id, project_id, type, status, format, request, input_dataset_id, created_by, account_id, updated_by,
         progress, finished_at, output_file_name, memory_mb, share_id, error_message)
       values ($1, $2, $3, 'Export', $4, 'csv', '{"writerName": "CsvWriter"}', $5, $6, $7, $6, case $4 when 'Error' then 0 else 100 end,
         now(), 'valley.csv', 256, $8, case when $4 = 'Error' then 'No.' end)`,
      [id, owner.tenantId, project, status, input, owner.userId, owner.id, share ?? null],
    );
    return id;
  };
  const [direct, later] = [await exported(one, projectId, 'Completed'), await exported(other, projectId, 'Completed')];
  const elsewhere = await exported(one, secret, 'Completed');
  await exported(one, projectId, 'Error');
  const { body: share } = await client.post(`/api/metadata/dataset/${one}/share`, { downloads: 'Formats' });
  await exported(one, projectId, 'Completed', share.id);
  const reader = await w.account({ tenantId: owner.tenantId });
  await client.post(`/api/metadata/project/${projectId}/member`, { userId: reader.userId, role: 'Reader' });
  const edgesOf = async (user: User, id: string) =>
    (await lineage(w.as(user), id)).edges
      .filter(({ action }) => action === 'export')
      .map(({ from, to }) => `${from} ${to}`)
      .sort();
  const shown = [`${one} ${direct}:export`, `${other} ${later}:export`];
  t.deepEqual(await edgesOf(reader, one), [...shown].sort());
  t.deepEqual(await edgesOf(owner, one), [...shown, `${one} ${elsewhere}:export`].sort());
  t.deepEqual(await edgesOf(reader, other), [`${other} ${later}:export`], 'not those of what it was made from');
  const { nodes, edges } = await lineage(w.as(reader), other);
  t.deepEqual(
    nodes.find(({ kind }) => kind === 'export'),
    { id: `${later}:export`, kind: 'export', name: 'valley.csv' },
  );
  t.like(
    edges.find(({ action }) => action === 'export'),
    { transfer: { id: later } },
  );
});

test('cycles end, and long chains are cut', async (t) => {
  const { owner, client, projectId, make } = await scene();
  const [one, other] = [await make('one'), await make('other')];
  await transfer(owner, projectId, one, { input: other });
  await transfer(owner, projectId, other, { input: one });
  const cycle = await lineage(client, one);
  t.deepEqual([cycle.nodes.length, cycle.edges.length, cycle.truncated], [2, 2, false]);
  const chain = [one];
  for (let n = 0; n < 12; n++) {
    chain.push(await make(`step ${n}`));
    await transfer(owner, projectId, chain.at(-1) as string, { input: chain.at(-2) as string });
  }
  const long = await lineage(client, one);
  t.true(long.truncated);
  t.is(long.nodes.length, 12);
});
