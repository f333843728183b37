import test from 'ava';
import { CELL_SHAPES } from '../../../src/files/data/mesh.ts';
import { stepsOf } from '../../../src/files/data/time-axis.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { mutate, outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { type Selafin, selafinBytes } from './selafin-bytes.ts';

const flat: Selafin = {
  variables: ['WATER DEPTH     M', 'BOTTOM          M', 'VELOCITY U      M/S', 'TRACER 1        ??'],
  x: [0, 10, 10, 0, 20.5],
  y: [0, 0, 10, 10, 5],
  elements: [
    [1, 2, 3],
    [1, 3, 4],
    [2, 5, 3],
  ],
  boundary: [1, 2, 0, 4, 3],
  date: [2024, 2, 29, 12, 30, 5],
  origin: [500_000, 6_000_000],
  steps: [0, 600].map((time) => ({
    time,
    values: [1, 2, 3, 4].map((v) => [1, 2, 3, 4, 5].map((n) => time + 10 * v + n)),
  })),
};

for (const bigEndian of [true, false])
  for (const double of [true, false])
    test(`a ${bigEndian ? 'big' : 'little'}-endian file in ${double ? 'double' : 'single'} precision is read`, async (t) => {
      const bytes = selafinBytes({ ...flat, bigEndian, double });
      t.like(await detect(memory(bytes)), { format: 'selafin' });
      const { data, lost, remarks } = await read(t, 'mesh', 'SelafinReader', bytes);
      const start = Date.UTC(2024, 1, 29, 12, 30, 5);
      t.deepEqual(data.time, { spacing: 'equidistant', unit: 'second', start, count: 2, offset: 0, interval: 600 });
      t.deepEqual(
        [...data.nodes],
        flat.x.flatMap((x, n) => [500_000 + x, 6_000_000 + flat.y[n]!, 21 + n]),
      );
      t.deepEqual([...data.nodeCodes!], [1, 1, 0, 1, 1]);
      t.deepEqual([...data.shapes], [5, 5, 5]);
      t.deepEqual([...data.connectivity], [0, 1, 2, 0, 2, 3, 1, 4, 2]);
      const type = double ? 'Float64' : 'Float32';
      const item = { location: 'node', type, nodata: Number.NaN };
      t.deepEqual(data.items, [
        { name: 'WATER DEPTH', unit: 'm', ...item },
        { name: 'BOTTOM', unit: 'm', ...item },
        { name: 'VELOCITY U', unit: 'm/s', ...item },
        { name: 'TRACER 1', unit: '??', ...item },
      ] as typeof data.items);
      t.deepEqual([...(await data.values(2, 1))], [631, 632, 633, 634, 635]);
      t.deepEqual([lost, remarks], [[], []]);
    });

test('quadrilaterals, a file without a date, chosen items and an SRID are read', async (t) => {
  const bytes = selafinBytes({ ...flat, date: undefined as never, elements: [[1, 2, 3, 4]] });
  const parameters = { SRID: 25832, AllowedItemNames: ['BOTTOM'] };
  const { data } = await read(t, 'mesh', 'SelafinReader', bytes, parameters);
  t.deepEqual([...data.shapes], [CELL_SHAPES.quad]);
  t.is(data.time!.start, undefined);
  t.like(data.crs, { authority: 'EPSG', code: 25832 });
  t.deepEqual([...(await data.values(0, 0))], [21, 22, 23, 24, 25]);
});

/** Two planes over a square of two triangles, and one above: the file has plane after plane. */
const deep: Selafin = {
  variables: ['ELEVATION Z     M', 'SALINITY        G/L'],
  x: [0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0],
  y: [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1],
  planes: 3,
  elements: [0, 4].flatMap((below) =>
    [
      [1, 2, 3],
      [1, 3, 4],
    ].map((corners) => [...corners.map((n) => n + below), ...corners.map((n) => n + below + 4)]),
  ),
  steps: [0, 60].map((time) => ({
    time,
    values: [
      Array.from({ length: 12 }, (_, n) => Math.floor(n / 4) * (1 + time / 60) - 5),
      Array.from({ length: 12 }, (_, n) => 100 * Math.floor(n / 4) + (n % 4) + time),
    ],
  })),
};

