import test from 'ava';
import {
  type Affine,
  type Band,
  firstSlice,
  type RandomGrid,
  type Slice,
  type TypedGrid,
} from '../../src/files/data/grid.ts';
import type { Samples, SampleType } from '../../src/files/data/item.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { FormatError } from '../../src/files/errors.ts';
import { parseSrid, wgs84 } from '../../src/files/geo/crs/crs.ts';
import { operationSentence } from '../../src/files/geo/crs/operation.ts';
import { warpGrid } from '../../src/files/geo/warp/warp.ts';
import { warped } from './geo-warped.ts';

const arrays = {
  Float32: Float32Array,
  Float64: Float64Array,
  Int16: Int16Array,
  UInt8: Uint8Array,
  Int32: Int32Array,
};

interface Sketch {
  width: number;
  height: number;
  affine: readonly number[];
  srid?: number;
  type: keyof typeof arrays;
  nodata?: number | undefined;
  value: (column: number, row: number, band: number, step: number) => number;
  bands?: number;
  time?: TimeAxis;
}

function gridOf({ width, height, affine, srid, type, nodata, value, bands = 1, time }: Sketch): RandomGrid {
  const read = async ({ band, step }: Slice, first: number, count: number): Promise<Samples> => {
    const samples = new arrays[type](count * width);
    for (let i = 0; i < samples.length; i++) samples[i] = value(i % width, first + Math.floor(i / width), band, step);
    return samples;
  };
  const band: Band & { type: SampleType } = { type, ...(nodata === undefined ? {} : { nodata }) };
  return {
    kind: 'grid',
    width,
    height,
    affine: affine as unknown as Affine,
    ...(srid === undefined ? {} : { crs: parseSrid(srid) }),
    bands: Array.from({ length: bands }, () => band),
    ...(time === undefined ? {} : { time }),
    async *rows(slice) {
      yield { firstRow: 0, rowCount: height, samples: await read(slice, 0, height) };
    },
    read,
  };
}

async function all(grid: TypedGrid, band = 0, step = 0): Promise<number[]> {
  const values: number[] = [];
  let next = 0;
  for await (const { firstRow, rowCount, samples } of grid.rows({ band, step, layer: 0 })) {
    if (firstRow !== next || samples.length !== rowCount * grid.width) throw new Error('Rows are out of order.');
    next += rowCount;
    for (const sample of samples) values.push(sample);
  }
  if (next !== grid.height) throw new Error(`${next} rows of ${grid.height}`);
  return values;
}

/** The input of `geo-warped.ts`. */
function height(type: string, nodata: number | undefined): Sketch['value'] {
  return (c, r) => {
    const bumps = (c * 7 + r * 13) % 11;
    if (type === 'UInt8') return bumps;
    if (nodata === -9999 && (r * 5 + c * 3) % 17 === 0) return nodata;
    const value = 100 + 0.25 * c * c - 3 * r + bumps;
    return type === 'Int16' ? Math.floor(value) : value;
  };
}

for (const { name, source, target, expected, ...shape } of warped) {
  test(`grid geometry and values agree with GDAL: ${name}`, async (t) => {
    const usual = { width: 24, height: 20, type: 'Float32' } as const;
    const sketch = { ...usual, ...shape };
    const grid = gridOf({ ...sketch, srid: source, value: height(sketch.type, sketch.nodata) });
    const { grid: result, close } = await warpGrid(grid, parseSrid(target));
    t.teardown(close);
    t.deepEqual([result.width, result.height], [expected.width, expected.height]);
    for (const [i, term] of expected.affine.entries()) {
      t.true(
        Math.abs(result.affine[i]! - term) <= 1e-10 * Math.max(1, Math.abs(term)),
        `${result.affine} is not ${expected.affine}`,
      );
    }
    const { nodata } = result.bands[0]!;
    const values = await all(result);
    const valid = values.filter((value) => value !== nodata && !Number.isNaN(value));
    t.is(valid.length, expected.valid);
    const sum = valid.reduce((a, b) => a + b, 0);
    t.true(Math.abs(sum - expected.sum) < 1e-6 * expected.sum, `${sum} is not ${expected.sum}`);
    for (let n = 0; n < expected.cells.length; n += 3) {
      const [row, column, value] = expected.cells.slice(n, n + 3) as [number, number, number];
      const own = values[row * result.width + column]!;
      t.true(Math.abs(own - value) <= 1e-5 * Math.abs(value), `row ${row}, column ${column}: ${own} is not ${value}`);
    }
  });
}

