import test, { type ExecutionContext } from 'ava';
import { transformer } from '../../../src/files/geo/crs/transform.ts';
import { HALF_WORLD } from '../../../src/files/tiles/matrices.ts';
import { gridOf, type MadeGrid, type RawTiles, squares, tiled } from './tiling.ts';

interface Case extends MadeGrid {
  /**
   * A smooth function of the coordinates of the grid; NaN in holes, which are convex. Degrees may run on beyond 180.
   */
  value(x: number, y: number, step: number): number;
  /** Greatest change of the value from cell to cell. */
  slope: number;
}

type Point = [x: number, y: number];

async function transformed(points: readonly Point[], from: number, to: number): Promise<Point[]> {
  if (from === to) return [...points];
  using change = await transformer({ authority: 'EPSG', code: from }, { authority: 'EPSG', code: to });
  const [x, y] = [Float64Array.from(points, ([one]) => one), Float64Array.from(points, ([, one]) => one)];
  change.forward(x, y);
  return points.map((_, n) => [x[n]!, y[n]!]);
}

const placeOf = ({ affine: [x0, a, b, y0, c, d] }: Case, [column, row]: Point): Point => [
  x0 + column * a + row * b,
  y0 + column * c + row * d,
];

/** Column and row as fractions: 0.5, 0.5 is the centre of the first cell. */
function cellOf({ affine: [x0, a, b, y0, c, d], code, width }: Case, [x, y]: Point): Point {
  const det = a * d - b * c;
  const column = ((x - x0) * d - (y - y0) * b) / det;
  const row = ((y - y0) * a - (x - x0) * c) / det;
  return [code === 4326 && column < 0 && column + 360 / a < width + 1 ? column + 360 / a : column, row];
}

/**
 * Centres of all cells with data, in the coordinate system of the tiles; of a turned grid without those beside a hole
 * or on the rim, as the pixel around such a centre may have its own centre in the hole.
 */
async function cellsWithData(made: Case, code: number, step: number): Promise<Point[]> {
  const isTurned = made.affine[2] !== 0;
  const beside = isTurned ? [-1, 0, 1] : [0];
  const hasData = ([u, v]: Point) =>
    u > 0 && v > 0 && u < made.width && v < made.height && !Number.isNaN(made.value(...placeOf(made, [u, v]), step));
  const cells = Array.from(
    { length: made.width * made.height },
    (_, n): Point => [(n % made.width) + 0.5, Math.floor(n / made.width) + 0.5],
  );
  const places = cells
    .filter(([u, v]) => beside.every((du) => beside.every((dv) => hasData([u + du, v + dv]))))
    .map((cell) => placeOf(made, cell))
    .map(([x, y]): Point => [made.code === 4326 && code === 3857 && x > 180 ? x - 360 : x, y]);
  return (await transformed(places, made.code, code)).filter(([, y]) => code !== 3857 || Math.abs(y) < HALF_WORLD);
}

/**
 * At every level: the pixel around the centre of each cell with data has data, pixels with data have the value of their
 * place, and there are none off the data and in holes.
 */
