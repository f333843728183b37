import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { transformer } from '../../../src/files/geo/crs/transform.ts';
import { checkSchemes } from '../../../src/files/tiles/dataset/schemes.ts';
import { HALF_WORLD, mercatorMatrices } from '../../../src/files/tiles/matrices.ts';
import { withLevelsOnRequest } from '../../../src/files/tiles/raster/drawing.ts';
import { TileDrawer } from '../../../src/files/tiles/raster/tile-drawer.ts';
import { randomOf } from '../../world/random.ts';
import { gridOf, squares, tiled, tiledWith } from './tiling.ts';

/** Draws the scheme at once and on request. Each tile has the same bytes, and the rectangles are the same. */
async function sameOnRequest(
  t: ExecutionContext,
  data: () => Grid | Mesh,
  scheme: Record<string, unknown> & { zoomLevels: readonly number[]; firstLevelOnRequest: number },
  slices: readonly { step: number; layer: number }[] = [{ step: 0, layer: 0 }],
): Promise<number> {
  const { firstLevelOnRequest, ...whole } = { schemeId: 'a', schemeType: 'XYZ', ...scheme };
  const [now, later] = [await tiled(t, data(), whole), await tiled(t, data(), { ...whole, firstLevelOnRequest })];
  t.deepEqual(
    later.stored.scheme('a')!.levelsOnRequest,
    scheme.zoomLevels.filter((level) => level >= firstLevelOnRequest),
  );
  const drawer = await TileDrawer.open(later.stored, 'a');
  let count = 0;
  for (const slice of slices) {
    const limits = await now.stored.limits('a', slice);
    t.deepEqual(await later.stored.limits('a', slice), limits);
    for (const { tileMatrix, ...rows } of limits)
      for (let row = rows.minTileRow; row <= rows.maxTileRow; row++)
        for (let column = rows.minTileCol; column <= rows.maxTileCol; column++) {
          const place = [Number(tileMatrix), column, row] as const;
          const { bytes } = (await now.stored.tile('a', slice, place))!;
          const kept = await later.stored.tile('a', slice, place);
          t.is(kept === undefined, place[0] >= firstLevelOnRequest, String(place));
          const own = kept?.bytes ?? (await drawer.draw(slice, place));
          if (!Buffer.from(bytes).equals(own!)) t.fail(`tile ${place.join('/')} differs`);
          count++;
        }
    t.is(await drawer.draw(slice, [Number(limits.at(-1)!.tileMatrix), 0, 0]), undefined);
  }
  drawer.close();
  return count;
}

const hilly = (x: number, y: number) => Math.sin(x / 70) * Math.cos(y / 130) * 10 + x / 1e4;

test('levels finer and coarser than the cells of a rotated grid with holes are drawn on request with the same bytes', async (t) => {
  const turned = () =>
    gridOf({ width: 130, height: 110, affine: [500_000, 19, 3, 6_000_000, 2, -20], code: 25832 }, (x, y) =>
      Math.hypot(x - 501_200, y - 5_999_000) < 300 || (x * 7 + y * 3) % 211 < 2 ? Number.NaN : hilly(x, y),
    );
  const count = await sameOnRequest(t, turned, { zoomLevels: [3, 10, 11, 12, 13, 15], firstLevelOnRequest: 10 });
  t.true(count > 15, String(count));
});

test('each step and layer of a grid across the antimeridian is drawn on request with the same bytes', async (t) => {
  const grid = () =>
    gridOf(
      {
        width: 90,
        height: 40,
        affine: [176, 0.1, 0, -10, 0, -0.1],
        code: 4326,
        type: 'Int16',
        steps: 2,
        layers: 2,
        nodata: -1,
      },
      (x, y, step, layer) => (x > 179 && x < 179.5 + step ? -1 : Math.round(x * 10 + y + 100 * step + 1000 * layer)),
    );
  const slices = [0, 1].flatMap((step) => [0, 1].map((layer) => ({ step, layer })));
  t.true((await sameOnRequest(t, grid, { zoomLevels: [0, 2, 5, 6, 7], firstLevelOnRequest: 5 }, slices)) > 40);
  const pictures = { outputType: 'PNG', aggregationMethod: 'Max', zoomLevels: [5, 6], firstLevelOnRequest: 0 };
  t.true((await sameOnRequest(t, grid, pictures, slices)) > 8);
});

test('meshes are drawn on request with the same bytes: items of nodes and elements, with holes, and layers', async (t) => {
  const mesh = () => {
    const whole = squares(20, [600_000, 6_200_000]);
    const values = async (item: number) =>
      (await whole.values(item, 0)).map((value, n) => (n % 37 === 3 || (n > 200 && n < 260) ? Number.NaN : value));
    return { ...whole, values };
  };
  const levels = { zoomLevels: [9, 12, 13, 15], firstLevelOnRequest: 12 };
  const count = await sameOnRequest(t, mesh, levels);
  t.true(count > 15, String(count));
  await sameOnRequest(t, mesh, { ...levels, itemName: 'Number', outputType: 'BinnedData256' });
});

