import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Samples, SampleType } from '../../src/files/data/item.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import { sampleArrays } from '../../src/files/data/samples.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { folderOf, passed } from './transformed.ts';

/** Cells of 10 units from (100, 240) on; -9999 is no data. */
function gridOf(rows: readonly (readonly number[])[], more: Partial<Grid> = {}, type: SampleType = 'Float32'): Grid {
  const [width, height] = [rows[0]!.length, rows.length];
  return {
    kind: 'grid',
    width,
    height,
    affine: [100, 10, 0, 240, 0, -10],
    crs: parseSrid(25832),
    bands: [{ name: 'depth', unit: 'm', valueKind: 'accumulated', type, nodata: -9999 }],
    async *rows({ step, layer }) {
      for (let row = 0; row < height; row++)
        yield {
          firstRow: row,
          rowCount: 1,
          samples: samplesOf(
            type,
            rows[row]!.map((value) => (value === -9999 ? value : value + 100 * step + 1000 * layer)),
          ),
        };
    },
    ...more,
  };
}

function samplesOf(type: SampleType, values: readonly number[]): Samples {
  const samples = new sampleArrays[type](values.length);
  samples.set(values);
  return samples;
}

interface Resampled {
  values: number[];
  grid: Grid;
  result: Awaited<ReturnType<typeof passed>>;
}

async function resampled(t: ExecutionContext, from: Grid | Mesh, resample: object, sides = {}): Promise<Resampled> {
  const values: number[] = [];
  let grid: Grid | undefined;
  const result = await passed(
    t,
    from as Grid,
    [{ type: 'resampleTransformation', resample }],
    async (made) => {
      grid = made;
      for (let step = 0; step < (made.time === undefined ? 1 : 2); step++)
        for (let layer = 0; layer < (made.layers?.count ?? 1); layer++)
          for await (const { samples } of made.rows({ band: 0, step, layer })) values.push(...samples);
    },
    sides,
  );
  return { values, grid: grid!, result };
}

const four = gridOf([
  [1, 2, 3, 4],
  [5, 6, 7, 8],
  [9, 10, 11, 12],
  [13, 14, 15, -9999],
]);

test('cells of twice the size: averages, sums and extremes of the cells in common, without those without data', async (t) => {
  for (const [method, values] of [
    ['average', [3.5, 5.5, 11.5, (11 + 12 + 15) / 3]],
    ['sum', [14, 22, 46, 38]],
    ['min', [1, 3, 9, 11]],
    ['max', [6, 8, 14, 15]],
    ['mode', [1, 3, 9, 11]],
  ] as const) {
    const { values: made, grid } = await resampled(t, four, { cellSize: 20, method });
    t.deepEqual(
      made,
      values.map((value) => Math.fround(value)),
      method,
    );
    t.deepEqual(grid.affine, [100, 20, 0, 240, 0, -20]);
    t.like(grid.bands[0], { name: 'depth', unit: 'm', valueKind: 'accumulated', nodata: -9999 });
  }
});

test('cells of 1.5 times the size weigh cells by the part in common; the grid grows from its upper left corner', async (t) => {
  const row = gridOf([
    [1, 2, 4],
    [1, 2, 4],
  ]);
  const { values, grid } = await resampled(t, row, { cellSize: [15, 20], method: 'average' });
  t.deepEqual(values, [(1 + 2 / 2) / 1.5, (4 + 2 / 2) / 1.5].map(Math.fround));
  t.deepEqual([grid.width, grid.height], [2, 1]);
  const sum = await resampled(t, row, { cellSize: [25, 20], method: 'sum' });
  t.deepEqual(sum.values, [2 * (1 + 2 + 4 / 2), 2 * (4 / 2)], 'the total stays');
  t.deepEqual(sum.grid.affine, [100, 25, 0, 240, 0, -20]);
});

test('the commonest value wins, and of equally common ones the first from the upper left', async (t) => {
  const classes = gridOf(
    [
      [1, 2, 7, 5],
      [2, 1, 5, 5],
    ],
    {},
    'Int16',
  );
  const { values } = await resampled(t, classes, { cellSize: 20, method: 'mode' });
  t.deepEqual(values, [1, 5]);
});