async function expectPlaces(t: ExecutionContext, tiles: RawTiles, id: string, made: Case, step = 0): Promise<void> {
  const scheme = tiles.stored.scheme(id)!;
  const code = scheme.schemeType === 'XYZ' ? 3857 : made.code;
  const [left, top] = scheme.topLeft;
  const centres = await cellsWithData(made, code, step);
  t.true(centres.length > 0.4 * made.width * made.height);
  for (const [n, level] of scheme.zoomLevels.entries()) {
    const name = `${id}, level ${level}, step ${step}`;
    const size = scheme.resolutions[n]!;
    const pixels = await tiles.pixels(id, level, step);
    const drawn = new Set(pixels.map(([x, y]) => `${Math.floor((x - left) / size)},${Math.floor((top - y) / size)}`));
    t.is(drawn.size, pixels.length, name);
    // a centre on the border of pixels may be in either
    const near = [-1e-6, 1e-6];
    const missing = centres.filter(([x, y]) => {
      const [u, v] = [(x - left) / size, (top - y) / size];
      return !near.some((e) => near.some((f) => drawn.has(`${Math.floor(u + e)},${Math.floor(v + f)}`)));
    });
    t.deepEqual(missing.slice(0, 3), [], `${name}: ${missing.length} of ${centres.length} cells have no pixel`);
    const half = size / 2;
    const corners = pixels.flatMap(([x, y]): Point[] => [
      [x, y],
      [x - half, y - half],
      [x + half, y - half],
      [x - half, y + half],
      [x + half, y + half],
    ]);
    const places = await transformed(corners, code, made.code);
    let inside = 0;
    for (const [n, [, , value]] of pixels.entries()) {
      const place = places[5 * n]!;
      const [column, row] = cellOf(made, place);
      // how many cells the pixel reaches from its centre
      const reach = Math.max(
        ...places.slice(5 * n + 1, 5 * n + 5).map((one) => {
          const [u, v] = cellOf(made, one);
          return Math.hypot(u - column, v - row);
        }),
      );
      const off = Math.max(-column, column - made.width, -row, row - made.height);
      if (off > reach + 0.01) t.fail(`${name}: a pixel lies ${off} cells off the data`);
      const at = (du: number, dv: number) => made.value(...placeOf(made, [column + du, row + dv]), step);
      const shares = [-1, -0.5, 0, 0.5, 1].map((share) => share * (reach + 1));
      const around = shares.flatMap((u) => shares.map((v) => at(u, v)));
      if (around.every(Number.isNaN)) t.fail(`${name}: a pixel in a hole, at ${place}`);
      if (off > -reach || around.some(Number.isNaN)) continue;
      inside++;
      if (!(Math.abs(value - at(0, 0)) <= made.slope * (0.02 + 0.1 * reach)))
        t.fail(`${name}: ${value} in place of ${at(0, 0)} at ${place}`);
    }
    if (n === scheme.zoomLevels.length - 1)
      t.true(inside > 0.5 * pixels.length, `${name}: ${inside} of ${pixels.length} pixels lie inside`);
  }
}

async function expectBoth(t: ExecutionContext, made: Case): Promise<void> {
  const tiles = await tiled(
    t,
    gridOf(made, (x, y, step) => made.value(x, y, step)),
    { schemeId: 'own', tileWidth: 64, tileHeight: 80 },
    { schemeId: 'web', schemeType: 'XYZ' },
  );
  for (let step = 0; step < (made.steps ?? 1); step++)
    for (const id of ['own', 'web']) await expectPlaces(t, tiles, id, made, step);
}

const [cos, sin] = [25 * Math.cos(0.6), 25 * Math.sin(0.6)];
const orientations = {
  'north-up': [600_000, 25, 0, 6_200_000, 0, -25],
  'south-up': [600_000, 25, 0, 6_196_000, 0, 25],
  'rotated clockwise': [600_000, cos, -sin, 6_200_000, -sin, -cos],
  'rotated and mirrored': [600_000, -cos, sin, 6_200_000, -sin, -cos],
} as const;
for (const [name, affine] of Object.entries(orientations))
  test(`a plane with a hole, ${name}: each pixel of both matrices has the value of its place, at each step`, async (t) => {
    const made = { width: 150, height: 130, affine, code: 25832, steps: 2 };
    const [x0, y0] = placeOf(made as unknown as Case, [75, 65]);
    await expectBoth(t, {
      ...made,
      slope: 0.5,
      value: (x, y, step) =>
        Math.hypot(x - x0, y - y0) < 400 ? Number.NaN : (x - x0) / 100 - (y - y0) / 80 + 1000 * step,
    });
  });

// Tiles of 64 × 80 pixels: the data end before, at and after the edge of a tile.
for (const [width, height] of [
  [63, 79],
  [64, 80],
  [65, 81],
  [128, 161],
  [129, 240],
] as const)
  test(`a grid of ${width} × ${height} cells fills its tiles to the edge, and no further tiles`, async (t) => {
    const made = { width, height, affine: [600_000, 25, 0, 6_200_000, 0, -25] as const, code: 25832 };
    const value = (x: number, y: number) => (x - 600_000) / 25 + (6_200_000 - y) / 10;
    await expectBoth(t, { ...made, slope: 4, value });
    const tiles = await tiled(t, gridOf(made, value), { schemeId: 'own', tileWidth: 64, tileHeight: 80 });
    const { zoomLevels, matrixWidths, matrixHeights } = tiles.stored.scheme('own')!;
    const limits = await tiles.stored.limits('own', { step: 0, layer: 0 });
    for (const [n, level] of zoomLevels.entries()) {
      const shrunk = 2 ** (zoomLevels.length - 1 - n);
      const [columns, rows] = [Math.ceil(width / shrunk / 64), Math.ceil(height / shrunk / 80)];
      t.deepEqual([matrixWidths[n], matrixHeights[n]], [columns, rows]);
      t.deepEqual(
        limits.filter(({ tileMatrix }) => tileMatrix === String(level)),
        [{ tileMatrix: String(level), minTileRow: 0, maxTileRow: rows - 1, minTileCol: 0, maxTileCol: columns - 1 }],
      );
    }
  });

