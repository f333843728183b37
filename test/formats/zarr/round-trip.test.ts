import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Data } from '../../../src/files/data/data.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import { axes, block, dfsBytes, values } from '../dfs/dfs-bytes.ts';
import { dfsu, flat } from '../dfsu/files.ts';
import { converted } from '../files.ts';
import { layeredMesh, sigmaZMesh } from '../meshes.ts';
import { geoKeys, placed, tiffFile } from '../tiff-file.ts';
import { allShapes, vtuOf } from '../vtu/vtu-files.ts';
import { written } from '../written.ts';
import { dataOf, whole } from './whole.ts';

const numbers = (size: number, step: number, item: number) =>
  Array.from({ length: size }, (_, n) => (n % 7 === 3 ? Math.fround(-1e-35) : n + 1000 * step + 0.25 * item));

const dfs = (axis: Buffer, size: number, steps: number, more: object = {}) =>
  dfsBytes({
    projection: ['UTM-33', 15, 55, 12],
    time: { start: ['2020-01-01', '06:00:00'], unit: 1402, interval: 3 },
    items: [
      { name: 'Level', axis, steps: Array.from({ length: steps }, (_, step) => numbers(size, step, 0)) },
      {
        name: 'Rain/hour',
        eum: [100_004, 1002],
        type: 'Float64' as const,
        valueKind: 2,
        reference: [1, 2, 3, 4, 5, 6],
        axis,
        steps: Array.from({ length: steps }, (_, step) => numbers(size, step, 1)),
      },
    ],
    ...more,
  });

const uneven = block(31056, values('Int32', 1000, 3, 2), values('Float64', 0, 1, 3, 7), values('Float64', 10, 20, 40));
const corners = [0, 10, 20, 30, 1, 11, 21, 31, 3, 13, 23, 33];
const curvilinear = block(
  31061,
  values('Int32', 1000, 3, 2),
  values('Float64', ...corners.map((x) => x / 100 + 10)),
  values('Float64', ...corners.map((y) => y / 200 + 50)),
);

const levels = [0, 1, 2].flatMap((level) => corners.map((corner) => [corner + level, level] as const));
const inSpace = block(
  31062,
  values('Int32', 1000, 3, 2, 2),
  values('Float64', ...levels.map(([corner]) => corner / 100 + 10)),
  values('Float64', ...levels.map(([corner]) => corner / 200 + 50)),
  values('Float64', ...levels.map(([corner, level]) => 5 * level - corner / 10)),
);

const files: Readonly<Record<string, readonly [reader: string, bytes: Buffer]>> = {
  'a rotated DFS2 of eleven steps': ['Dfs2Reader', dfs(axes.plane(5, 4), 20, 11)],
  'a DFS2 with a relative time axis of unequal steps in months': [
    'Dfs2Reader',
    dfs(axes.plane(3, 2), 6, 3, { time: { start: undefined, unit: 1405, times: [0, 1.5, 7] } }),
  ],
  'a DFS2 in longitude and latitude with a text that no registry knows': [
    'Dfs2Reader',
    dfs(axes.plane(3, 2), 6, 2, { projection: ['MY-LOCAL', 15, 55, 0] }),
  ],
  'a DFS2 without a step': ['Dfs2Reader', dfs(axes.plane(3, 2), 6, 0)],
  'a DFS1': ['Dfs1Reader', dfs(axes.line(9), 9, 4)],
  'a DFS3': ['Dfs3Reader', dfs(axes.space(4, 3, 5), 60, 10)],
  'a DFS2 of unequal cells': ['Dfs2Reader', dfs(uneven, 6, 9)],
  'a curvilinear DFS2': ['Dfs2Reader', dfs(curvilinear, 6, 2)],
  'a curvilinear DFS3': ['Dfs3Reader', dfs(inSpace, 12, 2)],
  'a DFSU': ['DfsuReader', dfsu({ ...flat, codes: flat.nodes.map((_, n) => n % 3), steps: 9 })],
  'a GeoTIFF with bands': [
    'GeoTiffReader',
    tiffFile({
      width: 4,
      height: 3,
      samples: 2,
      bits: 16,
      format: 2,
      values: Array.from({ length: 24 }, (_, n) => n - 12),
      tags: { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]), 42113: [2, '-9'] },
    }),
  ],
  'a VTU with cells of many shapes': ['VtuReader', vtuOf(allShapes)],
};