test('smaller cells: nearest repeats, bilinear interpolates between centres, and beyond them takes the outermost', async (t) => {
  const row = gridOf([[10, 20]]);
  t.deepEqual((await resampled(t, row, { cellSize: [5, 10], method: 'nearest' })).values, [10, 10, 20, 20]);
  t.deepEqual((await resampled(t, row, { cellSize: [5, 10] })).values, [10, 12.5, 17.5, 20]);
  const integers = gridOf([[10, 20]], {}, 'Int32');
  t.deepEqual((await resampled(t, integers, { cellSize: [5, 10] })).values, [10, 10, 20, 20], 'integers: nearest');
  t.deepEqual(
    (await resampled(t, integers, { cellSize: [5, 10], method: 'bilinear' })).values,
    [10, 13, 18, 20],
    'rounded',
  );
});

test('cubic follows a curve through four centres, and is bilinear where one of them has no data', async (t) => {
  const rows = Array.from({ length: 6 }, () => [0, 1, 2, 3, 4, 5].map((x) => x * x));
  const { values } = await resampled(t, gridOf(rows), {
    extent: [125, 205, 135, 215],
    cellSize: 2,
    method: 'cubic',
  });
  // The convolution of Keys keeps a quadratic. The first cell is at column 2.1, counted between centres.
  t.deepEqual(
    values.slice(0, 5).map((value) => Number(value.toFixed(5))),
    [2.1, 2.3, 2.5, 2.7, 2.9].map((x) => Number((x * x).toFixed(5))),
  );
});

test('larger cells stretch the kernel of bilinear: weights fall linearly over twice the cells', async (t) => {
  const row = gridOf([[0, 0, 8, 0, 0, 0, 0, 0]]);
  const { values } = await resampled(t, row, { cellSize: [20, 10], method: 'bilinear' });
  // The centres of the source are 1/4, 3/4 … of a target cell away from its centre; weights 3/4 and 1/4 in both ways.
  t.deepEqual(values, [8 * (0.25 / 1.75), 8 * 0.375, 0, 0].map(Math.fround));
});

test('every step and layer is resampled alike', async (t) => {
  const time: TimeAxis = { spacing: 'equidistant', unit: 'hour', start: 0, count: 2, offset: 0, interval: 1 };
  const stacked = gridOf(
    [
      [1, 3],
      [5, 7],
    ],
    { time, layers: { count: 2, first: 0, spacing: 1 } },
  );
  const { values, grid, result } = await resampled(t, stacked, { cellSize: 20, method: 'average' });
  t.deepEqual(values, [4, 1004, 104, 1104]);
  t.deepEqual([grid.time, grid.layers?.count], [time, 2]);
  t.is(result.recordsRead, 16);
  t.is(result.recordsWritten, 4);
});

test('an extent places the cells from its upper left corner; cells beyond the data have none', async (t) => {
  const { values, grid } = await resampled(t, four, { extent: [90, 215, 115, 245], cellSize: 10, method: 'nearest' });
  t.deepEqual(grid.affine, [90, 10, 0, 245, 0, -10]);
  t.deepEqual([grid.width, grid.height], [3, 3]);
  t.deepEqual(
    values,
    [-9999, 1, 2, -9999, 5, 6, -9999, 9, 10],
    'centres at 240, on the border, belong to the lower row',
  );
});

test('rows from the south up keep their order, and the grid still grows from its upper left corner', async (t) => {
  const southUp = gridOf([[1], [2], [3]], { affine: [100, 10, 0, 210, 0, 10] });
  const { values, grid } = await resampled(t, southUp, { cellSize: [10, 20], method: 'average' });
  t.deepEqual(grid.affine, [100, 10, 0, 200, 0, 20]);
  t.deepEqual(values, [1, 2.5]);
});

test('a turned grid keeps its direction, and an extent turns it to the north by the areas in common', async (t) => {
  const turned = gridOf(
    [
      [1, 2],
      [3, 4],
    ],
    { affine: [0, 6, 8, 0, 8, -6] },
  );
  const kept = await resampled(t, turned, { cellSize: 20, method: 'average' });
  t.deepEqual(kept.values, [2.5]);
  t.deepEqual(kept.grid.affine, [0, 12, 16, 0, 16, -12]);
  const north = await resampled(t, turned, { extent: [-1, -13, 29, 17], cellSize: 30, method: 'sum' });
  t.true(Math.abs(north.values[0]! - 10) < 1e-5, 'the total of all cells');
});

