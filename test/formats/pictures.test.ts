import test from 'ava';
import { inspectArray } from '../../src/files/convert/kinds/inspect-array.ts';
import { inspectFeatures } from '../../src/files/convert/kinds/inspect-features.ts';
import { inspectGrid } from '../../src/files/convert/kinds/inspect-grid.ts';
import { inspectMesh } from '../../src/files/convert/kinds/inspect-mesh.ts';
import { inspectSeries } from '../../src/files/convert/kinds/inspect-series.ts';
import type { PictureChoice } from '../../src/files/convert/kinds/picture-choice.ts';
import type { FeatureCollection } from '../../src/files/data/feature-collection.ts';
import type { Band, Grid } from '../../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { Canvas } from '../../src/files/geo/draw/canvas.ts';
import { rampScale, scaleOf } from '../../src/files/geo/draw/colours.ts';
import { Curve } from '../../src/files/geo/draw/curve.ts';
import { glyphsOf, textWidth } from '../../src/files/geo/draw/text/lettering.ts';
import { numberText, ticksBetween, timeTicks } from '../../src/files/geo/draw/ticks.ts';
import { colours, decodePng, type Picture, pixel, samePicture } from './decode-png.ts';
import { flatMesh, hourly, layeredMesh, sigmaZMesh } from './meshes.ts';

const signal = new AbortController().signal;
const blank = () => ({ size: 0, format: 'dfsu', reader: 'DfsuReader', kind: 'mesh' as const, remarks: [] });
const nodata = '222,222,222';

type Inspect<D> = (
  data: D,
  inspection: ReturnType<typeof blank>,
  options: { picture: PictureChoice; signal: AbortSignal },
) => Promise<Uint8Array | undefined>;

async function drawn<D>(inspect: Inspect<D>, data: D, picture: PictureChoice = {}): Promise<Picture> {
  const png = await inspect(data, blank(), { picture, signal });
  if (png === undefined) throw new Error('There is no picture.');
  return decodePng(png);
}

/** The colour of a value on the ramp between two others. */
const onRamp = (value: number, low: number, high: number): string => rampScale(low, high).colour(value).join();

/** The smallest box that holds all pixels of these colours, right of the legend excluded. */
function extentOf({ width, height, rgba }: Picture, wanted: ReadonlySet<string>, right = 1040) {
  const box = { left: width, top: height, right: -1, bottom: -1 };
  const numberOf = (red: number, green: number, blue: number) => (red << 16) | (green << 8) | blue;
  const numbers = new Set(
    [...wanted].map((colour) => numberOf(...(colour.split(',').map(Number) as [number, number, number]))),
  );
  for (let row = 0; row < height; row++)
    for (let column = 0; column < Math.min(right, width); column++) {
      const at = 4 * (row * width + column);
      if (!numbers.has(numberOf(rgba[at]!, rgba[at + 1]!, rgba[at + 2]!))) continue;
      box.left = Math.min(box.left, column);
      box.right = Math.max(box.right, column + 1);
      box.top = Math.min(box.top, row);
      box.bottom = Math.max(box.bottom, row + 1);
    }
  return { ...box, width: box.right - box.left, height: box.bottom - box.top };
}

test('polygons are anti-aliased by coverage, and holes stay empty', (t) => {
  const canvas = new Canvas(10, 10, [0, 0, 0]);
  canvas.fill(
    [
      [1, 1, 9, 1, 9, 9.5, 1, 9.5],
      [4, 4, 4, 6, 6.25, 6, 6.25, 4],
    ],
    [200, 100, 0],
  );
  const picture = decodePng(canvas.png());
  t.is(pixel(picture, 0, 5), '0,0,0');
  t.is(pixel(picture, 1, 1), '200,100,0');
  t.is(pixel(picture, 8, 9), '100,50,0');
  t.is(pixel(picture, 5, 5), '0,0,0');
  t.is(pixel(picture, 6, 4), '150,75,0');
  t.is(pixel(picture, 9, 9), '0,0,0');
});

