import test from 'ava';
import { type Grid, layersOf, type RandomGrid, type Slice, slicesOfBand } from '../../src/files/data/grid.ts';
import type { ItemFigures } from '../../src/files/data/item-statistics.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import { chosenSteps, stepsOf, type TimeAxis, timeOf } from '../../src/files/data/time-axis.ts';
import { spill } from '../../src/files/formats/io/spill.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { gridOf, valuesOf } from './grids.ts';
import { folderOf, passed } from './transformed.ts';
import { written } from './written.ts';

/*
 * No reader makes grids of several steps yet, so these are made here: 7 steps, 3 items, 2 layers, every value
 * different. Each transformation and each writer is held against values that are computed apart from it.
 */

const [width, height] = [6, 4];
const start = Date.UTC(2026, 0, 24, 8);
const hourly: TimeAxis = { spacing: 'equidistant', unit: 'hour', start, count: 7, offset: 0, interval: 6 };
const names = ['depth', 'velocity', 'salinity'];

/** A unique number for each cell of each slice; the mean of a slice identifies it, too. */
const value = ({ band, step, layer }: Slice, column: number, row: number) =>
  band * 100_000 + step * 10_000 + layer * 1000 + row * 10 + column;

interface Sketch {
  /** Rows can only be streamed. */
  passing?: boolean;
  /** Value of one cell of each slice. */
  nodata?: number;
  time?: TimeAxis;
  /** As from a text format: the sample type is known after all rows are read, and the last step needs a wider one. */
  untyped?: boolean;
}

function made({ passing = false, nodata, time = hourly, untyped = false }: Sketch = {}): Grid {
  const read = async (slice: Slice, first: number, count: number) => {
    const samples = Float32Array.from({ length: count * width }, (_, i) =>
      value(slice, i % width, first + Math.floor(i / width)),
    );
    // the cell (1, 2) of each slice
    const at = (2 - first) * width + 1;
    if (nodata !== undefined && at >= 0 && at < samples.length) samples[at] = nodata;
    return samples;
  };
  // like a reader of a text format: rows after a wide value have the wider type
  let seen = false;
  const band = { ...(untyped ? {} : { type: 'Float32' as const }), ...(nodata === undefined ? {} : { nodata }) };
  return {
    kind: 'grid',
    width,
    height,
    affine: [500_000, 100, 0, 5_500_000, 0, -100],
    crs: parseSrid(32633),
    bands: names.map((name) => ({ name, unit: 'm', ...band })),
    time,
    layers: { count: 2, first: -5, spacing: 10, unit: 'm' },
    async *rows(slice) {
      for (let row = 0; row < height; row += 2) {
        const samples = await read(slice, row, 2);
        seen ||= slice.step === 6;
        const narrow = untyped && !seen;
        yield { firstRow: row, rowCount: 2, samples: narrow ? Int32Array.from(samples) : samples };
      }
    },
    ...(passing || untyped ? {} : { read }),
  };
}

async function rowsOf(grid: Grid, slice: Slice): Promise<number[]> {
  const values: number[] = [];
  for await (const { samples } of grid.rows(slice)) values.push(...samples);
  return values;
}

const all = (grid: Grid): Slice[] => grid.bands.flatMap((_, band) => [...slicesOfBand(grid, band)]);

/** All generated values of a slice. */
const whole = (slice: Slice) =>
  Array.from({ length: width * height }, (_, i) => value(slice, i % width, Math.floor(i / width)));

test('a spilled grid has the values of each step, layer and item, also if the last step needs a wider type', async (t) => {
  for (const sketch of [{}, { untyped: true }]) {
    await using spilled = await spill(made(sketch), await folderOf(t));
    const { grid } = spilled;
    t.is(all(grid).length, 42);
    for (const slice of all(grid)) {
      t.deepEqual(await rowsOf(grid, slice), whole(slice));
      t.deepEqual([...(await (grid as RandomGrid).read(slice, 1, 2))], whole(slice).slice(width, 3 * width));
    }
  }
});