const slope = {
  width: 40,
  height: 30,
  affine: [500000, 10, 0, 5500000, 0, -10],
  srid: 32633,
  value: (c: number, r: number) => c + 100 * r,
};

test('cells outside hold the source’s nodata, else NaN for floats, −9999 for integers that have it, the lowest for others', async (t) => {
  const declared = async (type: Sketch['type'], nodata?: number) => {
    const { grid, close } = await warpGrid(gridOf({ ...slope, type, nodata, value: () => 1 }), parseSrid(28992));
    t.teardown(close);
    const values = await all(grid);
    t.true(
      values.some((value) => Object.is(value, grid.bands[0]!.nodata)),
      'this target has cells outside',
    );
    return grid.bands[0]!.nodata;
  };
  t.is(await declared('Float32'), Number.NaN);
  t.is(await declared('Float64'), Number.NaN);
  t.is(await declared('Int16'), -9999);
  t.is(await declared('Int32'), -9999);
  t.is(await declared('UInt8'), 0);
  t.is(await declared('Float32', -99), -99);
  t.is(await declared('UInt8', 255), 255);
  t.is(await declared('UInt8', -9999), 0, 'a nodata value that the type cannot hold is none');
});

test('nodata cells have no weight in the interpolation', async (t) => {
  const value = (c: number, r: number) => ((c + r) % 3 === 0 ? -9999 : 10);
  const { grid, close } = await warpGrid(gridOf({ ...slope, type: 'Float32', nodata: -9999, value }), parseSrid(3857));
  t.teardown(close);
  const kinds = new Set((await all(grid)).map((v) => (Math.abs(v - 10) < 1e-5 ? 10 : v)));
  t.deepEqual(
    [...kinds].toSorted((a, b) => a - b),
    [-9999, 10],
  );
});

test('NaN is accepted as nodata value', async (t) => {
  const value = (c: number) => (c % 5 === 0 ? Number.NaN : 7);
  const { grid, close } = await warpGrid(
    gridOf({ ...slope, type: 'Float32', nodata: Number.NaN, value }),
    parseSrid(3857),
  );
  t.teardown(close);
  const valid = (await all(grid)).filter((v) => !Number.isNaN(v));
  t.true(valid.length > 0 && valid.every((v) => Math.abs(v - 7) < 1e-5));
});

test('all bands and steps are warped, each from its own rows', async (t) => {
  const value = (_c: number, _r: number, band: number, step: number) => 10 * band + step;
  const time: TimeAxis = { spacing: 'equidistant', unit: 'second', start: 0, count: 2, offset: 0, interval: 1 };
  const { grid, close } = await warpGrid(gridOf({ ...slope, type: 'Float32', value, bands: 3, time }), parseSrid(3857));
  t.teardown(close);
  t.deepEqual(grid.time, time);
  t.is(grid.bands.length, 3);
  t.is(
    (await all(grid, 2, 1)).find((v) => !Number.isNaN(v)),
    21,
  );
});

test('a row window that is too small for a stripe gives the same values', async (t) => {
  // rotated by 22.5°: a row of the target crosses hundreds of rows of the source
  const turned: Sketch = {
    width: 300,
    height: 260,
    affine: [500000, 9.2, 3.8, 5500000, 3.8, -9.2],
    srid: 32633,
    type: 'Float32',
    nodata: -1,
    value: (c, r) => ((c * r) % 97 === 0 ? -1 : c + 1000 * r),
  };
  const wide = await warpGrid(gridOf(turned), parseSrid(3857));
  const narrow = await warpGrid(gridOf(turned), parseSrid(3857), { memory: 40 * 300 * 4 });
  t.teardown(wide.close);
  t.teardown(narrow.close);
  t.deepEqual(await all(narrow.grid), await all(wide.grid));
});

test('rows read in any order equal the streamed rows', async (t) => {
  const { grid, close } = await warpGrid(gridOf({ ...slope, type: 'Float64' }), parseSrid(3857));
  t.teardown(close);
  const values = await all(grid);
  for (const [first, count] of [
    [0, 1],
    [17, 9],
    [grid.height - 1, 1],
    [5, grid.height - 5],
  ] as const) {
    t.deepEqual(
      [...(await grid.read!(firstSlice, first, count))],
      values.slice(first * grid.width, (first + count) * grid.width),
    );
  }
});