test('shapes are clipped to the picture and to the clip rectangle', (t) => {
  const canvas = new Canvas(6, 4, [0, 0, 0]);
  canvas.clip = { left: 2, top: 1, right: 5, bottom: 3 };
  canvas.fill([[-50, -50, 50, -50, 50, 50, -50, 50]], [9, 9, 9]);
  canvas.fill([[70, 70, 80, 70, 80, 80]], [5, 5, 5]);
  canvas.stroke([-100, 2, 100, 2], 100, [9, 9, 9]);
  t.deepEqual(
    colours(decodePng(canvas.png())),
    new Map([
      ['0,0,0', 18],
      ['9,9,9', 6],
    ]),
  );
});

test('a line has the requested width, also if slanted', (t) => {
  const canvas = new Canvas(60, 60, [0, 0, 0]);
  canvas.stroke([10, 10, 50, 50], 4, [100, 100, 100]);
  const { rgba } = canvas;
  let sum = 0;
  for (let at = 0; at < rgba.length; at += 4) sum += rgba[at]! / 100;
  // the line, and a half disc at each end
  t.true(Math.abs(sum - (4 * Math.hypot(40, 40) + 4 * Math.PI)) < 6, String(sum));
});

test('European letters and unit symbols have glyphs; others become a question mark', (t) => {
  const [question] = glyphsOf('?', 'regular');
  for (const character of 'AgÅøßñčŁőţğ°²³µ€–·Δμж') t.false(glyphsOf(character, 'regular')[0] === question, character);
  t.true(glyphsOf('水', 'regular')[0] === question);
  t.is(glyphsOf('e\u0301', 'regular').length, 1);
  t.true(textWidth('Wasser', 20, 'bold') > textWidth('Wasser', 20));
  t.is(textWidth('ab', 30), 2 * textWidth('ab', 15));
});

test('ticks are at round numbers and times', (t) => {
  const labels = (ticks: { label: string }[]) => ticks.map(({ label }) => label);
  t.deepEqual(labels(ticksBetween(0.03, 1.02, 5)), ['0.2', '0.4', '0.6', '0.8', '1.0']);
  t.deepEqual(labels(ticksBetween(-25, 25, 5)), ['−20', '−10', '0', '10', '20']);
  t.deepEqual(labels(ticksBetween(6_099_000, 6_101_500, 3)), [
    '6\u2009099\u2009000',
    '6\u2009100\u2009000',
    '6\u2009101\u2009000',
  ]);
  t.is(numberText(1.5e12), '1.500e12');
  const day = Date.UTC(2026, 0, 24);
  const hour = 3_600_000;
  t.deepEqual(labels(timeTicks(day + 20 * hour, day + 29 * hour, 4)), ['21:00', '2026-01-25', '03:00']);
  t.deepEqual(labels(timeTicks(day, day + 20 * 24 * hour, 4)).length > 1, true);
  t.deepEqual(labels(timeTicks(Date.UTC(2020, 4), Date.UTC(2024, 2), 5)), ['2021', '2022', '2023', '2024']);
  t.deepEqual(labels(timeTicks(day + 500, day + 3500, 3)), ['00:00:01', '00:00:02', '00:00:03']);
});

test('a colour scale spans minimum to maximum, without outliers that would hide other values', (t) => {
  t.like(scaleOf([3, Number.NaN, 1, 2]), { low: 1, high: 3, below: false, above: false });
  const values = Array.from({ length: 1000 }, (_, n) => n / 1000);
  const scale = scaleOf([...values, 1e6]);
  t.like(scale, { low: 0.01, above: true, below: true });
  t.true(scale!.high < 1);
  t.is(scaleOf([Number.NaN]), undefined);
  t.is(scaleOf([5, 5])?.colour(5).join(), onRamp(5, 5, 5));
});

