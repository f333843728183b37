import test from 'ava';
import { meshToGrid } from '../../src/files/convert/bridges/mesh-to-grid.ts';
import { gridToSeries, meshToSeries } from '../../src/files/convert/bridges/values-at-points.ts';
import { fits } from '../../src/files/convert/offers.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { Series } from '../../src/files/data/series.ts';
import { sliceSamples } from '../../src/files/data/slice-samples.ts';
import { readers, writers } from '../../src/files/formats/registry.ts';
import { flatMesh, hourly, itemNames, layeredMesh, value } from './meshes.ts';

const work = (parameters: Record<string, unknown>) => ({
  parameters,
  writer: { name: 'Dfs0Writer' },
  stem: 'made',
  quality() {},
  context: {
    signal: new AbortController().signal,
    scratch: '',
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd() {},
  },
});

/** All values of each item. */
async function columns(series: Series): Promise<number[][]> {
  const found: number[][] = series.items.map(() => []);
  for await (const { values } of series.chunks())
    for (const [n, column] of values.entries()) found[n]!.push(...Array.from(column, Number));
  return found;
}

const steps = [0, 1, 2, 3, 4, 5, 6];

test('points on a mesh give a series per point and item, with the value of the element at the point', async (t) => {
  const Points = [
    { name: 'west', x: 500_050, y: 6_000_050 },
    { name: 'upper', x: 500_110, y: 6_000_090 },
  ];
  const series = await meshToSeries(flatMesh(), work({ Points }));
  t.deepEqual(
    series.items.map(({ name }) => name),
    ['west', 'upper'].flatMap((point) => itemNames.map((name) => `${name}, ${point}`)),
  );
  t.deepEqual(series.items[3]!.position, [500_110, 6_000_090]);
  t.deepEqual(series.time, hourly);
  const found = await columns(series);
  t.deepEqual(
    found[1],
    steps.map((step) => value(1, step, 0)),
  );
  t.deepEqual(
    found[3],
    steps.map((step) => value(0, step, 2)),
  );
  // Values at nodes: the mean of the element's nodes 1, 6, 5.
  t.deepEqual(
    found[5],
    steps.map((step) => Math.fround(value(2, step, 4))),
  );
});

test('a point in a layered mesh needs z; its element is found with the heights of each step', async (t) => {
  const at = (z?: number) => [{ name: 'p', x: 500_190, y: 6_000_050, ...(z === undefined ? {} : { z }) }];
  // The border between the layers lies at −10 + step.
  const found = await columns(await meshToSeries(layeredMesh(), work({ Points: at(-6.5) })));
  t.deepEqual(
    found[0],
    steps.map((step) => value(0, step, step < 4 ? 1 : 0)),
  );
  const above = await columns(await meshToSeries(layeredMesh(), work({ Points: at(2.5) })));
  t.deepEqual(
    above[0],
    steps.map((step) => (step < 3 ? Math.fround(-1e-35) : value(0, step, 1))),
  );
  await t.throwsAsync(meshToSeries(layeredMesh(), work({ Points: at() })), { message: /'p' has no z/ });
});

test('points outside, missing Points and vertical sections are refused by name', async (t) => {
  const Points = [
    { name: 'in', x: 500_050, y: 6_000_050 },
    { name: 'off', x: 0, y: 1 },
  ];
  await t.throwsAsync(meshToSeries(flatMesh(), work({ Points })), {
    message: /A point lies outside the mesh: 'off' \(0, 1\)/,
  });
  await t.throwsAsync(meshToSeries(flatMesh(), work({})), { message: /'Points' is required by Dfs0Writer/ });
  await t.throwsAsync(meshToSeries({ ...layeredMesh(), section: 'profile' }, work({ Points })), {
    message: /vertical profile/,
  });
});

const gridOf = (over: Partial<Grid> = {}): Grid => ({
  kind: 'grid',
  width: 3,
  height: 2,
  affine: [100, 10, 0, 200, 0, 20],
  bands: [{ name: 'depth', type: 'Float32' }, { type: 'Int32' }],
  time: hourly,
  async *rows({ band, step, layer }) {
    for (let row = 0; row < 2; row++)
      yield {
        firstRow: row,
        rowCount: 1,
        samples: Float32Array.from(
          { length: 3 },
          (_, column) => band * 10_000 + step * 1000 + layer * 100 + row * 10 + column,
        ),
      };
  },
  ...over,
});

test('points on a grid give the value of the cell at the point and layer at its z, also if rotated', async (t) => {
  const Points = [{ name: 'a', x: 125, y: 239 }];
  const plain = await gridToSeries(gridOf(), work({ Points }));
  t.deepEqual(
    plain.items.map(({ name }) => name),
    ['depth, a', 'Item 2, a'],
  );
  t.deepEqual(
    await columns(plain),
    [0, 1].map((band) => steps.map((step) => band * 10_000 + step * 1000 + 12)),
  );
  const rotated = gridOf({ affine: [0, 8, -6, 0, 6, 8] });
  const [turned] = await columns(await gridToSeries(rotated, work({ Points: [{ name: 'b', x: 11, y: 27 }] })));
  t.deepEqual(
    turned,
    steps.map((step) => step * 1000 + 12),
  );
  const layered = gridOf({ layers: { count: 3, first: -25, spacing: 10 } });
  const [deep] = await columns(await gridToSeries(layered, work({ Points: [{ ...Points[0], z: -11 }] })));
  t.deepEqual(
    deep,
    steps.map((step) => step * 1000 + 112),
  );
  await t.throwsAsync(gridToSeries(layered, work({ Points: [{ ...Points[0], z: 3 }] })), {
    message: /above or below the layers/,
  });
  await t.throwsAsync(gridToSeries(gridOf(), work({ Points: [{ name: 'c', x: 99, y: 201 }] })), {
    message: /outside the grid: 'c'/,
  });
});