test('a reprojected grid has the values of each step, layer and item, with random access or streaming', async (t) => {
  // the last one is spilled to disk first
  for (const sketch of [{}, { passing: true }, { untyped: true }])
    await passed(
      t,
      made({ ...sketch, nodata: -1 }),
      [{ type: 'crsTransformation', outputSrid: 3857 }],
      async (grid) => {
        t.deepEqual([stepsOf(grid), layersOf(grid)], [7, 2]);
        t.deepEqual(grid.time, hourly);
        for (const slice of all(grid)) {
          const values = (await rowsOf(grid, slice)).filter((one) => one !== -1);
          t.true(values.length > 5);
          const least = value(slice, 0, 0);
          for (const one of values) t.true(one >= least && one <= least + 40, `${JSON.stringify(slice)}: ${one}`);
        }
      },
    );
});

test('cells that already have the chosen nodata value are counted in each step and layer', async (t) => {
  const whole = made();
  const integers: Grid = {
    ...whole,
    bands: [{ name: 'class', type: 'Int32' }],
    async *rows(slice) {
      for await (const { samples, ...rows } of whole.rows(slice)) {
        const values = Int32Array.from(samples);
        if (slice.step === 3 && slice.layer === 1 && rows.firstRow === 0) values[0] = -9999;
        yield { ...rows, samples: values };
      }
    },
  };
  const { read: _, ...passing } = integers;
  const { lost } = await passed(t, passing, [{ type: 'crsTransformation', outputSrid: 3857 }], async (grid) => {
    for (const slice of all(grid)) await rowsOf(grid, slice);
  });
  t.regex(lost.join(), /-9999. 1 of its cells/);
});

test('an item filter keeps the steps and layers of each item', async (t) => {
  const itemFilter = { itemIndices: [2, 0] };
  await passed(t, made(), [{ type: 'itemFilterTransformation', itemFilter }], async (grid) => {
    t.deepEqual(
      grid.bands.map(({ name }) => name),
      ['salinity', 'depth'],
    );
    for (const slice of all(grid))
      t.deepEqual(await rowsOf(grid, slice), whole({ ...slice, band: slice.band === 0 ? 2 : 0 }));
  });
});

test('a spatial filter crops each step and layer, and sets cells outside to nodata', async (t) => {
  // the window has the columns 1 to 3 and the rows 1 to 2; the corner cell (3, 2) is outside of the triangle
  const geometry =
    'POLYGON ((500100 5499900, 500400 5499900, 500400 5499850, 500210 5499700, 500100 5499700, 500100 5499900))';
  const spatialFilter = { geometry };
  await passed(t, made({ nodata: -1 }), [{ type: 'spatialFilterTransformation', spatialFilter }], async (grid) => {
    t.deepEqual([grid.width, grid.height], [3, 2]);
    for (const slice of all(grid)) {
      const at = (column: number, row: number) => value(slice, column, row);
      t.deepEqual(await rowsOf(grid, slice), [at(1, 1), at(2, 1), at(3, 1), -1, at(2, 2), -1]);
    }
  });
});

