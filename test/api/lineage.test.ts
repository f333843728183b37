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
    { id: hidden, kind: 'dataset', hidden: true },
  ]);
  t.deepEqual(edges, [{ from: hidden, to: open, role: 'input', action: 'conversion' }]);
  t.is((await lineage(client, open)).nodes.length, 3);
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
