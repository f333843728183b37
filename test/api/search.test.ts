import test from 'ava';
import { newDataset, subproject } from '../world/content.ts';
import { LEVEL, newSeries, newSeriesDataset } from '../world/series.ts';
import { newProject } from '../world/transfers.ts';
import { type User, world } from '../world.ts';

const w = world(test);

interface Hit {
  type: string;
  id: string;
  name: string;
  path: string;
  datasetFormat?: string;
}
const search = async (user: User, q: string, more: Record<string, string> = {}, headers = {}): Promise<Hit[]> => {
  const { status, body } = await w.as(user).get(`/api/metadata/search?${new URLSearchParams({ q, ...more })}`, headers);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
};
const names = async (...parameters: Parameters<typeof search>) => (await search(...parameters)).map(({ name }) => name);

async function scene() {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const root = await newProject(client, 'Upper valley');
  const raw = await subproject(client, root, { name: 'Ådal/raw', inheritsMembers: true });
  const dataset = await newDataset(w, raw, owner, {
    name: 'Depth 2026',
    description: 'Measured at the weir',
    metadata: { survey: { by: 'Müller\n& Søn' }, run: 17 },
    properties: { statistics: [{ name: 'Water level', unit: 'meter', maximum: 4.25 }] },
  });
  return { owner, client, root, raw, dataset };
}

test('finds words and beginnings of words of name, description, tags, items and metadata, in any order', async (t) => {
  const { owner, client, root, raw, dataset } = await scene();
  const found = {
    type: 'Dataset',
    id: dataset,
    name: 'Depth 2026',
    path: '/Upper valley/Ådal%2Fraw/Depth 2026',
    datasetFormat: 'geotiff',
  };
  for (const q of [
    'depth',
    'DEP',
    '2026 depth',
    'weir',
    'muller',
    'MÜLLER',
    'søn',
    'survey',
    '17',
    'water lev',
    'meter',
  ])
    t.deepEqual(await search(owner, q), [found], q);
  for (const q of ['epth', 'depth valley', 'fraw', 'nsøn', 'statistics', '4.25'])
    t.deepEqual(await search(owner, q), [], q);
  t.deepEqual(await search(owner, 'adal'), [
    { type: 'Project', id: raw, name: 'Ådal/raw', path: '/Upper valley/Ådal%2Fraw' },
  ]);
  await client.put(`/api/metadata/project/${raw}/dataset`, {
    id: dataset,
    name: 'Depth',
    tags: ['Lidar'],
    metadata: {},
  });
  t.deepEqual(await names(owner, 'lidar'), ['Depth']);
  t.deepEqual(await names(owner, 'survey'), []);
  await client.put('/api/metadata/project', { id: root, name: 'Lower valley', description: 'of the Skjern Å' });
  t.deepEqual(await names(owner, 'skjern'), ['Lower valley']);
  t.deepEqual(await names(owner, 'upper'), []);
});

test('finds a dataset of time series by the names of its items', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const { url } = await newSeriesDataset(client);
  for (const name of ['Stage', 'Stage', 'Discharge']) await newSeries(client, url, { item: { ...LEVEL, name } });
  t.deepEqual(await names(owner, 'stage'), ['gauges']);
  t.deepEqual(await names(owner, 'discharge gauges'), ['gauges']);
});

test('names that begin with the words come first, the exact one before longer ones; pages follow one another', async (t) => {
  const { owner, client, root } = await scene();
  for (const name of ['flood 2', 'Zone', 'flood', 'Flood plain', 'a Flood'])
    await subproject(client, root, { name, inheritsMembers: true });
  await subproject(client, root, { name: 'Bank', description: 'floods often', inheritsMembers: true });
  const order = ['flood', 'flood 2', 'Flood plain', 'a Flood', 'Bank'];
  t.deepEqual(await names(owner, 'flood'), order);
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ q: 'flood', limit: '2', ...(cursor === undefined ? {} : { cursor }) });
    const { body } = await client.get(`/api/metadata/search?${query}`);
    pages.push(...body.data.map(({ name }: Hit) => name));
    cursor = body.cursor;
    if (cursor !== undefined) {
      const other = await client.get(`/api/metadata/search?${new URLSearchParams({ q: 'floods', cursor })}`);
      t.is(other.status, 400);
    }
  } while (cursor !== undefined);
  t.deepEqual(pages, order);
});

test('kind, project and time of the last change narrow a search', async (t) => {
  const { owner, client, root, raw, dataset } = await scene();
  const deep = await subproject(client, raw, { name: 'Depth', inheritsMembers: true });
  const ids = async (more: Record<string, string>) => (await search(owner, 'depth', more)).map(({ id }) => id);
  t.deepEqual(await ids({}), [deep, dataset]);
  t.deepEqual(await ids({ kind: 'project' }), [deep]);
  t.deepEqual(await ids({ kind: 'Dataset' }), [dataset]);
  t.deepEqual(await ids({ project: root }), [deep, dataset]);
  t.deepEqual(await ids({ project: deep }), []);
  await w.sql("update datasets set updated_at = '2020-01-01' where id = $1", [dataset]);
  t.deepEqual(await ids({ changedAfter: '2021-01-01' }), [deep]);
  t.deepEqual(await ids({ changedAfter: '2019-12-31T23:00:00' }), [deep, dataset]);
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  t.is((await w.as(stranger).get(`/api/metadata/search?q=depth&project=${root}`)).status, 404);
});

