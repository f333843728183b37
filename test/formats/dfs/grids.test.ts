import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { type Grid, layersOf, slicesOfBand } from '../../../src/files/data/grid.ts';
import { stepsOf, timeOf } from '../../../src/files/data/time-axis.ts';
import { zipEntries } from '../../../src/files/formats/io/zip.ts';
import { readEntry } from '../../../src/files/formats/io/zip-entry.ts';
import { converted } from '../files.ts';
import { gridOf } from '../grids.ts';
import { axes, block, dfsBytes, sourceOf, values } from './dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from './samples.ts';

const own = (n: string) => ({ reader: `Dfs${n}Reader`, writer: `Dfs${n}Writer` });

async function sliceValues(grid: Grid, band: number, step: number): Promise<number[]> {
  const all: number[] = [];
  for (let layer = 0; layer < layersOf(grid); layer++)
    for await (const { samples } of grid.rows({ band, step, layer })) all.push(...samples);
  return all;
}

async function hashOf(grid: Grid, band: number, step: number): Promise<string> {
  const hash = createHash('sha256');
  for (const slice of slicesOfBand(grid, band))
    if (slice.step === step) for await (const { samples } of grid.rows(slice)) hash.update(samples);
  return hash.digest('hex');
}

for (const { file, items, time } of expected.filter(({ file: name }) => /\.dfs[123]$/.test(name)))
  sampleTest(
    `${file} is read as a grid with the values of an independent reader, and copied byte for byte`,
    async (t) => {
      const bytes = await sampleBytes(file);
      const n = file.at(-1)!;
      const grid = await gridOf(t, bytes, `Dfs${n}Reader`);
      t.is(stepsOf(grid), time.steps);
      t.is(grid.bands.length, items.length);
      for (const [band, item] of items.entries()) {
        t.like(grid.bands[band], { name: item.name, eum: { item: item.eumItem, unit: item.eumUnit } });
        t.is(await hashOf(grid, band, 0), item.sha256First);
        t.is(await hashOf(grid, band, time.steps - 1), item.sha256Last);
      }
      const result = await converted(t, bytes, own(n));
      t.true(result.bytes.equals(bytes));
      t.deepEqual(result.receipt.lost, []);
      const { before } = result.receipt.statistics;
      t.is(before?.kind === 'grid' ? before.bands[0]!.maximum : undefined, items[0]!.max);
    },
  );

const deleted = Math.fround(-1e-35);

/** Two items over three steps on 3 × 2 cells: southern row first. */
const plane = (more: object = {}) =>
  dfsBytes({
    title: 'Harbour',
    projection: ['UTM-33', 15, 55, 0],
    time: { start: ['2020-01-01', '00:00:00'], interval: 3600 },
    items: ['Depth', 'Speed'].map((name, n) => ({
      name,
      eum: n === 0 ? [100000, 1000] : [100269, 2000],
      axis: axes.plane(3, 2),
      steps: [0, 1, 2].map((step) =>
        [1, 2, 3, 4, deleted, 6].map((value) => (value < 0 ? value : value + 10 * step + 100 * n)),
      ),
    })),
    custom: block(60000, values('Int8', ...Buffer.from('M21_Misc\0')), values('Float32', 0, 7, -900, 10, 0, 0, 0)),
    ...more,
  });

const dfsGrid = (t: ExecutionContext, bytes: Uint8Array, n = '2', parameters = {}) =>
  gridOf(t, bytes, `Dfs${n}Reader`, parameters);

test('a changed file is rewritten with the chosen items and steps and new statistics; the rest is kept', async (t) => {
  const { bytes, receipt } = await converted(t, plane(), {
    ...own('2'),
    transformations: [
      { type: 'ItemFilterTransformation', itemFilter: { names: ['Speed'] } },
      { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 1 } },
    ],
  });
  const grid = await dfsGrid(t, bytes);
  t.deepEqual(
    grid.bands.map(({ name, unit, nodata }) => ({ name, unit, nodata })),
    [{ name: 'Speed', unit: 'm/s', nodata: deleted }],
  );
  t.deepEqual(await sliceValues(grid, 0, 1), [121, 122, 123, 124, deleted, 126]);
  t.is(timeOf(grid.time!, 0), Date.UTC(2020, 0, 1, 1));
  const before = await dfsGrid(t, plane());
  t.deepEqual(grid.affine, before.affine);
  t.is(grid.crs?.wkt, 'UTM-33', 'the text stays while nothing changes the place');
  t.true(bytes.includes('Harbour') && bytes.includes('M21_Misc'));
  t.deepEqual(receipt.lost, []);
});