const radians = Math.PI / 180;
/** Smooth around the earth. */
const wave = (longitude: number, latitude: number) => 30 * Math.cos(longitude * radians) + latitude;

test('a grid of degrees across the antimeridian has its values on both sides', async (t) => {
  const affine = [172, 0.2, 0, 62, 0, -0.2] as const;
  await expectBoth(t, { width: 90, height: 70, affine, code: 4326, slope: 0.25, value: wave });
});

test('a grid of a projection across the antimeridian has its values on both sides', async (t) => {
  // UTM 60: the antimeridian is 3° east of its middle.
  const affine = [560_000, 2000, 0, 6_700_000, 0, -2000] as const;
  const value = (x: number, y: number) => (x - 560_000) / 1e4 + (y - 6_700_000) / 2e4;
  await expectBoth(t, { width: 120, height: 100, affine, code: 32660, slope: 0.3, value });
});

for (const first of [-180, 0])
  test(`a grid of the whole earth from ${first}° reaches from pole to pole`, async (t) => {
    const affine = [first, 2, 0, 90, 0, -2] as const;
    await expectBoth(t, { width: 180, height: 90, affine, code: 4326, slope: 2.5, value: wave });
  });

for (const [name, code, sign] of [
  ['north', 3413, 1],
  ['south', 3031, -1],
] as const)
  test(`a grid around the ${name} pole has its values at their places, up to the edge of Web Mercator`, async (t) => {
    const side = 60;
    const affine = [-3e6, 1e5, 0, 3e6, 0, -1e5] as const;
    const centres = Array.from(
      { length: side * side },
      (_, n): Point => [-2.95e6 + 1e5 * (n % side), 2.95e6 - 1e5 * Math.floor(n / side)],
    );
    const degrees = await transformed(centres, code, 4326);
    const made = { width: side, height: side, affine, code };
    const tiles = await tiled(
      t,
      gridOf(made, (x, y) => wave(...degrees[Math.floor((x + 3e6) / 1e5) + side * Math.floor((3e6 - y) / 1e5)]!)),
      { schemeId: 'web', schemeType: 'XYZ' },
    );
    const { zoomLevels, resolutions } = tiles.stored.scheme('web')!;
    for (const [n, level] of zoomLevels.entries()) {
      const pixels = await tiles.pixels('web', level);
      const places = await transformed(
        pixels.map(([x, y]): Point => [x, y]),
        3857,
        4326,
      );
      // the last row of the matrix, near 85.05°, is full
      const last = pixels.filter(([, y]) => sign * y > HALF_WORLD - resolutions[n]!);
      t.is(last.length, 256 * 2 ** level, `level ${level}`);
      t.true(places.every(([, latitude]) => sign * latitude > 45));
      for (const [k, [longitude, latitude]] of places.entries()) {
        if (sign * latitude < 68) continue;
        // a pixel has half its height in degrees, a cell about one
        const size = resolutions[n]! / 111_320;
        const error = Math.abs(pixels[k]![2] - wave(longitude, latitude));
        if (error > 0.3 + 0.6 * size) t.fail(`level ${level}: ${error} off at ${longitude}, ${latitude}`);
      }
    }
  });