test('a box finds datasets that it intersects, on both sides of the antimeridian', async (t) => {
  const { owner, root } = await scene();
  const places = {
    'place Denmark': 'POLYGON ((8 54.5, 13 54.5, 13 57.8, 8 57.8, 8 54.5))',
    'place Fiji': 'POLYGON ((177 -19, 182 -19, 182 -16, 177 -16, 177 -19))',
    'place Fiji in two':
      'MULTIPOLYGON (((177 -19, 180 -19, 180 -16, 177 -19)), ((-180 -19, -178 -19, -178 -16, -180 -19)))',
    'place point': 'POINT Z (-179.5 -17 3)',
    'place unknown': 'somewhere in 1e999 1e999, the valley (',
    'place nowhere': '',
  };
  for (const [name, location] of Object.entries(places))
    await newDataset(w, root, owner, { name, spatialInformation: { location } });
  await newDataset(w, root, owner, { name: 'place none' });
  const inBox = (bbox: string) => names(owner, 'place', { bbox });
  const [denmark, fiji, inTwo, point] = Object.keys(places);
  t.deepEqual(await inBox('9,55,10,56'), [denmark]);
  t.deepEqual(await inBox('-180,-90,180,90'), [denmark, fiji, inTwo, point]);
  t.deepEqual(await inBox('179,-18,-179,-17'), [fiji, inTwo, point]);
  t.deepEqual(await inBox('-179,-18,-178.5,-17'), [fiji, inTwo]);
  t.deepEqual(await inBox('178,-18,179,-17'), [fiji, inTwo]);
  t.deepEqual(await inBox('-170,-18,170,-17'), []);
  t.deepEqual(await inBox('-179.6,-17,-179.4,-17'), [fiji, inTwo, point]);
  for (const bbox of ['1,2,3', '0,50,10,40', '181,0,182,1', 'a,b,c,d'])
    t.is((await w.as(owner).get(`/api/metadata/search?q=place&bbox=${bbox}`)).status, 400, bbox);
});

test('deleted and invisible items are not found; a guest finds what is shared', async (t) => {
  const { owner, client, raw, dataset } = await scene();
  const reader = await w.account({ tenantId: owner.tenantId });
  const guest = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  for (const user of [reader, guest]) {
    t.deepEqual(await search(user, 'depth'), []);
    await client.post(`/api/metadata/project/${raw}/member`, { userId: user.userId, role: 'Reader' });
    t.deepEqual(await names(user, 'depth'), ['Depth 2026']);
    t.deepEqual(await names(user, 'upper'), []);
  }
  t.deepEqual(await names(guest, 'depth', {}, { 'svc-tenant-id': guest.tenantId }), []);
  await client.delete(`/api/metadata/dataset/${dataset}`);
  t.deepEqual(await names(owner, 'depth'), []);
  await client.put(`/api/recycle-bin/dataset/${dataset}/restore`);
  t.deepEqual(await names(owner, 'depth'), ['Depth 2026']);
  await client.delete(`/api/metadata/project/${raw}`);
  t.deepEqual(await names(owner, 'depth'), []);
  t.deepEqual(await names(owner, 'adal'), []);
  await client.delete(`/api/recycle-bin/project/${raw}`);
  t.deepEqual(await w.sql('select from search_entries where id in ($1, $2)', [raw, dataset]), []);
});

test('words without letters, too many and too long ones are refused; operators are blanks', async (t) => {
  const { owner, client } = await scene();
  const refused = async (q: string) => {
    const { status, body } = await client.get(`/api/metadata/search?${new URLSearchParams({ q })}`);
    t.is(status, 400, q);
    return JSON.stringify(body);
  };
  t.regex(await refused(''), /has no letters or digits/);
  t.regex(await refused('& | ! :* <-> ()'), /has no letters or digits/);
  t.regex(await refused('a'.repeat(10_000)), /200/);
  t.regex(await refused('a b c d e f g h i j k'), /at most 10 words, not 11/);
  t.is((await client.get('/api/metadata/search')).status, 400);
  for (const q of [
    'depth & | ! :*',
    "depth' or 1=1 --",
    '"depth"',
    "de'pth:*A",
    'depth\\',
    '!depth',
    '(depth',
    'depth %',
  ])
    t.true(Array.isArray(await search(owner, q)), q);
  t.deepEqual(await names(owner, 'depth & | ! :*'), ['Depth 2026']);
  t.deepEqual(await names(owner, '!depth'), ['Depth 2026']);
});
