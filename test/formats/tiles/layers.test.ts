/** Each layer and step of data in space has its own values, whatever file they come from. */
import test, { type ExecutionContext } from 'ava';
import type { Data } from '../../../src/files/data/data.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import { StoredTiles } from '../../../src/files/tiles/dataset/stored-tiles.ts';
import { converted } from '../files.ts';
import { sigmaZMesh } from '../meshes.ts';
import { memory } from '../read.ts';
import { written } from '../written.ts';
import { gridOf, RawTiles } from './tiling.ts';

const SCHEMES = [
  { schemeId: 'native', outputType: 'RawData' },
  { schemeId: 'map', schemeType: 'XYZ', outputType: 'RawData' },
  { schemeId: 'later', schemeType: 'XYZ', firstLevelOnRequest: 0 },
];
/** 3 layers from the lowest, 2 steps; nothing in the first columns, which differ by layer. */
const value = (column: number, step: number, layer: number) =>
  column <= layer ? Number.NaN : 1000 * step + 100 * layer + column;

const [WIDTH, HEIGHT, LAYERS, STEPS] = [12, 8, 3, 2];
const [X0, Y0] = [500_000, 6_000_000];

async function through(t: ExecutionContext, data: Data, format: string | undefined): Promise<RawTiles> {
  const parameters = { TilingSchemes: SCHEMES };
  if (format === undefined)
    return new RawTiles(await StoredTiles.open(memory((await written(t, data, 'TilingWriter', parameters)).content)));
  const { content } = await written(t, data, `${format}Writer`);
  const { bytes } = await converted(t, content, {
    reader: `${format}Reader`,
    ...(format === 'Vtu' && { readerParameters: { SRID: 25832 } }),
    writer: 'TilingWriter',
    writerParameters: parameters,
  });
  return new RawTiles(await StoredTiles.open(memory(bytes)));
}

/** Values by column of cells of 10 m, of a scheme in the coordinate system of the data. */
async function byColumn(tiles: RawTiles, step: number, layer: number): Promise<(number | undefined)[]> {
  const level = tiles.stored.scheme('native')!.zoomLevels.at(-1)!;
  const found = new Map<number, Set<number>>();
  for (const [x, , one] of await tiles.pixels('native', level, step, layer)) {
    const column = Math.floor((x - X0) / 10);
    found.set(column, (found.get(column) ?? new Set()).add(one));
  }
  return Array.from({ length: WIDTH }, (_, column) => {
    const values = [...(found.get(column) ?? [])];
    return values.length > 1 ? Number.POSITIVE_INFINITY : values[0];
  });
}

async function hasEachLayer(t: ExecutionContext, tiles: RawTiles) {
  const { layerIds, timeStamps } = tiles.stored.description;
  t.deepEqual(layerIds, [0, 1, 2]);
  t.is(timeStamps.length, STEPS);
  for (let step = 0; step < STEPS; step++)
    for (let layer = 0; layer < LAYERS; layer++) {
      const expected = Array.from({ length: WIDTH }, (_, column) => {
        const one = value(column, step, layer);
        return Number.isNaN(one) ? undefined : one;
      });
      t.deepEqual(await byColumn(tiles, step, layer), expected, `step ${step}, layer ${layer}`);
      const level = tiles.stored.scheme('map')!.zoomLevels.at(-1)!;
      const drawn = (await tiles.pixels('map', level, step, layer)).map(([, , one]) => one);
      t.true(drawn.length > 0);
      const [least, most] = [value(layer + 1, step, layer), value(WIDTH - 1, step, layer)];
      t.true(
        drawn.every((one) => one >= least - 1e-3 && one <= most + 1e-3),
        `${least} to ${most}`,
      );
    }
}

const grid = (): Grid =>
  gridOf(
    {
      width: WIDTH,
      height: HEIGHT,
      affine: [X0, 10, 0, Y0, 0, -10],
      code: 25832,
      type: 'Float32',
      steps: STEPS,
      layers: LAYERS,
      nodata: -9999,
    },
    (x, _y, step, layer) => {
      const one = value(Math.floor((x - X0) / 10), step, layer);
      return Number.isNaN(one) ? -9999 : one;
    },
  );

