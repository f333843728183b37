import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import type { TimeAxis } from '../../../src/files/data/time-axis.ts';
import type { TileSlice } from '../../../src/files/tiles/dataset/description.ts';
import { StoredTiles } from '../../../src/files/tiles/dataset/stored-tiles.ts';
import { TileDrawer } from '../../../src/files/tiles/raster/tile-drawer.ts';
import { memory } from '../read.ts';
import { written } from '../written.ts';
import { appended, gridOf, hours, part, RawTiles, squares } from './tiling.ts';

const draw = async (t: ExecutionContext, data: Grid | Mesh, schemes: readonly object[]): Promise<Buffer> =>
  (await written(t, data, 'TilingWriter', { TilingSchemes: schemes })).content;

/** Everything served of a tiles dataset: description and each tile of each scheme, also those drawn on request. */
async function served(content: Buffer) {
  const stored = await StoredTiles.open(memory(content));
  const { tileStorageSizeKB: _, ...description } = stored.description;
  const tiles: Record<string, string> = {};
  for (const { schemeId, levelsOnRequest = [] } of description.tilingSchemes) {
    const drawer = levelsOnRequest.length > 0 ? await TileDrawer.open(stored, schemeId) : undefined;
    tiles[`${schemeId} empty`] = (await stored.emptyTile(schemeId)).toString('base64');
    for (let step = 0; step < description.timeStamps.length; step++)
      for (let layer = 0; layer < Math.max(1, description.layerIds.length); layer++) {
        const slice: TileSlice = { step, layer };
        const limits = await stored.limits(schemeId, slice);
        tiles[`${schemeId} ${step} ${layer}`] = JSON.stringify(limits);
        for (const { tileMatrix, minTileRow, maxTileRow, minTileCol, maxTileCol } of limits)
          for (let row = minTileRow; row <= maxTileRow; row++)
            for (let column = minTileCol; column <= maxTileCol; column++) {
              const place = [Number(tileMatrix), column, row] as const;
              const tile = levelsOnRequest.includes(place[0])
                ? await drawer!.draw(slice, place)
                : (await stored.tile(schemeId, slice, place))!.bytes;
              tiles[`${schemeId} ${step} ${layer} ${place}`] = Buffer.from(tile!).toString('base64');
            }
      }
    drawer?.close();
  }
  return { description, tiles };
}

const plane = (x: number, y: number, step: number, layer: number) =>
  x < 500_010 + 30 * step ? Number.NaN : 1000 * step + 100 * layer + (x - 500_000) / 10 + (6_000_000 - y) / 100;
const layered = (): Grid =>
  gridOf(
    { width: 60, height: 40, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: 25832, steps: 5, layers: 2 },
    plane,
  );
const range = { minValue: 0, maxValue: 3000 };
const gridSchemes = [
  { schemeId: 'native', tileWidth: 64, tileHeight: 64, outputType: 'RawData', ...range },
  { schemeId: 'map', schemeType: 'XYZ', zoomLevels: [3, 12, 15], ...range },
  { schemeId: 'web', schemeType: 'XYZ', outputType: 'WEBP', zoomLevels: [13], aggregationMethod: 'Max', ...range },
  {
    schemeId: 'later',
    schemeType: 'XYZ',
    outputType: 'BinnedData256',
    zoomLevels: [12, 14, 15],
    firstLevelOnRequest: 14,
    ...range,
  },
  { schemeId: 'twin', schemeType: 'XYZ', zoomLevels: [16], firstLevelOnRequest: 0, ...range },
];

test('steps appended one by one are served like steps drawn together', async (t) => {
  const whole = await served(await draw(t, part(layered(), 0, 5), gridSchemes));
  t.true(Object.keys(whole.tiles).length > 100);
  const first = await draw(t, part(layered(), 0, 1), gridSchemes);
  const second = await appended(t, first, part(layered(), 1, 3));
  t.deepEqual(second.steps, { time: hours(3), present: 1 });
  const third = await appended(t, second.content, part(layered(), 3, 5));
  t.deepEqual(await served(third.content), whole);
  t.regex(
    third.warnings[0]!,
    /^Scheme 'native': the added values reach from 3\d+.* to 4\d+.*; the colour scale stays 0 to 3000\.$/,
  );
});

