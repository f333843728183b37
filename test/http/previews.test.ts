import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Config } from '../../src/config.ts';
import { decodePng } from '../formats/decode-png.ts';
import { newDataset } from '../world/content.ts';
import { decodeTile } from '../world/decode-mvt.ts';
import { GRID_TILE, gridFile, gridText, newGrid, WELLS } from '../world/previews.ts';
import { newTiles } from '../world/tiles.ts';
import { local, newProject, sharePath } from '../world/transfers.ts';
import { type User, world } from '../world.ts';
import { bearerOf, tileServer } from './tile-server.ts';

/** Previews of datasets: who sees them, descriptions, tiles. */
const w = world(test);

async function scene(t: ExecutionContext, settings: Partial<Config> = {}) {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const [reader, member] = [await w.account({ tenantId }), await w.account({ tenantId })];
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const projectId = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const { get, close } = await tileServer(t, w, settings);
  const as = async (user: User) => {
    const bearer = await bearerOf(w, user);
    return (url: string, headers: Record<string, string> = {}) => get(url, { ...bearer, ...headers });
  };
  return { tenantId, owner, reader, member, stranger, projectId, get, close, as };
}

const path = (id: string) => `/api/preview/dataset/${id}`;

test('a preview is described, drawn and sent with a strong ETag', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  const { status, body, headers } = await get(path(id));
  t.is(status, 200, JSON.stringify(body));
  t.like(body, {
    state: 'ready',
    kind: 'grid',
    items: [{ id: '0', name: 'Band 1', min: 1, max: 68 }],
    steps: { count: 1, best: 0 },
    layers: { count: 1 },
    srid: 'EPSG:25832',
    cells: 1200,
  });
  t.is(headers['cache-control'], 'private, max-age=0, must-revalidate');
  const [west, south, east, north] = body.bbox;
  t.true(west > 8.99 && west < 9 + 1e-6 && east > 9.05 && east < 9.07 && south > 54.1 && north < 54.2, `${body.bbox}`);
  t.is((await get(path(id), { 'if-none-match': String(headers.etag) })).status, 304);

  const tile = await get(`${path(id)}/${GRID_TILE}.png`);
  t.is(tile.status, 200);
  t.is(tile.headers['content-type'], 'image/png');
  t.is(tile.headers['cache-control'], 'private, max-age=0, must-revalidate');
  t.regex(String(tile.headers.etag), /^"[^"]+"$/);
  t.is((await get(`${path(id)}/${GRID_TILE}.png`, { 'if-none-match': String(tile.headers.etag) })).status, 304);
  t.deepEqual([(await decodePng(tile.raw)).width, (await decodePng(tile.raw)).height], [256, 256]);
  const large = await get(`${path(id)}/${GRID_TILE}@2x.png`);
  t.is((await decodePng(large.raw)).width, 512);
  t.is((await get(`${path(id)}/${GRID_TILE}.webp`)).headers['content-type'], 'image/webp');
  const values = await get(`${path(id)}/${GRID_TILE}.values`);
  t.is(values.raw.length, 256 * 256 * 4);
  const pixels = new Float32Array(
    values.raw.buffer.slice(values.raw.byteOffset, values.raw.byteOffset + values.raw.length),
  );
  const known = pixels.filter((value) => !Number.isNaN(value));
  t.true(known.length > 100 && known.every((value) => value >= 1 && value <= 68));
});

test('a format that stores no coordinate system has that of the record', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const get = await as(owner);
  const file = { datasetFormat: 'asciigrid', content: gridText() };
  const plain = await get(path(await newDataset(w, projectId, owner, file)));
  t.deepEqual(plain.body.tiles, {});
  t.regex(plain.body.reason, /no coordinate system/);
  const id = await newDataset(w, projectId, owner, { ...file, spatialInformation: { srid: 25832 } });
  t.is((await get(path(id))).body.srid, 'EPSG:25832');
  t.is((await get(`${path(id)}/${GRID_TILE}.png`)).status, 200);
});

test('wrong items, colours and ranges are 400, too deep levels 404, places without data 204', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  const { deepest } = (await get(path(id))).body;
  const statusOf = async (end: string) => (await get(`${path(id)}/${end}`)).status;
  for (const query of [
    'item=7',
    'item=nothing',
    'colors=red,blue',
    'colors=%23000000',
    'min=5&max=5',
    'min=x',
    'max=0',
    'log=true&min=0',
    'log=perhaps',
    'steps=1',
    'steps=300',
    'step=1',
    'step=-1',
    'layer=1',
  ])
    t.is(await statusOf(`${GRID_TILE}.png?${query}`), 400, query);
  for (const query of ['item=Band%201', 'colors=000000,ffffff80', 'min=1&max=10&log=true', 'steps=5', 'step=0&layer=0'])
    t.is(await statusOf(`${GRID_TILE}.png?${query}`), 200, query);
  t.is(await statusOf('0/0/0.jpg'), 400);
  t.is(await statusOf('0/x/0.png'), 400);
  t.is(await statusOf(`${deepest + 1}/0/0.png`), 404);
  t.is(await statusOf('3/9/0.png'), 404);
  t.is(await statusOf('12/0/0.png'), 204);
});