test('items keep their links to static items through filters', async (t) => {
  const link = (n: number) => block(30004, values('UInt32', n));
  const linked = plane({
    items: ['Depth', 'Speed'].map((name, n) => ({
      name,
      axis: axes.plane(3, 2),
      steps: [0, 1, 2].map(() => [1, 2, 3, 4, 5, 6]),
      more: link(2 - n),
    })),
    statics: ['Mask', 'Roughness'].map((name) => ({ name, type: 'Int32', values: [1, 2, 3, 4, 5, 6] })),
  });
  const speed = { type: 'ItemFilterTransformation', itemFilter: { names: ['Speed'] } };
  const { bytes, receipt } = await converted(t, linked, { ...own('2'), transformations: [speed] });
  t.true(bytes.includes(link(1)) && bytes.includes('Roughness'));
  t.false(bytes.includes(link(2)), 'that of the other item');
  t.deepEqual(receipt.lost, []);
  const elsewhere = await converted(t, linked, {
    ...own('2'),
    transformations: [speed, { type: 'CrsTransformation', outputSrid: 32632 }],
  });
  t.false(elsewhere.bytes.includes(link(1)));
});

test('AllowedItemNames selects items in the order of the file; unknown names give a warning', async (t) => {
  const some = await converted(t, plane(), {
    ...own('2'),
    readerParameters: { AllowedItemNames: ['Speed', 'Colour'] },
  });
  t.is((await dfsGrid(t, some.bytes)).bands.length, 1);
  t.true(some.log.some(({ level, message }) => level === 'warning' && /'Colour'.*'Depth', 'Speed'/.test(message)));
  await t.throwsAsync(converted(t, plane(), { ...own('2'), readerParameters: { AllowedItemNames: ['Colour'] } }), {
    message: /None of the items 'Colour'/,
  });
});

test('a spatial filter moves the origin of the written file to the first cell that is left', async (t) => {
  const before = await dfsGrid(t, plane());
  const [x, , , y] = before.affine;
  const box = `POLYGON ((${x + 11} ${y + 1}, ${x + 29} ${y + 1}, ${x + 29} ${y + 19}, ${x + 11} ${y + 19}, ${x + 11} ${y + 1}))`;
  const { bytes } = await converted(
    t,
    plane({ statics: [{ name: 'Topography', type: 'Float32', values: [1, 2, 3, 4, 5, 6] }] }),
    {
      ...own('2'),
      transformations: [{ type: 'SpatialFilterTransformation', spatialFilter: { geometry: box } }],
    },
  );
  const grid = await dfsGrid(t, bytes);
  t.deepEqual([grid.width, grid.height], [2, 2]);
  t.deepEqual(await sliceValues(grid, 0, 0), [2, 3, deleted, 6]);
  t.true(Math.abs(grid.affine[0] - x - 10) < 1e-4 && Math.abs(grid.affine[3] - y) < 1e-4);
  t.false(bytes.includes('Topography'), 'static items have other cells');
});

test('a north-up grid is stored with the southern row first, and read back unchanged', async (t) => {
  const ascii = 'ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n4 -9999 6\n1 2 3\n';
  const { bytes, receipt } = await converted(t, ascii, { reader: 'AsciiGridReader', writer: 'Dfs2Writer' });
  const grid = await dfsGrid(t, bytes);
  t.deepEqual(await sliceValues(grid, 0, 0), [1, 2, 3, 4, deleted, 6]);
  t.deepEqual(grid.affine, [100, 10, 0, 200, 0, 10]);
  t.is(grid.crs, undefined);
  t.like(grid.bands[0], { name: 'Band 1', eum: { item: 999, unit: 0 }, type: 'Float32' });
  t.is(timeOf(grid.time!, 0), 0);
  const { after } = receipt.statistics;
  t.like(after?.kind === 'grid' ? after.bands[0] : {}, { values: 5, empty: 1, minimum: 1, maximum: 6 });
  const back = await converted(t, bytes, { reader: 'Dfs2Reader', writer: 'AsciiGridWriter' });
  t.is(
    back.text,
    `ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -1e-35\n4 -1e-35 6\n1 2 3\n`,
  );
});