test('a curve of many values keeps the extremes per pixel column, and gaps', (t) => {
  const curve = new Curve({ low: 0, high: 100_000 }, 100_000, 10);
  for (let n = 0; n < 100_000; n++)
    curve.add(n, n === 55_555 ? 50 : n === 22_222 ? -50 : n > 70_000 && n < 90_000 ? Number.NaN : Math.sin(n));
  const pieces = curve.pieces();
  t.is(pieces.length, 2);
  t.true(pieces.flat().length < 200);
  t.true(pieces.flat().includes(50) && pieces.flat().includes(-50));
});

test('interval values are drawn as steps before or after their time', (t) => {
  const of = (joint: 'before' | 'after') => {
    const curve = new Curve({ low: 0, high: 2 }, 3, 100, joint);
    for (const [x, y] of [
      [0, 1],
      [1, 5],
      [2, 3],
    ] as const)
      curve.add(x, y);
    return curve.pieces();
  };
  t.deepEqual(of('before'), [[0, 1, 0, 5, 1, 5, 1, 3, 2, 3]]);
  t.deepEqual(of('after'), [[0, 1, 1, 1, 1, 5, 2, 5, 2, 3]]);
});

/** Two rows of three squares of 100 m from (500000, 6000000); the last cell has no data. */
function squares(values: readonly number[]): Mesh {
  const nodes = Array.from({ length: 12 }, (_, n) => [500_000 + 100 * (n % 4), 6_000_000 + 100 * Math.floor(n / 4), 0]);
  const corners = [0, 1, 2, 4, 5, 6].flatMap((n) => [n, n + 1, n + 5, n + 4]);
  return {
    kind: 'mesh',
    crs: parseSrid(32633),
    nodes: Float64Array.from(nodes.flat()),
    shapes: new Uint8Array(6).fill(CELL_SHAPES.quad),
    connectivity: Uint32Array.from(corners),
    offsets: Uint32Array.from({ length: 7 }, (_, n) => 4 * n),
    items: [
      { name: 'Depth', unit: 'm', type: 'Float32', nodata: -1e-35, location: 'cell' },
      { name: 'Level', unit: 'm', type: 'Float32', nodata: -1e-35, location: 'node' },
    ],
    values: async (item) =>
      item === 0 ? Float32Array.from(values) : Float32Array.from(nodes, ([x]) => (x! - 500_000) / 100),
  };
}

test('mesh elements are drawn in the colours of their values, north up, in proportion, grey without data', async (t) => {
  const values = [0, 1, 2, 3, 4, -1e-35];
  const picture = await drawn(inspectMesh, squares(values));
  t.is(picture.width, 1200);
  const boxes = [0, 1, 2, 3, 4].map((value) => extentOf(picture, new Set([onRamp(value, 0, 4)])));
  const [first, , third, fourth] = boxes;
  // 1.5 as wide as high
  t.true(Math.abs(first!.width / first!.height - 1) < 0.02);
  t.true(first!.left < third!.left && Math.abs(first!.top - third!.top) < 2);
  t.true(fourth!.bottom <= first!.top + 2 && Math.abs(fourth!.left - first!.left) < 2);
  const grey = extentOf(picture, new Set([nodata]));
  t.true(Math.abs(grey.width - first!.width) < 3 && Math.abs(grey.left - third!.left) < 3);
});

test('of a spectrum in each element the mean is drawn, without the values that are missing', async (t) => {
  const empty = -1e-35;
  const means = [0, 1, 2, 3, 4].flatMap((mean) => [mean - 1, mean + 1, empty]);
  const mesh = squares([...means, empty, empty, empty]);
  const direction = { name: 'direction', values: Float64Array.of(0, 120, 240) };
  const spectrum: Mesh = { ...mesh, items: [{ ...mesh.items[0]!, components: [direction] }] };
  const [shown, plain] = [
    await drawn(inspectMesh, spectrum),
    await drawn(inspectMesh, squares([0, 1, 2, 3, 4, empty])),
  ];
  for (const colour of [nodata, ...[0, 1, 2, 3, 4].map((value) => onRamp(value, 0, 4))])
    t.deepEqual(extentOf(shown, new Set([colour])), extentOf(plain, new Set([colour])), colour);
});

