import { inflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { gridToMesh } from '../../../src/files/convert/bridges/grid-to-mesh.ts';
import type { Data } from '../../../src/files/data/data.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../../src/files/data/mesh.ts';
import type { TimeAxis } from '../../../src/files/data/time-axis.ts';
import { ConversionError } from '../../../src/files/errors.ts';
import { zipEntries } from '../../../src/files/formats/io/zip.ts';
import { readEntry } from '../../../src/files/formats/io/zip-entry.ts';
import { BlockSpool, loaded } from '../../../src/files/formats/vtu/block-spool.ts';
import { ArrayEncoder, encodeArray, encodeBlocks } from '../../../src/files/formats/vtu/encode.ts';
import { crsText, parseSrid } from '../../../src/files/geo/crs/crs.ts';
import { collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { flatMesh, layeredMesh } from '../meshes.ts';
import { memory, read } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';

/** Reads the writer's output with our reader; the reader's own tests have files of other programs. */
async function back(t: ExecutionContext, data: Data) {
  const { content, lost } = await written(t, data, 'VtuWriter');
  return { ...(await read(t, 'mesh', 'VtuReader', content)), content, writing: lost };
}

const oneStep: TimeAxis = {
  spacing: 'equidistant',
  unit: 'hour',
  start: Date.UTC(2026, 0, 24, 8),
  count: 1,
  offset: 6,
  interval: 0,
};

/** A mesh with one value per place, all the same, or those given. */
const withItems = (
  items: readonly (Partial<MeshItem> & { values: Float32Array | Float64Array | Int32Array })[],
  over: Partial<Mesh> = {},
): Mesh => {
  const { time: _, nodeIds: __, cellIds: ___, ...mesh } = flatMesh();
  return {
    ...mesh,
    ...over,
    items: items.map(({ values: _, ...item }) => ({ location: 'cell', ...item })),
    values: async (item) => items[item]!.values,
  };
};

test('a mesh of one step is a VTU file with raw appended data, zlib, 64-bit headers and exact offsets', async (t) => {
  const { content } = await written(t, withItems([{ name: 'a', values: Float32Array.of(1, 2, 3, 4) }]), 'VtuWriter');
  const text = content.toString('latin1');
  t.true(
    text.startsWith(
      '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">',
    ),
  );
  t.regex(text, /<Piece NumberOfPoints="8" NumberOfCells="4">/);
  t.regex(text, /<AppendedData encoding="raw">\n_/);
  // meshio looks for offsets without blanks, and for a line feed behind the data.
  t.regex(text, /format="appended" offset="\d+"/);
  t.true(text.endsWith('\n</AppendedData>\n</VTKFile>\n'));
});

test('nodes, cells, boundary codes, items with units and EUM codes, start time and SRID survive a round trip', async (t) => {
  const mesh = withItems(
    [
      { name: 'salinity', location: 'node', unit: 'PSU', values: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
      {
        name: 'rain',
        unit: 'mm',
        eum: { item: 100004, unit: 1002 },
        valueKind: 'stepAccumulated',
        values: Float32Array.of(1, 2, 3, 4),
      },
      { name: 'zone', values: Int32Array.of(-1, 2, 3, 2 ** 30) },
    ],
    { time: oneStep },
  );
  const { data, lost, log, writing } = await back(t, mesh);
  for (const key of ['nodes', 'nodeCodes', 'shapes', 'connectivity', 'offsets'] as const)
    t.deepEqual(data[key], mesh[key]);
  t.like(data.crs, { code: 32633 });
  t.like(data.time, { start: Date.UTC(2026, 0, 24, 14), count: 1 });
  t.deepEqual(
    data.items.map(({ name, location, type, unit, eum, valueKind }) => ({
      name,
      location,
      type,
      unit,
      eum,
      valueKind,
    })),
    [
      { name: 'salinity', location: 'node', type: 'Float64', unit: 'PSU', eum: undefined, valueKind: 'instantaneous' },
      {
        name: 'rain',
        location: 'cell',
        type: 'Float32',
        unit: 'mm',
        eum: { item: 100004, unit: 1002 },
        valueKind: 'stepAccumulated',
      },
      { name: 'zone', location: 'cell', type: 'Int32', unit: undefined, eum: undefined, valueKind: 'instantaneous' },
    ],
  );
  for (const n of [0, 1, 2]) t.deepEqual(await data.values(n, 0), await mesh.values(n, 0));
  t.deepEqual([...lost, ...log, ...writing], []);
});

test('point items are written before cell items, so that EUM codes match their items', async (t) => {
  const codes = (item: number) => ({ item, unit: 1000 });
  const { data } = await back(
    t,
    withItems([
      { name: 'c', eum: codes(100), values: Float32Array.of(1, 2, 3, 4) },
      { name: 'p', location: 'node', eum: codes(200), values: new Float32Array(8) },
    ]),
  );
  t.deepEqual(
    data.items.map(({ name, eum }) => [name, eum?.item]),
    [
      ['p', 200],
      ['c', 100],
    ],
  );
});

test('deleted values are NaN, also of integers; scale and offset are applied', async (t) => {
  const { data } = await back(
    t,
    withItems([
      { name: 'single', nodata: -1e-35, values: Float32Array.of(1, -1e-35, 3, 4) },
      { name: 'whole', nodata: -9999, values: Int32Array.of(1, -9999, 3, 4) },
      { name: 'scaled', nodata: -1, scale: 0.5, offset: 10, values: Int32Array.of(1, 2, -1, 4) },
      { name: 'full', nodata: -9999, values: Int32Array.of(1, 2, 3, 4) },
    ]),
  );
  const values = [];
  for (const n of [0, 1, 2, 3]) values.push([...(await data.values(n, 0))]);
  t.deepEqual(values, [
    [1, Number.NaN, 3, 4],
    [1, Number.NaN, 3, 4],
    [10.5, 11, Number.NaN, 12],
    [1, 2, 3, 4],
  ]);
  t.deepEqual(
    data.items.map(({ type }) => type),
    ['Float32', 'Float64', 'Float64', 'Int32'],
  );
});

test('repeated names end in _2, names are escaped, items without a name are numbered', async (t) => {
  const values = Float32Array.of(1, 2, 3, 4);
  const names = ['a', 'a', '<&">', 'a', undefined];
  const { data } = await back(t, withItems(names.map((name) => ({ ...(name === undefined ? {} : { name }), values }))));
  t.deepEqual(
    data.items.map(({ name }) => name),
    ['a', 'a_2', '<&">', 'a_3', 'Item 5'],
  );
});

test('multi-component values are interleaved, and survive a round trip', async (t) => {
  const axis = (name: string, count: number) => ({ name, values: Float64Array.from({ length: count }, (_, n) => n) });
  const spectrum = Float32Array.from({ length: 24 }, (_, n) => n);
  const { data } = await back(
    t,
    withItems([{ name: 's', components: [axis('direction', 2), axis('frequency', 3)], values: spectrum }]),
  );
  t.deepEqual(
    data.items[0]!.components!.map(({ name, values }) => [name, values.length]),
    [
      ['direction', 2],
      ['frequency', 3],
    ],
  );
  t.deepEqual(await data.values(0, 0), spectrum);
});

async function entriesOf(content: Uint8Array) {
  const entries = await zipEntries(memory(content));
  const contents = new Map<string, Buffer>();
  for (const entry of entries) contents.set(entry.name, (await readEntry(memory(content), entry, 1 << 20))!);
  return { entries, contents };
}

test('several steps become a zip with a collection and stored parts; the first part has the start time as text', async (t) => {
  const { data, content } = await back(t, { ...flatMesh(), name: 'run: 7/a' });
  const { entries, contents } = await entriesOf(content);
  t.deepEqual(
    entries.map(({ name, method }) => [name, method]),
    [...Array.from({ length: 7 }, (_, n) => [`parts/run_ 7_a_000${n}.vtu`, 0]), ['run_ 7_a.pvd', 8]],
  );
  const pvd = contents.get('run_ 7_a.pvd')!.toString();
  t.true(pvd.includes('<DataSet timestep="21600" group="" part="0" file="parts/run_ 7_a_0001.vtu"/>'));
  const codes = [...Buffer.from('2026-01-24T08:00:00\0')].join(' ');
  const first = contents.get('parts/run_ 7_a_0000.vtu')!.toString('latin1');
  t.true(first.includes(`<Array type="String" Name="StartTime" NumberOfTuples="1" format="ascii">${codes}</Array>`));
  t.false(contents.get('parts/run_ 7_a_0001.vtu')!.includes('StartTime'));
  t.deepEqual(data.time, {
    spacing: 'equidistant',
    unit: 'second',
    start: Date.UTC(2026, 0, 24, 8),
    count: 7,
    offset: 0,
    interval: 21600,
  });
  for (const [item, step] of [
    [0, 6],
    [2, 3],
    [1, 0],
  ] as const)
    t.deepEqual(
      await data.values(
        data.items.findIndex(({ name }) => name === ['depth', 'velocity', 'salinity'][item]),
        step,
      ),
      await flatMesh().values(item, step),
    );
});

test('steps at equal times keep their order, and the receipt reports them', async (t) => {
  const time: TimeAxis = {
    spacing: 'nonEquidistant',
    unit: 'second',
    start: 0,
    offsets: Float64Array.of(0, 60, 60, 60, 90),
  };
  const mesh = withItems([{ name: 'depth', values: Float32Array.of() }], { time });
  const count = mesh.shapes.length;
  const values = async (_item: number, step: number) => new Float32Array(count).fill(step);
  const { data, writing } = await back(t, { ...mesh, values });
  t.deepEqual(data.time, time);
  for (let step = 0; step < 5; step++) t.is((await data.values(0, step))[0], step);
  t.deepEqual(
    writing.filter((sentence) => sentence.includes('same time')),
    ['2 steps have the same time as the step before. ParaView shows such steps together.'],
  );
});

test('moving layers, columns and reference heights survive a round trip', async (t) => {
  const mesh = layeredMesh();
  const { data } = await back(t, mesh);
  t.deepEqual([...data.shapes], [...mesh.shapes]);
  t.deepEqual([...data.connectivity], [...mesh.connectivity]);
  t.deepEqual(data.layers, mesh.layers);
  for (const step of [0, 5]) t.deepEqual([...(await data.heights!(step))], [...(await mesh.heights!(step))]);
});

test('vertical profiles and columns survive a round trip', async (t) => {
  for (const section of ['profile', 'column'] as const)
    t.is((await back(t, { ...layeredMesh(), section })).data.section, section);
});

test('relative times count from 1970, and the receipt reports it', async (t) => {
  const time: TimeAxis = { spacing: 'nonEquidistant', unit: 'minute', offsets: Float64Array.of(0, 1, 10) };
  const { data, writing } = await back(t, { ...flatMesh(), time });
  t.deepEqual(data.time, { spacing: 'nonEquidistant', unit: 'second', start: 0, offsets: Float64Array.of(0, 60, 600) });
  t.true(writing.includes('The times are relative; in the VTU file they count from 1970-01-01T00:00:00.'));
});

test('the receipt reports node ids and a coordinate system without a code as lost', async (t) => {
  const { writing } = await back(t, { ...flatMesh(), crs: { wkt: 'LOCAL_CS["harbour"]' } });
  t.deepEqual(writing, [
    'The numbers of nodes and elements were left out; a VTU file counts both from 0.',
    'A VTU file does not store its coordinate system, which is harbour.',
  ]);
});

test('cells of a grid become quads', async (t) => {
  const grid: Grid = {
    kind: 'grid',
    width: 2,
    height: 1,
    affine: [0, 10, 0, 5, 0, -5],
    bands: [{ name: 'h', unit: 'm', type: 'Float32', nodata: -1 }],
    async *rows() {
      yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(7, -1) };
    },
  };
  const { data } = await back(t, grid);
  t.deepEqual([...data.shapes], [CELL_SHAPES.quad, CELL_SHAPES.quad]);
  t.deepEqual([...(await data.values(0, 0))], [7, Number.NaN]);
});

test('a grid written block by block has the same bytes as its whole mesh', async (t) => {
  const [width, height] = [300, 200];
  const grid: Grid = {
    kind: 'grid',
    width,
    height,
    affine: [500_000, 10, 1, 6_000_000, 2, -10],
    crs: parseSrid(25832),
    bands: [
      { name: 'depth', type: 'Float32', unit: 'm', nodata: -1e-35 },
      { name: 'kind', type: 'UInt8', nodata: 7 },
      { name: 'whole', type: 'Int16', nodata: -1 },
      { name: 'scaled', type: 'Int16', nodata: 3, scale: 0.5, offset: 2 },
      { name: 'untyped', nodata: 5 },
    ],
    async *rows({ band, step, layer }) {
      for (let firstRow = 0; firstRow < height; firstRow += 50) {
        const samples = new [Float32Array, Uint8Array, Int16Array, Int16Array, Float32Array][band]!(50 * width);
        for (let n = 0; n < samples.length; n++) samples[n] = (firstRow * 7 + n * 3 + step + 2 * layer) % 251;
        if (band === 0) samples[firstRow] = -1e-35;
        yield { firstRow, rowCount: 50, samples };
      }
    },
  };
  for (const given of [
    grid,
    { ...grid, time: { ...oneStep, count: 3, interval: 6 } },
    { ...grid, layers: { count: 3, first: -5, spacing: 2 } },
  ]) {
    const mesh = gridToMesh(given, { stem: 'made' });
    t.truthy(mesh.blocks);
    const { blocks: _, ...whole } = mesh;
    const inBlocks = await written(t, given, 'VtuWriter');
    t.true(inBlocks.content.equals((await written(t, whole, 'VtuWriter')).content));
    t.deepEqual(inBlocks.lost, []);
  }
});

test('points become vertices with z as array Z and numeric fields as arrays', async (t) => {
  const { bytes, receipt } = await converted(t, 'x y z Z kind name\n1 2 3 9 4 a\n5 6 7 nan 8 b\n', {
    reader: 'XyzReader',
    writer: 'VtuWriter',
    readerParameters: { SRID: 25832 },
  });
  const { data } = await read(t, 'mesh', 'VtuReader', bytes);
  t.deepEqual([...data.nodes], [1, 2, 3, 5, 6, 7]);
  t.deepEqual([...data.shapes], [CELL_SHAPES.vertex, CELL_SHAPES.vertex]);
  t.deepEqual([...data.connectivity], [0, 1]);
  t.deepEqual([...data.offsets], [0, 1, 2]);
  t.deepEqual(
    data.items.map(({ name, location }) => [name, location]),
    [
      ['Z', 'node'],
      ['Z_2', 'node'],
      ['kind', 'node'],
    ],
  );
  t.deepEqual([...(await data.values(0, 0))], [3, 7]);
  t.deepEqual([...(await data.values(1, 0))], [9, Number.NaN]);
  t.like(data.crs, { code: 25832 });
  t.deepEqual(receipt.lost, ["A VTU file holds numbers only; the fields 'name' were left out."]);
});

test('lines and polygons become cells with fields as cell arrays; lost holes and geometries are reported', async (t) => {
  const ring = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
    [0, 0],
  ];
  const hole = [
    [2, 2],
    [3, 2],
    [3, 3],
    [2, 2],
  ];
  const json = collection([
    feature(geometryOf('Polygon', [ring, hole]), { n: 1, dry: true }),
    feature(
      geometryOf('MultiLineString', [
        [
          [0, 0],
          [1, 1],
        ],
        [
          [0, 0],
          [1, 1],
          [2, 2],
        ],
      ]),
      { n: 2, dry: false },
    ),
    feature(geometryOf('Polygon', [hole]), { n: 3, dry: false }),
    feature(null, { n: 4, dry: true }),
    feature({ type: 'GeometryCollection', geometries: [geometryOf('Point', [5, 5])] }, { n: 5, dry: true }),
  ]);
  const { bytes, receipt } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'VtuWriter' });
  const { data } = await read(t, 'mesh', 'VtuReader', bytes);
  const { polygon, line, polyline, triangle, vertex } = CELL_SHAPES;
  t.deepEqual([...data.shapes], [polygon, line, polyline, triangle, vertex]);
  t.deepEqual([...data.offsets], [0, 4, 6, 9, 12, 13]);
  t.deepEqual([...data.nodes.subarray(0, 6)], [0, 0, 0, 10, 0, 0]);
  t.deepEqual(
    data.items.map(({ name, location, type }) => [name, location, type]),
    [
      ['n', 'cell', 'Int32'],
      ['dry', 'cell', 'UInt8'],
    ],
  );
  t.deepEqual([...(await data.values(0, 0))], [1, 2, 2, 3, 5]);
  t.deepEqual([...(await data.values(1, 0))], [1, 0, 0, 0, 1]);
  t.deepEqual(receipt.lost, [
    '1 of 5 features have no geometry and were left out.',
    'Polygons of a VTU file have no holes; 1 were filled.',
    '1 geometries of several parts became a cell for each part, in their order.',
  ]);
});