test('DFS2 to GeoTIFF gives the northern row first and a band per item and step, and converts back', async (t) => {
  const { bytes } = await converted(t, plane(), { reader: 'Dfs2Reader', writer: 'GeoTiffWriter' });
  const tiff = await gridOf(t, bytes);
  t.is(tiff.crs?.code, 32633);
  t.true(tiff.affine[5] < 0);
  t.deepEqual(tiff.bands.map(({ name }) => name).slice(0, 4), [
    'Depth 2020-01-01T00:00:00',
    'Depth 2020-01-01T01:00:00',
    'Depth 2020-01-01T02:00:00',
    'Speed 2020-01-01T00:00:00',
  ]);
  t.is(tiff.bands[0]!.unit, 'm');
  t.is(tiff.bands[0]!.nodata, deleted);
  t.deepEqual(await sliceValues(tiff, 3, 0), [104, deleted, 106, 101, 102, 103]);
  const back = await converted(t, bytes, { reader: 'GeoTiffReader', writer: 'Dfs2Writer' });
  const grid = await dfsGrid(t, back.bytes);
  t.is(grid.bands.length, 6);
  t.deepEqual(await sliceValues(grid, 3, 0), [101, 102, 103, 104, deleted, 106]);
  const before = await dfsGrid(t, plane());
  for (const [n, value] of grid.affine.entries()) t.true(Math.abs(value - before.affine[n]!) < 1e-4);
});

test('rotated grids can be reprojected, and keep their georeference through other changes', async (t) => {
  const turned = plane({ projection: ['UTM-33', 15, 55, 30] });
  const before = await dfsGrid(t, turned);
  t.true(
    Math.abs(before.affine[2] - 10 * Math.sin(Math.PI / 6)) < 1e-6,
    'on the central meridian there is no convergence',
  );
  const upright = await converted(t, turned, {
    ...own('2'),
    transformations: [{ type: 'CrsTransformation', outputSrid: 25833 }],
  });
  const grid = await dfsGrid(t, upright.bytes);
  t.is(grid.affine[2], 0);
  t.true(grid.affine[5] > 0);
  const kept = await converted(t, turned, {
    ...own('2'),
    transformations: [{ type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', to: 0 } }],
  });
  t.deepEqual((await dfsGrid(t, kept.bytes)).affine, before.affine);
});

const space = (nz: number) =>
  dfsBytes({
    dataType: 3,
    projection: ['LONG/LAT', 10, 50, 0],
    items: [
      {
        name: 'Salinity',
        axis: axes.space(2, 2, nz, [0, 0, -6, 0.5, 0.5, 2]),
        steps: [Array.from({ length: 4 * nz }, (_, n) => n)],
      },
    ],
  });

test('a vertical filter by height selects layers of a DFS3 file and moves z0', async (t) => {
  const grid = await dfsGrid(t, space(3), '3');
  t.deepEqual(grid.layers, { count: 3, first: -6, spacing: 2, unit: 'm' });
  const { bytes } = await converted(t, space(3), {
    ...own('3'),
    transformations: [
      { type: 'VerticalFilterTransformation', verticalFilter: { type: 'VerticalValueFilter', from: -4 } },
    ],
  });
  const upper = await dfsGrid(t, bytes, '3');
  t.deepEqual(upper.layers, { count: 2, first: -4, spacing: 2, unit: 'm' });
  t.deepEqual(await sliceValues(upper, 0, 0), [4, 5, 6, 7, 8, 9, 10, 11]);
  t.deepEqual(upper.affine, grid.affine);
  await t.throwsAsync(converted(t, space(3), { reader: 'Dfs3Reader', writer: 'Dfs2Writer' }), {
    message: /verticalFilter/,
  });
  const flat = await converted(t, space(1), { reader: 'Dfs3Reader', writer: 'Dfs2Writer' });
  t.deepEqual(await sliceValues(await dfsGrid(t, flat.bytes), 0, 0), [0, 1, 2, 3]);
});

const compressed = (order: readonly number[]) => {
  const cells = [
    [1, 0, 0],
    [0, 1, 0],
    [1, 1, 1],
  ];
  const keys = order.map((n) => cells[n]!);
  return dfsBytes({
    compressed: true,
    items: [
      { name: 'Salinity', axis: axes.space(2, 2, 2), steps: [order.map((n) => n + 1), order.map((n) => n + 11)] },
    ],
    statics: ['X', 'Y', 'Z'].map((name, n) => ({
      name: `${name}-Encoding Key`,
      type: 'Int32' as const,
      values: keys.map((key) => key[n]!),
    })),
  });
};

test('compressed files are read with keys in any order, and stay compressed when rewritten', async (t) => {
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
  ]) {
    const grid = await dfsGrid(t, compressed(order), '3');
    t.deepEqual(await sliceValues(grid, 0, 0), [deleted, 1, 2, deleted, deleted, deleted, deleted, 3]);
    const { bytes } = await converted(t, compressed(order), {
      ...own('3'),
      transformations: [
        { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 1 } },
      ],
    });
    t.true(bytes.includes('Z-Encoding Key'));
    const second = await dfsGrid(t, bytes, '3');
    t.deepEqual(await sliceValues(second, 0, 0), [deleted, 11, 12, deleted, deleted, deleted, deleted, 13]);
  }
});

