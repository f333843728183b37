import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { releaseThumbnail } from '../../src/datasets/thumbnail.queries.ts';
import { decodePng } from '../formats/decode-png.ts';
import { newDataset, subproject } from '../world/content.ts';
import { carryScene, VERSION_4 } from '../world/move-copy.ts';
import { newSeries, newSeriesDataset } from '../world/series.ts';
import { ASCII_GRID, copyRequest, newProject, sharePath, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, type User, world } from '../world.ts';

const w = world(test);
const worker = sharedWorker(w);

const MESH = `100079 1000 3 PROJCS["UTM-32",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]
1 500000 5500000 -1 1
2 500100 5500000 -5 1
3 500000 5500100 -9 1
1 3 21
1 1 2 3
`;
const LAKE = JSON.stringify({
  type: 'Feature',
  properties: {},
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [9, 50],
        [9.1, 50],
        [9.1, 50.1],
        [9, 50],
      ],
    ],
  },
});
const LEVELS = 'time;Level\n2026-01-01T00:00:00Z;1\n2026-01-02T00:00:00Z;3\n2026-01-03T00:00:00Z;2\n';

interface Scene {
  owner: User;
  client: Client;
  projectId: string;
}

async function scene(): Promise<Scene> {
  await worker();
  const owner = await w.account({ role: 'Owner' });
  const client = w.as(owner);
  return { owner, client, projectId: await newProject(client) };
}

const url = (id: string) => `/api/metadata/dataset/${id}/thumbnail`;
const record = async (client: Client, id: string) => (await client.get(`/api/metadata/dataset/${id}`)).body;

/** Imports a file, and returns the transfer at its end. */
async function imported({ client, projectId }: Scene, content: string | Buffer, more: object) {
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, content), more));
  if (body.id === undefined) throw new Error(JSON.stringify(body));
  const ended = await untilEnd(client, body.id);
  return { ...ended, outputDatasetId: ended.importResults?.[0].datasetId as string };
}

/** Runs the job until nothing of the dataset is left to draw. */
async function drawDue(id: string) {
  const root = w.as(await w.administrator());
  for (let tries = 0; tries < 600; tries++) {
    const due = await w.sql('select from dataset_thumbnails where dataset_id = $1 and due_at is not null', [id]);
    if (due.length === 0) return;
    if (tries % 20 === 0) await root.post('/api/admin/cron/drawThumbnails/run');
    await sleep(100);
  }
  throw new Error('The thumbnail is not drawn.');
}

async function picture(t: ExecutionContext, client: Client, id: string, size = 512) {
  const { status, headers, raw, body } = await client.get(`${url(id)}?size=${size}`);
  t.is(status, 200, JSON.stringify(body));
  t.like(headers, { 'content-type': 'image/png', 'cache-control': 'private, max-age=0, must-revalidate' });
  t.regex(String(headers.etag), /^"[^"]+"$/);
  return decodePng(raw);
}