for (const [what, [reader, bytes]] of Object.entries(files))
  test(`${what} survives a round trip through a multidimensional store`, async (t) => {
    const before = await dataOf(t, reader, bytes);
    const { bytes: stored, receipt } = await converted(t, bytes, { reader, writer: 'MDWriter' });
    t.deepEqual(
      receipt.lost.filter((sentence) => !sentence.includes('corner')),
      [],
    );
    const after = await dataOf(t, 'MDReader', stored);
    t.deepEqual(await whole(after), await whole(before));
    const again = await written(t, after, 'MDWriter');
    t.deepEqual(again.content, stored, 'the same bytes');
  });

const made: Readonly<Record<string, () => Data>> = {
  'a layered mesh': layeredMesh,
  'a mesh of sigma-z layers whose nodes move': () => ({
    ...sigmaZMesh(),
    heights: async (step) =>
      Float32Array.from(
        sigmaZMesh()
          .nodes.filter((_, n) => n % 3 === 2)
          .map((z) => z + step),
      ),
  }),
  'a mesh of spectra': () => {
    const frequency = {
      name: 'frequency',
      unit: 'Hz',
      eum: { item: 100_086, unit: 2602 },
      values: Float64Array.of(0.1, 0.3, 0.9),
    };
    const direction = { name: 'direction', values: Float64Array.of(0, 90) };
    const mesh = layeredMesh();
    const size = 6 * mesh.shapes.length;
    return {
      ...mesh,
      items: ['a', 'a'].map((name) => ({
        name,
        type: 'Float32' as const,
        location: 'cell' as const,
        components: [direction, frequency],
      })),
      values: async (item, step) => Float32Array.from({ length: size }, (_, n) => n + step / 8 + item * 1000),
    };
  },
  'an array with items over different axes, also constant ones': () => ({
    kind: 'array',
    axes: [
      { name: 'x', values: Float64Array.of(1, 2, 4) },
      { name: 'x', unit: 'm', values: Float64Array.of(1, 2) },
    ],
    time: { spacing: 'equidistant', unit: 'day', count: 3, offset: 0.5, interval: 2 },
    items: [
      { name: '../time', type: 'Int16', nodata: -1, axes: [1, 0], overTime: true, scale: 0.1, offset: 5 },
      { name: 'x', type: 'Float64', axes: [0], overTime: false },
      { type: 'UInt8', axes: [], overTime: true },
    ],
    async read(item, step, start, shape) {
      const size = shape.reduce((all, length) => all * length, 1);
      const first = start[0] ?? 0;
      if (item === 0) return Int16Array.from({ length: size }, (_, n) => first * 3 + n - step);
      return item === 1 ? Float64Array.of(Number.NaN, -0, 1e300).slice(first, first + size) : Uint8Array.of(step);
    },
  }),
};

for (const [what, make] of Object.entries(made))
  test(`${what} survives a round trip through a multidimensional store`, async (t) => {
    const { content } = await written(t, make(), 'MDWriter');
    t.deepEqual(await whole(await dataOf(t, 'MDReader', content)), await whole(make()));
  });

test('a name that is cut to the length of an array name is not cut within a character', async (t) => {
  const grid: Grid = {
    kind: 'grid',
    width: 1,
    height: 1,
    affine: [10, 1, 0, 50, 0, -1],
    bands: ['x', 'y'].map((first) => ({ name: `${first}${'a'.repeat(98)}🌊 level`, type: 'Float32' })),
    async *rows() {
      yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(1) };
    },
  };
  const { content } = await written(t, grid, 'MDWriter');
  t.deepEqual(await whole(await dataOf(t, 'MDReader', content)), await whole(grid));
});

test('64-bit integers of a grid and their nodata value are exact', async (t) => {
  const exact = BigInt64Array.of(2n ** 62n + 1n, -5n, -(2n ** 63n), 0n);
  const grid: Grid = {
    kind: 'grid',
    width: 2,
    height: 2,
    affine: [10, 1, 0, 50, 0, -1],
    crs: { authority: 'EPSG', code: 4326 },
    bands: [
      {
        type: 'Float64',
        integer64: 'Int64',
        nodata: -(2 ** 63),
        exactNodata: 2n ** 62n + 1n,
        role: 'palette',
        palette: [0, 65535, 7],
      },
    ],
    async *rows() {
      yield { firstRow: 0, rowCount: 2, samples: Float64Array.from(exact, Number), exact: exact.slice() };
    },
  };
  const { content } = await written(t, grid, 'MDWriter');
  t.deepEqual(await whole(await dataOf(t, 'MDReader', content)), await whole(grid));
});