test('a ring that does not repeat its first vertex keeps its last one', async (t) => {
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  const json = collection([
    feature(geometryOf('Polygon', [ring])),
    feature(geometryOf('Polygon', [ring.slice(0, 3)])),
    feature(geometryOf('Polygon', [[...ring, ring[0]]])),
  ]);
  const { bytes, receipt } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'VtuWriter' });
  const { data } = await read(t, 'mesh', 'VtuReader', bytes);
  const { polygon, triangle } = CELL_SHAPES;
  t.deepEqual([...data.shapes], [polygon, triangle, polygon]);
  t.deepEqual([...data.offsets], [0, 4, 7, 11]);
  t.deepEqual([...data.nodes.subarray(0, 12)], [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
  t.deepEqual(receipt.lost, []);
});

test('a vertex without height in a layer with heights is at 0, which is reported, and has no value in Z', async (t) => {
  const json = collection([feature(geometryOf('Point', [1, 2, 3])), feature(geometryOf('Point', [4, 5]))]);
  const { bytes, receipt } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'VtuWriter' });
  const { data } = await read(t, 'mesh', 'VtuReader', bytes);
  t.deepEqual([...data.nodes], [1, 2, 3, 4, 5, 0]);
  t.deepEqual([...(await data.values(0, 0))], [3, Number.NaN]);
  t.deepEqual(receipt.lost, ['1 vertices have no height (Z); the VTU file has them at 0, and NaN in the array Z.']);
});