test('node values are interpolated linearly over an element', async (t) => {
  const picture = await drawn(inspectMesh, squares([0, 0, 0, 0, 0, 0]), { item: 'Level' });
  const ramp = new Set(Array.from({ length: 256 }, (_, n) => onRamp(n, 0, 255)));
  const { left, right, top, bottom, width } = extentOf(picture, ramp);
  const row = Math.round(top + (bottom - top) * 0.31);
  for (const share of [0.1, 0.45, 0.9]) {
    const column = Math.round(left + share * width);
    const expected = rampScale(0, 1).colour(share);
    const found = pixel(picture, column, row).split(',').map(Number);
    t.true(column < right && found.every((channel, n) => Math.abs(channel - expected[n]!) <= 4), `${share}: ${found}`);
  }
});

test('a mesh picture shows the chosen step and layer', async (t) => {
  const asked: number[] = [];
  const mesh = layeredMesh();
  const spied: Mesh = {
    ...mesh,
    values(item, step) {
      asked.push(step);
      return mesh.values(item, step);
    },
  };
  const top = await drawn(inspectMesh, spied, { step: { time: Date.UTC(2026, 0, 24, 20) } });
  t.is(asked.at(-1), 2);
  // layers of a column follow each other from the bottom: the highest has the cells 1 and 3
  const has = (picture: Picture, cell: number) => [1, 3].includes(cell) && colours(picture).has(onRamp(cell, 1, 3));
  t.true(has(top, 1) && has(top, 3));
  const bottom = await drawn(inspectMesh, spied, { layer: 0 });
  t.not(Buffer.compare(Buffer.from(top.rgba), Buffer.from(bottom.rgba)), 0);
});

test('the error for a missing item, step or layer lists the existing ones', async (t) => {
  for (const [picture, message] of [
    [{ item: 'salt' }, "There is no item 'salt'. There are the items 0 'depth', 1 'velocity', 2 'salinity'."],
    [{ item: 3 }, "There is no item 3. There are the items 0 'depth', 1 'velocity', 2 'salinity'."],
    [{ step: 7 }, 'There is no step 7: the data have steps 0 to 6.'],
    [{ layer: 3 }, 'There is no layer 3: the data have layers 0 to 2.'],
    [
      { step: { time: Date.UTC(2026, 0, 24, 9) } },
      'No step is at 2026-01-24T09:00:00; the nearest are 2026-01-24T08:00:00 and 2026-01-24T14:00:00.',
    ],
  ] as const)
    await t.throwsAsync(drawn(inspectMesh, sigmaZMesh(), picture), { message });
  await t.throwsAsync(drawn(inspectMesh, flatMesh(), { layer: 1 }), {
    message: 'There is no layer 1: the data have one layer, 0.',
  });
});

test('a vertical profile is drawn over distance with the heights of its step', async (t) => {
  const mesh = layeredMesh();
  // from place 1 to 2 and 6: 100 m east, then 100 m north
  const section: Mesh = {
    ...mesh,
    section: 'profile',
    shapes: new Uint8Array(4).fill(CELL_SHAPES.quad),
    connectivity: Uint32Array.from([0, 3, 4, 1, 1, 4, 5, 2, 3, 6, 7, 4, 4, 7, 8, 5]),
    offsets: Uint32Array.of(0, 4, 8, 12, 16),
    layers: { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) },
    values: async () => Float32Array.of(0, 1, 2, 3),
  };
  const picture = await drawn(inspectMesh, section, { step: 4 });
  const [lower, upper, next] = [0, 1, 2].map((value) => extentOf(picture, new Set([onRamp(value, 0, 3)])));
  t.true(upper!.bottom <= lower!.top + 2 && next!.left >= lower!.right - 2);
  t.true(Math.abs(lower!.width - next!.width) < 4);
});

