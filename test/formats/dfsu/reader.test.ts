import { createHash } from 'node:crypto';
import test from 'ava';
import { meshWithin } from '../../../src/files/convert/steps/mesh-filters.ts';
import { CELL_SHAPES } from '../../../src/files/data/mesh.ts';
import { bytesOf } from '../../../src/files/data/samples.ts';
import { stepCount, timeOf } from '../../../src/files/data/time-axis.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { CountedSource } from '../dfs/dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from '../dfs/samples.ts';
import { converted } from '../files.ts';
import { someOf } from '../hostile.ts';
import { column, context, dfsu, flat, profile, read, sigma, sigmaZ, value } from './files.ts';

const opened = (sketch: Parameters<typeof dfsu>[0]) => read(new CountedSource(dfsu(sketch)));
const numbers = (values: ArrayLike<number>) => Array.from(values);

test('a 2D mesh is read with nodes, codes, elements, items and times', async (t) => {
  for (const coordinates of ['Float32', 'Float64'] as const) {
    const mesh = await opened({ ...flat, coordinates });
    t.deepEqual(numbers(mesh.nodes), flat.nodes.flat());
    t.deepEqual(numbers(mesh.nodeCodes!), [1, 2, 2, 1, 1]);
    t.deepEqual(numbers(mesh.shapes), [CELL_SHAPES.quad, CELL_SHAPES.triangle]);
    t.deepEqual(numbers(mesh.connectivity), [0, 1, 3, 4, 1, 2, 3]);
    t.deepEqual(numbers(mesh.offsets), [0, 4, 7]);
    t.deepEqual([mesh.nodeIds, mesh.cellIds, mesh.layers, mesh.section, mesh.heights], Array(5).fill(undefined));
    t.is(mesh.crs?.code, 32633);
    t.is(stepCount(mesh.time!), 3);
    t.is(timeOf(mesh.time!, 2), Date.UTC(2026, 0, 24, 10));
    t.like(mesh.items[1], {
      name: 'Item 1',
      unit: 'm',
      eum: { item: 100_078, unit: 1000 },
      type: 'Float32',
      location: 'cell',
      nodata: Math.fround(1e-35),
    });
    for (const item of [0, 1])
      for (const step of [0, 1, 2])
        t.deepEqual(numbers(await mesh.values(item, step)), [value(item, step, 0), value(item, step, 1)]);
  }
});

test('the Z coordinate of a layered mesh is not an item; columns group the elements above each other', async (t) => {
  const mesh = await opened(sigma);
  t.deepEqual(mesh.layers, { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) });
  t.deepEqual(
    mesh.items.map(({ name }) => name),
    ['Item 0', 'Item 1'],
  );
  t.deepEqual(numbers(mesh.shapes), Array(4).fill(CELL_SHAPES.wedge));
  t.deepEqual(numbers(await mesh.heights!(2)).slice(0, 3), [-18, -8, 2]);
  t.deepEqual(
    numbers(await mesh.values(1, 2)),
    [0, 1, 2, 3].map((place) => value(1, 2, place)),
  );
});

test('sigma-z meshes, vertical profiles and vertical columns are read with layers and section type', async (t) => {
  t.deepEqual((await opened(sigmaZ)).layers, { maximum: 4, sigma: 1, columns: Uint32Array.of(0, 2, 3) });
  const plane = await opened(profile);
  t.is(plane.section, 'profile');
  t.deepEqual(plane.layers, { maximum: 2, sigma: 1, columns: Uint32Array.of(0, 2, 3) });
  const line = await opened(column);
  t.is(line.section, 'column');
  t.deepEqual(line.layers, { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2) });
  t.deepEqual(numbers(line.shapes), [CELL_SHAPES.line, CELL_SHAPES.line]);
});