const KINDS = {
  grid: { content: ASCII_GRID, readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' },
  mesh: { content: MESH, readerName: 'MeshFileReader', writerName: 'DfsuWriter' },
  features: { content: LAKE, readerName: 'GeoJsonReader', writerName: 'GISWriter' },
  array: { content: ASCII_GRID, readerName: 'AsciiGridReader', writerName: 'MDWriter' },
  tiles: {
    content: ASCII_GRID,
    readerName: 'AsciiGridReader',
    writerName: 'TilingWriter',
    schemes: [{ schemeId: 'map', schemeType: 'XYZ' }],
  },
  series: { content: LEVELS, readerName: 'CsvReader', writerName: 'Dfs0Writer' },
  rows: { content: LEVELS, readerName: 'CsvReader', writerName: 'TSWriter' },
} as const;
for (const [kind, { content, ...names }] of Object.entries(KINDS))
  test(`an import of ${kind} ends with a picture, of which smaller ones are made`, async (t) => {
    const at = await scene();
    const srid = names.readerName === 'AsciiGridReader' ? [{ name: 'SRID', value: 25832 }] : [];
    const {
      status,
      outputDatasetId: id,
      errorMessage,
    } = await imported(at, content, {
      ...names,
      readerParameters: srid,
      writerParameters: 'schemes' in names ? [{ name: 'TilingSchemes', value: names.schemes }] : [],
    });
    t.is(status, 'Completed', errorMessage);
    t.true((await record(at.client, id)).hasThumbnail);
    for (const size of [512, 300, 128, 64]) {
      const { width, height, rgba } = await picture(t, at.client, id, size);
      const side = Math.max(width, height);
      t.true(side <= size && side > 0.9 * (size === 300 ? 256 : size), `${side} for ${size}`);
      t.true(rgba.some((_, n) => n % 4 === 3 && rgba[n]! > 0));
    }
    const { body } = await at.client.get(`/api/metadata/project/${at.projectId}/dataset/list`);
    t.deepEqual(
      body.data.map(({ hasThumbnail }: { hasThumbnail: boolean }) => hasThumbnail),
      [true],
    );
  });

test('cells without data are transparent', async (t) => {
  const at = await scene();
  const { outputDatasetId } = await imported(at, ASCII_GRID, KINDS.grid);
  const { width, height, rgba } = await picture(t, at.client, outputDatasetId);
  const alphaAt = (x: number, y: number) => rgba[4 * (Math.floor(y * height) * width + Math.floor(x * width)) + 3];
  t.is(alphaAt(0.875, 0.5), 0);
  t.is(alphaAt(0.6, 0.5), 255);
});

test('a client that has the picture gets 304, and sizes beyond 64 to 512 are 400', async (t) => {
  const at = await scene();
  const { outputDatasetId: id } = await imported(at, ASCII_GRID, KINDS.grid);
  const { etag } = (await at.client.get(url(id))).headers;
  t.is((await at.client.get(url(id), { 'if-none-match': String(etag) })).status, 304);
  for (const size of ['63', '513', 'large', ''])
    t.is((await at.client.get(`${url(id)}?size=${size}`)).status, 400, size);
});

test('a copied file whose content a reader knows is drawn by the job, another has none', async (t) => {
  const at = await scene();
  const grid = await imported(at, ASCII_GRID, { originalFileName: 'a.asc' });
  const text = await imported(at, 'no data at all', {});
  await drawDue(grid.outputDatasetId);
  await drawDue(text.outputDatasetId);
  await picture(t, at.client, grid.outputDatasetId);
  const none = await at.client.get(url(text.outputDatasetId));
  t.deepEqual([none.status, none.body.code], [404, 'NoThumbnail']);
  t.false((await record(at.client, text.outputDatasetId)).hasThumbnail);
});

test('a picture that cannot be drawn does not fail the import', async (t) => {
  const at = await scene();
  const broken = Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), Buffer.alloc(1_100_000, 255)]);
  const { status, outputDatasetId: id, id: transfer } = await imported(at, broken, { originalFileName: 'a.tif' });
  t.is(status, 'Completed');
  const log = (await at.client.get(`/api/conversion/transfer/${transfer}/log`)).body;
  t.regex(JSON.stringify(log), /warning.*The thumbnail could not be drawn\. /);
  await drawDue(id);
  t.is((await at.client.get(url(id))).body.code, 'NoThumbnail');
});

test('a content whose drawing fails each time is tried ever more rarely, an outage does not count', async (t) => {
  const { owner, projectId } = await scene();
  const id = await newDataset(w, projectId, owner, { content: 'no file of any format' });
  await drawDue(id);
  const { blob } = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]!;
  const released = async (attempts: number, isOutage: boolean) => {
    await w.sql('update dataset_thumbnails set attempts = $2, due_at = null where dataset_id = $1', [id, attempts]);
    await w.db.transaction((tx) => releaseThumbnail(tx, { datasetId: id, blob }, isOutage));
    const [row] = await w.sql(
      `select round(extract(epoch from due_at - now()) / 60)::int as minutes, attempts from dataset_thumbnails
       where dataset_id = $1`,
      [id],
    );
    return row;
  };
  t.deepEqual(await released(1, false), { minutes: 10, attempts: 1 });
  t.deepEqual(await released(3, false), { minutes: 40, attempts: 3 });
  t.deepEqual(await released(60, false), { minutes: 1280, attempts: 60 });
  t.deepEqual(await released(3, true), { minutes: 10, attempts: 2 });
});