test('a vertical column is drawn as cells above each other over the whole width', async (t) => {
  const column: Mesh = {
    ...layeredMesh(),
    section: 'column',
    shapes: new Uint8Array(2).fill(CELL_SHAPES.line),
    connectivity: Uint32Array.of(0, 1, 1, 2),
    offsets: Uint32Array.of(0, 2, 4),
    layers: { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2) },
    values: async () => Float32Array.of(0, 1),
  };
  const picture = await drawn(inspectMesh, column);
  const [lower, upper] = [0, 1].map((value) => extentOf(picture, new Set([onRamp(value, 0, 1)])));
  t.true(lower!.width > 800 && upper!.width === lower!.width);
  t.true(upper!.bottom <= lower!.top + 2 && Math.abs(upper!.height - lower!.height) < 4);
});

test('the highest of stacked solids is drawn, also of tetrahedra', async (t) => {
  const corners = [0, 0, 10, 0, 10, 10, 0, 10];
  const box = (z: number) =>
    [z, z + 5].flatMap((height) => [0, 2, 4, 6].flatMap((n) => [corners[n]!, corners[n + 1]!, height]));
  const solids: Mesh = {
    kind: 'mesh',
    nodes: Float64Array.from([...box(10), ...box(0), 20, 0, 0, 30, 0, 0, 20, 10, 0, 20, 0, 5]),
    shapes: Uint8Array.of(CELL_SHAPES.hexahedron, CELL_SHAPES.hexahedron, CELL_SHAPES.tetrahedron),
    connectivity: Uint32Array.from({ length: 20 }, (_, n) => n),
    offsets: Uint32Array.of(0, 8, 16, 20),
    items: [{ name: 'porosity', type: 'Float32', location: 'cell' }],
    values: async () => Float32Array.of(1, 2, 3),
  };
  const found = colours(await drawn(inspectMesh, solids));
  t.true(found.has(onRamp(1, 1, 3)) && found.has(onRamp(3, 1, 3)));
  t.true((found.get(onRamp(1, 1, 3)) ?? 0) > 50_000);
});

const rotated = 0.5;
const square = (bands: readonly Band[], more: Partial<Grid> = {}): Grid => ({
  kind: 'grid',
  width: 3,
  height: 2,
  affine: [0, 10, 0, 20, 0, -10],
  bands,
  async *rows({ band, step }) {
    const samples = Float32Array.from([1, 2, 3, 4, 5, -99], (value) =>
      value < 0 ? value : value + 10 * band + 100 * step,
    );
    yield { firstRow: 0, rowCount: 2, samples };
  },
  ...more,
});

test('grid cells are drawn in the colours of their values, also with the southern row first', async (t) => {
  const depth: Band = { name: 'Depth', unit: 'm', type: 'Float32', nodata: -99 };
  for (const southFirst of [false, true]) {
    const affine = southFirst ? ([0, 10, 0, 0, 0, 10] as const) : ([0, 10, 0, 20, 0, -10] as const);
    const picture = await drawn(inspectGrid, square([depth], { affine }));
    const [first, second, fourth] = [1, 2, 4].map((value) => extentOf(picture, new Set([onRamp(value, 1, 5)])));
    t.true(Math.abs(first!.width / first!.height - 1) < 0.01);
    t.true(second!.left >= first!.right && Math.abs(second!.top - first!.top) <= 1);
    t.is(fourth!.top >= first!.bottom, !southFirst);
    t.true(extentOf(picture, new Set([nodata])).left >= second!.right);
  }
});

test('a rotated grid is drawn rotated', async (t) => {
  const [c, s] = [Math.cos(rotated), Math.sin(rotated)];
  const affine = [0, 10 * c, 10 * s, 0, 10 * s, -10 * c] as const;
  const picture = await drawn(inspectGrid, square([{ name: 'Depth', type: 'Float32', nodata: -99 }], { affine }));
  const [first, third] = [1, 3].map((value) => extentOf(picture, new Set([onRamp(value, 1, 5)])));
  const middle = ({ left, right, top, bottom }: ReturnType<typeof extentOf>) => [
    (left + right) / 2,
    (top + bottom) / 2,
  ];
  const [x, y] = [0, 1].map((axis) => middle(third!)[axis]! - middle(first!)[axis]!);
  t.true(Math.abs(Math.atan2(-y!, x!) - rotated) < 0.02);
});