/** Curvilinear cells in space, or layers of different thickness. */
function array(placement: MultiArray['placement'], levels: readonly number[]): MultiArray {
  const isDescending = levels[0]! > levels.at(-1)!;
  const centres = (first: number, step: number, count: number) =>
    Float64Array.from({ length: count }, (_, n) => first + step * (n + 0.5));
  return {
    kind: 'array',
    crs: { authority: 'EPSG', code: 25832 },
    time: { spacing: 'equidistant', unit: 'hour', start: Date.UTC(2024, 4, 2), count: STEPS, offset: 0, interval: 1 },
    axes: [
      {
        name: 'z',
        values: Float64Array.from({ length: LAYERS }, (_, n) => (levels[n]! + levels[n + 1]!) / 2),
        edges: Float64Array.from(levels),
      },
      { name: 'y', values: centres(Y0 - 10 * HEIGHT, 10, HEIGHT) },
      { name: 'x', values: centres(X0, 10, WIDTH) },
    ],
    ...(placement && { placement }),
    items: [{ name: 'Value', type: 'Float32', nodata: Number.NaN, axes: [0, 1, 2], overTime: true }],
    read: async (_item, step, start, shape) => {
      const samples = new Float32Array(shape.reduce((product, length) => product * length, 1));
      let at = 0;
      for (let z = start[0]!; z < start[0]! + shape[0]!; z++)
        for (let y = 0; y < shape[1]!; y++)
          for (let x = start[2]!; x < start[2]! + shape[2]!; x++)
            samples[at++] = value(x, step, isDescending ? LAYERS - 1 - z : z);
      return samples;
    },
  };
}

for (const format of [undefined, 'Dfs3', 'MD'])
  test(`each layer and step of a grid has its own tiles: ${format ?? 'as it is'}`, async (t) =>
    hasEachLayer(t, await through(t, grid(), format)));

test('each layer of an array with layers of different thickness has its own tiles', async (t) => {
  const affine = { by: 'affine', x: 2, y: 1, affine: [X0, 10, 0, Y0 - 10 * HEIGHT, 0, 10] } as const;
  for (const format of [undefined, 'MD']) {
    await hasEachLayer(t, await through(t, array(affine, [-30, -12, -2, 0]), format));
    // From the surface down.
    await hasEachLayer(t, await through(t, array(affine, [0, -2, -12, -30]), format));
  }
});

test('each layer of curvilinear cells in space has its own tiles', async (t) => {
  const count = (WIDTH + 1) * (HEIGHT + 1);
  const each = <T>(of: (column: number, row: number, level: number) => T): T[] =>
    Array.from({ length: (LAYERS + 1) * count }, (_, n) =>
      of(n % (WIDTH + 1), Math.floor((n % count) / (WIDTH + 1)), Math.floor(n / count)),
    );
  const placement = {
    by: 'nodes',
    x: 2,
    y: 1,
    nodeX: Float64Array.from(each((column) => X0 + 10 * column)),
    nodeY: Float64Array.from(each((_column, row) => Y0 - 10 * HEIGHT + 10 * row)),
    space: { z: 0, nodeZ: Float64Array.from(each((column, _row, level) => -10 - column + 3 * level)) },
  } as const;
  await hasEachLayer(t, await through(t, array(placement, [0, 1, 2, 3]), undefined));
});

test('layers of a mesh keep their numbers in shorter columns and after a round trip through each format', async (t) => {
  const mesh: Mesh = { ...sigmaZMesh(), crs: { authority: 'EPSG', code: 25832 } };
  const item = mesh.items.findIndex(({ location }) => location === 'cell');
  // The second column has no cell in the lowest layer.
  const cells = [[0], [1, 3], [2, 4]];
  for (const format of [undefined, 'MD', 'Dfsu', 'Vtu']) {
    const { content } = format === undefined ? { content: undefined } : await written(t, mesh, `${format}Writer`);
    const parameters = {
      TilingSchemes: [{ schemeId: 'native', outputType: 'RawData', itemName: mesh.items[item]!.name }],
    };
    const bytes =
      content === undefined
        ? (await written(t, mesh, 'TilingWriter', parameters)).content
        : (
            await converted(t, content, {
              reader: `${format}Reader`,
              ...(format === 'Vtu' && { readerParameters: { SRID: 25832 } }),
              writer: 'TilingWriter',
              writerParameters: parameters,
            })
          ).bytes;
    const tiles = new RawTiles(await StoredTiles.open(memory(bytes)));
    t.deepEqual(tiles.stored.description.layerIds, [0, 1, 2], format);
    const level = tiles.stored.scheme('native')!.zoomLevels.at(-1)!;
    for (const [step] of tiles.stored.description.timeStamps.entries())
      for (const [layer, own] of cells.entries()) {
        const all = await mesh.values(item, step);
        const drawn = new Set((await tiles.pixels('native', level, step, layer)).map(([, , one]) => one));
        t.deepEqual(
          [...drawn].toSorted((a, b) => a - b),
          own.map((cell) => all[cell]!),
          `${format} ${step} ${layer}`,
        );
      }
  }
});