test('those who may read a dataset see its preview, others get 404', async (t) => {
  const { owner, reader, member, stranger, projectId, get, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const ways = ['', `/${GRID_TILE}.png`, `/${GRID_TILE}.values`];
  for (const [user, expected] of [
    [owner, 200],
    [reader, 200],
    [member, 404],
    [stranger, 404],
  ] as const) {
    const ask = await as(user);
    for (const end of ways) t.is((await ask(path(id) + end)).status, expected, end);
  }
  for (const end of ways) t.is((await get(path(id) + end)).status, 401);
  const { body } = await w
    .as(owner)
    .get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true`);
  const link = body.data as string;
  const { body: described } = await get(`${path(id)}?${link}`);
  t.is(described.state, 'ready', JSON.stringify(described));
  const address = described.tiles.raster.replace('{z}/{x}/{y}', GRID_TILE);
  t.is((await get(local(address))).status, 200);
  const other = await newGrid(w, projectId, owner);
  t.is((await get(`${path(other)}?${link}`)).status, 403);
  await w.as(owner).delete(`/api/metadata/dataset/${id}`);
  t.is((await (await as(owner))(path(id))).status, 404);
});

test('the holder of a link sees the preview, and nothing that names the dataset', async (t) => {
  const { owner, projectId, get } = await scene(t);
  const { get: elsewhere } = await tileServer(t, w);
  const id = await newGrid(w, projectId, owner, 'Valley');
  const made = await w.as(owner).post(`/api/metadata/dataset/${id}/share`, {});
  const link = sharePath(made.body.url);
  const { body: shared } = await get(link);
  const preview = local(shared.preview);
  t.is(preview, `${link}/preview`);
  const described = await get(preview);
  t.is(described.status, 200);
  t.like(described.body, { state: 'ready', kind: 'grid', items: [{ id: '0' }] });
  t.false(described.raw.toString().includes(id));
  t.false(described.raw.toString().includes(projectId));
  const tile = `${preview}/${GRID_TILE}.png`;
  t.is((await get(tile)).status, 200);
  t.is((await elsewhere(tile)).status, 200);
  t.is((await get(tile)).headers['cache-control'], 'private, max-age=0, must-revalidate');
  t.is((await get(`${preview}/${GRID_TILE}.png?item=9`)).status, 400);
  await w.as(owner).delete(`/api/metadata/share/${made.body.id}`);
  const unknown = await get('/api/share/AAAAAAAAAAAAAAAAAAAAAA/preview');
  for (const ask of [get, elsewhere])
    for (const address of [preview, tile]) {
      const { status, body } = await ask(address);
      t.is(status, 404);
      t.deepEqual({ ...body, instance: '', traceId: '' }, { ...unknown.body, instance: '', traceId: '' });
    }
});

test('the holder of a link to damaged or lost tiles learns no id', async (t) => {
  const { owner, projectId, get } = await scene(t);
  const blobOf = async (id: string) =>
    (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!.blob;
  for (const [end, status] of [
    ['damaged', 200],
    ['lost', 500],
  ] as const) {
    const id = await newTiles(w, projectId, owner);
    const made = await w.as(owner).post(`/api/metadata/dataset/${id}/share`, { downloads: 'Original' });
    const { body: shared } = await get(sharePath(made.body.url));
    await w.blobs.remove(await blobOf(id));
    if (end === 'damaged') await w.blobs.put(await blobOf(id), [Buffer.from('no tiles')] as never, 100);
    const told = await get(local(shared.preview));
    t.is(told.status, status, JSON.stringify(told.body));
    if (end === 'damaged') t.is(told.body.state, 'failed');
    else t.is(told.body.detail, 'The content is missing: the blob store does not have its bytes.');
    t.false((await get(`${sharePath(made.body.url)}/download`)).raw.toString().includes(id));
    t.false(told.raw.toString().includes(id));
    t.false((await get(`${local(shared.preview)}/0/0/0.png`)).raw.toString().includes(id));
  }
});

test('a kept scheme is what tiles begin with, in all processes', async (t) => {
  const { owner, reader, projectId, as } = await scene(t);
  const { get: elsewhere } = await tileServer(t, w);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  const before = await get(`${path(id)}/${GRID_TILE}.png`);
  const scheme = { item: 'Band 1', colors: ['#FF0000', '#FF0000'], min: 0, max: 100 };
  t.is((await w.as(reader).put(`${path(id)}/scheme`, scheme)).status, 403);
  t.is((await w.as(owner).put(`${path(id)}/scheme`, { ...scheme, item: 'none' })).status, 400);
  t.is((await w.as(owner).put(`${path(id)}/scheme`, { ...scheme, min: 100 })).status, 400);
  const { status, body } = await w.as(owner).put(`${path(id)}/scheme`, scheme);
  t.is(status, 200);
  t.deepEqual(body, { item: '0', colors: ['#FF0000', '#FF0000'], min: 0, max: 100, log: false });
  for (const ask of [get, (url: string) => bearerOf(w, owner).then((bearer) => elsewhere(url, bearer))]) {
    t.deepEqual((await ask(path(id))).body.scheme, body);
    const after = await ask(`${path(id)}/${GRID_TILE}.png`);
    t.not(after.headers.etag, before.headers.etag);
    t.notDeepEqual(after.raw, before.raw);
  }
});

test('a content without anything to draw has no preview, a broken one keeps the sentence of its reader', async (t) => {
  const { owner, reader, projectId, as } = await scene(t);
  const get = await as(owner);
  const text = await newDataset(w, projectId, owner, { datasetFormat: 'file', content: 'a letter' });
  const { body: none } = await get(path(text));
  t.is(none.state, 'none');
  t.is((await get(`${path(text)}/0/0/0.png`)).status, 404);

  const broken = await newDataset(w, projectId, owner, { content: (await gridFile(1)).subarray(0, 300) });
  const { status, body } = await get(path(broken));
  t.is(status, 200);
  t.is(body.state, 'failed');
  t.truthy(body.reason);
  const tile = await get(`${path(broken)}/0/0/0.png`);
  t.is(tile.status, 422);
  t.is(tile.body.code, 'PreviewFailed');
  t.is(tile.body.detail, body.reason);
  t.deepEqual(
    await w.sql('select state, reason from previews where blob = (select blob from datasets where id = $1)', [broken]),
    [{ state: 'failed', reason: body.reason }],
  );
  t.is((await w.as(reader).post(`${path(broken)}/retry`, {})).status, 403);
  t.is((await w.as(owner).post(`${path(broken)}/retry`, {})).status, 202);
  t.is((await get(path(broken))).body.state, 'failed');
  // the file is mended, and the dataset gets other content
  const blob = `dataset/${randomUUID()}`;
  const content = await gridFile(2);
  await w.blobs.put(blob, [content] as never, content.length);
  await w.sql('update datasets set blob = $2, row_version = row_version + 1 where id = $1', [broken, blob]);
  t.is((await get(path(broken))).body.state, 'ready');
  t.is((await w.as(owner).post(`${path(broken)}/retry`, {})).status, 409);
});

test('isolines and cells of a grid are layers of its vector tiles', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  const layers = async (query: string) => {
    const { status, raw } = await get(`${path(id)}/${GRID_TILE}.vector.pbf${query}`);
    t.is(status, 200, query);
    return decodeTile(raw);
  };
  const [isolines] = await layers('?layers=isolines&levels=20,40');
  t.is(isolines!.name, 'isolines');
  t.deepEqual([...new Set(isolines!.features.map(({ attributes }) => attributes.level))].sort(), [20, 40]);
  t.true((await layers('')).some(({ name }) => name === 'isolines'));
  t.is((await get(`${path(id)}/${GRID_TILE}.vector.pbf?layers=contours`)).status, 400);
  t.is((await get(`${path(id)}/${GRID_TILE}.vector.pbf?levels=high`)).status, 400);
  t.is((await get(`${path(id)}/${GRID_TILE}.vector.pbf?layers=arrows`)).status, 400);
});

test('tiles of features and of a tiles dataset', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const get = await as(owner);
  const wells = await newDataset(w, projectId, owner, { datasetFormat: 'geojson', content: WELLS });
  const { body } = await get(path(wells));
  t.like(body, { state: 'ready', kind: 'features', cells: 50 });
  t.is((await get(`${path(wells)}/0/0/0.png`)).status, 404);
  const drawn = await get(`${path(wells)}/0/0/0.vector.pbf`);
  t.is(drawn.status, 200);
  t.deepEqual(
    decodeTile(drawn.raw).map(({ name }) => name),
    ['features'],
  );

  const tiles = await newTiles(w, projectId, owner);
  const { body: described } = await get(path(tiles));
  t.like(described, { state: 'ready', kind: 'grid', steps: { count: 3, best: 0 } });
  t.truthy(described.tiles.raster);
  t.truthy(described.tiles.values);
  const { body: metadata } = await get(`/api/tiles/dataset/${tiles}/scheme/raw/availability`);
  const { tileMatrix, minTileRow, minTileCol } = metadata.tileMatrixSetLimits.at(-1);
  const address = `${tileMatrix}/${minTileCol}/${minTileRow}`;
  const values = await get(`${path(tiles)}/${address}.values?step=1`);
  const stored = await get(
    `/api/tiles/dataset/${tiles}/scheme/raw/${tileMatrix}/${minTileRow}/${minTileCol}?timeStep=1`,
  );
  t.is(values.status, 200);
  t.deepEqual(values.raw, stored.raw);

  // it holds no pictures of other formats and sizes
  t.regex(described.tiles.raster, /\.png$/);
  const [z, x, y] = address.split('/').map(Number) as [number, number, number];
  for (const end of ['.webp', '@2x.png', '@2x.values']) {
    const { status, body: told } = await get(`${path(tiles)}/${z}/${x}/${y}${end}`);
    t.is(status, 404, end);
    t.regex(told.detail ?? told.message, /the dataset holds \.png and \.values of 256 pixels/);
  }
});

test('numbers of a preview: values, profile, statistics, table, series', async (t) => {
  const { owner, projectId, get: nobody, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  const numbers = async (end: string) => {
    const { status, body } = await get(`${path(id)}/${end}`);
    t.is(status, 200, `${end}: ${JSON.stringify(body)}`);
    return body;
  };
  const { points } = await numbers('values?point=9.03,54.15&point=0,0');
  t.deepEqual(points[1], { point: [0, 0], inside: false, values: [[null]] });
  const [[found]] = points[0].values;
  const statistics = await numbers('statistics');
  t.like(statistics, { item: { id: '0', name: 'Band 1' }, count: 1199, empty: 1, min: 1, max: 68 });
  t.is(statistics.histogram.counts.length, 64);
  t.is(
    statistics.histogram.counts.reduce((sum: number, count: number) => sum + count),
    1199,
  );
  const profile = await numbers('profile?line=9.01,54.15;9.03,54.15&n=5');
  t.is(profile.values.length, 5);
  t.is(profile.values[4], found);
  const first = await numbers('table?limit=700');
  t.is(first.count, 1200);
  const second = await numbers(`table?limit=700&cursor=${first.next}`);
  t.is(second.rows.length, 500);
  t.is(second.next, undefined);
  const csv = await get(`${path(id)}/table?limit=2&format=csv`);
  t.is(csv.headers['content-type'], 'text/csv; charset=utf-8');
  t.is(csv.raw.toString().trim().split('\n').length, 3);
  for (const wrong of [
    'values',
    'values?point=9',
    'values?point=9,x',
    'values?point=9,54&item=9',
    'profile?line=9,54',
    'profile?line=9,54;9,55&n=1',
    'statistics?item=none',
    'statistics?step=4',
    'table?cursor=wrong',
    'table?limit=0',
    'table?format=xml',
  ])
    t.is((await get(`${path(id)}/${wrong}`)).status, 400, wrong);
  t.is((await get(`${path(id)}/series`)).status, 422);
  const { body: made } = await w.as(owner).post(`/api/metadata/dataset/${id}/share`, {});
  const shared = await nobody(`${sharePath(made.url)}/preview/statistics`);
  t.deepEqual(shared.body, statistics);

  const csvText = 'time,level\n2026-01-01T00:00:00Z,1\n2026-01-01T01:00:00Z,\n2026-01-01T02:00:00Z,3\n';
  const gauge = await newDataset(w, projectId, owner, { name: 'gauge.csv', datasetFormat: 'csv', content: csvText });
  const { body: described } = await get(path(gauge));
  t.like(described, { state: 'ready', kind: 'series' }, JSON.stringify(described));
  const { body: series } = await get(`${path(gauge)}/series`);
  t.deepEqual(series.items[0].values, [1, null, 3]);
});

test('a client that varies colours does not fill the store of tiles', async (t) => {
  const { owner, projectId, as } = await scene(t);
  const id = await newGrid(w, projectId, owner);
  const get = await as(owner);
  for (let n = 1; n <= 20; n++)
    t.is((await get(`${path(id)}/${GRID_TILE}.png?max=${100 + n}&colors=000000,0000${10 + n}`)).status, 200);
  const [{ count }] = (await w.sql<{ count: string }>('select count(*) from drawn_tiles where dataset_id = $1', [
    id,
  ])) as [{ count: string }];
  t.is(Number(count), 0);
});