test('missing field values are NaN', async (t) => {
  const json = collection([
    feature(geometryOf('Point', [1, 2]), { n: 1 }),
    feature(geometryOf('Point', [3, 4]), { n: null }),
  ]);
  const { bytes } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'VtuWriter' });
  const { data } = await read(t, 'mesh', 'VtuReader', bytes);
  t.deepEqual(
    data.items.map(({ name, type }) => [name, type]),
    [['n', 'Float64']],
  );
  t.deepEqual([...(await data.values(0, 0))], [1, Number.NaN]);
  t.deepEqual([...data.nodes], [1, 2, 0, 3, 4, 0]);
});

test('a mesh of many compressed blocks survives a round trip', async (t) => {
  const count = 100_000;
  const nodes = Float64Array.from({ length: 3 * count }, (_, n) => Math.sin(n) * 1e6);
  const vertices: Mesh = {
    kind: 'mesh',
    crs: parseSrid(25832),
    nodes,
    shapes: new Uint8Array(count).fill(CELL_SHAPES.vertex),
    connectivity: Uint32Array.from({ length: count }, (_, n) => n),
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => n),
    items: [],
    values: async () => new Float32Array(0),
  };
  const { data } = await back(t, vertices);
  t.deepEqual(data.nodes, nodes);
  t.deepEqual(data.connectivity, vertices.connectivity);
});

