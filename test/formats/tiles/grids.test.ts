import test from 'ava';
import { transformer } from '../../../src/files/geo/crs/transform.ts';
import { gridOf, tiled } from './tiling.ts';

const utm32 = 25832;
const mercator = { authority: 'EPSG', code: 3857 } as const;

/** Coordinates of pixels of Web Mercator in another system. */
async function places(pixels: readonly (readonly [number, number, number])[], code: number) {
  using change = await transformer(mercator, { authority: 'EPSG', code });
  const [x, y] = [Float64Array.from(pixels, ([one]) => one), Float64Array.from(pixels, ([, one]) => one)];
  change.forward(x, y);
  return { x, y };
}

const worst = (errors: Iterable<number>) => Math.max(0, ...errors);

test('each pixel of the last WMTS level is a cell, and pixels of coarser levels are means from the same corner', async (t) => {
  const grid = gridOf(
    { width: 300, height: 170, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: utm32 },
    (x, y) => x - 500_000 + 2 * (6_000_000 - y),
  );
  const tiles = await tiled(t, grid, { schemeId: 'a', tileWidth: 64, tileHeight: 100 });
  const scheme = tiles.stored.scheme('a')!;
  t.deepEqual(scheme.zoomLevels, [0, 1, 2, 3]);
  t.deepEqual(
    [scheme.matrixWidths, scheme.matrixHeights],
    [
      [1, 2, 3, 5],
      [1, 1, 1, 2],
    ],
  );
  t.deepEqual(scheme.resolutions, [80, 40, 20, 10]);
  t.deepEqual(scheme.topLeft, [500_000, 6_000_000]);
  const own = await tiles.pixels('a', 3);
  t.is(own.length, 300 * 170);
  t.is(worst(own.map(([x, y, value]) => Math.abs(value - (x - 500_000 + 2 * (6_000_000 - y))))), 0);
  for (const level of [0, 1, 2]) {
    const inside = (await tiles.pixels('a', level)).filter(([x, y]) => x < 502_960 && y > 5_998_380);
    t.true(inside.length > 500);
    t.is(worst(inside.map(([x, y, value]) => Math.abs(value - (x - 500_000 + 2 * (6_000_000 - y))))), 0);
  }
});

test('XYZ tiles of a plane have its values at the right place at each zoom level, in any orientation of the rows', async (t) => {
  const turned = Math.PI / 6;
  const [cos, sin] = [30 * Math.cos(turned), 30 * Math.sin(turned)];
  const shapes = {
    'north-up': [600_000, 30, 0, 6_200_000, 0, -30],
    'south-up': [600_000, 30, 0, 6_194_000, 0, 30],
    rotated: [600_000, cos, sin, 6_200_000, sin, -cos],
  } as const;
  for (const [name, affine] of Object.entries(shapes)) {
    const plane = (x: number, y: number) => (x - 600_000) / 100 + (y - 6_200_000) / 50;
    const grid = gridOf({ width: 260, height: 200, affine, code: utm32 }, plane);
    const tiles = await tiled(t, grid, { schemeId: 'a', schemeType: 'XYZ' });
    const { zoomLevels, resolutions } = tiles.stored.scheme('a')!;
    t.is(zoomLevels[0], 0);
    // 30 m at 55.9° N are 53.6 m of Web Mercator.
    t.is(zoomLevels.at(-1), 11, name);
    for (const level of zoomLevels.slice(6)) {
      const pixels = await tiles.pixels('a', level);
      const { x, y } = await places(pixels, utm32);
      const [size] = [resolutions[level]! * 0.56];
      const inside = pixels.flatMap(([, , value], n) => {
        const [u, v] = [x[n]! - affine[0], y[n]! - affine[3]];
        const det = affine[1] * affine[5] - affine[2] * affine[4];
        const column = (u * affine[5] - v * affine[2]) / det;
        const row = (v * affine[1] - u * affine[4]) / det;
        const edge = 1 + size / 30;
        if (column < edge || row < edge || column > 260 - edge || row > 200 - edge) return [];
        return [Math.abs(value - plane(x[n]!, y[n]!))];
      });
      t.true(level < 8 || inside.length > 10, `${name} ${level}: ${inside.length}`);
      // The range is about 120 + 180; the middle of a pixel bends away from the mean of its parts.
      t.true(worst(inside) < 0.02 + size * 1e-4, `${name} ${level}: ${worst(inside)}`);
    }
  }
});

test('a checkerboard of whole numbers stays one, and its mean is half; Max keeps the greatest', async (t) => {
  const grid = gridOf(
    { width: 128, height: 128, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: utm32, type: 'Int16', nodata: -1 },
    (x, y) => (Math.floor(x / 10) + Math.floor(y / 10)) % 2,
  );
  const tiles = await tiled(
    t,
    grid,
    { schemeId: 'mean', tileWidth: 64, tileHeight: 64 },
    { schemeId: 'max', tileWidth: 64, tileHeight: 64, aggregationMethod: 'Max' },
    { schemeId: 'xyz', schemeType: 'XYZ', zoomLevels: [15, 14] },
  );
  const values = async (id: string, level: number) => [
    ...new Set((await tiles.pixels(id, level)).map(([, , one]) => one)),
  ];
  t.deepEqual((await values('mean', 1)).toSorted(), [0, 1]);
  t.deepEqual(await values('mean', 0), [0.5]);
  t.deepEqual(await values('max', 0), [1]);
  // Pixels of level 15 are finer than the cells, so they take the nearest.
  t.deepEqual((await values('xyz', 15)).toSorted(), [0, 1]);
  t.deepEqual(tiles.stored.scheme('xyz')!.zoomLevels, [14, 15]);
});