test('two imports of one content at once both have their picture', async (t) => {
  const at = await scene();
  const both = await Promise.all([imported(at, ASCII_GRID, KINDS.grid), imported(at, ASCII_GRID, KINDS.grid)]);
  const [one, other] = await Promise.all(both.map(({ outputDatasetId: id }) => at.client.get(url(id))));
  t.is(one!.status, 200);
  t.deepEqual(one!.raw, other!.raw);
});

test('an update gives the dataset another picture', async (t) => {
  const at = await scene();
  const { outputDatasetId: id } = await imported(at, ASCII_GRID, KINDS.grid);
  const before = await at.client.get(url(id));
  const uploadUrl = await upload(w, at.client, ASCII_GRID.replace('1.5 2 3 4', '-9999 -9999 -9999 4'));
  const { readerName, writerName } = KINDS.grid;
  const update = { originalFileName: 'a.asc', uploadUrl, readerName, writerName };
  const asked = await at.client.post(`/api/metadata/dataset/${id}/update`, update);
  t.truthy(asked.body.id, JSON.stringify(asked.body));
  t.is((await untilEnd(at.client, asked.body.id)).status, 'Completed');
  t.notDeepEqual((await at.client.get(url(id))).raw, before.raw);
});

test('a copy and a move keep the picture, a purge drops it, and a restored dataset has it again', async (t) => {
  const at = await scene();
  const { outputDatasetId: id } = await imported(at, ASCII_GRID, KINDS.grid);
  const beside = await newProject(at.client, 'Beside');
  const shown = await at.client.get(url(id));
  const project = (of: string) => `/api/metadata/project/${of}/thumbnail`;
  t.deepEqual((await at.client.get(project(at.projectId))).raw, shown.raw);
  const moved = await at.client.post(
    `/api/metadata/dataset/${id}/move`,
    { targetProjectId: beside },
    { 'api-version': '3' },
  );
  t.is(moved.status, 204, JSON.stringify(moved.body));
  t.deepEqual((await at.client.get(url(id))).raw, shown.raw);
  t.is((await at.client.get(project(at.projectId))).body.code, 'NoThumbnail');
  t.deepEqual((await at.client.get(project(beside))).raw, shown.raw);

  t.is((await at.client.delete(`/api/metadata/dataset/${id}`)).status, 204);
  t.is((await at.client.get(url(id))).status, 404);
  t.is((await at.client.get(project(beside))).body.code, 'NoThumbnail');
  t.is((await at.client.put(`/api/recycle-bin/dataset/${id}/restore`)).status, 204);
  t.deepEqual((await at.client.get(url(id))).raw, shown.raw);
  await at.client.delete(`/api/metadata/dataset/${id}`);
  await at.client.delete(`/api/recycle-bin/dataset/${id}`);
  t.deepEqual(await w.sql('select from dataset_thumbnails where dataset_id = $1', [id]), []);
});

test('a copy in another tenant has the picture at once', async (t) => {
  await worker();
  const { client, source, target, datasetId } = await carryScene(w);
  // or the worker draws over what is written here
  await drawDue(datasetId);
  await w.sql(
    'update dataset_thumbnails set png_512 = $2, png_256 = $2, png_128 = $2, png_64 = $2, due_at = null where dataset_id = $1',
    [datasetId, Buffer.from('a picture')],
  );
  const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
  const { body: started } = await client.post(`/api/metadata/dataset/${datasetId}/copy`, body, VERSION_4);
  const { importResults, status, errorMessage } = await untilEnd(client, started.id);
  const [{ datasetId: outputDatasetId }] = importResults;
  t.is(status, 'Completed', errorMessage);
  t.not(outputDatasetId, datasetId);
  t.is((await client.get(url(outputDatasetId))).raw.toString(), 'a picture');
  t.is(source.tenantId === target.tenantId, false);
});

