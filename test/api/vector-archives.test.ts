import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { convert } from '../../src/files/convert/convert.ts';
import { TileArchive } from '../../src/files/formats/io/pmtiles/archive-reader.ts';
import { memory } from '../formats/read.ts';
import { featureBytes, newStoredFeatures } from '../world/tiles.ts';
import { world } from '../world.ts';

const w = world(test);

const feature = (type: string, coordinates: unknown, properties: object = {}) => ({
  type: 'Feature',
  geometry: { type, coordinates },
  properties,
});

/** Closed, with a wave that simplification removes at low levels. */
const ring = (x: number, y: number, radius: number, count: number, turn = 1) =>
  Array.from({ length: count + 1 }, (_, n) => {
    const angle = (turn * 2 * Math.PI * (n % count)) / count;
    const r = radius * (1 + 0.1 * Math.sin(9 * angle));
    return [x + r * Math.cos(angle), y + r * Math.sin(angle)];
  });

/** More small polygons than are drawn from memory at once, so that the pyramid is cut into parts. */
const parcels = (x: number, y: number, side: number) =>
  Array.from({ length: 22_500 }, (_, n) =>
    feature('Polygon', [ring(x + (n % 150) * side, y + Math.floor(n / 150) * side, side / 3, 5)], {
      n: n % 40,
      name: `parcel ${n % 7}`,
      area: n % 11 === 0 ? null : n / 4,
      wet: n % 2 === 0,
    }),
  );

const shapes = (x: number, y: number) => [
  feature('Point', [x, y], { name: 'a point', n: -5 }),
  feature(
    'MultiPoint',
    [
      [x + 1, y],
      [x + 2, y + 1],
    ],
    { n: 2 ** 40 },
  ),
  feature('LineString', ring(x, y, 3, 90), { name: 'a line' }),
  feature('Polygon', [ring(x, y, 4, 400), ring(x, y, 2, 60, -1)], { name: 'with a hole' }),
  feature('MultiPolygon', [[ring(x + 6, y, 1, 20)], [ring(x + 9, y, 1, 20), ring(x + 9, y, 0.3, 9, -1)]], {}),
  {
    type: 'Feature',
    geometry: {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [x, y + 3] },
        { type: 'Polygon', coordinates: [ring(x, y + 3, 0.5, 12)] },
      ],
    },
    properties: { name: 'several' },
  },
];

async function archiveOf(t: ExecutionContext, stored: Buffer, parameters: object): Promise<TileArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'archive-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [input, output] = [join(folder, 'in.fgb'), join(folder, 'out.pmtiles')];
  await writeFile(input, stored);
  await convert(
    {
      input: { path: input, name: 'in.fgb' },
      output: { path: output },
      scratch: folder,
      reader: { name: 'GISReader' },
      writer: { name: 'PMTilesWriter', parameters: { ...parameters } },
      threads: 2,
    },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
  return TileArchive.open(memory(await readFile(output)));
}

/**
 * Compares each tile of the archive, and the tiles beside it, with those of the route. Returns how many of both have
 * something in them.
 */
async function compare(
  t: ExecutionContext,
  stored: Buffer,
  { deepest, query = '' }: { deepest: number; query?: string },
) {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = (await client.post('/api/metadata/project', { name: 'Archive' })).body.id as string;
  const id = await newStoredFeatures(w, projectId, owner, stored);
  const attributes = new URLSearchParams(query).get('attributes');
  const archive = await archiveOf(t, stored, { MaxZoom: deepest, ...(attributes && { Attributes: attributes }) });
  let same = 0;
  const todo = [[0, 0, 0]];
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    const [level, column, row] = place as [number, number, number];
    const own = await archive.tile(level, column, row);
    const answer = await client.get(`/api/vectortiles/dataset/${id}/${level}/${column}/${row}.vector.pbf${query}`);
    t.is(answer.status, own === undefined ? 204 : 200, place.join('/'));
    if (own === undefined) continue;
    t.true(gunzipSync(own.bytes).equals(answer.raw), place.join('/'));
    same++;
    if (level === deepest) continue;
    for (const n of [0, 1, 2, 3]) todo.push([level + 1, 2 * column + (n & 1), 2 * row + (n >> 1)]);
  }
  t.is(archive.header.counts[0], same);
  return same;
}

test('an archive has the same tiles as the route, byte by byte', async (t) => {
  const features = [...parcels(10, 50, 0.004), ...shapes(20, 40), ...shapes(178, -30), ...shapes(0, 84)];
  const stored = await featureBytes(JSON.stringify({ type: 'FeatureCollection', features }));
  t.true((await compare(t, stored, { deepest: 8 })) > 100);
});

test('also of features in a projected coordinate system, with some of their attributes', async (t) => {
  const features = [...parcels(9, 55, 0.002), ...shapes(9, 50)];
  const stored = await featureBytes(JSON.stringify({ type: 'FeatureCollection', features }), '25832');
  t.true((await compare(t, stored, { deepest: 8, query: '?attributes=name,area' })) > 30);
});