test('terrain heights are drawn as shaded relief, other items in plain colours', async (t) => {
  const count = async (band: Band, more: Partial<Grid> = {}) => colours(await drawn(inspectGrid, square([band], more)));
  const depth = onRamp(2, 1, 5);
  t.false((await count({ type: 'Float32', nodata: -99 })).has(depth));
  t.false((await count({ name: 'Bed', eum: { item: 100_079, unit: 1000 }, nodata: -99 })).has(depth));
  t.true((await count({ name: 'Surface elevation', eum: { item: 100_078, unit: 1000 }, nodata: -99 })).has(depth));
  t.true((await count({ name: 'Water depth', unit: 'm', nodata: -99 })).has(depth));
  t.true((await count({ type: 'Float32', nodata: -99 }, { time: hourly })).has(depth));
});

test('a grid picture shows the chosen band, step and layer', async (t) => {
  const slices: object[] = [];
  const bands = [
    { name: 'u', nodata: -99 },
    { name: 'v', nodata: -99 },
  ];
  const grid = square(bands, { time: hourly, layers: { count: 4, first: -10, spacing: 2 } });
  const spied: Grid = {
    ...grid,
    rows(slice, wanted) {
      slices.push(slice);
      return grid.rows(slice, wanted);
    },
  };
  await drawn(inspectGrid, spied, { item: 'v', step: 2, layer: 1 });
  t.deepEqual(slices.at(-1), { band: 1, step: 2, layer: 1 });
  await drawn(inspectGrid, spied);
  t.deepEqual(slices.at(-1), { band: 0, step: 6, layer: 3 }, 'the last step and the highest layer');
});

test('a grid with its own colours is drawn in them', async (t) => {
  const roles = ['red', 'green', 'blue'] as const;
  const rgb = square(
    roles.map((role) => ({ role, type: 'UInt8' })),
    {
      async *rows({ band }) {
        yield { firstRow: 0, rowCount: 2, samples: new Uint8Array(6).fill([10, 20, 255][band]!) };
      },
    },
  );
  t.true(colours(await drawn(inspectGrid, rgb)).has('10,20,255'));
  const palette = [0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000];
  const paletted = square([{ role: 'palette', palette, type: 'UInt8' }], {
    async *rows() {
      yield { firstRow: 0, rowCount: 2, samples: Uint8Array.of(0, 1, 0, 1, 0, 1) };
    },
  });
  const found = colours(await drawn(inspectGrid, paletted));
  t.true(found.has('16,48,80') && found.has('32,64,96'));
});

test('a grid of one row is drawn as a line', async (t) => {
  const grid = square([{ name: 'Level', unit: 'm', nodata: -99 }], {
    height: 1,
    async *rows() {
      yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(1, 3, 2) };
    },
  });
  const { top, bottom, width } = extentOf(await drawn(inspectGrid, grid), new Set(['0,114,178']), 1200);
  t.true(width > 500 && bottom - top > 200);
});

const series = (more: Partial<Series> = {}): Series => ({
  kind: 'series',
  time: { spacing: 'equidistant', unit: 'hour', start: hourly.start!, count: 5, offset: 0, interval: 6 },
  items: [
    { name: 'Level', unit: 'm', type: 'Float32', nodata: -9 },
    { name: 'Rain', unit: 'mm', type: 'Float32', valueKind: 'stepAccumulated' },
  ],
  async *chunks() {
    const offsets = Float64Array.of(0, 6, 12, 18, 24);
    yield { firstStep: 0, offsets, values: [Float32Array.of(1, 2, -9, 2, 1), Float32Array.of(0, 1, 3, 1, 0)] };
  },
  ...more,
});