test('line spectra are at nodes and area spectra in elements, with directions and frequencies as components', async (t) => {
  const spectrum = { frequencies: [0.1, 0.2], directions: [0, 90, 180], fm: [0, 2, 3] };
  const line = await opened({
    ...column,
    ...spectrum,
    layered: false,
    valuesPerItem: 3 * 6,
    over: { dataType: 2002 },
  });
  t.is(line.items[0]!.location, 'node');
  t.deepEqual(
    line.items[0]!.components!.map(({ name, values }) => [name, ...values]),
    [
      ['direction', 0, 90, 180],
      ['frequency', ...Float32Array.of(0.1, 0.2)],
    ],
  );
  t.is((await line.values(0, 1)).length, 18);
  const area = await opened({ ...flat, ...spectrum, valuesPerItem: 2 * 6, over: { dataType: 2003 } });
  t.is(area.items[0]!.location, 'cell');
  const directions = await opened({
    ...flat,
    directions: [0, 180],
    fm: [0, 0, 2],
    valuesPerItem: 2 * 2,
    over: { dataType: 2003 },
  });
  t.deepEqual(
    directions.items[0]!.components!.map(({ name }) => name),
    ['direction'],
  );
});

test('a point spectrum is a mesh over frequency and direction, without a location', async (t) => {
  const mesh = await opened({ ...flat, frequencies: [0.1], directions: [0, 180], fm: [0, 1, 2] });
  t.is(mesh.crs, undefined);
  t.is(mesh.located, false);
  const filter = { polygons: [], srid: undefined } as never;
  await t.throwsAsync(meshWithin(mesh, filter, context() as never), { message: /is not georeferenced/ });
  t.is(mesh.items[0]!.components, undefined);
  t.is((await mesh.values(0, 0)).length, 2);
});

test('SRID gives a point spectrum no location', async (t) => {
  const spectrum = dfsu({ ...flat, frequencies: [0.1], directions: [0, 180], fm: [0, 1, 2] });
  const { log, bytes, receipt, spatialInformation } = await converted(t, spectrum, {
    reader: 'DfsuReader',
    writer: 'VtuWriter',
    readerParameters: { SRID: '25832' },
  });
  t.is(spatialInformation, undefined);
  t.is(receipt.crs, undefined);
  t.false(bytes.includes('25832'));
  t.true(
    log.some((line) => JSON.stringify(line).includes('SRID is ignored: the values of a point spectrum')),
    JSON.stringify(log),
  );
});

test('reading a step of an item reads no other bytes', async (t) => {
  const nodes = Array.from({ length: 30_000 }, (_, n): [number, number, number] => [n % 100, Math.floor(n / 100), 0]);
  const elements = Array.from({ length: 20_000 }, (_, n) => [n + 1, n + 2, n + 102]);
  const source = new CountedSource(dfsu({ nodes, elements, steps: 5, items: 3 }));
  const mesh = await read(source);
  const before = source.bytesRead;
  t.is((await mesh.values(2, 3))[19_999], Math.fround(value(2, 3, 19_999)));
  t.true(source.bytesRead - before <= 4 * 20_000 + 5, `${source.bytesRead - before} bytes`);
});

test('AllowedItemNames selects items, and SRID sets the coordinate system', async (t) => {
  const source = new CountedSource(dfsu(sigma));
  const mesh = await read(source, { AllowedItemNames: ['Item 1'], SRID: 'EPSG:25832' });
  t.deepEqual(
    numbers(await mesh.values(0, 1)),
    [0, 1, 2, 3].map((place) => value(1, 1, place)),
  );
  t.is(mesh.crs?.code, 25832);
  t.deepEqual(numbers(await mesh.heights!(0)).slice(0, 3), [-20, -10, 0]);
  await t.throwsAsync(read(source, { AllowedItemNames: ['Z coordinate'] }), { message: /None of the items/ });
});

test('a MIKE_FM block of four numbers, as mesh generators write it, is a 2D mesh', async (t) => {
  const mesh = await opened({ ...flat, fm: [0] });
  t.is(mesh.layers, undefined);
  t.is(mesh.shapes.length, 2);
});