test('levels are drawn ahead from the coarsest on, up to 100,000 tiles or the requested number', (t) => {
  const scheme = checkSchemes([{ schemeId: 'a', schemeType: 'XYZ' }]).schemes[0]!;
  const side = 2 * HALF_WORLD;
  const box = { west: 0, south: 0, east: side / 4, north: side / 4 };
  const plan = (base: number, levels: readonly number[]) =>
    ({ matrices: mercatorMatrices, mercator: true, base, levels, onRequest: [], boxes: [box] }) as const;
  // A quarter of a quarter of the world: 4 ** (level - 2) tiles, and the margin.
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [8, 10, 11, 12, 14]), { slices: 1 }).onRequest, [11, 12, 14]);
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [5, 8, 10]), { slices: 1 }).onRequest, []);
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [5, 8, 10]), { slices: 1, ahead: 5000 }).onRequest, [10]);
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [3, 4, 5, 8]), { slices: 1, ahead: 0 }).onRequest, [4, 5, 8]);
  t.deepEqual(withLevelsOnRequest(scheme, plan(11, [8, 10, 11]), { slices: 1000 }).onRequest, [8, 10, 11]);
  const early = { ...scheme, firstLevelOnRequest: 3 };
  t.deepEqual(withLevelsOnRequest(early, plan(8, [3, 4, 5, 8]), { slices: 1 }).onRequest, [4, 5, 8]);
  const error = t.throws(() => withLevelsOnRequest(scheme, plan(15, [10, 12]), { slices: 100 }));
  t.regex(error.message, /^Scheme 'a' needs up to \d+ tiles; at most 1000000 are drawn\./);
});

test('levels up to 22 are accepted, drawn ahead as requested, and their availability contains all their data', async (t) => {
  // 100 km with a lake of 40 km: the deepest level has over 100 million tiles.
  const [west, north, cell, size] = [500_000, 6_000_000, 250, 400];
  const isLake = (x: number, y: number) => Math.hypot(x - west - 50_000, north - 50_000 - y) < 20_000;
  const grid = () =>
    gridOf({ width: size, height: size, affine: [west, cell, 0, north, 0, -cell], code: 25832 }, (x, y) =>
      isLake(x, y) ? Number.NaN : x / 1000,
    );
  const zoomLevels = Array.from({ length: 23 }, (_, level) => level);
  const { stored } = await tiledWith(t, grid(), {
    schemes: [{ schemeId: 'a', schemeType: 'XYZ', zoomLevels }],
    DrawAheadTiles: 500,
  });
  const { levelsOnRequest = [] } = stored.scheme('a')!;
  t.is(levelsOnRequest.at(-1), 22);
  const slice = { step: 0, layer: 0 };
  const counts = await stored.countTiles('a');
  const ahead = zoomLevels.filter((level) => !levelsOnRequest.includes(level));
  const sum = (levels: readonly number[]) => levels.reduce((all, level) => all + counts.get(level)!, 0);
  t.true(sum(ahead) <= 500 && sum([...ahead, ahead.length]) > 400, `${sum(ahead)}`);
  t.true(counts.get(22)! > 1e8);
  t.true((await stored.limits('a', slice)).length < 20_000);
  using change = await transformer({ authority: 'EPSG', code: 25832 }, { authority: 'EPSG', code: 3857 });
  const drawer = await TileDrawer.open(stored, 'a');
  const random = randomOf(5);
  let [full, none] = [0, 0];
  for (const level of levelsOnRequest)
    for (let n = 0; n < 8; n++) {
      const [x, y] = [west - 10_000 + 120_000 * random(), north - 110_000 + 120_000 * random()];
      const [px, py] = [Float64Array.of(x), Float64Array.of(y)];
      change.forward(px, py);
      const place = [
        level,
        Math.floor(((px[0]! + HALF_WORLD) / (2 * HALF_WORLD)) * 2 ** level),
        Math.floor(((HALF_WORLD - py[0]!) / (2 * HALF_WORLD)) * 2 ** level),
      ] as const;
      const has = await stored.hasData('a', slice, place);
      const drawn = await drawer.draw(slice, place);
      if (drawn !== undefined) t.true(has, `${place.join('/')} is drawn and not available`);
      // Far from the edge of the data there is no tile too many.
      const isFar =
        Math.hypot(x - west - 50_000, north - 50_000 - y) < 10_000 ||
        Math.max(Math.abs(x - west - 50_000), Math.abs(north - 50_000 - y)) > 58_000;
      if (isFar && level > 14) t.false(has, `${place.join('/')} is available and empty`);
      if (drawn === undefined) none++;
      else full++;
    }
  drawer.close();
  t.true(full > 10 && none > 10, `${full} ${none}`);
});

test('the error for too many tiles drawn ahead says which levels to omit', async (t) => {
  const world = { width: 36_000, height: 18_000, affine: [-180, 0.01, 0, 90, 0, -0.01] as const, code: 4326 };
  const scheme = { schemeId: 'a', schemeType: 'XYZ', zoomLevels: [3, 8] };
  await t.throwsAsync(
    tiled(
      t,
      gridOf({ ...world, steps: 19_000 }, () => 1),
      scheme,
    ),
    {
      message:
        "Scheme 'a' needs up to 1216000 tiles; at most 1000000 are drawn. Zoom levels from 4 on are drawn on request; " +
        'leave out some of those before. They are of 19000 time steps and layers; choose fewer with a temporal or vertical filter.',
    },
  );
});