for (const [name, size, last] of [
  ['no bytes', 0, 0],
  ['one byte', 1, 1],
  ['one byte less than a block', (1 << 18) - 1, (1 << 18) - 1],
  ['a full block', 1 << 18, 0],
  ['a full block and one byte', (1 << 18) + 1, 1],
  ['two full blocks', 1 << 19, 0],
] as const)
  test(`the header of compressed blocks gives the size of a partial last block, or 0: ${name}`, async (t) => {
    const values = Uint8Array.from({ length: size }, (_, n) => (n * n) % 251);
    const { bytes } = await encodeArray({ name: 'a', values }, new AbortController().signal);
    const [header, ...blocks] = await Promise.all(bytes.map(loaded));
    const words = [...new BigUint64Array(header!.buffer, header!.byteOffset, header!.length / 8)].map(Number);
    t.deepEqual(words, [Math.ceil(size / (1 << 18)), 1 << 18, last, ...blocks.map(({ length }) => length)]);
    t.deepEqual(Buffer.concat(blocks.map((block) => inflateSync(block))), Buffer.from(values));
  });

test('encoding values one by one or in parts gives the blocks of the whole array', async (t) => {
  const { signal } = new AbortController();
  const spool = await BlockSpool.create({ scratch: await folderOf(t), onEnd: (close) => t.teardown(close) });
  for (const length of [1, 1 << 18, (1 << 18) + 1]) {
    const values = Uint8Array.from({ length }, (_, n) => n % 241);
    const parts = [values.subarray(0, length / 3), values.subarray(length / 3)];
    const { bytes, ...head } = await encodeBlocks({ name: 'a', type: 'UInt8' }, parts, spool, signal);
    const whole = await encodeArray({ name: 'a', values }, signal);
    t.deepEqual(
      { ...head, bytes: Buffer.concat(await Promise.all(bytes.map(loaded))) },
      { ...whole, bytes: Buffer.concat(await Promise.all(whole.bytes.map(loaded))) },
    );
  }
  for (const length of [1, 1 << 15, (1 << 15) + 1]) {
    const values = Float64Array.from({ length }, (_, n) => n / 7);
    const encoder = new ArrayEncoder();
    for (const value of values) encoder.push(value);
    const whole = await encodeArray({ name: 'a', values }, signal);
    t.deepEqual(await encoder.finish({ name: 'a' }), whole);
  }
});