test('a temporal filter selects steps by index, by time and from a list, with their values and times', async (t) => {
  const cases: [object, number[]][] = [
    [{ type: 'TemporalIndexFilter', from: 2, to: 4 }, [2, 3, 4]],
    [{ type: 'TemporalIndexFilter', from: 5 }, [5, 6]],
    [{ type: 'TemporalIndexListFilter', indices: [6, 1, 3, 1] }, [6, 1, 3]],
    [{ type: 'TemporalIndexListFilter', except: [3, 0, 3] }, [1, 2, 4, 5, 6]],
    [{ type: 'TemporalValueFilter', from: '2026-01-24T14:00:00', to: '2026-01-25T02:00:00' }, [1, 2, 3]],
    [{ type: 'TemporalValueFilter', at: '2026-01-25T08:00:00' }, [4]],
  ];
  for (const [temporalFilter, steps] of cases)
    await passed(t, made(), [{ type: 'temporalFilterTransformation', temporalFilter }], async (grid) => {
      t.is(stepsOf(grid), steps.length);
      for (const slice of all(grid)) {
        const step = steps[slice.step]!;
        t.deepEqual(await rowsOf(grid, slice), whole({ ...slice, step }));
        t.is(timeOf(grid.time!, slice.step), start + step * 6 * 3_600_000);
        t.deepEqual([...(await grid.read!(slice, 0, 1))], whole({ ...slice, step }).slice(0, width));
      }
    });
});

test('a temporal filter without matching steps or without a calendar is refused; a step index that is too high is reported', async (t) => {
  const relative: TimeAxis = { spacing: 'nonEquidistant', unit: 'second', offsets: Float64Array.of(0, 3, 7) };
  const cases: [object, TimeAxis | undefined, RegExp][] = [
    [{ type: 'TemporalIndexFilter', from: 7 }, hourly, /leaves no step: the data have steps 0 to 6/],
    [
      { type: 'TemporalValueFilter', from: '2027-01-01' },
      hourly,
      /between 2026-01-24T08:00:00 and 2026-01-25T20:00:00/,
    ],
    [
      { type: 'TemporalValueFilter', at: '2026-01-24T09:00:00' },
      hourly,
      /No step is at 2026-01-24T09:00:00; the nearest are 2026-01-24T08:00:00 and 2026-01-24T14:00:00/,
    ],
    [{ type: 'TemporalValueFilter', from: '2026-01-24' }, relative, /relative .* Choose steps by index/],
  ];
  for (const [temporalFilter, time, message] of cases)
    await t.throwsAsync(
      passed(t, made({ time: time! }), [{ type: 'temporalFilterTransformation', temporalFilter }], async () => {}),
      { message },
    );
  const { time: _, ...timeless } = made();
  const temporalFilter = { type: 'TemporalIndexListFilter', indices: [1, 9] };
  await t.throwsAsync(
    passed(t, timeless, [{ type: 'temporalFilterTransformation', temporalFilter }], async () => {}),
    {
      message: /no time axis/,
    },
  );
  const { lost } = await passed(t, made(), [{ type: 'temporalFilterTransformation', temporalFilter }], async (grid) => {
    t.is(stepsOf(grid), 1);
  });
  t.regex(lost.join(), /steps that do not exist: 9. The data have steps 0 to 6/);
  const except = { type: 'TemporalIndexListFilter', except: [0, 1, 2, 3, 4, 5, 6] };
  await t.throwsAsync(
    passed(t, made(), [{ type: 'temporalFilterTransformation', temporalFilter: except }], async () => {}),
    { message: /leaves no step/ },
  );
});

test('a vertical filter selects layers by index and by height, with their values', async (t) => {
  for (const verticalFilter of [
    { type: 'VerticalIndexFilter', from: 1, to: 1 },
    { type: 'VerticalValueFilter', from: 0 },
  ])
    await passed(t, made(), [{ type: 'verticalFilterTransformation', verticalFilter }], async (grid) => {
      t.deepEqual(grid.layers, { count: 1, first: 5, spacing: 10, unit: 'm' });
      for (const slice of all(grid)) {
        t.deepEqual(await rowsOf(grid, slice), whole({ ...slice, layer: 1 }));
        t.deepEqual([...(await grid.read!(slice, 3, 1))], whole({ ...slice, layer: 1 }).slice(3 * width));
      }
    });
  for (const [verticalFilter, message] of [
    [{ type: 'VerticalIndexFilter', from: 2 }, /layers 0 to 1/],
    [{ type: 'VerticalValueFilter', from: 6, to: 9 }, /centres lie between -5 and 5/],
  ] as const)
    await t.throwsAsync(
      passed(t, made(), [{ type: 'verticalFilterTransformation', verticalFilter }], async () => {}),
      { message },
    );
});

