import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { documentPieces } from '../../src/files/convert/references/document.ts';
import { readReferences } from '../../src/files/convert/references/references.ts';
import { FileSource } from '../../src/files/formats/io/bytes.ts';
import { axes, block, dfsBytes, text, values } from './dfs/dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from './dfs/samples.ts';
import { converted } from './files.ts';
import { flatMesh } from './meshes.ts';
import { hdf5Bytes } from './netcdf/netcdf-files.ts';
import { ReferenceReader } from './references-reader.ts';
import { folderOf } from './transformed.ts';
import { written } from './written.ts';

const deleted = Math.fround(-1e-35);

async function referencesTo(t: ExecutionContext, bytes: Uint8Array) {
  const folder = await folderOf(t);
  const path = join(folder, 'input');
  await writeFile(path, bytes);
  const source = await FileSource.open(path, { checksum: false });
  t.teardown(() => source.close());
  const references = await readReferences(source, {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => t.teardown(close),
  });
  const fetched: number[] = [];
  const document = [...documentPieces(references, { address: 'file', expires: new Date('2026-01-24T08:00:00Z') })];
  const reader = new ReferenceReader(document.join(''), (address, offset, length) => {
    t.is(address, 'file');
    fetched.push(length);
    return bytes.subarray(offset, offset + length);
  });
  return { reader, fetched };
}

test('references of a DFS2 file are the steps of its items, with coordinates and times of CF', async (t) => {
  const steps = [0, 1, 2].map((step) => [0, 1, 2, 3, 4, 5].map((n) => (n === step ? deleted : step * 10 + n)));
  const { reader, fetched } = await referencesTo(
    t,
    dfsBytes({
      title: 'Harbour',
      projection: ['UTM-33', 15, 55, 0],
      time: { start: ['2020-01-01', '00:00:00'], unit: 1402, interval: 0.5 },
      items: [
        { name: 'Depth', axis: axes.plane(3, 2), steps },
        { name: 'Mud', type: 'Float64', axis: axes.plane(3, 2), steps: steps.map((one) => one.map((v) => v / 3)) },
      ],
    }),
  );
  t.deepEqual(reader.json('.zgroup'), { zarr_format: 2 });
  t.like(reader.json('.zattrs'), {
    title: 'Harbour',
    Conventions: 'CF-1.11 UGRID-1.0',
    expires: '2026-01-24T08:00:00Z',
  });
  const name = reader.of('Depth');
  t.like(reader.array(name), { shape: [3, 2, 3], chunks: [1, 2, 3], dtype: '<f4', fill_value: deleted });
  t.deepEqual(reader.array(name).attributes._ARRAY_DIMENSIONS, ['time', 'y', 'x']);
  t.deepEqual(
    await reader.values(name),
    steps.flat().map((one) => (one === deleted ? null : one)),
  );
  t.deepEqual(fetched, [24, 24, 24]);
  // a program has written the Float32 delete value into a Float64 item: it is a missing value, too
  t.like(reader.array(reader.of('Mud')), { dtype: '<f8', fill_value: -1e-255 });
  t.is(reader.array(reader.of('Mud')).attributes.missing_value, deleted);
  t.deepEqual(await reader.values('time'), [0, 1800, 3600]);
  t.is(reader.array('time').attributes.units, 'seconds since 2020-01-01 00:00:00');
  t.deepEqual((await reader.values('x')).length, 3);
  t.is(reader.array(name).attributes.grid_mapping, 'crs');
  t.truthy(reader.array('crs').attributes.crs_wkt);
});