test('a turned grid of many tiles has the values of its cells, and sums keep them all', async (t) => {
  const [width, height] = [400, 300];
  const [cos, sin] = [Math.cos(0.5), Math.sin(0.5)];
  const valueAt = (column: number, row: number) => 1 + ((7 * column + 13 * row) % 101);
  const from: Grid = {
    ...gridOf([[0]]),
    width,
    height,
    affine: [0, cos, sin, 0, sin, -cos],
    async *rows() {
      for (let row = 0; row < height; row++)
        yield { firstRow: row, rowCount: 1, samples: Float32Array.from({ length: width }, (_, c) => valueAt(c, row)) };
    },
  };
  const extent = [-10, -300, 500, 220];
  const { values, grid } = await resampled(t, from, { extent, cellSize: 1, method: 'nearest' });
  const expected = Array.from(values, (_, n) => {
    const [x, y] = [-10 + (n % grid.width) + 0.5, 220 - Math.floor(n / grid.width) - 0.5];
    const [column, row] = [Math.floor(cos * x + sin * y), Math.floor(sin * x - cos * y)];
    return column >= 0 && column < width && row >= 0 && row < height ? valueAt(column, row) : -9999;
  });
  t.is(values.length, 510 * 520);
  t.deepEqual(values, expected);
  const total = (all: readonly number[]) => all.reduce((sum, value) => sum + (value === -9999 ? 0 : value), 0);
  const { values: sums } = await resampled(t, from, { extent, cellSize: 3, method: 'sum' });
  let given = 0;
  for (let n = 0; n < width * height; n++) given += valueAt(n % width, Math.floor(n / width));
  t.true(Math.abs(total(sums) / given - 1) < 1e-6);
});

test('rows of tiles are low where they are wide', async (t) => {
  const turned = gridOf([[1]], { affine: [0, 6, 8, 0, 8, -6] });
  const resample = { extent: [0, 0, 100_000, 60], cellSize: 1 };
  let most = 0;
  await passed<Grid>(t, turned, [{ type: 'resampleTransformation', resample }], async (made) => {
    for await (const { samples } of made.rows({ band: 0, step: 0, layer: 0 })) most = Math.max(most, samples.length);
  });
  t.true(most > 0 && most <= 1 << 22);
});

test('like gives the cells of another file, and two systems are refused', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'like.asc');
  await writeFile(path, 'ncols 2\nnrows 1\nxllcorner 100\nyllcorner 200\ncellsize 20\n0 0\n');
  const sides = { 'like.asc': { path, name: 'like.asc' } };
  const like = { path: 'like.asc', readerParameters: [{ name: 'SRID', value: 25832 }] };
  const { values, grid } = await resampled(t, four, { like, method: 'average' }, sides);
  t.deepEqual(grid.affine, [100, 20, 0, 220, 0, -20]);
  t.deepEqual(values, [11.5, Math.fround((11 + 12 + 15) / 3)]);
  const other = { ...like, readerParameters: [{ name: 'SRID', value: 32633 }] };
  await t.throwsAsync(resampled(t, four, { like: other }, sides), { message: /EPSG:32633.*crsTransformation/ });
  await t.throwsAsync(resampled(t, four, { cellSize: 20, SRID: 4326 }), { message: /EPSG:4326.*crsTransformation/ });
  await t.throwsAsync(resampled(t, four, { like: { path: 'other.asc' } }, sides), {
    message: /'other.asc'.*not there/,
  });
});

test('integers beyond the ends of their type stay at the ends, and beside the nodata value', async (t) => {
  const edge = Array.from({ length: 8 }, () => [1, 1, 1, 1, 250, 250, 250, 250]);
  for (const [nodata, low, high] of [
    [0, 1, 255],
    [255, 0, 254],
  ] as const) {
    const bands = [{ type: 'UInt8' as const, nodata }];
    const { values } = await resampled(t, gridOf(edge, { bands }, 'UInt8'), { cellSize: 5, method: 'cubic' });
    // the curve swings below 1 before the edge, and above 255 behind it
    const row = values.slice(6 * 16, 7 * 16);
    t.deepEqual(row.slice(5, 7), [low, low]);
    t.deepEqual(row.slice(9, 11), [high, high]);
  }
});

