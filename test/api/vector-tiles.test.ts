import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import { transformer } from '../../src/files/geo/crs/transform.ts';
import { HALF_WORLD } from '../../src/files/tiles/matrices.ts';
import { flatMesh, sigmaZMesh, value } from '../formats/meshes.ts';
import { decodeTile } from '../world/decode-mvt.ts';
import { newStore } from '../world/stores.ts';
import { newFeatures, newTiles } from '../world/tiles.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

let made: Promise<{ client: Client; projectId: string; store(features: unknown[]): Promise<string> }> | undefined;
const theProject = () => {
  made ??= (async () => {
    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(owner);
    const projectId = (await client.post('/api/metadata/project', { name: 'Sea' })).body.id as string;
    const store = async (features: unknown[]) => {
      const id = await newFeatures(w, projectId, owner, JSON.stringify({ type: 'FeatureCollection', features }));
      return `/api/vectortiles/dataset/${id}`;
    };
    return { client, projectId, store };
  })();
  return made;
};

const feature = (type: string, coordinates: unknown, properties: object = {}, id?: number) => ({
  type: 'Feature',
  ...(id === undefined ? {} : { id }),
  geometry: { type, coordinates },
  properties,
});
const square = (west: number, south: number, side: number) => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
  [west, south],
];