test('the only slice of tiles becomes the first of several, also of whole numbers with rows from the south', async (t) => {
  const whole = gridOf(
    { width: 70, height: 50, affine: [9, 0.01, 0, 55, 0, -0.01], code: 4326, type: 'Int16', nodata: -1, steps: 3 },
    (x, y, step) => (x > 9.5 && y > 54.8 ? -1 : Math.floor(100 * (x - 9)) + 1000 * step),
  );
  const schemes = [
    { schemeId: 'a', ...range },
    { schemeId: 'b', schemeType: 'XYZ', zoomLevels: [5, 9, 10], firstLevelOnRequest: 9, ...range },
  ];
  const fromSouth: Grid = {
    ...(part(whole, 1, 3) as Grid),
    affine: [9, 0.01, 0, 54.5, 0, 0.01],
    async *rows(slice) {
      const rows: Int16Array[] = [];
      for await (const { samples } of whole.rows({ ...slice, step: slice.step + 1 })) rows.push(samples as Int16Array);
      for (const [firstRow, samples] of rows.toReversed().entries()) yield { firstRow, rowCount: 1, samples };
    },
  };
  const first = await draw(t, part(whole, 0, 1), schemes);
  t.deepEqual(
    await served((await appended(t, first, fromSouth)).content),
    await served(await draw(t, part(whole, 0, 3), schemes)),
  );
});

test('steps of a mesh are added, of values at nodes and in elements, and of levels that are drawn on request', async (t) => {
  const base = squares(6, [500_000, 6_000_000]);
  const mesh: Mesh = {
    ...base,
    values: async (item, step) => Float64Array.from(await base.values(item, 0), (value) => value + 1000 * step),
  };
  const schemes = [
    { schemeId: 'nodes', outputType: 'RawData', itemName: 'Level', ...range },
    {
      schemeId: 'cells',
      schemeType: 'XYZ',
      itemName: 'Number',
      zoomLevels: [13, 15],
      firstLevelOnRequest: 15,
      ...range,
    },
  ];
  const first = await draw(t, part(mesh, 0, 2), schemes);
  const { content } = await appended(t, first, part(mesh, 2, 3));
  t.deepEqual(await served(content), await served(await draw(t, part(mesh, 0, 3), schemes)));
  // The mesh with nodes that are rounded to single precision.
  const rounded: Mesh = { ...mesh, nodes: Float64Array.from(mesh.nodes, Math.fround) };
  t.is((await appended(t, first, part(rounded, 2, 3))).steps.present, 2);
  const moved: Mesh = { ...mesh, nodes: mesh.nodes.map((value, n) => (n === 0 ? value + 1 : value)) };
  await t.throwsAsync(appended(t, first, part(moved, 2, 3)), { message: /nodes or elements of the input differ/ });
  const other = squares(5, [500_000, 6_000_000]);
  await t.throwsAsync(appended(t, first, part(other, 2, 3)), {
    message: 'The dataset has 72 elements in 1 layers, and the input 50 elements in 1 layers.',
  });
  const [one, two] = mesh.items;
  const swapped: Mesh = {
    ...mesh,
    items: [
      { ...one!, name: 'Number' },
      { ...two!, name: 'Level' },
    ],
  };
  await t.throwsAsync(appended(t, first, part(swapped, 2, 3)), {
    message: "The item 'Level' has values at nodes in the dataset, and at elements in the input.",
  });
  await t.throwsAsync(appended(t, first, part(layered(), 2, 3)), {
    message: 'The tiles were drawn of a mesh, and the input holds a grid.',
  });
});