test('statistics of an item include all steps and layers, without nodata cells', async (t) => {
  const wanted = [{ type: 'calculateStatisticsTransformation' }];
  const found = await passed(t, made({ nodata: -1 }), wanted, async (grid) => {
    for (const slice of all(grid)) await rowsOf(grid, slice);
  });
  const rows = found.properties!.statistics as ItemFigures[];
  t.deepEqual(
    rows.map(({ name, unit }) => [name, unit]),
    names.map((name) => [name, 'm']),
  );
  for (const [band, figures] of rows.entries()) {
    const values = [...slicesOfBand(made(), band)].flatMap((slice) =>
      whole(slice).filter((_, i) => i !== 2 * width + 1),
    );
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length);
    t.like(figures, { values: values.length, empty: 14, minimum: Math.min(...values), maximum: Math.max(...values) });
    t.true(Math.abs(figures.mean! - mean) < 1e-6, `${figures.mean} and ${mean}`);
    t.true(Math.abs(figures.standardDeviation! - deviation) < 1e-6, `${figures.standardDeviation} and ${deviation}`);
  }
  t.is(found.recordsRead, 3 * 7 * 2 * width * height);
});

test('a GeoTIFF has a band per item, step and layer, with these in its name', async (t) => {
  for (const parameters of [{}, { Cog: true, BlockSize: 16 }])
    for (const sketch of [{}, { untyped: true }]) {
      const bytes = await written(t, made(sketch), 'GeoTiffWriter', parameters);
      const back = await gridOf(t, bytes.content);
      t.is(back.bands.length, 42);
      t.is(back.bands[0]!.name, 'depth 2026-01-24T08:00:00 at -5 m');
      t.is(back.bands[41]!.name, 'salinity 2026-01-25T20:00:00 at 5 m');
      for (const [band, slice] of all(made()).entries()) t.deepEqual(await valuesOf(back, band), whole(slice));
      t.regex(bytes.lost.join(), /each step and layer became a band/);
    }
});

test('an ASCII grid has the first item, step and layer, and the receipt reports the others as left out', async (t) => {
  for (const affine of [made().affine, [500_000, 100, 0, 5_499_600, 0, 100] as const]) {
    const { content, lost } = await written(t, { ...made(), affine }, 'AsciiGridWriter', {});
    const rows = String(content).trim().split('\n').slice(-height);
    const expected = whole({ band: 0, step: 0, layer: 0 });
    t.deepEqual(
      rows.flatMap((row) => row.split(' ').map(Number)),
      affine[5] < 0 ? expected : [3, 2, 1, 0].flatMap((row) => expected.slice(row * width, (row + 1) * width)),
    );
    for (const sentence of [/'velocity', 'salinity' were left out/, /first of 7 steps/, /lowest of 2/])
      t.regex(lost.join(), sentence);
  }
});

test('evenly spaced steps stay equidistant; others become non-equidistant', (t) => {
  t.deepEqual(chosenSteps(hourly, [1, 3, 5]), { ...hourly, count: 3, offset: 6, interval: 12 });
  t.deepEqual(chosenSteps(hourly, [4]), { ...hourly, count: 1, offset: 24, interval: 6 });
  t.deepEqual(chosenSteps(hourly, [0, 1, 3]), {
    spacing: 'nonEquidistant',
    unit: 'hour',
    start,
    offsets: Float64Array.of(0, 6, 18),
  });
});