async function tile(client: Client, url: string, place: string, query = '') {
  const answer = await client.get(`${url}/${place}.vector.pbf${query}`);
  if (answer.status !== 200) throw new Error(`${place}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const [layer] = decodeTile(answer.raw);
  return layer!;
}

/** Twice the area; positive: clockwise on the screen. */
const area = (path: readonly [number, number][]) =>
  path.reduce((sum, [x, y], n) => {
    const [px, py] = path.at(n - 1)!;
    return sum + px * y - x * py;
  }, 0);

test('features are at their place, with their attributes and ids', async (t) => {
  const { client, store } = await theProject();
  const url = await store([
    feature('Point', [0, 0], { name: 'middle', depth: -3, share: 2, wet: true, none: null }, 7),
    feature(
      'LineString',
      [
        [-90, 0],
        [0, 0],
        [90, 0],
      ],
      { name: 'line', share: 0.5 },
      8,
    ),
    feature('Polygon', [square(90, -45, 60), square(100, -35, 20)], { name: 'ring' }, 9),
  ]);
  const layer = await tile(client, url, '0/0/0');
  t.like(layer, { name: 'features', version: 2, extent: 4096 });
  const of = (id: number) => layer.features.find((one) => one.id === id)!;
  t.deepEqual(of(7), {
    id: 7,
    type: 1,
    paths: [[[2048, 2048]]],
    attributes: { name: 'middle', depth: -3, share: 2, wet: true },
  });
  // The vertex in the middle of a straight line is left out.
  t.deepEqual(of(8).paths, [
    [
      [1024, 2048],
      [3072, 2048],
    ],
  ]);
  t.deepEqual([of(9).type, of(9).paths.map((path) => Math.sign(area(path)))], [3, [1, -1]]);
  t.deepEqual(
    of(9)
      .paths[0]!.map(([x]) => x)
      .sort(),
    [3072, 3072, 3755, 3755],
  );
  const one = await client.get(`${url}/1/1/0.vector.pbf?attributes=name`);
  t.deepEqual(
    decodeTile(one.raw)[0]!.features.map(({ attributes }) => Object.keys(attributes)),
    [['name'], ['name'], ['name']],
  );
  t.is((await client.get(`${url}/1/1/0.vector.pbf?attributes=other`)).status, 400);
  const nothing = await client.get(`${url}/2/0/0.vector.pbf`);
  t.is(nothing.status, 204);
  t.is(nothing.headers['cache-control'], 'private, max-age=0, must-revalidate');
  t.is((await client.get(`${url}/2/99999999999/0.vector.pbf`)).status, 404);
});

test('a tile is gzipped if Accept-Encoding allows it, with its own ETag', async (t) => {
  const { client, store } = await theProject();
  const url = await store([feature('Point', [10, 50], { name: 'A' })]);
  const plain = await client.get(`${url}/4/8/5.vector.pbf`);
  t.is(plain.headers['content-type'], 'application/vnd.mapbox-vector-tile');
  const zipped = await client.get(`${url}/4/8/5.vector.pbf`, { 'accept-encoding': 'gzip, br' });
  t.is(zipped.headers['content-encoding'], 'gzip');
  t.deepEqual(gunzipSync(zipped.raw), plain.raw);
  t.not(zipped.headers.etag, plain.headers.etag);
  t.is((await client.get(`${url}/4/8/5.vector.pbf`, { 'if-none-match': String(plain.headers.etag) })).status, 304);
  t.is(decodeTile(plain.raw)[0]!.features[0]!.id, 1);
});

test('small polygons are coalesced until they make a pixel, so that none disappear as a whole', async (t) => {
  const { client, store } = await theProject();
  // 80 × 80 squares of 0.01° in one degree: at level 5 a pixel is 0.044°.
  const squares = Array.from({ length: 6400 }, (_, n) =>
    feature('Polygon', [square(10 + (n % 80) * 0.0125, 0.1 + Math.floor(n / 80) * 0.0125, 0.01)], { n }),
  );
  const url = await store(squares);
  const drawn = async (place: string) => {
    const { features } = await tile(client, url, place);
    return features.reduce((sum, { paths }) => sum + paths.reduce((all, path) => all + area(path) / 2, 0), 0);
  };
  // Units of level 5: 4096 in 11.25°.
  const expected = 6400 * 0.0001 * (4096 / 11.25) ** 2;
  for (const [place, level] of [
    ['5/16/15', 5],
    ['3/4/3', 3],
  ] as const) {
    const share = (await drawn(place)) / (expected / 4 ** (5 - level));
    t.true(share > 0.4 && share < 2.5, `${place}: ${share}`);
  }
  const { features } = await tile(client, url, '12/2163/2044');
  t.true(features.length > 1 && features.every(({ paths }) => area(paths[0]!) > 0));
});

test('a single polygon of less than a pixel does not leave a tile empty', async (t) => {
  const { client, store } = await theProject();
  const url = await store([feature('Polygon', [square(10, 50, 0.001)], { name: 'shed' }, 5)]);
  for (const place of ['0/0/0', '3/4/2']) {
    const { features } = await tile(client, url, place);
    t.deepEqual(
      features.map(({ id, attributes }) => [id, attributes.name]),
      [[5, 'shed']],
    );
    t.is(area(features[0]!.paths[0]!) / 2, 16 * 16);
  }
});

test('where polygons are too many for the bytes of a tile, larger ones are coalesced, so that their area stays', async (t) => {
  const { client, store } = await theProject();
  // 120 × 120 squares of 1.4 pixels at level 4 with a long text each: about 2,500 fit.
  const side = (1.4 * 22.5) / 256;
  const squares = Array.from({ length: 14_400 }, (_, n) => {
    const ring = square(0.2 + (n % 120) * 1.2 * side, 0.2 + Math.floor(n / 120) * 1.2 * side, side);
    return feature('Polygon', [ring], { name: `parcel ${n} ${'of many '.repeat(20)}` });
  });
  const url = await store(squares);
  const answer = await client.get(`${url}/4/8/7.vector.pbf`);
  t.true(answer.raw.length <= 500_000, `${answer.raw.length} bytes`);
  const { features } = decodeTile(answer.raw)[0]!;
  t.true(features.length > 1000 && features.length < 5000, `${features.length} features`);
  const drawn = features.reduce((sum, { paths }) => sum + area(paths[0]!) / 2, 0);
  const share = drawn / (14_400 * (1.4 * 16) ** 2);
  t.true(share > 0.4 && share < 2.5, `${share}`);
  const west = features.filter(({ paths }) => paths[0]![0]![0] < 1600).length / features.length;
  t.true(west > 0.35 && west < 0.65, `${west} of them in the west`);
});

test('points are thinned evenly, and a tile has at most 500,000 bytes', async (t) => {
  const { client, store } = await theProject();
  const points = Array.from({ length: 30_000 }, (_, n) =>
    feature('Point', [(n % 200) * 0.05, Math.floor(n / 200) * 0.05], { name: `point number ${n} of many` }),
  );
  const url = await store(points);
  const answer = await client.get(`${url}/4/8/7.vector.pbf`);
  t.true(answer.raw.length <= 500_000);
  const [{ features }] = decodeTile(answer.raw) as [ReturnType<typeof decodeTile>[0]];
  t.true(features.length > 5000);
  const quarters = [0, 0, 0, 0];
  for (const { paths } of features) {
    const [x, y] = paths[0]![0]!;
    const [east, south] = [x > 0.5 * (10 / 22.5) * 4096, y > 4096 - 0.5 * (7.5 / 22.5) * 4096];
    quarters[Number(east) + 2 * Number(south)]!++;
  }
  t.true(Math.max(...quarters) < 1.4 * Math.min(...quarters), quarters.join());
});

test('features across the antimeridian are drawn on both sides, and clipped beyond 85°', async (t) => {
  const { client, store } = await theProject();
  const url = await store([feature('Polygon', [square(170, -10, 20)]), feature('Point', [0, 89])]);
  const of = async (place: string) => (await tile(client, url, place)).features.filter(({ type }) => type === 3);
  const [west, east] = [await of('3/0/3'), await of('3/7/3')];
  const xs = (features: typeof west) => features[0]!.paths[0]!.map(([x]) => x);
  t.deepEqual([Math.min(...xs(west)), Math.max(...xs(west))], [-64, Math.round((10 / 45) * 4096)]);
  t.deepEqual([Math.min(...xs(east)), Math.max(...xs(east))], [Math.round((35 / 45) * 4096), 4096 + 64]);
  t.is((await client.get(`${url}/0/0/0.vector.pbf`)).status, 200);
});

test('TileJSON has bounds, levels and fields', async (t) => {
  const { client, store } = await theProject();
  const url = await store([feature('Point', [10, 50], { name: 'A', depth: 2.5 }), feature('Point', [12, 55])]);
  const { body } = await client.get(`${url}/tilejson.json`);
  t.like(body, { tilejson: '3.0.0', minzoom: 0, maxzoom: 14, bounds: [10, 50, 12, 55] });
  t.deepEqual(body.vector_layers, [{ id: 'features', fields: { name: 'String', depth: 'Number' } }]);
  t.true(body.tiles[0].endsWith(`${url}/{z}/{x}/{y}.vector.pbf`));
});

/** The tiles of a level around a place, and x and y in units of the tile of places in a coordinate system. */
async function tileAround(level: number, code: number, x: number, y: number) {
  using change = await transformer({ authority: 'EPSG', code }, { authority: 'EPSG', code: 3857 });
  const scale = 2 ** level / (2 * HALF_WORLD);
  const world = (u: number, v: number): [number, number] => {
    const [xs, ys] = [Float64Array.of(u), Float64Array.of(v)];
    change.forward(xs, ys);
    return [(xs[0]! + HALF_WORLD) * scale, (HALF_WORLD - ys[0]!) * scale];
  };
  const [column, row] = world(x, y).map(Math.floor) as [number, number];
  const places = [100, 200, 300, 0].flatMap((dx) => [0, 100].map((dy) => [x + dx, y + dy] as const));
  const inTile = new Map(
    places.map(([u, v]) => {
      const [a, b] = world(u, v);
      return [`${u},${v}`, [4096 * (a - column), 4096 * (b - row)] as const];
    }),
  );
  return { place: `${level}/${column}/${row}`, inTile };
}

test('elements of a mesh are polygons at their place with the values of their items, step and layer', async (t) => {
  const { client, projectId } = await theProject();
  const mesh = flatMesh();
  const url = `/api/vectortiles/dataset/${await newStore(w, projectId, await w.administrator(), 'flat', mesh)}`;
  const { place, inTile } = await tileAround(15, 32633, 500_000, 6_000_000);
  const near = (path: readonly [number, number][], ...corners: string[]) =>
    path.length === corners.length &&
    corners.every((one) => path.some(([x, y]) => Math.hypot(x - inTile.get(one)![0], y - inTile.get(one)![1]) < 1.5));
  for (const step of [0, 3]) {
    const layer = await tile(client, url, place, `?timeStep=${step}`);
    t.is(layer.name, 'elements');
    t.deepEqual(
      layer.features.map(({ id }) => id).sort((a, b) => a - b),
      [7, 8, 9, 10],
    );
    const of = (id: number) => layer.features.find((one) => one.id === id)!;
    t.true(near(of(7).paths[0]!, '500000,6000000', '500100,6000000', '500100,6000100', '500000,6000100'));
    t.true(near(of(8).paths[0]!, '500100,6000000', '500200,6000000', '500200,6000100'));
    t.true(near(of(10).paths[0]!, '500200,6000000', '500300,6000000', '500300,6000100', '500200,6000100'));
    t.deepEqual(of(8).attributes, {
      depth: value(0, step, 1),
      velocity: value(1, step, 1),
      // the mean of nodes 1, 2 and 6
      salinity: value(2, step, 3),
    });
  }
  const text = (await client.get(`${url}/${place}.vector.pbf?timeStep=2026-01-25T02:00:00&attributes=depth`)).raw;
  t.deepEqual(
    decodeTile(text)[0]!
      .features.map(({ attributes }) => attributes.depth as number)
      .sort(),
    [0, 1, 2, 3].map((cell) => value(0, 3, cell)),
  );
  const { body } = await client.get(`${url}/tilejson.json?timeStep=3`);
  t.deepEqual(body.vector_layers, [
    { id: 'elements', fields: { depth: 'Number', velocity: 'Number', salinity: 'Number' } },
  ]);
  t.is(body.timeStamps.length, 7);
  t.true(body.tiles[0].endsWith('.vector.pbf?timeStep=3'));
  t.true(Math.abs(body.bounds[0] - 15) < 1e-6 && Math.abs(body.bounds[1] - 54.1) < 0.1, `${body.bounds}`);
  const status = async (query: string) => (await client.get(`${url}/${place}.vector.pbf?${query}`)).status;
  t.deepEqual(
    [await status('timeStep=7'), await status('timeStep=x'), await status('layer=1'), await status('layer=0')],
    [404, 400, 404, 200],
  );
  t.is((await client.get(`${url}/0/0/0.vector.pbf`)).status, 200);
  t.is((await client.get(`${url}/15/0/0.vector.pbf`)).status, 204);
  const stranger = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  t.is((await stranger.get(`${url}/${place}.vector.pbf`)).status, 404);
});

test('each layer of a layered mesh has its own elements, also of a file that names no layers; a grid has none', async (t) => {
  const { client, projectId } = await theProject();
  const owner = await w.administrator();
  const { layers: _, ...unnamed } = sigmaZMesh();
  const { place } = await tileAround(15, 32633, 500_000, 6_000_000);
  for (const mesh of [sigmaZMesh(), unnamed]) {
    const url = `/api/vectortiles/dataset/${await newStore(w, projectId, owner, 'layers', mesh)}`;
    const depths = async (layer: number) => {
      const { raw } = await client.get(`${url}/${place}.vector.pbf?layer=${layer}&timeStep=1`);
      return decodeTile(raw)[0]!
        .features.map(({ attributes }) => attributes.depth as number)
        .sort();
    };
    // The second column has no lowest layer.
    t.deepEqual(await depths(0), [value(0, 1, 0)]);
    t.deepEqual(await depths(1), [value(0, 1, 1), value(0, 1, 3)]);
    t.deepEqual(await depths(2), [value(0, 1, 2), value(0, 1, 4)]);
    t.deepEqual((await client.get(`${url}/tilejson.json`)).body.layerIds, [0, 1, 2]);
  }
  const grid = await newStore(w, projectId, owner, 'grid');
  const refused = await client.get(`/api/vectortiles/dataset/${grid}/0/0/0.vector.pbf`);
  t.deepEqual([refused.status, /holds a grid/.test(refused.body.detail)], [404, true]);
});

test('elements on both sides of the antimeridian do not cross the map, and one without a value has no attribute', async (t) => {
  const { client, projectId } = await theProject();
  const mesh: Mesh = {
    kind: 'mesh',
    crs: { authority: 'EPSG', code: 4326 },
    nodes: Float64Array.of(179, 0, 0, -179, 0, 0, -179, 2, 0, 179, 2, 0, -177, 0, 0, -177, 2, 0),
    shapes: Uint8Array.of(CELL_SHAPES.quad, CELL_SHAPES.quad),
    connectivity: Uint32Array.of(0, 1, 2, 3, 1, 4, 5, 2),
    offsets: Uint32Array.of(0, 4, 8),
    items: [{ name: 'Level', location: 'cell', type: 'Int16', nodata: -1 }],
    values: async () => Int16Array.of(-1, 5),
  };
  const url = `/api/vectortiles/dataset/${await newStore(w, projectId, await w.administrator(), 'turn', mesh)}`;
  const [west, east] = [await tile(client, url, '3/0/3'), await tile(client, url, '3/7/3')];
  const extent = ({ paths }: { paths: [number, number][][] }) => {
    const xs = paths[0]!.map(([x]) => x);
    return [Math.min(...xs), Math.max(...xs)];
  };
  const of = (layer: typeof west, id: number) => layer.features.filter((one) => one.id === id).map(extent);
  const degree = 4096 / 45;
  t.deepEqual(of(west, 1), [[-64, Math.round(degree)]]);
  t.deepEqual(of(east, 1), [[Math.round(44 * degree), 4096 + 64]]);
  t.deepEqual(of(west, 2), [[Math.round(degree), Math.round(3 * degree)]]);
  t.deepEqual(west.features.map(({ id, attributes }) => [id, attributes]).sort(), [
    [1, {}],
    [2, { Level: 5 }],
  ]);
});

test('invalid tile addresses and datasets of other types are refused', async (t) => {
  const { client, store, projectId } = await theProject();
  const url = await store([feature('Point', [10, 50])]);
  const status = async (path: string) => (await client.get(`${url}/${path}`)).status;
  t.is(await status('a/0/0.vector.pbf'), 400);
  t.is(await status('0/01/0.vector.pbf'), 400);
  t.is(await status('1/2/0.vector.pbf'), 404);
  t.is(await status('1/-1/0.vector.pbf'), 404);
  t.is(await status('23/0/0.vector.pbf'), 404);
  t.is(await status('22/0/0.vector.pbf'), 204);
  const owner = await w.administrator();
  const raster = await newTiles(w, projectId, owner);
  t.is((await client.get(`/api/vectortiles/dataset/${raster}/0/0/0.vector.pbf`)).status, 404);
});