test('planes become layers whose nodes move, from the bottom up', async (t) => {
  const { data } = await read(t, 'mesh', 'SelafinReader', selafinBytes(deep));
  t.deepEqual(data.layers, { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) });
  t.deepEqual([...data.shapes], [13, 13, 13, 13]);
  t.deepEqual([...data.connectivity.subarray(0, 12)], [0, 3, 6, 1, 4, 7, 1, 4, 7, 2, 5, 8]);
  t.deepEqual([...data.nodes.subarray(0, 9)], [0, 0, -5, 0, 0, -4, 0, 0, -3]);
  t.deepEqual([...(await data.heights!(1)).subarray(0, 3)], [-5, -3, -1]);
  t.deepEqual(
    data.items.map(({ name }) => name),
    ['SALINITY'],
  );
  t.deepEqual([...(await data.values(0, 0))], [0, 100, 200, 1, 101, 201, 2, 102, 202, 3, 103, 203]);
});

test('a DFSU gets the mean of the nodes of each element, and the receipt says so', async (t) => {
  const { receipt, bytes } = await converted(t, selafinBytes(flat), { reader: 'SelafinReader', writer: 'DfsuWriter' });
  t.true(
    receipt.lost.some((sentence) => /became the mean of the nodes/.test(sentence)),
    receipt.lost.join(),
  );
  const { data } = await read(t, 'mesh', 'DfsuReader', bytes);
  t.deepEqual(
    [...(await data.values(0, 1))].map((value) => Math.round(value * 1000)),
    [612_000, 612_667, 613_333],
  );
  const layered = await converted(t, selafinBytes(deep), { reader: 'SelafinReader', writer: 'DfsuWriter' });
  const again = (await read(t, 'mesh', 'DfsuReader', layered.bytes)).data;
  t.deepEqual([...(await again.heights!(1)).subarray(0, 3)], [-5, -3, -1]);
  t.is((await again.values(0, 0))[0], (0 + 1 + 2 + 100 + 101 + 102) / 6);
});

test('a file that is cut in its last step is read to the step before', async (t) => {
  const bytes = selafinBytes(flat);
  const { data, lost } = await read(t, 'mesh', 'SelafinReader', bytes.subarray(0, -10));
  t.is(stepsOf(data), 1);
  t.regex(lost[0]!, /^The file is cut \d+ bytes after its last whole step\. The 1 whole steps were read\.$/);
});

test('a date that is none is ignored with a remark', async (t) => {
  const { data, remarks } = await read(t, 'mesh', 'SelafinReader', selafinBytes({ ...flat, date: [0, 0, 0, 0, 0, 0] }));
  t.is(data.time!.start, undefined);
  t.deepEqual(remarks, ['The date 0 0 0 0 0 0 of the file is no date and was ignored; times are relative.']);
});

test('files whose sizes or elements cannot be are refused with a sentence and a place', async (t) => {
  const refused = (bytes: Uint8Array, message: RegExp) =>
    t.throwsAsync(read(t, 'mesh', 'SelafinReader', bytes), { instanceOf: FormatError, message });
  await refused(Buffer.from('nothing'), /does not begin with the title of a SELAFIN file/);
  await refused(selafinBytes({ ...flat, elements: [[1, 2, 6]] }), /An element has the node 6, but nodes are 1 to 5/);
  await refused(selafinBytes({ ...flat, elements: [[1, 2, 3, 4, 5]] }), /elements of 5 nodes in 0 planes/);
  await refused(selafinBytes({ ...deep, planes: 5 }), /cannot stand in 5 planes/);
  await refused(selafinBytes({ ...deep, elements: deep.elements.toReversed() }), /Prism 1 has the node/);
  await refused(selafinBytes({ ...deep, variables: ['Z', 'S'] }), /no variable 'ELEVATION Z'/);
  const huge = selafinBytes(flat);
  // nodes: after title, counts, four names, parameters and date
  huge.writeInt32BE(2_000_000_000, 88 + 16 + 4 * 40 + 48 + 32 + 4 + 4);
  await refused(huge, /too few for 3 elements and 2000000000 nodes/);
});

test('seeded mutations are read or end with an expected error', async (t) => {
  await mutate(t, 'SelafinReader', [selafinBytes(flat), selafinBytes(deep)], 2000);
  const bytes = selafinBytes(deep);
  for (let cut = 0; cut < bytes.length; cut += 7) await outcome('SelafinReader', bytes.subarray(0, cut), '');
  t.pass();
});