test('a grid in the target system is unchanged, unless it is rotated or its cells are not square', async (t) => {
  const source = gridOf({ ...slope, type: 'Float32' });
  const { grid, close } = await warpGrid(source, { authority: 'EPSG', code: 32633 });
  t.teardown(close);
  t.deepEqual([grid.width, grid.height, grid.affine], [40, 30, source.affine]);
  t.deepEqual(await all(grid), await all(source));
  const oblong = await warpGrid(
    gridOf({ ...slope, type: 'Float32', affine: [500000, 10, 0, 5500000, 0, -20] }),
    parseSrid(32633),
  );
  t.teardown(oblong.close);
  t.is(oblong.grid.affine[1], -oblong.grid.affine[5]);
});

test('a south-up grid becomes north-up', async (t) => {
  const north = await warpGrid(gridOf({ ...slope, type: 'Float32' }), parseSrid(3857));
  const south = await warpGrid(
    gridOf({ ...slope, type: 'Float32', affine: [500000, 10, 0, 5499700, 0, 10], value: (c, r) => c + 100 * (29 - r) }),
    parseSrid(3857),
  );
  t.teardown(north.close);
  t.teardown(south.close);
  t.is(south.grid.height, north.grid.height);
  const [a, b] = [await all(north.grid), await all(south.grid)];
  t.true(a.every((v, i) => Math.abs(v - b[i]!) < 1e-2 || (Number.isNaN(v) && Number.isNaN(b[i]!))));
});

test('a global grid is warped to the extent of Web Mercator', async (t) => {
  const world: Sketch = {
    width: 360,
    height: 180,
    affine: [-180, 1, 0, 90, 0, -1],
    srid: 4326,
    type: 'Float32',
    value: (_c, r) => 89.5 - r,
  };
  const { grid, close } = await warpGrid(gridOf(world), parseSrid(3857));
  t.teardown(close);
  const [west, cell, , north] = grid.affine;
  t.true(Math.abs(west + 20037508.342789244) < 1e-6 && Math.abs(north - 20037508.342789244) < 1e-6);
  t.true(Math.abs(cell * grid.width - 2 * 20037508.342789244) < 1e-3);
  const values = await all(grid);
  t.true(values.every((v) => !Number.isNaN(v)));
  t.true(Math.abs(values[Math.floor(grid.height / 2) * grid.width]!) < 1);
});

test('grids around a pole and over the antimeridian get values on all sides', async (t) => {
  const polar: Sketch = {
    width: 200,
    height: 200,
    affine: [-2500000, 25000, 0, 2500000, 0, -25000],
    srid: 3413,
    type: 'Float32',
    value: () => 5,
  };
  const pole = await warpGrid(gridOf(polar), wgs84);
  t.teardown(pole.close);
  const top = (await all(pole.grid)).slice(0, pole.grid.width);
  t.true(top.filter((v) => Math.abs(v - 5) < 1e-5).length > 0.95 * pole.grid.width, 'the row of the pole');
  const fiji: Sketch = {
    width: 400,
    height: 400,
    affine: [400000, 1000, 0, 7000000, 0, -1000],
    srid: 32660,
    type: 'Float32',
    value: () => 5,
  };
  const line = await warpGrid(gridOf(fiji), wgs84);
  t.teardown(line.close);
  const { width } = line.grid;
  const values = await all(line.grid);
  const has = (column: number) => values.some((v, i) => i % width === column && !Number.isNaN(v));
  t.true(has(0) && has(width - 1) && !has(Math.floor(width / 2)));
});

test('warping refuses missing, geocentric and vertical coordinate systems, and an invalid geotransform', async (t) => {
  await t.throwsAsync(warpGrid(gridOf({ ...slope, srid: undefined as never, type: 'Float32' }), wgs84), {
    instanceOf: FormatError,
  });
  await t.throwsAsync(warpGrid(gridOf({ ...slope, srid: 4978, type: 'Float32' }), wgs84), {
    message: /is a geocentric coordinate system/,
  });
  await t.throwsAsync(warpGrid(gridOf({ ...slope, type: 'Float32' }), parseSrid(5703)), {
    message: /is a vertical coordinate system/,
  });
  await t.throwsAsync(warpGrid(gridOf({ ...slope, affine: [Number.NaN, 1, 0, 0, 0, -1], type: 'Float32' }), wgs84), {
    instanceOf: FormatError,
  });
});

test('the SRID of the caller overrides that of the grid, and the operation is reported', async (t) => {
  const result = await warpGrid(
    gridOf({ ...slope, srid: 4326, type: 'Float32', affine: [400000, 1000, 0, 300000, 0, -1000] }),
    wgs84,
    {
      from: parseSrid(27700),
    },
  );
  t.teardown(result.close);
  await all(result.grid);
  t.is(result.from.name, 'OSGB36 / British National Grid');
  t.regex(operationSentence(result.operation()), /OSGB36 to WGS 84 \(6\)/);
});