test('a mean is not the nodata value of the grid', async (t) => {
  const from = (type: SampleType) => gridOf([[-1, 1]], { bands: [{ type, nodata: 0 }] }, type);
  const { values } = await resampled(t, from('Int16'), { cellSize: [20, 10], method: 'average' });
  t.deepEqual(values, [1]);
  const { values: floats } = await resampled(t, from('Float32'), { cellSize: [20, 10], method: 'average' });
  t.true(floats[0]! > 0 && floats[0]! < 1e-40);
});

test('integers without a nodata value get one only where cells lie beyond the data', async (t) => {
  const from = gridOf([[0, 0, 3, 4]], { bands: [{ type: 'UInt8' }] }, 'UInt8');
  const covered = await resampled(t, from, { cellSize: [5, 10] });
  t.deepEqual(covered.values, [0, 0, 0, 0, 3, 3, 4, 4]);
  t.deepEqual(covered.grid.bands, [{ type: 'UInt8' }]);
  t.deepEqual(covered.result.lost, []);
  const beyond = await resampled(t, from, { extent: [100, 230, 150, 240] });
  t.deepEqual(beyond.values, [0, 0, 3, 4, 0]);
  t.is(beyond.grid.bands[0]!.nodata, 0);
  t.deepEqual(beyond.result.lost, [
    'Band 1 had no nodata value and got 0. 2 of its cells have this value and became nodata.',
  ]);
});

test('a sum of packed values is the sum of the real ones', async (t) => {
  const bands = [{ type: 'Int16' as const, nodata: -1, scale: 0.5, offset: 10 }];
  const { values, grid } = await resampled(t, gridOf([[1, 2, -1, 4]], { bands }, 'Int16'), {
    cellSize: [20, 10],
    method: 'sum',
  });
  const { scale = 1, offset = 0 } = grid.bands[0]!;
  t.deepEqual(
    values.map((value) => value * scale + offset),
    [10.5 + 11, 12],
  );
});

test('the cells of a profile in another size have no places of the old cells', async (t) => {
  let made: Grid | undefined;
  const profile = { line: 'LINESTRING (105 235, 135 235)', spacing: 10 };
  const { lost } = await passed(
    t,
    four,
    [
      { type: 'profileTransformation', profile },
      { type: 'resampleTransformation', resample: { cellSize: [20, 10] } },
    ],
    async (grid: Grid) => {
      made = grid;
    },
  );
  t.is(made!.width, 2);
  t.is(made!.places, undefined);
  t.deepEqual(lost, ['The places (x, y) of the points along the line were left out: they are those of other cells.']);
});

test('a mesh becomes a grid with cells of this size first', async (t) => {
  const mesh: Mesh = {
    kind: 'mesh',
    nodes: Float64Array.from([0, 0, 0, 20, 0, 0, 20, 20, 0, 0, 20, 0]),
    shapes: Uint8Array.of(CELL_SHAPES.quad),
    connectivity: Uint32Array.of(0, 1, 2, 3),
    offsets: Uint32Array.of(0, 4),
    items: [{ name: 'level', type: 'Float32', location: 'cell', unit: 'm' }],
    values: async () => Float32Array.of(3),
  };
  const { values, grid, result } = await resampled(t, mesh, { cellSize: 10 });
  t.deepEqual(values, [3, 3, 3, 3]);
  t.is(grid.bands[0]!.unit, 'm');
  t.like(result.statistics.before, { kind: 'mesh' });
  t.like(result.statistics.after, { kind: 'grid', width: 2 });
  t.deepEqual(result.lost, [
    'Values were interpolated between elements to 2 × 2 cells of 10; outside of the mesh are none.',
  ]);
});

test('cells that do not fit into memory or files are refused with their number', async (t) => {
  await t.throwsAsync(resampled(t, four, { cellSize: 1e-6 }), { message: /40000000 × 40000000 cells; at most/ });
});