test('a WKT coordinate system is stored by its code if a registry has it', async (t) => {
  const wkt = await crsText(parseSrid(25832), 'WKT1_ESRI');
  const { data, writing } = await back(t, { ...withItems([]), crs: { wkt } });
  t.like(data.crs, { code: 25832 });
  t.deepEqual(writing, []);
});

test('data without steps are refused', async (t) => {
  const time: TimeAxis = { spacing: 'nonEquidistant', unit: 'minute', offsets: new Float64Array(0) };
  await t.throwsAsync(written(t, { ...flatMesh(), time }, 'VtuWriter'), {
    instanceOf: ConversionError,
    message: /no time steps/,
  });
});

test('a cancelled conversion stops between the blocks of an array', async (t) => {
  const abort = new AbortController();
  const encoding = encodeArray({ name: 'depth', values: new Float64Array(1 << 20) }, abort.signal);
  abort.abort(new Error('cancelled'));
  await t.throwsAsync(encoding, { message: 'cancelled' });
});

test('more cells than 32-bit offsets can count are an error before the mesh is built', async (t) => {
  const unread = () => t.fail('the mesh was read') as never;
  const huge = (cells: number, nodesPerCell: number, count: number): Mesh => ({
    ...flatMesh(),
    time: { ...oneStep, count },
    blocks: {
      cells,
      shape: nodesPerCell === 4 ? CELL_SHAPES.quad : CELL_SHAPES.hexahedron,
      nodesPerCell,
      nodes: unread,
      connectivity: unread,
      values: unread,
    },
  });
  for (const mesh of [huge(2 ** 29, 4, 1), huge(2 ** 28, 8, 2)])
    await t.throwsAsync(written(t, mesh, 'VtuWriter'), {
      instanceOf: ConversionError,
      message: /cells have 2147483648 nodes, .*at most 2147483647\. .*spatialFilter/,
    });
});