test('series that a client has written are drawn by the job, and again when they have grown', async (t) => {
  const at = await scene();
  const { url: dataset, id } = await newSeriesDataset(at.client);
  const series = await newSeries(at.client, dataset, { id: 'ribe' });
  const write = (from: number) =>
    at.client.post(
      `${series}/upload/json`,
      [0, 1, 2].map((n) => [`2026-01-0${from + n}`, n * from]),
    );
  const written = await write(1);
  t.true(written.status < 300, JSON.stringify(written.body));
  await drawDue(id);
  const before = await at.client.get(url(id));
  t.is(before.status, 200, JSON.stringify(before.body));
  await write(4);
  t.deepEqual((await at.client.get(url(id))).raw, before.raw);
  const [row] = await w.sql<{ soon: boolean }>(
    "select due_at between now() and now() + interval '10 minutes' as soon from dataset_thumbnails where dataset_id = $1",
    [id],
  );
  t.true(row!.soon);
  await w.sql('update dataset_thumbnails set due_at = now() where dataset_id = $1', [id]);
  await drawDue(id);
  t.notDeepEqual((await at.client.get(url(id))).raw, before.raw);
});

test('a project shows its own picture, else that of its newest dataset that denies nothing to anybody', async (t) => {
  const { owner, client, projectId } = await scene();
  const own = async () => (await client.get(`/api/metadata/project/${projectId}`)).body.hasThumbnail;
  const shown = async () => (await client.get(`/api/metadata/project/${projectId}/thumbnail`)).raw.toString();
  t.false(await own());
  const paint = async (name: string) => {
    const id = await newDataset(w, projectId, owner, { name });
    await w.sql(
      'update dataset_thumbnails set png_512 = $2, png_256 = $2, png_128 = $2, png_64 = $2, due_at = null where dataset_id = $1',
      [id, Buffer.from(name)],
    );
    return id;
  };
  const older = await paint('older');
  const newer = await paint('newer');
  t.true(await own());
  t.is(await shown(), 'newer');
  const before = await record(client, newer);
  const permissions = [{ principals: ['Nobody'], operation: 'read', type: 'Denied' }];
  t.is((await client.put(`/api/metadata/project/${projectId}/dataset`, { ...before, permissions })).status, 200);
  t.is(await shown(), 'older');
  await client.delete(`/api/metadata/dataset/${older}`);
  t.false(await own());
  t.is((await client.put(`/api/recycle-bin/dataset/${older}/restore`)).status, 204);
  t.is(await shown(), 'older');
  await subproject(client, projectId, { name: 'below' });
  const set = Buffer.from('\x89PNG\r\n\x1a\nown', 'latin1');
  await client.put(`/api/metadata/project/${projectId}/thumbnail`, { thumbnailBase64: set.toString('base64') });
  t.deepEqual((await client.get(`/api/metadata/project/${projectId}/thumbnail`)).raw, set);
});

test('an open link shows the picture, an ended one does not', async (t) => {
  const at = await scene();
  const { outputDatasetId: id } = await imported(at, ASCII_GRID, KINDS.grid);
  const { body: share } = await at.client.post(`/api/metadata/dataset/${id}/share`, {});
  const path = `${sharePath(share.url)}/thumbnail`;
  const shown = await w.nobody.get(`${path}?size=128`);
  t.is(shown.status, 200);
  t.like(shown.headers, { 'content-type': 'image/png', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
  t.deepEqual(shown.raw, (await at.client.get(`${url(id)}?size=128`)).raw);
  await at.client.delete(`/api/metadata/share/${share.id}`);
  t.is((await w.nobody.get(path)).body.code, 'ShareNotFound');
});
