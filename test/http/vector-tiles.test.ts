import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { decodeTile } from '../world/decode-mvt.ts';
import { newFeatures, newTiles } from '../world/tiles.ts';
import type { Client } from '../world.ts';
import { world } from '../world.ts';

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

async function tile(client: Client, url: string, place: string) {
  const answer = await client.get(`${url}/${place}.vector.pbf`);
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
  t.is((await client.get(`${url}/2/0/0.vector.pbf`)).status, 204);
});

test('a tile is gzipped for those who take it, with an ETag of its own', async (t) => {
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

test('small polygons are gathered until they make a pixel, so that none disappear as a whole', async (t) => {
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

test('where polygons are too many for the bytes of a tile, larger ones are gathered, so that their area stays', async (t) => {
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

test('what crosses the antimeridian is drawn on both sides, and what lies beyond 85° is clipped', async (t) => {
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

test('wrong addresses and other datasets are refused', async (t) => {
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
