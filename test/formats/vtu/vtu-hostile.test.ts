import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { mutate, outcome } from '../hostile.ts';
import { zipOf } from '../shapefiles.ts';
import { allShapes, pvdOf, textArray, triangle, vtuOf } from './vtu-files.ts';

const fieldData = [
  { name: 'EumItem', type: 'Int32', values: [1, 2, 3, 4] },
  { name: 'Layers', type: 'Int32', values: [2, 1, 0] },
  { name: 'ColumnOffsets', type: 'Int32', values: [0, 4, 10] },
  textArray('StartTime', '2024-01-01'),
];
const small = {
  ...triangle,
  cellData: [{ name: 'a', type: 'Float32', values: [1], unit: 'm' }],
  pointData: [{ name: 'NodeCode', type: 'Int32', values: [1, 2, 3] }],
};

for (const [name, sound] of Object.entries({
  text: [vtuOf(small, { fieldData }), vtuOf(small, { format: 'binary' })],
  'raw bytes': [
    vtuOf(small, { format: 'raw', fieldData }),
    vtuOf(allShapes, { format: 'raw', bigEndian: true, fieldData }),
  ],
  'compressed blocks': [
    vtuOf(small, { format: 'raw', compressed: true, header: 'UInt64' }),
    vtuOf(small, { format: 'binary', compressed: true }),
  ],
  base64: [vtuOf([small, small], { format: 'base64' }), vtuOf(small, { format: 'base64', compressed: true })],
}))
  test(`seeded mutations of a VTU file are read or end with an expected error: ${name}`, async (t) => {
    await mutate(t, 'VtuReader', sound, 2500);
  });

test('seeded mutations of a zipped collection are read or end with an expected error', async (t) => {
  const part = { bytes: vtuOf(small, { format: 'raw' }), stored: true };
  const pvd = pvdOf([
    [0, 'a.vtu'],
    [1, 'b.vtu'],
  ]);
  const zip = zipOf([
    { name: 'a.pvd', bytes: pvd, stored: true },
    { name: 'a.vtu', ...part },
    { name: 'b.vtu', ...part },
  ]);
  await mutate(t, 'VtuReader', [zip], 1000);
});

test('a truncated VTU file is refused at any length', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  for (const bytes of [vtuOf(small), vtuOf(small, { format: 'binary', compressed: true })])
    for (let length = 0; length < bytes.length - 10; length++)
      t.is(await outcome('VtuReader', bytes.subarray(0, length), scratch), 'refused', String(length));
  const raw = vtuOf(small, { format: 'raw' });
  for (let length = 0; length < raw.length - 40; length++)
    t.is(await outcome('VtuReader', raw.subarray(0, length), scratch), 'refused', String(length));
});

test('a million tags, deep nesting, endless attributes and huge counts are refused fast and within memory', async (t) => {
  const head = '<VTKFile type="UnstructuredGrid"><UnstructuredGrid>';
  const array = '<DataArray type="Float32" Name="a"/>';
  // a quadratic parser would take hours, which the time limit of tests ends
  for (const text of [
    `${head}${'<a/>'.repeat(1_000_000)}`,
    `${head}${'<a>'.repeat(1_000_000)}`,
    `${head}<FieldData>${array.repeat(50_000)}`,
    `${head}<Piece${' a="b"'.repeat(200_000)}>`,
    `${head}<Piece ${' '.repeat(2_000_000)}`,
    `${head}<!--${'-'.repeat(2_000_000)}`,
    `${head}<Piece NumberOfPoints="999999999999999" NumberOfCells="999999999999999"><Points>${array}</Points></Piece></UnstructuredGrid></VTKFile>`,
    `${'<?a?>'.repeat(500_000)}`,
    `<${'<'.repeat(500_000)}`,
  ])
    t.is(await outcome('VtuReader', Buffer.from(text), ''), 'refused', text.slice(0, 80));
});

test('an array that declares more bytes than its blocks can contain is refused before inflating', async (t) => {
  const points = new Array(3 * 200_000).fill(0);
  const bytes = vtuOf({ points, cells: [] }, { format: 'raw', compressed: true, block: 1 << 20 });
  t.is(await outcome('VtuReader', bytes, ''), 'read');
  const text = bytes.toString('latin1').replace('NumberOfPoints="200000"', 'NumberOfPoints="100000000"');
  const broken = Buffer.from(text, 'latin1');
  const header = broken.indexOf('\n  _') + 4;
  // One block of 2.4 GB in place of five of a megabyte.
  broken.writeUInt32LE(1, header);
  broken.writeUInt32LE(3 * 8 * 100_000_000, header + 4);
  broken.writeUInt32LE(0, header + 8);
  t.is(await outcome('VtuReader', broken, ''), 'refused');
});