test('references of a DFSU file have a topology of UGRID, and name the static items of a large mesh', async (t) => {
  const side = 120;
  const nodes = (side + 1) ** 2;
  const cells: number[] = [];
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const first = row * (side + 1) + column + 1;
      cells.push(first, first + 1, first + side + 2, first + side + 1);
    }
  const count = (length: number) => Array.from({ length }, (_, n) => n + 1);
  const x = count(nodes).map((_, n) => n % (side + 1));
  const y = count(nodes).map((_, n) => Math.floor(n / (side + 1)));
  const depths = [0, 1].map((step) => cells.slice(0, side * side).map((_, n) => step * 1e6 + n));
  const int = (name: string, numbers: number[]) => ({ name, type: 'Int32' as const, values: numbers });
  const { reader, fetched } = await referencesTo(
    t,
    dfsBytes({
      dataType: 2001,
      projection: ['UTM-33', 0, 0, 0],
      time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
      custom: block(60000, text('MIKE_FM'), values('Int32', nodes, side * side, 2, 0, 0)),
      items: [{ name: 'Depth', axis: axes.line(side * side), steps: depths }],
      statics: [
        int('Node id', count(nodes)),
        { name: 'X-coord', type: 'Float64', values: x },
        { name: 'Y-coord', type: 'Float64', values: y },
        { name: 'Z-coord', type: 'Float32', values: x.map(() => -5) },
        int(
          'Code',
          x.map(() => 0),
        ),
        int('Element id', count(side * side)),
        int(
          'Element type',
          count(side * side).map(() => 25),
        ),
        int(
          'No of nodes',
          count(side * side).map(() => 4),
        ),
        int('Connectivity', cells),
      ],
    }),
  );
  t.like(reader.array('mesh2d').attributes, {
    cf_role: 'mesh_topology',
    topology_dimension: 2,
    node_coordinates: 'mesh2d_node_x mesh2d_node_y',
    face_node_connectivity: 'mesh2d_face_nodes',
  });
  t.deepEqual(await reader.values('mesh2d_face_nodes'), cells);
  t.deepEqual(await reader.values('mesh2d_node_y'), y);
  t.deepEqual(
    await reader.values('mesh2d_node_z'),
    x.map(() => -5),
  );
  t.is(
    fetched.reduce((sum, length) => sum + length, 0),
    4 * cells.length + 12 * nodes,
  );
  t.deepEqual(await reader.values(reader.of('Depth')), depths.flat());
});

test('references of a mesh of triangles and quads hold the table of its nodes', async (t) => {
  const mesh = flatMesh();
  const { content } = await written(t, { ...mesh, items: mesh.items.slice(0, 2) }, 'DfsuWriter');
  const { reader } = await referencesTo(t, content);
  t.deepEqual(reader.array('mesh2d_face_nodes').shape, [4, 4]);
  t.is((await reader.values('mesh2d_face_nodes')).filter((node) => node === null).length, 2);
});

test('references of a DFS0 file hold its values up to a megabyte', async (t) => {
  const steps = (count: number) => Array.from({ length: count }, (_, n) => [n === 1 ? deleted : n]);
  const series = (count: number) =>
    dfsBytes({
      time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
      items: [{ name: 'Level', steps: steps(count) }],
    });
  const { reader, fetched } = await referencesTo(t, series(5));
  t.deepEqual(await reader.values(reader.of('Level')), [0, null, 2, 3, 4]);
  t.deepEqual(fetched, []);
  await t.throwsAsync(referencesTo(t, series(262_145)), {
    message: /up to 1048576 bytes; these are 1048580\. Download/,
  });
});

test('items of a compressed DFS2 file are left out and listed', async (t) => {
  const keys = ['X', 'Y', 'Z'].map((name) => ({ name, type: 'Int32' as const, values: [0, name === 'Z' ? 0 : 1] }));
  const { reader } = await referencesTo(
    t,
    dfsBytes({
      compressed: true,
      projection: ['UTM-33', 15, 55, 0],
      time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
      items: [{ name: 'Depth', axis: axes.plane(3, 2), steps: [[1, 2]] }],
      statics: keys,
    }),
  );
  t.deepEqual(reader.json('.zattrs').compressed, ['Depth']);
  t.is(reader.of('Depth'), '');
  t.true(reader.names.includes('x'));
});

const plane = dfsBytes({
  projection: ['UTM-33', 15, 55, 0],
  time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
  items: [
    {
      name: 'Depth',
      axis: axes.plane(90, 70),
      steps: [0, 1, 2].map((step) => Array.from({ length: 6300 }, (_, n) => (n === 3 ? deleted : step * 10_000 + n))),
    },
  ],
});
const planeValues = [0, 1, 2].flatMap((step) =>
  Array.from({ length: 6300 }, (_, n) => (n === 3 ? null : step * 10_000 + n)),
);