test('series are drawn over time, one panel per unit, with gaps for missing values', async (t) => {
  const both = await drawn(inspectSeries, series());
  const alone = await drawn(inspectSeries, series(), { item: 'Level' });
  t.not(alone.height, both.height);
  /** Below the names of the lines, which have their colour, too. */
  const panel = { ...alone, rgba: alone.rgba.slice() };
  panel.rgba.fill(255, 0, 4 * panel.width * 125);
  const { left, width } = extentOf(panel, new Set(['0,114,178']), 1200);
  const isDrawn = (share: number) =>
    Array.from({ length: panel.height }, (_, row) => pixel(panel, Math.round(left + share * width), row)).includes(
      '0,114,178',
    );
  t.deepEqual([0.1, 0.4, 0.5, 0.6, 0.9].map(isDrawn), [true, false, false, false, true]);
});

test('a quantity shared by all series is shown once, before the unit', async (t) => {
  const named = (unit: string, ...names: string[]) =>
    drawn(
      inspectSeries,
      series({ items: names.map((name) => ({ name, unit, type: 'Float32' as const, nodata: -9 })) }),
    );
  const long = await named('m', 'Depth, mill', 'Depth, bridge');
  t.true(samePicture(long, await named('Depth · m', 'mill', 'bridge')));
  t.false(samePicture(await named('m', 'Depth, mill', 'Level, bridge'), await named('m', 'mill', 'bridge')));
});

test('inspection of series shows items and times, also if times are stored with the values', async (t) => {
  const inspection: Record<string, unknown> = blank();
  const { time, ...rest } = series();
  const pulled: Series = { ...rest, time: { spacing: 'pulled', unit: time.unit, start: hourly.start! } };
  t.is(await inspectSeries(pulled, inspection as never, { signal }), undefined);
  t.like(inspection, {
    time: { steps: 5, axis: 'calendar', first: '2026-01-24T08:00:00', last: '2026-01-25T08:00:00' },
  });
  t.like((inspection.items as object[])[0], { name: 'Level', unit: 'm', values: 4, empty: 1, minimum: 1, maximum: 2 });
  await t.throwsAsync(drawn(inspectSeries, series(), { step: 1 }), { message: /shows all steps/ });
});

const layer: FeatureCollection = {
  kind: 'features',
  fields: [
    { name: 'depth', type: 'real' },
    { name: 'kind', type: 'string' },
  ],
  hasZ: false,
  hasM: false,
  async *chunks() {
    const polygon = [0, 0, 60, 0, 60, 60, 0, 60, 0, 0, 20, 20, 20, 40, 40, 40, 40, 20, 20, 20];
    const feature = (type: 'Polygon' | 'LineString' | 'Point', coordinates: number[], depth: number | null) => ({
      geometry: {
        type,
        coordinates: Float64Array.from(coordinates),
        ...(type === 'Polygon' ? { parts: Uint32Array.of(0, 5) } : {}),
      },
      values: [depth, 'x'],
    });
    yield [feature('Polygon', polygon, 1), feature('LineString', [70, 0, 70, 100], 3)];
    yield [feature('Point', [100, 100], null), { values: [5, 'y'] }];
  },
};

test('features are drawn at their locations: polygons with holes, lines and points', async (t) => {
  const picture = await drawn(inspectFeatures, layer);
  const [area, line, dot] = ['188,208,178', '38,92,148', '176,58,46'].map((one) =>
    extentOf(picture, new Set([one]), 1200),
  );
  t.true(Math.abs(area!.width - area!.height) <= 2);
  const middle = [Math.round((area!.left + area!.right) / 2), Math.round((area!.top + area!.bottom) / 2)] as const;
  t.is(pixel(picture, ...middle), '255,255,255');
  t.true(line!.left > area!.right && dot!.left > line!.right && dot!.top < area!.top);
});

test('a numeric field colours the features', async (t) => {
  const found = colours(await drawn(inspectFeatures, layer, { item: 'depth' }));
  t.true(found.has(onRamp(1, 1, 5)) && found.has(onRamp(3, 1, 5)) && found.has(nodata));
  await t.throwsAsync(drawn(inspectFeatures, layer, { item: 'kind' }), { message: /Only numbers can be drawn/ });
  await t.throwsAsync(drawn(inspectFeatures, layer, { step: 0 }), { message: /no time steps/ });
});