test('cells without data do not count, and a pixel has data when any of its cells has', async (t) => {
  const hole = (x: number, y: number) => (x > 500_320 && x < 500_960 && y < 5_999_680 && y > 5_999_000 ? -9999 : 7);
  const grid = gridOf(
    { width: 129, height: 129, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: utm32, nodata: -9999 },
    hole,
  );
  const tiles = await tiled(
    t,
    grid,
    { schemeId: 'a', tileWidth: 64, tileHeight: 64 },
    { schemeId: 'b', schemeType: 'XYZ' },
  );
  const level0 = await tiles.pixels('a', 0);
  t.true(level0.every(([, , value]) => value === 7));
  // 129 cells of 10 m are 33 pixels of 40 m; 16 × 17 of them lie in the hole.
  t.is(level0.length, 33 * 33 - 16 * 17);
  for (const level of tiles.stored.scheme('b')!.zoomLevels)
    t.true((await tiles.pixels('b', level)).every(([, , value]) => value === 7));
  const limits = await tiles.stored.limits('a', { step: 0, layer: 0 });
  t.is(limits.filter(({ tileMatrix }) => tileMatrix === '2').length, 1);
});

test('each step and layer has its own tiles', async (t) => {
  const grid = gridOf(
    { width: 8, height: 8, affine: [0, 1, 0, 50, 0, -1], code: 4326, steps: 3, layers: 2 },
    (_x, _y, step, layer) => 100 * step + 10 * layer,
  );
  const tiles = await tiled(t, grid, { schemeId: 'a' }, { schemeId: 'b', schemeType: 'XYZ' });
  const { description } = tiles.stored;
  t.deepEqual(description.timeStamps, ['2024-05-02T10:00:00', '2024-05-02T16:00:00', '2024-05-02T22:00:00']);
  t.deepEqual(
    [description.layerIds, description.layerHeights],
    [
      [0, 1],
      [-10, -5],
    ],
  );
  for (const step of [0, 1, 2])
    for (const layer of [0, 1])
      for (const id of ['a', 'b']) {
        const level = tiles.stored.scheme(id)!.zoomLevels.at(-1)!;
        const values = new Set((await tiles.pixels(id, level, step, layer)).map(([, , one]) => one));
        t.deepEqual([...values], [100 * step + 10 * layer]);
      }
  t.true(tiles.stored.scheme('a')!.northFirst);
  t.is(description.wgS84Extent, 'POLYGON ((0 42, 8 42, 8 50, 0 50, 0 42))');
});

test('data across the antimeridian are drawn on both sides, and their longitudes run on', async (t) => {
  const grid = gridOf({ width: 40, height: 20, affine: [170, 0.5, 0, 5, 0, -0.5], code: 4326 }, (x) => x);
  const tiles = await tiled(t, grid, { schemeId: 'a', schemeType: 'XYZ' });
  t.is(tiles.stored.description.wgS84Extent, 'POLYGON ((170 -5, 190 -5, 190 5, 170 5, 170 -5))');
  for (const level of tiles.stored.scheme('a')!.zoomLevels.slice(1)) {
    const pixels = (await tiles.pixels('a', level)).map(
      ([x, , value]) => [(x / 20_037_508.342789) * 180, value] as const,
    );
    const errors = pixels
      .filter(([longitude]) => longitude > 171.5 || longitude < -171.5)
      .map(([longitude, value]) => Math.abs(value - (longitude < 0 ? longitude + 360 : longitude)));
    t.true(pixels.some(([longitude]) => longitude < 0) && pixels.some(([longitude]) => longitude > 0));
    t.true(worst(errors) < 1e-3, `${level}: ${worst(errors)}`);
  }
});

test('a grid over the pole reaches around the earth', async (t) => {
  // Polar stereographic, in which the pole is at 0, 0.
  const grid = gridOf({ width: 60, height: 60, affine: [-3e6, 1e5, 0, 3e6, 0, -1e5], code: 3413 }, () => 5);
  const tiles = await tiled(t, grid, { schemeId: 'a', schemeType: 'XYZ' });
  t.regex(tiles.stored.description.wgS84Extent, /^POLYGON \(\(-180 [\d.]+, 180 [\d.]+, 180 90, -180 90,/);
  const pixels = await tiles.pixels('a', 0);
  t.true(pixels.every(([, , value]) => value === 5));
  t.true(pixels.some(([x]) => x < -19e6) && pixels.some(([x]) => x > 19e6));
});