for (const [named, parameters, bigEndian] of [
  ['NetCDF-4 with shuffle and deflate', {}, false],
  ['NetCDF-4 without compression', { Compression: 'None' }, false],
  ['classic NetCDF, whose records are big-endian', { Version: '3' }, true],
] as const)
  test(`references of ${named} give the values of the file`, async (t) => {
    const writer = { reader: 'Dfs2Reader', writer: 'NetCdfWriter', writerParameters: parameters };
    const { bytes } = await converted(t, plane, writer);
    const { reader, fetched } = await referencesTo(t, bytes);
    const name = reader.of('Depth');
    t.is(reader.array(name).dtype, bigEndian ? '>f4' : '<f4');
    t.deepEqual(await reader.values(name), planeValues);
    t.true(fetched.length > 0);
    t.is(reader.array(name).attributes.units, 'm');
    t.deepEqual(await reader.values('time'), [0, 60, 120]);
  });

test('a file of another format has no references', async (t) => {
  await t.throwsAsync(referencesTo(t, Buffer.from('ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n5\n')), {
    message: /made of DFS0 to DFS3, DFSU and NetCDF files\. This is an ESRI ASCII grid/,
  });
});

test('a variable of a NetCDF-4 file whose index of chunks is damaged is left out', async (t) => {
  const { bytes } = await converted(t, plane, { reader: 'Dfs2Reader', writer: 'NetCdfWriter' });
  const damaged = Buffer.from(bytes);
  // nodes of B-trees of chunks
  for (let at = damaged.indexOf('TREE\x01'); at >= 0; at = damaged.indexOf('TREE\x01', at))
    damaged.write('TREX', at, 'latin1');
  const { reader } = await referencesTo(t, damaged);
  t.true(reader.json('.zattrs').compressed.includes('Depth'));
  t.is(reader.of('Depth'), '');
});

test('a variable of a NetCDF-4 file that is shorter than its dimension, in one piece, is left out', async (t) => {
  const bytes = await hdf5Bytes((file) => {
    const data = (length: number) => ({ data: Float32Array.from({ length }, (_, n) => n), shape: [length] });
    file.create_dataset({ name: 'n', ...data(5) }).make_scale('n');
    for (const name of ['short', 'whole'])
      file.create_dataset({ name, ...data(name === 'short' ? 3 : 5) }).attach_scale(0, 'n');
    file.create_dataset({ name: 'chunked', ...data(3), maxshape: [null], chunks: [2] }).attach_scale(0, 'n');
  });
  const { reader } = await referencesTo(t, bytes);
  t.deepEqual(reader.json('.zattrs').compressed, ['short']);
  t.deepEqual(await reader.values('whole'), [0, 1, 2, 3, 4]);
  t.deepEqual(reader.array('chunked').shape, [5]);
});

test('a header of more rows than a document holds is refused before they are listed', async (t) => {
  const bytes = Buffer.from(
    dfsBytes({
      projection: ['UTM-33', 15, 55, 0],
      time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
      items: [{ name: 'Depth', axis: axes.plane(2, 0x1234), steps: [] }],
    }),
  );
  const at = bytes.indexOf(Buffer.from([0x34, 0x12, 0, 0]));
  bytes.writeInt32LE(0x3fff_ffff, at);
  await t.throwsAsync(referencesTo(t, bytes), {
    name: 'ConversionError',
    message: /^The coordinates have 858993\d{4} bytes\. A reference document holds at most 67108864\./,
  });
});

for (const { file, items, time } of expected.filter(
  ({ file: name, compressed }) => !compressed && !/\.dfs0$/.test(name),
))
  sampleTest(`references of ${file} name the bytes of each item and step`, async (t) => {
    const { createHash } = await import('node:crypto');
    const bytes = await sampleBytes(file);
    const { reader } = await referencesTo(t, bytes);
    for (const { name, sha256First, sha256Last } of items) {
      const array = reader.of(name) || (reader.names.includes('mesh2d_node_heights') ? 'mesh2d_node_heights' : '');
      const { chunks } = reader.array(array);
      const hashAt = (step: number) => {
        const [, offset, length] = reader.refs[`${array}/${[step, ...chunks.slice(1).map(() => 0)].join('.')}`] as [
          string,
          number,
          number,
        ];
        return createHash('sha256')
          .update(bytes.subarray(offset, offset + length))
          .digest('hex');
      };
      t.is(hashAt(0), sha256First, name);
      t.is(hashAt(time.steps - 1), sha256Last, name);
    }
  });