/** A square of 20 × 20 quads of 10 m with the value of a plane at their centres. */
function plane(hole = false): Mesh {
  const nodes = Array.from({ length: 441 }, (_, n) => [10 * (n % 21), 10 * Math.floor(n / 21), 0]).flat();
  const cells = Array.from({ length: 400 }, (_, n) => n).filter((n) => !hole || n % 20 < 8 || n % 20 > 11);
  const first = (n: number) => Math.floor(n / 20) * 21 + (n % 20);
  return {
    kind: 'mesh',
    nodes: Float64Array.from(nodes),
    shapes: new Uint8Array(cells.length).fill(CELL_SHAPES.quad),
    connectivity: Uint32Array.from(cells.flatMap((n) => [first(n), first(n) + 1, first(n) + 22, first(n) + 21])),
    offsets: Uint32Array.from({ length: cells.length + 1 }, (_, n) => 4 * n),
    items: [{ name: 'level', type: 'Float32', nodata: -1, location: 'cell' }],
    time: hourly,
    values: async (_item, step) =>
      Float32Array.from(cells, (n) => 100 * step + 3 * (10 * (n % 20) + 5) + 7 * (10 * Math.floor(n / 20) + 5)),
  };
}

test('a grid from a mesh is interpolated linearly between element centres, at each step', async (t) => {
  const grid = meshToGrid(plane(), work({ CellSize: 4 }));
  t.deepEqual([grid.width, grid.height, ...grid.affine], [50, 50, 0, 4, 0, 200, 0, -4]);
  t.like(grid.bands[0], { name: 'level', type: 'Float32', nodata: -1 });
  for (const step of [0, 6]) {
    const values = await sliceSamples(grid, { band: 0, step, layer: 0 });
    for (let row = 3; row < 47; row++)
      for (let column = 3; column < 47; column++) {
        const [x, y] = [4 * column + 2, 200 - 4 * row - 2];
        t.true(Math.abs(values[row * 50 + column]! - (100 * step + 3 * x + 7 * y)) < 1e-3);
      }
    // Beyond the outermost centres: the value of the element.
    t.is(values[0], 100 * step + 15 + 7 * 195);
  }
});

test('grid cells outside the mesh are deleted, and values are not interpolated across gaps', async (t) => {
  const grid = meshToGrid(plane(true), work({ CellSize: 5 }));
  const values = await sliceSamples(grid, { band: 0, step: 0, layer: 0 });
  const row = 20;
  for (let column = 0; column < 40; column++) {
    const inGap = column >= 16 && column < 24;
    t.is(values[row * 40 + column] === -1, inGap, String(column));
  }
  // Next to the gap: the value of the last element, not one interpolated towards the other side.
  t.is(values[row * 40 + 15], 3 * 75 + 7 * 95);
});

test('elements without a value are nodata in the grid, and do not affect their neighbours', async (t) => {
  const mesh = plane();
  const deleted: Mesh = {
    ...mesh,
    async values(item, step) {
      const values = await mesh.values(item, step);
      values[210] = -1;
      return values;
    },
  };
  const grid = meshToGrid(deleted, work({ CellSize: 5 }));
  const values = await sliceSamples(grid, { band: 0, step: 0, layer: 0 });
  // Element 210 covers x 100 to 110 and y 100 to 110: rows 18 and 19, columns 20 and 21.
  for (const [row, column] of [
    [18, 20],
    [19, 21],
  ] as const)
    t.is(values[row * 40 + column], -1);
  t.is(values[18 * 40 + 19], 3 * 95 + 7 * 105);
});

test('CellSize defaults to the root of the median element area; too small sizes and layers are refused', async (t) => {
  t.is(meshToGrid(plane(), work({})).affine[1], 10);
  t.throws(() => meshToGrid(plane(), work({ CellSize: 0.001 })), {
    message: /200000 × 200000 cells; .* larger CellSize/,
  });
  t.throws(() => meshToGrid(layeredMesh(), work({})), { message: /Choose it with a vertical filter/ });
});

test('the list of readers offers only writers that a bridge supports', (t) => {
  const offered = (reader: string, writer: string) =>
    fits(readers.find(({ name }) => name === reader)!, writers.find(({ name }) => name === writer)!);
  for (const [reader, writer] of [
    ['Dfs0Reader', 'DfsuWriter'],
    ['Dfs0Reader', 'GeoTiffWriter'],
    ['DfsuReader', 'Dfs3Writer'],
  ] as const)
    t.false(offered(reader, writer), `${reader} ${writer}`);
});
