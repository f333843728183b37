import type { ExecutionContext } from 'ava';
import test from 'ava';
import type { Grid } from '../../../src/data/grid.ts';
import type { Mesh } from '../../../src/data/mesh.ts';
import { withLevelsOnRequest } from '../../../src/formats/tiles/drawing.ts';
import { checkSchemes } from '../../../src/formats/tiles/schemes.ts';
import { TileDrawer } from '../../../src/formats/tiles/tile-drawer.ts';
import { HALF_WORLD, mercatorMatrices } from '../../../src/geo/tiles/matrices.ts';
import { gridOf, squares, tiled } from './tiling.ts';

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

test('levels below and above the cells of a turned grid with holes are drawn on request with the same bytes', async (t) => {
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

test('without firstLevelOnRequest only the deepest levels with too many tiles are drawn on request', (t) => {
  const scheme = checkSchemes([{ schemeId: 'a', schemeType: 'XYZ' }]).schemes[0]!;
  const side = 2 * HALF_WORLD;
  const box = { west: 0, south: 0, east: side / 4, north: side / 4 };
  const plan = (base: number, levels: readonly number[]) =>
    ({ matrices: mercatorMatrices, mercator: true, base, levels, onRequest: [], boxes: [box] }) as const;
  // A quarter of a quarter of the world: 4 ** (level - 2) tiles, and the margin.
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [8, 10, 11, 12, 14]), 1).onRequest, [12, 14]);
  t.deepEqual(withLevelsOnRequest(scheme, plan(8, [5, 8, 10]), 1).onRequest, []);
  t.deepEqual(withLevelsOnRequest(scheme, plan(11, [8, 10, 11]), 1000).onRequest, [8, 10, 11]);
  const early = { ...scheme, firstLevelOnRequest: 3 };
  t.deepEqual(withLevelsOnRequest(early, plan(8, [3, 4, 5, 8]), 1).onRequest, [4, 5, 8]);
  const error = t.throws(() => withLevelsOnRequest(scheme, plan(15, [10, 12]), 100));
  t.regex(error.message, /^Scheme 'a' needs up to \d+ tiles; at most 1000000 are drawn\./);
});

test('too many tiles of levels that are not drawn on request end with what to leave out', async (t) => {
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