/** Curvilinear cells, 3 columns and 2 rows that lean to the east, in two layers; the second item is a spectrum. */
const leaning = (): MultiArray => ({
  kind: 'array',
  crs: parseSrid(32633),
  axes: [
    { name: 'z', values: Float64Array.of(-1, 0) },
    { name: 'y', values: Float64Array.of(0, 1) },
    { name: 'x', values: Float64Array.of(0, 1, 2) },
    { name: 'direction', unit: 'degree', values: Float64Array.of(0, 120, 240) },
    { name: 'frequency', unit: 'Hz', values: Float64Array.of(0.1, 0.2) },
  ],
  placement: {
    by: 'nodes',
    x: 2,
    y: 1,
    nodeX: Float64Array.from({ length: 12 }, (_, n) => 400_000 + 100 * (n % 4) + 50 * Math.floor(n / 4)),
    nodeY: Float64Array.from({ length: 12 }, (_, n) => 6_100_000 + 100 * Math.floor(n / 4)),
  },
  items: [
    { name: 'Level', unit: 'm', type: 'Float32', nodata: -9, axes: [0, 1, 2], overTime: true },
    { name: 'Energy', type: 'Float32', axes: [3, 4], overTime: true },
  ],
  async read(item, _step, start, shape) {
    const lengths = item === 0 ? [2, 2, 3] : [3, 2];
    const size = shape.reduce((product, one) => product * one, 1);
    const first = start.reduce((place, index, n) => place * lengths[n]! + index, 0);
    return Float32Array.from({ length: size }, (_, n) => (first + n === 7 ? -9 : first + n));
  },
});

test('an array is drawn at its location, one layer at a time; a spectrum over its coordinates', async (t) => {
  const upper = await drawn(inspectArray, leaning());
  const [southern, northern] = [6, 9].map((value) => extentOf(upper, new Set([onRamp(value, 6, 11)])));
  t.true(northern!.bottom <= southern!.top + 2, 'north is up');
  // Each row begins half a cell further east.
  t.true(Math.abs((northern!.left - southern!.left) / (southern!.width / 1.5) - 0.5) < 0.05);
  const grey = extentOf(upper, new Set([nodata]));
  t.true(Math.abs(grey.left - southern!.left - southern!.width / 1.5) < 4, 'the cell without a value');
  const lower = await drawn(inspectArray, leaning(), { layer: 0 });
  t.true((colours(lower).get(onRamp(5, 0, 5)) ?? 0) > 1000);
  const spectrum = await drawn(inspectArray, leaning(), { item: 'Energy' });
  const [low, high] = [0, 1].map((value) => extentOf(spectrum, new Set([onRamp(value, 0, 5)])));
  t.true(low!.width > 100 && low!.height > 50, 'degrees and hertz have scales of their own');
  t.true(high!.left >= low!.right - 2, 'frequency runs to the right');
  await t.throwsAsync(drawn(inspectArray, leaning(), { layer: 2 }), { message: /no layer 2/ });
});

test('a layer of 3D curvilinear cells is drawn halfway between its lower and upper corners', async (t) => {
  const { placement, ...array } = leaning();
  if (placement?.by !== 'nodes') throw new Error('no corners');
  // Both levels lie a whole row further north than the one below.
  const levels = [0, 1, 2].flatMap((level) =>
    [...placement.nodeX].map((x, n) => [x, placement.nodeY[n]! + 100 * level]),
  );
  const solid: MultiArray = {
    ...array,
    placement: {
      ...placement,
      nodeX: Float64Array.from(levels, ([x]) => x!),
      nodeY: Float64Array.from(levels, ([, y]) => y!),
      space: { z: 0, nodeZ: Float64Array.from(levels, (_, n) => Math.floor(n / 12)) },
    },
  };
  const flat = (north: number): MultiArray => ({
    ...array,
    placement: { ...placement, nodeY: placement.nodeY.map((y) => y + north) },
  });
  for (const [layer, north] of [
    [0, 50],
    [1, 150],
  ] as const)
    t.true(samePicture(await drawn(inspectArray, solid, { layer }), await drawn(inspectArray, flat(north), { layer })));
});