test('items and steps of meshes, series and arrays are selected with their values', async (t) => {
  const items = names.map((name) => ({ name, unit: 'm', type: 'Float64' as const }));
  const of = (item: number, step: number) => Float64Array.of(10 * item + step, 100 + 10 * item + step, -1);
  const mesh: Mesh = {
    kind: 'mesh',
    nodes: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
    shapes: Uint8Array.of(CELL_SHAPES.triangle),
    connectivity: Uint32Array.of(0, 1, 2),
    offsets: Uint32Array.of(0, 3),
    items: items.map((item) => ({ ...item, nodata: -1, location: 'node' as const })),
    time: hourly,
    heights: async (step) => Float64Array.of(step, step, step),
    values: async (item, step) => of(item, step),
  };
  const array: MultiArray = {
    kind: 'array',
    axes: [{ name: 'frequency', values: Float64Array.of(0.1, 0.2, 0.3) }],
    items: items.map((item) => ({ ...item, nodata: -1, axes: [0], overTime: true })),
    time: hourly,
    read: async (item, step, [first = 0], [count = 0]) => of(item, step).slice(first, first + count),
  };
  const series: Series = {
    kind: 'series',
    items: items.map((item) => ({ ...item, nodata: -1 })),
    time: hourly,
    async *chunks() {
      for (const [firstStep, end] of [
        [0, 4],
        [4, 7],
      ] as const) {
        const steps = Array.from({ length: end - firstStep }, (_, n) => firstStep + n);
        const values = items.map((_, item) => Float64Array.from(steps, (step) => 10 * item + step));
        yield { firstStep, offsets: Float64Array.from(steps, (step) => 6 * step), values };
      }
    },
  };
  const filters = [
    { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 3, to: 5 } },
    { type: 'itemFilterTransformation', itemFilter: { names: ['salinity', 'depth'] } },
    { type: 'calculateStatisticsTransformation' },
  ];
  const time = { ...hourly, count: 3, offset: 18 };
  const wanted = [2, 0].flatMap((item) => [3, 4, 5].map((step) => [...of(item, step)]));

  const found: number[][] = [];
  const ofMesh = await passed(t, mesh, filters, async (left) => {
    t.deepEqual(left.time, time);
    for (let item = 0; item < 2; item++)
      for (let step = 0; step < 3; step++) found.push([...(await left.values(item, step))]);
    t.deepEqual([...(await left.heights!(1))], [4, 4, 4]);
  });
  t.deepEqual(found, wanted);

  const read: number[][] = [];
  const ofArray = await passed(t, array, filters, async (left) => {
    t.deepEqual(left.time, time);
    for (let item = 0; item < 2; item++)
      for (let step = 0; step < 3; step++) {
        // in two blocks
        const parts = [await left.read(item, step, [0], [2]), await left.read(item, step, [2], [1])];
        read.push(parts.flatMap((part) => [...part]));
      }
  });
  t.deepEqual(read, wanted);
  for (const { properties } of [ofMesh, ofArray]) {
    const [salinity, depth] = properties!.statistics as ItemFigures[];
    t.like(salinity, { name: 'salinity', values: 6, empty: 3, minimum: 23, maximum: 125, mean: 74 });
    t.like(depth, { name: 'depth', values: 6, empty: 3, minimum: 3, maximum: 105, mean: 54 });
  }

  const pulled: number[][] = [];
  const ofSeries = await passed(t, series, filters, async (left) => {
    t.deepEqual(left.time, time);
    for await (const { firstStep, offsets, values } of left.chunks())
      for (const [n, offset] of offsets.entries())
        pulled.push([firstStep + n, offset, Number(values[0]![n]), Number(values[1]![n])]);
  });
  t.deepEqual(pulled, [
    [0, 18, 23, 3],
    [1, 24, 24, 4],
    [2, 30, 25, 5],
  ]);
  const [salinity] = ofSeries.properties!.statistics as ItemFigures[];
  t.like(salinity, { name: 'salinity', values: 3, empty: 0, minimum: 23, maximum: 25, mean: 24 });
  t.deepEqual([ofSeries.recordsRead, ofSeries.recordsWritten], [21, 6]);
});
