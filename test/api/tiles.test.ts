import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { transformer } from '../../src/files/geo/crs/transform.ts';
import { decodePng, pixelAlpha } from '../formats/decode-png.ts';
import { newTiles, newTilesChanged, newTilesWith, steppedGrid, steppedSchemes, tileBytes } from '../world/tiles.ts';
import { type Answer, type Client, ownWorld, type User } from '../world.ts';

const w = ownWorld(test, { 'cache.lifetimes': 'tiles=90s' });

interface Made {
  owner: User;
  client: Client;
  projectId: string;
  id: string;
  url: string;
}
let made: Promise<Made> | undefined;
const theTiles = () => {
  made ??= make();
  return made;
};

async function make(): Promise<Made> {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const client = w.as(owner);
  const projectId = (await client.post('/api/metadata/project', { name: 'Sea' })).body.id;
  const id = await newTiles(w, projectId, owner);
  return { owner, client, projectId, id, url: `/api/tiles/dataset/${id}` };
}

test('the metadata describe schemes, extents and time steps, with an ETag', async (t) => {
  const { client, url } = await theTiles();
  const { status, body, headers } = await client.get(`${url}/metadata`);
  t.is(status, 200);
  t.is(body.nativeExtent, 'POLYGON ((500000 5999400, 501000 5999400, 501000 6000000, 500000 6000000, 500000 5999400))');
  t.regex(body.wgS84Extent, /^POLYGON \(\(9 54\.1/);
  t.deepEqual(body.timeStamps, ['2024-05-02T10:00:00', '2024-05-02T16:00:00', '2024-05-02T22:00:00']);
  t.deepEqual(body.layerIds, []);
  t.like(body.tilingSchemes[0], {
    schemeId: 'depth',
    schemeType: 'WMTS',
    itemName: 'Band 1',
    outputType: 'PNG',
    zoomLevels: [0, 1],
    resolutions: [20, 10],
    matrixWidths: [1, 2],
    srid: 25832,
    sridAuthName: 'EPSG',
    hasLayers: false,
  });
  t.is(headers['cache-control'], 'must-revalidate, max-age=90');
  // caches on the way may keep it, for each caller apart
  for (const name of ['Authorization', 'svc-open-api-key', 'svc-tenant-id'])
    t.true(String(headers.vary).split(', ').includes(name), String(headers.vary));
  const again = await client.get(`${url}/metadata`, { 'if-none-match': String(headers.etag) });
  t.deepEqual([again.status, again.raw.length, again.headers.etag], [304, 0, headers.etag]);
});

test('a tile has the values of its step, and a strong ETag for each encoding', async (t) => {
  const { client, url } = await theTiles();
  const plain = await client.get(`${url}/scheme/depth/1/0/0`);
  t.deepEqual([plain.status, plain.headers['content-type']], [200, 'image/png']);
  t.is(plain.headers['cache-control'], 'private, max-age=0, must-revalidate');
  const picture = decodePng(plain.raw);
  t.is(pixelAlpha(picture, 0, 0), '0,0,0,0');
  t.is(pixelAlpha(picture, 50, 0).split(',')[3], '255');
  // 50 of 0 to 100, and 0.05.
  t.true(Math.abs(Number(pixelAlpha(picture, 50, 0).split(',')[0]) - 128) <= 1);
  t.is((await client.get(`${url}/scheme/depth/1/0/0`, { 'if-none-match': String(plain.headers.etag) })).status, 304);

  const raw = await client.get(`${url}/scheme/raw/13/${await rowAndColumn(client, url)}?timeStep=2`);
  t.is(raw.headers['content-type'], 'application/octet-stream');
  t.is(raw.headers['content-encoding'], undefined);
  t.is(raw.raw.length, 4 * 256 * 256);
  const values = [...new Float32Array(raw.raw.buffer.slice(raw.raw.byteOffset, raw.raw.byteOffset + raw.raw.length))];
  const known = values.filter((value) => !Number.isNaN(value));
  t.true(known.length > 0 && known.every((value) => value > 2000 && value < 2107));
  const zipped = await client.get(`${url}/scheme/raw/13/${await rowAndColumn(client, url)}?timeStep=2`, {
    'accept-encoding': 'gzip',
  });
  t.is(zipped.headers['content-encoding'], 'gzip');
  t.deepEqual(gunzipSync(zipped.raw), raw.raw);
  t.not(zipped.headers.etag, raw.headers.etag);
});

/** The tile of level 13 that has data. */
async function rowAndColumn(client: Client, url: string): Promise<string> {
  const { body } = await client.get(`${url}/scheme/raw/availability?timeStep=2`);
  const limits = body.tileMatrixSetLimits.filter(({ tileMatrix }: { tileMatrix: string }) => tileMatrix === '13');
  return `${limits[0].minTileRow}/${limits[0].minTileCol}`;
}

test('the empty tile replaces all tiles without data, and availability lists the tiles with data', async (t) => {
  const { client, url } = await theTiles();
  const empty = await client.get(`${url}/scheme/raw/emptyTile`);
  t.true([...new Float32Array(empty.raw.buffer.slice(empty.raw.byteOffset))].every(Number.isNaN));
  t.deepEqual((await client.get(`${url}/scheme/raw/empty-tile`)).raw, empty.raw);
  const nothing = await client.get(`${url}/scheme/raw/13/0/0`);
  t.deepEqual([nothing.status, nothing.headers.etag], [200, empty.headers.etag]);
  t.true(decodePng((await client.get(`${url}/scheme/depth/emptyTile`)).raw).rgba.every((value) => value === 0));
  const { body } = await client.get(`${url}/scheme/map/availability`);
  t.deepEqual(body, {
    schemeId: 'map',
    tileMatrixSetLimits: [0, 1, 2].map((level) => {
      const [row, column] = [Math.floor(0.32 * 2 ** level), Math.floor(0.525 * 2 ** level)];
      return { tileMatrix: String(level), minTileRow: row, maxTileRow: row, minTileCol: column, maxTileCol: column };
    }),
  });
});

test('an invalid tile address is 400 if it is not numeric, and 404 outside of the matrix', async (t) => {
  const { client, url } = await theTiles();
  const answer = async (path: string) => {
    const { status, body } = await client.get(`${url}/scheme/${path}`);
    return `${status} ${body.code}`;
  };
  t.is(await answer('depth/1/0/2'), '404 TileOutOfRange');
  t.is(await answer('depth/1/-1/0'), '404 TileOutOfRange');
  t.is(await answer('depth/1/0/99999999999'), '404 TileOutOfRange');
  t.is(await answer('depth/2/0/0'), '404 TileOutOfRange');
  t.is(await answer('depth/a/0/0'), '400 InvalidParameterValue');
  t.is(await answer('depth/1/0/0.png'), '400 InvalidParameterValue');
  t.is(await answer('depth/1/00/0'), '400 InvalidParameterValue');
  t.is(await answer('other/1/0/0'), '404 InvalidParameterValue');
  t.is(await answer('depth/1/0/0?timeStep=3'), '404 TileOutOfRange');
  t.is(await answer('depth/1/0/0?timeStep=9999999999'), '404 TileOutOfRange');
  t.is(await answer('depth/1/0/0?timeStep=x'), '400 InvalidParameterValue');
  t.is(await answer('depth/1/0/0?layer=1'), '404 TileOutOfRange');
  t.is(await answer('depth/1/0/0?timeStep=2024-05-03'), '404 TileOutOfRange');
  t.is(await answer('depth/1/0/0?timeStep=2024-05-02T11:00:00'), '400 InvalidParameterValue');
  const etags = await Promise.all(
    ['1', '2024/05/02T16:00:00.00Z', '2024-05-02T160000', '0', '']
      .map((step) => client.get(`${url}/scheme/raw/0/0/0?timeStep=${step}&layer=0`))
      .map(async (one) => (await one).headers.etag),
  );
  t.deepEqual([new Set(etags.slice(0, 3)).size, new Set(etags.slice(3)).size, new Set(etags).size], [1, 1, 2]);
});

test('datasets of other types and deleted datasets have no raster tiles', async (t) => {
  const { client, owner, projectId } = await theTiles();
  const id = await newTiles(w, projectId, owner);
  await client.delete(`/api/metadata/dataset/${id}`);
  t.is((await client.get(`/api/tiles/dataset/${id}/metadata`)).status, 404);
  const { newDataset } = await import('../world/content.ts');
  const other = await newDataset(w, projectId, owner);
  t.is((await client.get(`/api/tiles/dataset/${other}/metadata`)).status, 404);
});

test('the legend is a picture, or its colours and values', async (t) => {
  const { client, url } = await theTiles();
  const { body } = await client.get(`${url}/scheme/depth/legend`, { accept: 'application/json' });
  t.deepEqual(body, { title: 'Band 1', minValue: 0, maxValue: 100, colors: ['#000000', '#ffffff'] });
  const { raw, headers } = await client.get(`${url}/scheme/depth/legend`);
  t.is(headers['content-type'], 'image/png');
  t.is(decodePng(raw).width, 170);
});

test('TileJSON describes an XYZ scheme', async (t) => {
  const { client, url } = await theTiles();
  const { body } = await client.get(`${url}/scheme/map/tilejson.json?timeStep=1`);
  t.like(body, { tilejson: '3.0.0', minzoom: 0, maxzoom: 2, scheme: 'xyz' });
  t.true(body.tiles[0].endsWith(`${url}/scheme/map/{z}/{y}/{x}?timeStep=1&layer=0`));
  t.is((await client.get(`${url}/scheme/depth/tilejson.json`)).status, 404);
});

test('capabilities are JSON, or XML on request; tiles can be requested by key-value pairs', async (t) => {
  const { client, url } = await theTiles();
  const { body } = await client.get(`${url}/wmts`);
  t.is(body.serviceIdentification.serviceType, 'OGC WMTS');
  const [depth, , map] = body.contents.layers;
  t.like(depth, { identifier: 'depth', formats: ['image/png'] });
  t.deepEqual(depth.dimensions[0].values.length, 3);
  t.true(depth.resourceUrls[0].template.endsWith('/{TileMatrix}/{TileRow}/{TileCol}?timeStep={Time}'));
  t.deepEqual(
    body.contents.tileMatrixSets.map(({ identifier, supportedCrs }: Record<string, string>) => [
      identifier,
      supportedCrs,
    ]),
    [
      ['depth', 'urn:ogc:def:crs:EPSG::25832'],
      ['WebMercatorQuad', 'urn:ogc:def:crs:EPSG::3857'],
      ['WebMercatorQuad-map', 'urn:ogc:def:crs:EPSG::3857'],
    ],
  );
  t.is(map.tileMatrixSetLinks[0].tileMatrixSetLimits.length, 3);
  const xml = await client.get(`${url}/wmts`, { accept: 'application/xml' });
  t.regex(String(xml.headers['content-type']), /^application\/xml/);
  for (const path of [
    '/wmts?format=application/xml',
    '/wmts?service=WMTS&request=GetCapabilities&AcceptFormats=text/xml',
    '/wmts/1.0.0/WMTSCapabilities.xml',
  ])
    t.is((await client.get(`${url}${path}`, { accept: '*/*' })).body, xml.body, path);
  const kvp =
    'SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=depth&STYLE=&FORMAT=image/png&TILEMATRIXSET=depth&TILEMATRIX=1&TILEROW=0&TILECOL=0';
  const tile = await client.get(`${url}/wmts?${kvp}&TIME=2024-05-02T10:00:00`);
  t.is(tile.headers.etag, (await client.get(`${url}/scheme/depth/1/0/0`)).headers.etag);
  const answer = async (query: string) => {
    const { status, body } = await client.get(`${url}/wmts?${query}`);
    return `${status} ${body.code}`;
  };
  t.is(await answer(kvp.replace('&LAYER=depth', '')), '400 MissingParameterValue');
  t.is(await answer(kvp.replace('1.0.0', '1.1.0')), '400 InvalidParameterValue');
  t.is(await answer(kvp.replace('image/png', 'image/jpeg')), '400 InvalidParameterValue');
  t.is(await answer(kvp.replace('TILEROW=0', 'TILEROW=9')), '404 TileOutOfRange');
  t.is(await answer(kvp.replace('TILEMATRIXSET=depth', 'TILEMATRIXSET=other')), '404 InvalidParameterValue');
  t.is(await answer('SERVICE=WMTS&REQUEST=GetFeatureInfo'), '400 OperationNotSupported');
  const report = await client.get(`${url}/wmts?${kvp.replace('TILEROW=0', 'TILEROW=9')}`, {
    accept: 'application/xml',
  });
  t.is(report.status, 404);
  t.regex(report.body, /<ows:Exception exceptionCode="TileOutOfRange"><ows:ExceptionText>Tile row 9/);
});

test('a signed link opens the tiles of its dataset and is carried by the addresses of the capabilities', async (t) => {
  const { client, owner, projectId, id, url } = await theTiles();
  const { body } = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`);
  const signature = body.data as string;
  const plain = await client.get(`${url}/scheme/depth/1/0/0`);
  const signed = await w.nobody.get(`${url}/scheme/depth/1/0/0?timeStep=0&${signature}`);
  t.deepEqual([signed.status, signed.headers.etag], [200, plain.headers.etag]);
  t.is((await w.nobody.get(`${url}/scheme/depth/1/0/0`, { 'svc-sas-token': signature })).status, 200);
  const { body: capabilities } = await w.nobody.get(`${url}/wmts?${signature}`);
  const template = new URL(capabilities.contents.layers[0].resourceUrls[0].template);
  const path = decodeURI(template.pathname)
    .replace('{TileMatrix}', '1')
    .replace('{TileRow}', '0')
    .replace('{TileCol}', '0');
  const filled = `${path}${template.search.replace('{Time}', '2024-05-02T10:00:00')}`;
  t.is((await w.nobody.get(filled)).headers.etag, plain.headers.etag);
  t.is(
    (
      await w.nobody.get(
        new URL(capabilities.serviceMetadataUrl).pathname + new URL(capabilities.serviceMetadataUrl).search,
      )
    ).status,
    200,
  );

  const whole = (await client.get(`/api/security/sastoken?projectId=${projectId}`)).body.data;
  const throughLink = await w.nobody.get(`${url}/metadata?${whole}`);
  t.is(throughLink.status, 200);
  t.is(throughLink.headers['cache-control'], 'private, no-cache');
  t.is((await w.nobody.get(`${url}/metadata?${signature.replace('sig=', 'sig=x')}`)).status, 403);
  const other = await newTiles(w, projectId, owner);
  t.is((await w.nobody.get(`/api/tiles/dataset/${other}/metadata?${signature}`)).status, 403);
  t.is((await w.nobody.get(`${url}/metadata`)).status, 401);
  await client.post(`/api/metadata/dataset/${id}/revoke-grants`);
  t.is((await w.nobody.get(`${url}/metadata?${signature}`)).status, 403);
});

test('a corrupt stored tile is 422: too long, a decompression bomb, or damaged', async (t) => {
  const { client, owner, projectId } = await theTiles();
  const schemes = [{ schemeId: 'raw', schemeType: 'XYZ', outputType: 'RawData', zoomLevels: [0] }];
  const answer = async (tile: Uint8Array) => {
    const id = await newTilesWith(w, { projectId, user: owner, name: 'raw' }, tile, schemes);
    const { status, body } = await client.get(`/api/tiles/dataset/${id}/scheme/raw/0/0/0`);
    return `${status} ${body.detail}`;
  };
  t.regex(
    await answer(gzipSync(Buffer.alloc((64 << 20) + 1))),
    /^422 What is stored here has more than 67108864 bytes/,
  );
  t.regex(await answer(Buffer.from('no gzip')), /^422 What is stored here is damaged/);
  t.regex(
    await answer(Buffer.alloc(18 << 20)),
    /^422 Dataset '.+': A tile of the archive has 18874368 bytes; it may have/,
  );
  const id = await newTilesWith(
    w,
    { projectId, user: owner, name: 'raw@step0-layer0.limits' },
    Buffer.alloc(1),
    schemes,
  );
  const { status, body } = await client.get(`/api/tiles/dataset/${id}/scheme/raw/availability`);
  t.is(status, 422, JSON.stringify(body));
});

const ON_REQUEST = { schemeId: 'later', schemeType: 'XYZ', zoomLevels: [11, 13, 16], firstLevelOnRequest: 13 };
let onRequest: Promise<Buffer> | undefined;

type Json = Answer['body'];

type Change = (description: Json, scheme: Json) => void;

/** A dataset in whose description some members are others: `scheme.width` etc. */
async function datasetWith(change: Change, entry = 'tiles.json') {
  const { owner, projectId } = await theTiles();
  onRequest ??= tileBytes(steppedGrid(), [ON_REQUEST]);
  return newTilesChanged(w, { projectId, user: owner }, await onRequest, (name, bytes) => {
    if (name !== entry) return undefined;
    const content = JSON.parse(bytes.toString());
    change(content, content.tilingSchemes?.[0]);
    return Buffer.from(JSON.stringify(content));
  });
}

/** The answer to a request of such a dataset. */
async function answerWith(path: string, change: Change, entry?: string) {
  const { client } = await theTiles();
  const id = await datasetWith(change, entry);
  const { status, body } = await client.get(`/api/tiles/dataset/${id}${path}`);
  return `${status} ${String(body?.detail).replace(id, 'ID')}`;
}
const TILE = '/scheme/later/16/20997/34407';

test('sizes of a description that a user wrote are checked before a tile is drawn by them', async (t) => {
  const answers: string[] = [];
  for (const change of [
    (_, { drawnOf }) => (drawnOf.values.width = 1_000_000_000),
    (_, { drawnOf }) => (drawnOf.values.height = -1),
    (_, { drawnOf }) => (drawnOf.values.affine = [0, 0, 0, 0, 0, 0]),
    (_, { drawnOf }) => (drawnOf.values.planes = []),
    (_, { drawnOf }) => (drawnOf.base = 24),
    (_, scheme) => (scheme.tileWidth = 1e9),
    (_, scheme) => delete scheme.drawnOf,
    (description) => (description.timeStamps = Array(400_000).fill(0)),
    (description) => (description.layerIds = Array(10_000).fill(0)),
    (_, scheme) => (scheme.zoomLevels = Array(400_000).fill('x')),
    (description) => (description.source.time.count = 1e12),
    (description) => (description.source.cell = 0),
    (description) => (description.askedSchemes[0].zoomLevels = [5000]),
    (description) => delete description.geographicBox,
  ] as Change[])
    answers.push(await answerWith(TILE, change));
  const of = "422 Dataset 'ID': tiles.json of the tiles: ";
  t.deepEqual(answers, [
    `${of}tilingSchemes[0].drawnOf.values.width is 1000000000. Expected an integer from 1 to 10000000.`,
    `${of}tilingSchemes[0].drawnOf.values.height is -1. Expected an integer from 1 to 9007199254740991.`,
    `${of}tilingSchemes[0].drawnOf.values.affine is [0,0,0,0,0,0]. Expected cells with an area.`,
    `${of}tilingSchemes[0].drawnOf.values.planes is []. Expected a list of 1 to 4.`,
    `${of}tilingSchemes[0].levelsOnRequest is [13,16]. Expected levels from 20 on, as the base is 24.`,
    `${of}tilingSchemes[0].tileWidth is 1000000000. Expected an integer from 64 to 2048.`,
    `${of}tilingSchemes[0].drawnOf is missing. Expected how to draw the levels.`,
    `${of}timeStamps is [${'0,'.repeat(39)}0. Expected a list of 0 to 20000.`,
    `${of}1 schemes of 3 steps and 10000 layers are more than 20000 sets of tiles.`,
    `${of}tilingSchemes[0].zoomLevels is [${'"x",'.repeat(19)}"x". Expected a list of 1 to 25.`,
    `${of}source.time.count is 1000000000000. Expected 3 steps, as there are time stamps.`,
    `${of}source.cell is 0. Expected a number above 0.`,
    `${of}askedSchemes: [0].zoomLevels is [5000]. Expected a list of integers from 0 to 24.`,
    `${of}geographicBox is missing. Invalid input: expected tuple, received undefined.`,
  ]);
});

test('a coordinate system in the description that is not known is 422, in XML for WMTS', async (t) => {
  const { client } = await theTiles();
  const id = await datasetWith((_, { drawnOf }) => (drawnOf.values.crs = { authority: 'EPSG', code: 99_999 }));
  const sentence = `Dataset '${id}': The coordinate system EPSG:99999 is not known.`;
  const tile = await client.get(`/api/tiles/dataset/${id}${TILE}`);
  t.is(tile.status, 422);
  t.is(tile.body.detail, sentence);
  const { body: capabilities } = await client.get(`/api/tiles/dataset/${id}/wmts`);
  const [set] = capabilities.contents.tileMatrixSets;
  const kvp = `SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=later&STYLE=&FORMAT=image/png&TILEMATRIXSET=${set.identifier}`;
  const url = `/api/tiles/dataset/${id}/wmts?${kvp}&TILEMATRIX=16&TILEROW=20997&TILECOL=34407`;
  t.is((await client.get(url)).body.detail, sentence);
  const report = await client.get(url, { accept: 'application/xml' });
  t.is(report.status, 422);
  t.true(report.body.includes(`<ows:Exception exceptionCode="NoApplicableCode"><ows:ExceptionText>Dataset`));
  t.true(report.body.includes('The coordinate system EPSG:99999 is not known.'));
});

test('zoom levels and rectangles that a user wrote do not make a request endless', async (t) => {
  const of = "422 Dataset 'ID': ";
  t.is(
    await answerWith('/scheme/later/5000/0/0', (_, scheme) => (scheme.zoomLevels = [11, 13, 5000])),
    `${of}tiles.json of the tiles: tilingSchemes[0].zoomLevels[2] is 5000. Expected an integer from 0 to 24.`,
  );
  const limits = 'later@step0-layer0.limits.json';
  const path = '/scheme/later/availability';
  t.regex(
    await answerWith(path, ([one]) => (one.tileMatrix = '5000'), limits),
    /limits\.json of the tiles: \[0\] is \{"/,
  );
  t.regex(
    await answerWith(path, ([one]) => (one.maxTileRow = 1e15), limits),
    /which is no rectangle of a zoom level\.$/,
  );
});

test('a check, and the status, of tiles that are damaged are 422', async (t) => {
  const of = "422 Dataset 'ID': ";
  const limits = 'later@step0-layer0.limits.json';
  for (const path of ['/check?tiles=50', '/status'])
    t.true((await answerWith(path, ([one]) => (one.tileMatrix = '5000'), limits)).startsWith(of), path);
  const { client, owner, projectId } = await theTiles();
  for (const damaged of [/\.limits\.json$/, /\.pmtiles$/]) {
    const whole = await tileBytes(steppedGrid(), [{ ...ON_REQUEST, firstLevelOnRequest: 24 }]);
    const id = await newTilesChanged(w, { projectId, user: owner }, whole, (name, bytes) =>
      damaged.test(name) ? Buffer.alloc(bytes.length, 7) : undefined,
    );
    const { status, body } = await client.get(`/api/tiles/dataset/${id}/check?tiles=20`);
    t.is(status, 422, JSON.stringify(body));
  }
});

test('a description that exceeds the shared memory limit is refused', async (t) => {
  t.regex(
    await answerWith('/metadata', (description) => (description.notes = 'x'.repeat(8 << 20))),
    /^422 Dataset 'ID': 'tiles\.json' of the tiles has 83\d{5} bytes; it may have 8388608\.$/,
  );
});

test('a check, a picture and the metadata of damaged tiles are never a 500', async (t) => {
  const { owner: user, client, projectId } = await theTiles();
  const whole = await tileBytes(steppedGrid(), steppedSchemes);
  const seen = new Set<number>();
  for (let at = 0; at < 12; at++) {
    const id = await newTilesChanged(w, { projectId, user }, whole, (name, bytes) => {
      if (name.endsWith('.json')) return undefined;
      const from = Math.floor((bytes.length * at) / 12);
      return Buffer.from(bytes).fill(
        at % 2 === 0 ? 0xff : 0,
        from,
        Math.min(bytes.length, from + (at % 3 === 0 ? 40 : 1000)),
      );
    });
    for (const path of ['/check?tiles=20', '/scheme/map/0/0/0', '/scheme/depth/0/0/0', '/status', '']) {
      const { status, body } = await client.get(`/api/tiles/dataset/${id}${path}`);
      t.true(status < 500, `${at} ${path}: ${status} ${JSON.stringify(body)}`);
      if (path.startsWith('/check')) seen.add(status);
    }
  }
  t.true(seen.has(422), String([...seen]));
});

test('a net of points locates a map tile in the coordinate system of a scheme', async (t) => {
  const { client, url } = await theTiles();
  const path = `${url}/scheme/depth/net`;
  const net = (await client.get(`${path}/16/34406/20997`)).body;
  t.is(net.side, 17);
  using change = await transformer({ authority: 'EPSG', code: 4326 }, { authority: 'EPSG', code: 25832 });
  for (const [n, column, row] of [
    [0, 34406, 20997],
    [16, 34407, 20997],
    [17 * 17 - 1, 34407, 20998],
  ] as const) {
    const [x, y] = [
      Float64Array.of((column / 2 ** 16) * 360 - 180),
      Float64Array.of((Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** 16))) * 180) / Math.PI),
    ];
    change.forward(x, y);
    t.true(Math.hypot(net.x[n] - x[0]!, net.y[n] - y[0]!) < 1e-3);
  }
  const far = (await client.get(`${path}/8/0/0`)).body;
  t.true(far.x.every((x: number) => x === 1e12));
  t.is((await client.get(`${path}/8/256/0`)).status, 404);
  t.is((await client.get(`${path}/25/0/0`)).status, 404);
  t.is((await client.get(`${path}/8/a/0`)).status, 400);
});