test('a file with contradicting array sizes is refused with the sizes', async (t) => {
  const cases: [Parameters<typeof dfsu>[0], RegExp][] = [
    [{ ...flat, elements: [[1, 2, 4, 9], flat.elements[1]!] }, /names the node 9, but there are nodes 1 to 5/],
    [{ ...flat, elements: [[1, 2, 4, 0], flat.elements[1]!] }, /names the node 0/],
    [{ ...flat, elementType: 21 }, /Element 1 has the type 21 and 4 nodes/],
    [{ ...flat, elementType: 99 }, /Element 1 has the type 99.* \(at byte \d+\)$/],
    [{ ...flat, dimension: 7 }, /dimension 7/],
    [{ ...flat, fm: [-1, 0] }, /negative number/],
    [{ ...flat, valuesPerItem: 3 }, /Item 'Item 0' has 3 values in a mesh of 5 nodes and 2 elements/],
    [{ ...sigma, layered: false }, /first item of a layered DFSU holds the heights of its 12 nodes/],
    [
      { ...flat, frequencies: [1], fm: [0, 2, 0], over: { dataType: 2003 } },
      /frequency values, has 1 Float32 values instead of 2/,
    ],
    [{ ...flat, over: { statics: [] } }, /has 0 static items; item 1, the node numbers, is missing/],
  ];
  for (const [sketch, message] of cases) await t.throwsAsync(opened(sketch), { instanceOf: FormatError, message });
  await t.throwsAsync(read(new CountedSource(Buffer.from('nonsense'))), { instanceOf: FormatError });
});

/** Numbers 0 … 2^32 − 1, the same in each run (Numerical Recipes). */
function sequence(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

test('seeded mutations of headers are read or end with an expected error', async (t) => {
  const next = sequence(7);
  const files = [flat, sigma, profile, { ...flat, frequencies: [0.1], directions: [0, 180], fm: [0, 1, 2] }].map(dfsu);
  let refused = 0;
  const count = someOf(10_000);
  for (let n = 0; n < count; n++) {
    let bytes = Buffer.from(files[n % files.length]!);
    const kind = next() % 4;
    const at = next() % bytes.length;
    if (kind === 0) bytes[at] = next() & 0xff;
    else if (kind === 1) bytes[at]! ^= 1 << (next() % 8);
    else if (kind === 2)
      bytes.writeInt32LE([-1, 0x7fffffff, 0x10000000, 0][next() % 4]!, Math.min(at, bytes.length - 4));
    else bytes = bytes.subarray(0, at);
    try {
      const mesh = await read(new CountedSource(bytes));
      for (let item = 0; item < Math.min(3, mesh.items.length); item++)
        for (let step = 0; step < Math.min(3, stepCount(mesh.time!)); step++) {
          await mesh.values(item, step);
          await mesh.heights?.(step);
        }
    } catch (error) {
      refused++;
      if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
    }
  }
  t.true(refused > count / 10 && refused < count, String(refused));
});

for (const file of expected.filter((one) => one.file.endsWith('.dfsu')))
  sampleTest(`${file.file} agrees with an independent reader`, async (t) => {
    const mesh = await read(new CountedSource(await sampleBytes(file.file)));
    const layered = mesh.heights !== undefined;
    t.is(stepCount(mesh.time!), file.time.steps);
    t.is(mesh.items.length, file.items.length - (layered ? 1 : 0));
    t.is(mesh.nodes.length / 3, file.statics[0]!.count);
    t.is(mesh.shapes.length, file.statics[5]!.count);
    for (const [n, item] of file.items.entries()) {
      const at = async (step: number) =>
        layered ? (n === 0 ? mesh.heights!(step) : mesh.values(n - 1, step)) : mesh.values(n, step);
      const hash = async (step: number) =>
        createHash('sha256')
          .update(bytesOf(await at(step)))
          .digest('hex');
      const found = layered && n === 0 ? undefined : mesh.items[layered ? n - 1 : n]!;
      if (found !== undefined) t.like(found, { name: item.name, eum: { item: item.eumItem, unit: item.eumUnit } });
      t.is(await hash(0), item.sha256First, item.name);
      t.is(await hash(file.time.steps - 1), item.sha256Last, item.name);
      let [min, max, deleted, count] = [Infinity, -Infinity, 0, 0];
      for (let step = 0; step < file.time.steps; step++)
        for (const one of await at(step)) {
          if (one === found?.nodata) deleted++;
          else {
            min = Math.min(min, one);
            max = Math.max(max, one);
            count++;
          }
        }
      if (found !== undefined)
        t.deepEqual([min, max, deleted, count + deleted], [item.min, item.max, item.deleted, item.count]);
    }
  });
