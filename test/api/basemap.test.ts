import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { decodeTile } from '../world/decode-mvt.ts';
import { world } from '../world.ts';

const w = world(test);
const EXTENT = 4096;

/** Where a place lies in the tile of a level that holds it. */
function tileAt(level: number, [longitude, latitude]: readonly [number, number]) {
  const side = 2 ** level;
  const x = ((longitude + 180) / 360) * side;
  const y = (0.5 - Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360)) / (2 * Math.PI)) * side;
  const [column, row] = [Math.floor(x), Math.floor(y)];
  return { path: `/assets/basemap/${level}/${column}/${row}.pbf`, at: [(x - column) * EXTENT, (y - row) * EXTENT] };
}

async function layersOf(path: string) {
  const { status, raw } = await w.nobody.get(path);
  return new Map(status === 204 ? [] : decodeTile(raw).map((layer) => [layer.name, layer.features]));
}

/** Even-odd rule over all rings of a tile. */
async function isLand(level: number, place: readonly [number, number]): Promise<boolean> {
  const { path, at } = tileAt(level, place);
  const [x, y] = at as [number, number];
  let inside = false;
  for (const { paths } of (await layersOf(path)).get('land') ?? [])
    for (const ring of paths)
      for (const [n, [x1, y1]] of ring.entries()) {
        const [x0, y0] = ring.at(n - 1)!;
        if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) inside = !inside;
      }
  return inside;
}

test('the world comes in tiles without a login, for a day, with an ETag; deeper ones are enlarged by the map', async (t) => {
  const { status, headers, raw } = await w.nobody.get('/assets/basemap/0/0/0.pbf');
  t.is(status, 200);
  t.is(headers['content-type'], 'application/vnd.mapbox-vector-tile');
  t.is(headers['cache-control'], 'public, max-age=86400');
  t.deepEqual(
    decodeTile(raw).map(({ name }) => name),
    ['land', 'coast', 'borders', 'names'],
  );
  t.is((await w.nobody.get('/assets/basemap/0/0/0.pbf', { 'if-none-match': String(headers.etag) })).status, 304);
  const zipped = await w.nobody.get('/assets/basemap/0/0/0.pbf', { 'accept-encoding': 'gzip' });
  t.true(gunzipSync(zipped.raw).equals(raw));
  t.true(zipped.raw.length < 80_000, `${zipped.raw.length} bytes of the largest tile`);
  const sea = await w.nobody.get(tileAt(5, [-30, 30]).path);
  t.deepEqual([sea.status, sea.headers['cache-control']], [204, 'public, max-age=86400']);
  for (const [path, expected] of [
    ['7/0/0', 404],
    ['1/2/0', 404],
    ['1/0/-1', 404],
    ['1/a/0', 400],
  ] as const)
    t.is((await w.nobody.get(`/assets/basemap/${path}.pbf`)).status, expected, path);
});

test('land is land at every scale: beyond the antimeridian, around the pole, and around inland seas', async (t) => {
  const land = [
    ['Sahara', 5, 25],
    ['Chukotka, west of the antimeridian', 176, 67.5],
    ['Chukotka, east of it', -176, 67],
    ['Antarctica', 20, -80],
    ['Antarctica at the antimeridian', 179.9, -84.5],
    ['Antarctica at the other side', -179.9, -84.5],
  ] as const;
  const water = [
    ['Atlantic', -30, 30],
    ['Arctic Ocean', 10, 75],
    ['Chukchi Sea', -175, 72.5],
    ['Caspian Sea', 50.5, 42],
    ['south of Fiji', 90, -17.5],
    ['Ross Sea', -170, -75],
  ] as const;
  for (const level of [0, 2, 4, 6]) {
    for (const [name, ...place] of land) t.true(await isLand(level, place), `${name}, level ${level}`);
    for (const [name, ...place] of water) t.false(await isLand(level, place), `${name}, level ${level}`);
  }
});

test('coasts have no edges along the antimeridian', async (t) => {
  for (const level of [3, 5]) {
    const { path } = tileAt(level, [179.9, 67.5]);
    const coast = (await layersOf(path)).get('coast')!;
    t.true(coast.length > 0);
    for (const { paths } of coast)
      for (const line of paths)
        for (const [n, [x, y]] of line.entries()) {
          const before = line[n - 1];
          t.false(before !== undefined && x === EXTENT && before[0] === EXTENT && y !== before[1], path);
        }
  }
});

test('a country has one name, in its largest part, from the level on that has room for it', async (t) => {
  const named = new Map<unknown, { place: number[]; level: unknown }>();
  for (const { attributes, paths } of (await layersOf('/assets/basemap/0/0/0.pbf')).get('names')!) {
    const [x, y] = paths[0]![0]!;
    // maps ignore points in the buffer of a tile: they belong to another one
    if (x < 0 || y < 0 || x >= EXTENT || y >= EXTENT) continue;
    t.false(named.has(attributes.name), String(attributes.name));
    named.set(attributes.name, { place: [x, y], level: attributes.level });
  }
  for (const [name, west, south, east, north] of [
    ['France', -2, 43, 8, 50],
    ['Denmark', 8, 54.8, 11, 57.8],
    ['Russia', 60, 50, 140, 72],
    ['Antarctica', -180, -85, 180, -70],
    ["Côte d'Ivoire", -8.5, 5, -2.5, 10.5],
  ] as const) {
    const { place } = named.get(name)!;
    const [left, bottom] = tileAt(0, [west, south]).at as [number, number];
    const [right, top] = tileAt(0, [east === 180 ? 179.99 : east, north]).at as [number, number];
    t.true(place[0]! > left && place[0]! < right && place[1]! < bottom && place[1]! > top, `${name}: ${place.join()}`);
  }
  t.true(Number(named.get('Russia')!.level) < Number(named.get('Denmark')!.level));
});