test('least and greatest value, colours and levels stay, and an item is found by its name', async (t) => {
  const made = { width: 60, height: 40, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: 25832, steps: 9 } as const;
  /** Each band has a value of its own at each step. */
  const bands = (time: TimeAxis, ...names: readonly string[]): Grid => {
    const grid = gridOf(made, () => 0);
    return {
      ...grid,
      time,
      bands: names.map((name) => ({ ...grid.bands[0]!, name, unit: 'm' })),
      async *rows({ band, step }) {
        const value = 100 * (names.length - 1) + 10 * band + step;
        for (let firstRow = 0; firstRow < 40; firstRow++)
          yield { firstRow, rowCount: 1, samples: new Float64Array(60).fill(value) };
      },
    };
  };
  const before = await draw(t, bands(hours(3), 'Depth'), [{ schemeId: 'a', outputType: 'RawData' }]);
  const { content, warnings } = await appended(t, before, bands(hours(2, 3), 'Other', 'Depth'));
  t.deepEqual(warnings, ["Scheme 'a': the added values reach from 110 to 111; the colour scale stays 0 to 2."]);
  const tiles = new RawTiles(await StoredTiles.open(memory(content)));
  t.like(tiles.stored.scheme('a'), { minValue: 0, maxValue: 2, itemName: 'Depth', unit: 'm' });
  t.is(tiles.stored.description.timeStamps[4], '2024-05-03T10:00:00');
  const values: number[][] = [];
  for (let step = 0; step < 5; step++)
    values.push([...new Set((await tiles.pixels('a', 0, step)).map(([, , value]) => value))]);
  t.deepEqual(values, [[0], [1], [2], [110], [111]]);
});

test('steps that do not match the dataset are refused with an error message', async (t) => {
  const grid = layered();
  const schemes = gridSchemes.slice(0, 1);
  const first = await draw(t, part(grid, 0, 2), schemes);
  const refused = async (
    data: Grid,
    message: string | RegExp,
    content = first,
    parameters: Record<string, unknown> = {},
  ) => t.throwsAsync(appended(t, content, data, parameters), { message, name: 'ConversionError' });
  const next = part(grid, 2, 3) as Grid & { time: TimeAxis };
  const [band] = next.bands;
  await refused(
    part(grid, 1, 3) as Grid,
    /^The input has a step at 2024-05-02T16:00:00, which is not after 2024-05-02T16:00:00\./,
  );
  const { time: _, ...timeless } = next;
  await refused(timeless, 'The input has no time axis, so its steps cannot be added.');
  const { start: _start, ...relative } = next.time;
  const ofDates = 'The times of the dataset are dates, and those of the input relative.';
  await refused({ ...next, time: relative as TimeAxis }, ofDates);
  await refused(
    { ...next, crs: { authority: 'EPSG', code: 25833 } },
    /is EPSG:25832, and that of the input EPSG:25833\. Add a crsTransformation\.$/,
  );
  await refused({ ...next, affine: [500_010, 10, 0, 6_000_000, 0, -10] }, /lie at other coordinates/);
  await refused({ ...next, width: 59 }, 'The dataset has 60 × 40 × 2 cells, and the input 59 × 40 × 2.');
  const { layers: _layers, ...flat } = next;
  await refused(flat, 'The dataset has 60 × 40 × 2 cells, and the input 60 × 40 × 1.');
  await refused(
    { ...next, bands: [{ ...band!, name: 'Depth' }] },
    "Scheme 'native': the data have no item 'Band 1'. There are 'Depth'.",
  );
  await refused(next, /by the schemes of the dataset/, first, { TilingSchemes: schemes });
  const { time: _time, ...still } = part(grid, 0, 1) as Grid;
  await refused(next, 'The dataset has no time axis, so no steps can be added.', await draw(t, still, schemes));
  const metres = await draw(t, { ...(part(grid, 0, 2) as Grid), bands: [{ ...band!, unit: 'm' }] }, schemes);
  await refused(
    { ...next, bands: [{ ...band!, unit: 'ft' }] },
    "The item 'Band 1' has the unit m in the dataset, and ft in the input.",
    metres,
  );
  const whole = gridOf({ width: 60, height: 40, affine: grid.affine, code: 25832, type: 'Int16', layers: 2 }, () => 1);
  await refused(
    next,
    "The item 'Band 1' has whole numbers in the dataset, and others in the input.",
    await draw(t, { ...whole, time: hours(2) }, schemes),
  );
});