test('calculated items have values in all cells, and the delete value where they have none', async (t) => {
  const { bytes } = await converted(t, compressed([0, 1, 2]), {
    ...own('3'),
    transformations: [
      {
        type: 'CalculateTransformation',
        calculate: [
          { name: 'Filled', expression: 'coalesce(Salinity, 7)' },
          { name: 'Inverse', expression: '1 / (Salinity - 2)' },
        ],
      },
    ],
  });
  const made = await dfsGrid(t, bytes, '3');
  t.deepEqual(await sliceValues(made, 0, 0), [7, 1, 2, 7, 7, 7, 7, 3]);
  const inverse = await sliceValues(made, 1, 0);
  t.deepEqual(inverse, [deleted, -1, deleted, deleted, deleted, deleted, deleted, 1]);
});

test('DFS1 keeps the spacing of its line; grids of several rows are refused', async (t) => {
  const line = dfsBytes({
    items: [
      {
        name: 'Level',
        axis: axes.line(4, 5, 2),
        steps: [
          [1, 2, 3, 4],
          [5, 6, 7, 8],
        ],
      },
    ],
  });
  const grid = await dfsGrid(t, line, '1');
  t.deepEqual([grid.width, grid.height], [4, 1]);
  t.deepEqual(grid.affine.slice(0, 2), [4, 2]);
  const { bytes } = await converted(t, line, {
    ...own('1'),
    transformations: [
      { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 1 } },
    ],
  });
  const later = await dfsGrid(t, bytes, '1');
  t.deepEqual(await sliceValues(later, 0, 0), [5, 6, 7, 8]);
  t.deepEqual(later.affine, grid.affine);
  await t.throwsAsync(converted(t, plane(), { reader: 'Dfs2Reader', writer: 'Dfs1Writer' }), { message: /one row/ });
});

test('Float64 is written as Float32, unless WriteAsFloat is false or the file is unchanged', async (t) => {
  const precise = dfsBytes({
    items: [{ name: 'Level', type: 'Float64', axis: axes.plane(2, 1), steps: [[0.1, -1e-255]] }],
  });
  const step = [{ type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 0 } }];
  t.true((await converted(t, precise, own('2'))).bytes.equals(precise));
  const single = await converted(t, precise, { ...own('2'), transformations: step });
  const grid = await dfsGrid(t, single.bytes);
  t.is(grid.bands[0]!.type, 'Float32');
  t.deepEqual(await sliceValues(grid, 0, 0), [Math.fround(0.1), deleted]);
  t.deepEqual(single.receipt.lost, ["1 values of 'Level' were rounded to single precision."]);
  const double = await converted(t, precise, {
    ...own('2'),
    transformations: step,
    writerParameters: { WriteAsFloat: false },
  });
  t.deepEqual(await sliceValues(await dfsGrid(t, double.bytes), 0, 0), [0.1, -1e-255]);
});

test('the error for another DFS kind names the kind, not the extension', async (t) => {
  await t.throwsAsync(converted(t, plane(), own('3')), { message: /plane grid \(dfs2\).*Use Dfs2Reader/ });
  await t.throwsAsync(converted(t, 'II*\0', own('2')), { message: /It looks like a TIFF file/ });
});