test('a checkerboard has its squares at their places below the size of its cells, and half in the mean', async (t) => {
  const made = { width: 40, height: 30, affine: [600_000, 100, 0, 6_200_000, 0, -100] as const, code: 25832 };
  const parity = (x: number, y: number) => (Math.floor((x - 600_000) / 100) + Math.floor((6_200_000 - y) / 100)) & 1;
  const tiles = await tiled(t, gridOf({ ...made, type: 'Int16', nodata: -1 }, parity), {
    schemeId: 'web',
    schemeType: 'XYZ',
    zoomLevels: [6, 11, 12, 13, 14],
  });
  for (const level of [11, 12, 13, 14]) {
    const pixels = await tiles.pixels('web', level);
    const places = await transformed(
      pixels.map(([x, y]): Point => [x, y]),
      3857,
      25832,
    );
    let compared = 0;
    for (const [n, [x, y]] of places.entries()) {
      const [column, row] = [(x - 600_000) / 100, (6_200_000 - y) / 100];
      const border = Math.min(...[column, row].map((one) => Math.abs(one - Math.round(one))));
      if (border < 0.05 || column < 0 || row < 0 || column > 40 || row > 30) continue;
      compared++;
      if (pixels[n]![2] !== parity(x, y)) t.fail(`level ${level}: ${pixels[n]![2]} at ${x}, ${y}`);
    }
    t.true(compared > 0.5 * pixels.length, `level ${level}: ${compared} of ${pixels.length}`);
  }
  const coarse = await tiles.pixels('web', 6);
  t.true(coarse.length > 0 && coarse.some(([, , value]) => Math.abs(value - 0.5) < 0.1), JSON.stringify(coarse));
});

for (const [name, code, level, [longitude, latitude]] of [
  ['in its zone', 32632, 13, [10.5, 56]],
  ['across the antimeridian', 32660, 13, [180, 56]],
  ['across the north edge of Web Mercator', 3413, 10, [77, 85.051]],
  ['across the south edge of Web Mercator', 3031, 10, [77, -85.051]],
] as const)
  test(`a mesh ${name}: elements and nodes have their values at their places, elements without a value none`, async (t) => {
    const side = 20;
    const [[x, y]] = (await transformed([[longitude, latitude]], 4326, code)) as [Point];
    const [x0, y0] = [x - 50 * side, y - 50 * side];
    const mesh = squares(side, [x0, y0], code);
    const isHole = (element: number) => Math.floor(element / 2) % side >= 12 && element % 4 === 0;
    const values = async (item: number, step: number) => {
      const all = await mesh.values(item, step);
      return item === 0 ? all : Float64Array.from(all, (value, n) => (isHole(n) ? Number.NaN : value));
    };
    const scheme = { schemeType: 'XYZ', zoomLevels: [level] };
    const tiles = await tiled(
      t,
      { ...mesh, values },
      { ...scheme, schemeId: 'nodes', itemName: 'Level' },
      { ...scheme, schemeId: 'elements', itemName: 'Number' },
    );
    const size = tiles.stored.scheme('nodes')!.resolutions[0]! * Math.cos((latitude * Math.PI) / 180);
    const placed = async (id: string) => {
      const pixels = await tiles.pixels(id, level);
      const places = await transformed(
        pixels.map(([x, y]): Point => [x, y]),
        3857,
        code,
      );
      return pixels.map(([, , value], n): [number, number, number] => [places[n]![0] - x0, places[n]![1] - y0, value]);
    };
    const nodes = await placed('nodes');
    // at the edge of Web Mercator half of the square lies on the map
    const share = Math.abs(latitude) > 85 ? 0.5 : 1;
    const expected = (share * (100 * side) ** 2) / size ** 2;
    t.true(Math.abs(nodes.length / expected - 1) < 0.1, `${nodes.length} pixels, about ${expected}`);
    const inside = nodes.filter(([u, v]) => Math.min(u, v) > size && Math.max(u, v) < 100 * side - size);
    const worst = Math.max(...inside.map(([u, v, value]) => Math.abs(value - (u + 2 * v))));
    t.true(worst < 1, `${worst} off`);
    const seen = new Set<number>();
    for (const [u, v, value] of await placed('elements')) {
      const [column, row] = [Math.floor(u / 100), Math.floor(v / 100)];
      const [a, b] = [u - 100 * column, v - 100 * row];
      // pixels across a side have the mean of both elements
      if (Math.min(a, b, 100 - a, 100 - b, Math.abs(a - b) / Math.SQRT2) < size) continue;
      const element = 2 * (side * row + column) + (b > a ? 1 : 0);
      if (value !== element || isHole(element)) t.fail(`${value} in place of ${element} at ${u}, ${v}`);
      seen.add(value);
    }
    const count = 2 * side * side - (side * (side - 12)) / 2;
    t.true(seen.size > 0.9 * share * count && seen.size <= count, `${seen.size} elements seen`);
  });