test('large grids and arrays are cut into chunks of rows, steps and layers', async (t) => {
  const [width, height, layers] = [700, 600, 3];
  const at = (step: number, layer: number, n: number) => Math.fround(Math.sin(n / 50) + 10 * layer + 100 * step);
  const grid: Grid = {
    kind: 'grid',
    width,
    height,
    affine: [0, 10, 0, 0, 0, 10],
    crs: { authority: 'EPSG', code: 25832 },
    layers: { count: layers, first: -5, spacing: 2.5, unit: 'm' },
    time: {
      spacing: 'nonEquidistant',
      unit: 'second',
      start: 1_577_836_800_250,
      offsets: Float64Array.of(0, 1, 5, 6.125, 9),
    },
    bands: [{ name: 'T', type: 'Float32', nodata: Math.fround(-1e-35), eum: { item: 100_006, unit: 2800 } }],
    async *rows({ step, layer }) {
      for (let firstRow = 0; firstRow < height; firstRow += 37) {
        const rowCount = Math.min(37, height - firstRow);
        const samples = Float32Array.from({ length: rowCount * width }, (_, n) =>
          at(step, layer, firstRow * width + n),
        );
        yield { firstRow, rowCount, samples };
      }
    },
  };
  const { content } = await written(t, grid, 'MDWriter');
  const read = (await dataOf(t, 'MDReader', content)) as Grid;
  t.deepEqual(await whole(read), await whole(grid));
  const part = await read.read!({ band: 0, step: 3, layer: 2 }, 411, 2);
  t.deepEqual(
    Array.from(part),
    Array.from({ length: 2 * width }, (_, n) => at(3, 2, 411 * width + n)),
  );
  const wide: MultiArray = {
    kind: 'array',
    axes: [3, 900, 800].map((length, n) => ({ name: 'zyx'[n]!, values: Float64Array.from({ length }, (_, i) => i) })),
    items: [{ name: 'v', type: 'Float64', axes: [0, 1, 2], overTime: true }],
    time: { spacing: 'equidistant', unit: 'hour', start: 0, count: 2, offset: 0, interval: 1 },
    read: async (_item, step, start, shape) =>
      Float64Array.from(
        { length: shape.reduce((all, length) => all * length, 1) },
        (_, n) => step * 1e7 + (start[0]! * 900 + start[1]!) * 800 + start[2]! + n,
      ),
  };
  const array = await written(t, wide, 'MDWriter');
  const back = (await dataOf(t, 'MDReader', array.content)) as MultiArray;
  for (const [step, z, y] of [
    [0, 0, 0],
    [1, 2, 899],
    [1, 1, 450],
  ] as const)
    t.deepEqual(
      Array.from(await back.read(0, step, [z, y, 790], [1, 1, 10])),
      Array.from(await wide.read(0, step, [z, y, 790], [1, 1, 10])),
    );
});

for (const [what, [reader, bytes]] of Object.entries(files).filter(
  ([, [reader, one]]) => /Dfs[23u]/.test(reader) && one.length > 0,
))
  if (!/unequal cells|curvilinear|months|without a step/.test(what))
    test(`${what} keeps georeference, projection and values through a multidimensional store and back to its format`, async (t) => {
      const { bytes: stored } = await converted(t, bytes, { reader, writer: 'MDWriter' });
      const writer = reader.replace('Reader', 'Writer');
      const back = await converted(t, stored, {
        reader: 'MDReader',
        writer,
        writerParameters: { WriteAsFloat: false },
      });
      const { time: _, ...before } = await whole(await dataOf(t, reader, bytes));
      const { time, ...after } = await whole(await dataOf(t, reader, back.bytes));
      t.deepEqual(after, before);
      t.truthy(time);
    });

const folder = '/work/shared/data/dfs';
const present = existsSync(folder);
if (!present) console.warn(`SKIPPED: the sample files in ${folder} are absent, so tests on them do not run.`);

for (const file of [
  'OresundHD.dfs2',
  'europe_wind_long_lat.dfs2',
  'BW_Ronne_Layout1998_rotated_crop.dfs2',
  'OresundHD.dfs3',
  'HD2D.dfsu',
  'OdenseHD3D.dfsu',
  'VerticalProfileSigmaZ.dfsu',
  'line_spectra.dfsu',
  'random.dfs1',
])
  (present ? test : test.skip)(`${file} survives a round trip through a multidimensional store`, async (t) => {
    const bytes = await readFile(join(folder, file));
    const format = file.split('.')[1]!;
    const reader = `D${format.slice(1)}Reader`;
    const { bytes: stored } = await converted(t, bytes, { reader, writer: 'MDWriter' });
    t.deepEqual(await whole(await dataOf(t, 'MDReader', stored)), await whole(await dataOf(t, reader, bytes)));
  });