test('StepsAs: files writes one GeoTIFF per step into a zip', async (t) => {
  const { bytes, receipt } = await converted(t, plane(), {
    reader: 'Dfs2Reader',
    writer: 'GeoTiffWriter',
    writerParameters: { StepsAs: 'Files' },
  });
  const source = await sourceOf(t, bytes);
  const entries = await zipEntries(source);
  t.deepEqual(
    entries.map(({ name }) => name),
    ['step_0000.tif', 'step_0001.tif', 'step_0002.tif'],
  );
  const second = await gridOf(t, (await readEntry(source, entries[1]!, 1e6))!);
  t.deepEqual(
    second.bands.map(({ name }) => name),
    ['Depth 2020-01-01T01:00:00', 'Speed 2020-01-01T01:00:00'],
  );
  t.deepEqual(await sliceValues(second, 1, 0), [114, deleted, 116, 111, 112, 113]);
  t.deepEqual(receipt.lost, ['A GeoTIFF does not store the EUM quantities of items.']);
});

test('a grid with an unknown coordinate system keeps its georeference, but cannot be reprojected', async (t) => {
  const local = plane({ projection: ['DKS', 12, 55, 20] });
  const { bytes } = await converted(t, local, {
    ...own('2'),
    transformations: [{ type: 'ItemFilterTransformation', itemFilter: { names: ['Speed'] } }],
  });
  t.true(bytes.includes(Buffer.concat([Buffer.from('DKS\0'), values('Float64', 12, 55, 20)])));
  const to33 = { type: 'CrsTransformation', outputSrid: 25833 };
  await t.throwsAsync(converted(t, local, { ...own('2'), transformations: [to33] }), { message: /not georeferenced/ });
  const known = await converted(t, local, { ...own('2'), readerParameters: { SRID: 25832 }, transformations: [to33] });
  t.regex((await dfsGrid(t, known.bytes)).crs!.wkt!, /UTM_Zone_33N/);
  const bySrid = await converted(t, local, { ...own('2'), transformations: [{ ...to33, inputSrid: 25832 }] });
  t.deepEqual((await dfsGrid(t, bySrid.bytes)).affine, (await dfsGrid(t, known.bytes)).affine);
});

test('inputSrid assigns a coordinate system like SRID, and overrides the projection of the file', async (t) => {
  const change = { type: 'CrsTransformation', outputSrid: 4326 };
  const layered = dfsBytes({
    projection: ['UTM-33', 15, 55, 0],
    items: [{ name: 'Depth', axis: axes.space(3, 2, 2), steps: [Array.from({ length: 12 }, (_, n) => n)] }],
  });
  for (const [n, bytes] of [
    ['2', plane()],
    ['3', layered],
  ] as const) {
    const parameter = await converted(t, bytes, {
      ...own(n),
      readerParameters: { SRID: 25832 },
      transformations: [change],
    });
    const member = await converted(t, bytes, { ...own(n), transformations: [{ ...change, inputSrid: 25832 }] });
    const { affine } = await dfsGrid(t, member.bytes, n);
    t.true(Math.abs(affine[0] - 15) < 0.01 && Math.abs(affine[3] - 55) < 0.01, `${affine}`);
    t.deepEqual(affine, (await dfsGrid(t, parameter.bytes, n)).affine);
  }
});

test('local coordinates get the coordinate system of SRID or inputSrid', async (t) => {
  for (const projection of [
    ['NON-UTM', 600_000, 6_100_000, 0],
    ['NON-UTM', 0, 0, 0],
  ] as const) {
    const bytes = plane({ projection: [...projection] });
    const plain = await dfsGrid(t, (await converted(t, bytes, own('2'))).bytes);
    const cornerOf = ({ affine: [west, , , y, , step], height }: typeof plain) => [
      west,
      Math.min(y, y + height * step),
    ];
    const change = { type: 'CrsTransformation', outputSrid: 25832 };
    for (const wish of [
      { readerParameters: { SRID: 25832 } },
      { transformations: [{ ...change, inputSrid: 25832 }] },
    ]) {
      const { bytes: tiff } = await converted(t, bytes, { reader: 'Dfs2Reader', writer: 'GeoTiffWriter', ...wish });
      const grid = await gridOf(t, tiff);
      t.is(grid.crs?.code, 25832);
      t.deepEqual(cornerOf(grid), cornerOf(plain), String(projection));
    }
  }
});

test('relative times count from 1970 in band descriptions', async (t) => {
  const { bytes, receipt } = await converted(t, plane({ time: { start: undefined, offset: 60, interval: 60 } }), {
    reader: 'Dfs2Reader',
    writer: 'GeoTiffWriter',
  });
  t.is((await gridOf(t, bytes)).bands[1]!.name, 'Depth 1970-01-01T00:02:00');
  t.true(receipt.lost.some((sentence) => /count them from 1970-01-01T00:00:00/.test(sentence)));
});
