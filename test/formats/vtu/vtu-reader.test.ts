import test, { type ExecutionContext } from 'ava';
import { offsetOf } from '../../../src/files/data/time-axis.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { asJson } from '../features.ts';
import { read } from '../read.ts';
import { zipOf } from '../shapefiles.ts';
import {
  allShapes,
  type Encoding,
  type MadePiece,
  type PvdEntry,
  pvdOf,
  textArray,
  triangle,
  vtuOf,
} from './vtu-files.ts';

const meshOf = (t: ExecutionContext, bytes: string | Uint8Array, parameters: Record<string, unknown> = {}) =>
  read(t, 'mesh', 'VtuReader', bytes, parameters);

const encodings: Encoding[] = [
  { format: 'ascii' },
  { format: 'binary', apart: true },
  { format: 'raw', compressed: true, block: 8 },
];
for (const format of ['binary', 'base64', 'raw'] as const)
  for (const compressed of [false, true, 'lz4'] as const)
    for (const header of ['UInt32', 'UInt64'] as const)
      for (const bigEndian of [false, true]) encodings.push({ format, compressed, header, bigEndian });

for (const encoding of encodings)
  test(`points, cells and arrays are read: ${JSON.stringify(encoding)}`, async (t) => {
    const { data, lost } = await meshOf(t, vtuOf(allShapes, encoding));
    t.deepEqual([...data.nodes], [...allShapes.points]);
    t.deepEqual(
      [...data.shapes],
      allShapes.cells.map(([type]) => type!),
    );
    t.deepEqual(
      [...data.connectivity],
      allShapes.cells.flatMap(([, ...nodes]) => nodes),
    );
    t.deepEqual([...data.offsets], [0, 1, 3, 7, 10, 15, 19, 23, 31, 37, 42]);
    t.deepEqual(
      data.items.map(({ name, location, type, unit }) => [name, location, type, unit]),
      [
        ['flow', 'node', 'Float32', undefined],
        ['depth', 'cell', 'Float64', 'm'],
        ['id', 'cell', 'Float64', undefined],
        ['zone', 'cell', 'Int16', undefined],
      ],
    );
    t.is(data.items[0]!.components![0]!.values.length, 2);
    // The components of VTK stand side by side, those of the model one behind the other.
    t.deepEqual(
      [...(await data.values(0, 0))],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
    );
    for (const [n, { values }] of allShapes.cellData!.entries())
      t.deepEqual([...(await data.values(n + 1, 0))], [...values]);
    t.is(data.time, undefined);
    t.deepEqual(lost, []);
  });

test('XML declaration, comments, entities and single quotes are accepted', async (t) => {
  const text = vtuOf(
    {
      ...triangle,
      cellData: [{ name: 'a &lt;&amp;&#x3e; &quot;b&quot;', type: 'Float32', values: [1], unit: 'm&#178;' }],
    },
    { front: "\ufeff<?xml version='1.0'?>\n<!-- made > by hand <VTKFile> -->\n", root: " note='a > b'" },
  );
  const { data } = await meshOf(t, text);
  t.like(data.items[0], { name: 'a <&> "b"', unit: 'm²' });
});

test('nan and inf are read as numbers; the receipt reports rounded integers above 2^53', async (t) => {
  const values = [1, 1, 1];
  const made = (type: string, text: string): MadePiece => ({
    ...triangle,
    pointData: [{ name: 'a', type, values, element: `<DataArray type="${type}" Name="a">${text}</DataArray>` }],
  });
  const { data } = await meshOf(t, vtuOf(made('Float32', 'nan -inf -nan(ind)'.replace('-nan(ind)', 'NaN'))));
  t.deepEqual([...(await data.values(0, 0))], [Number.NaN, -Infinity, Number.NaN]);
  const big = await meshOf(t, vtuOf(made('Int64', '9007199254740993 1 2')));
  await big.data.values(0, 0);
  t.deepEqual(big.lost, ['Integers above 2^53 were rounded to 53 bits.']);
});

test('pixels and voxels become quads and hexahedra in the order of their nodes', async (t) => {
  const { data } = await meshOf(
    t,
    vtuOf({
      points: new Array(24).fill(0),
      cells: [
        [8, 0, 1, 2, 3],
        [11, 0, 1, 2, 3, 4, 5, 6, 7],
      ],
    }),
  );
  t.deepEqual([...data.shapes], [9, 12]);
  t.deepEqual([...data.connectivity], [0, 1, 3, 2, 0, 1, 3, 2, 4, 5, 7, 6]);
});

test('several pieces are concatenated', async (t) => {
  const piece = (first: number): MadePiece => ({
    ...triangle,
    pointData: [{ name: 'v', type: 'Float32', values: [1, 10, 2, 20, 3, 30].map((one) => one + first), components: 2 }],
    cellData: [{ name: 'c', type: 'Int32', values: [first] }],
  });
  const { data } = await meshOf(t, vtuOf([piece(0), piece(100)], { format: 'raw' }));
  t.is(data.nodes.length, 18);
  t.deepEqual([...data.connectivity], [0, 1, 2, 3, 4, 5]);
  t.deepEqual([...data.offsets], [0, 3, 6]);
  t.deepEqual([...(await data.values(0, 0))], [1, 2, 3, 101, 102, 103, 10, 20, 30, 110, 120, 130]);
  t.deepEqual([...(await data.values(1, 0))], [0, 100]);
});

test('points without cells, and no points at all, are read', async (t) => {
  for (const format of ['ascii', 'raw', 'base64'] as const) {
    const { data } = await meshOf(
      t,
      vtuOf({ points: [1, 2, 3], cells: [] }, { format, compressed: format !== 'ascii' }),
    );
    t.deepEqual([...data.nodes], [1, 2, 3]);
    t.is(data.shapes.length, 0);
    t.is((await meshOf(t, vtuOf({ points: [], cells: [] }, { format }))).data.nodes.length, 0);
  }
});

test('FieldData gives EUM codes, value types, SRID, and the start time as text or character codes', async (t) => {
  const integers = (name: string, values: number[]) => ({ name, type: 'Int32', values });
  const piece: MadePiece = {
    ...triangle,
    pointData: [
      { name: 'Z', type: 'Float64', values: [1, 2, 3] },
      { name: 'NodeCode', type: 'Int32', values: [1, 2, 0] },
    ],
    cellData: [{ name: 'rain', type: 'Float32', values: [5] }],
  };
  const fieldData = [
    integers('EumItem', [0, 100004]),
    integers('EumUnit', [0, 1002]),
    integers('ValueType', [0, 2]),
    integers('SRID', [25833]),
  ];
  const start = textArray('StartTime', '2024-02-29T12:00:00.5');
  for (const one of [start, { ...start, type: 'Int8' }, { ...start, type: 'UInt8' }])
    for (const format of ['ascii', 'base64'] as const) {
      const { data } = await meshOf(t, vtuOf(piece, { format, fieldData: [...fieldData, one] }));
      t.is(data.items[0]!.eum, undefined);
      t.deepEqual(data.items[1]!.eum, { item: 100004, unit: 1002 });
      t.is(data.items[1]!.valueKind, 'stepAccumulated');
      t.is(data.items.length, 2);
      t.deepEqual([...data.nodeCodes!], [1, 2, 0]);
      t.like(data.crs, { code: 25833 });
      t.like(data.time, { start: Date.UTC(2024, 1, 29, 12) + 500, count: 1, unit: 'second' });
    }
  const { data } = await meshOf(t, vtuOf(piece, { fieldData }), { SRID: 25832 });
  t.is(data.crs, undefined);
});

test('TimeValue is the time of the step, from StartTime or 1970-01-01 on, and the receipt says which', async (t) => {
  const timeValue = { name: 'TimeValue', type: 'Float64', values: [12.5] };
  const alone = await meshOf(t, vtuOf(triangle, { fieldData: [timeValue] }));
  t.like(alone.data.time, { start: 0, count: 1, unit: 'second' });
  t.is(offsetOf(alone.data.time!, 0), 12.5);
  t.regex(
    alone.remarks.join(),
    /^TimeValue 12\.5 became the time.*since 1970-01-01T00:00:00, because there is no StartTime/,
  );
  const start = textArray('StartTime', '2024-02-29T12:00:00');
  const both = await meshOf(t, vtuOf(triangle, { fieldData: [timeValue, start], format: 'raw', compressed: 'lz4' }));
  t.like(both.data.time, { start: Date.UTC(2024, 1, 29, 12) });
  t.is(offsetOf(both.data.time!, 0), 12.5);
  t.regex(both.remarks.join(), /since StartTime 2024-02-29T12:00:00/);
  const wrong = await meshOf(t, vtuOf(triangle, { fieldData: [{ ...timeValue, values: [Number.NaN] }] }));
  t.is(wrong.data.time, undefined);
  t.deepEqual(wrong.remarks, ['TimeValue NaN is no time and was ignored.']);
  const zip = zipOf([{ name: 'a.vtu', bytes: vtuOf(triangle, { fieldData: [timeValue] }) }]);
  t.is(offsetOf((await meshOf(t, zip)).data.time!, 0), 12.5);
});

test('LZ4 blocks that are damaged end the conversion', async (t) => {
  const points = Array.from({ length: 3000 }, (_, n) => n % 7);
  const sound = vtuOf({ points, cells: [] }, { format: 'raw', compressed: 'lz4', block: 1 << 15 });
  const from = sound.indexOf('_') + 1;
  let refused = 0;
  for (let at = from; at < sound.length - 60; at += 3) {
    const bytes = Buffer.from(sound);
    bytes[at]! ^= 0xff;
    try {
      await meshOf(t, bytes);
    } catch (error) {
      t.true(error instanceof FormatError, String(error));
      refused++;
    }
  }
  t.true(refused > 10);
});

test('unusable FieldData are ignored with a remark; string arrays are reported as lost', async (t) => {
  const { data, remarks, lost } = await meshOf(
    t,
    vtuOf(
      { ...triangle, cellData: [{ name: 'a', type: 'Float32', values: [1] }, textArray('name', 'x')] },
      {
        fieldData: [
          { name: 'EumItem', type: 'Int32', values: [1, 2, 3] },
          { name: 'SRID', type: 'Int32', values: [7] },
          textArray('StartTime', 'yesterday'),
        ],
      },
    ),
  );
  t.is(data.items.length, 1);
  t.is(data.time, undefined);
  t.is(remarks.length, 3);
  t.regex(remarks.join(), /'yesterday' is no time.*EumItem.*EPSG:7/s);
  t.deepEqual(lost, ["The array 'name' holds no numbers (String) and was left out."]);
});

const sound = vtuOf(triangle).toString();
const replaced = (from: string | RegExp, to: string) => sound.replace(from, to);
for (const [fault, text, message] of [
  ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${sound}`, /DOCTYPE/],
  [
    'another kind of VTK file',
    replaced('UnstructuredGrid" version', 'PolyData" version'),
    /holds 'PolyData'. VtuReader takes/,
  ],
  [
    'another compressor',
    replaced('header_type', 'compressor="vtkLZMADataCompressor" header_type'),
    /compressed by vtkLZMADataCompressor\. Only vtkZLibDataCompressor and vtkLZ4DataCompressor are supported/,
  ],
  ['an unknown byte order', replaced('LittleEndian', 'Middle'), /byte order 'Middle'/],
  ['an unknown header type', replaced('header_type="UInt32"', 'header_type="Int8"'), /header type 'Int8'/],
  ['no end', sound.slice(0, -12), /ends before <\/VTKFile>/],
  ['crossed elements', replaced('</Points>', '</Cells>'), /<\/Cells> closes <Points>/],
  ['no number of points', replaced('NumberOfPoints="3"', 'NumberOfPoints="x"'), /NumberOfPoints is 'x'/],
  [
    'more points than there are',
    replaced('NumberOfPoints="3"', 'NumberOfPoints="900000000"'),
    /too few for 2700000000 numbers/,
  ],
  ['fewer points than there are', replaced('NumberOfPoints="3"', 'NumberOfPoints="2"'), /has more than 6 numbers/],
  [
    'points of two components',
    replaced('NumberOfComponents="3"', 'NumberOfComponents="2"'),
    /has 2 components; points have 3/,
  ],
  [
    'a node that is not there',
    vtuOf({ ...triangle, cells: [[5, 0, 1, 3]] }).toString(),
    /'connectivity' has 3 at place 2/,
  ],
  ['a negative node', vtuOf({ ...triangle, cells: [[5, 0, 1, -1]] }).toString(), /'connectivity' has -1/],
  [
    'a triangle of two nodes',
    vtuOf({ ...triangle, cells: [[5, 0, 1]] }).toString(),
    /cell type 5 at cell 0, which has 2 nodes/,
  ],
  ['a curved cell', vtuOf({ ...triangle, cells: [[21, 0, 1, 2]] }).toString(), /cell type 21 at cell 0. Supported are/],
  ['no connectivity', replaced('"connectivity"', '"other"'), /no array 'connectivity'/],
  ['a word among the numbers', replaced('10 0 2', '10 x 2'), /has 'x' among its numbers/],
  ['a number beyond its type', replaced('\n5 \n', '\n261 \n'), /has 261 among its numbers of type UInt8/],
  ['numbers of an unknown type', replaced('Float64', 'Quad'), /type 'Quad'/],
  [
    'no appended data',
    replaced(
      'Name="Points" NumberOfComponents="3" format="ascii"',
      'Name="Points" NumberOfComponents="3" format="appended" offset="0"',
    ),
    /no appended data/,
  ],
  ['elements nested without end', replaced('<Points>', '<a>'.repeat(20)), /nested more than 16 deep/],
  [
    'an array outside of all numbers',
    replaced('NumberOfComponents="3"', 'NumberOfComponents="99999999999999999999"'),
    /NumberOfComponents is/,
  ],
  ['a tag without end', `${sound.slice(0, 30)}${'a'.repeat(70_000)}`, /tag is not closed/],
  ['another format', '{"type":"FeatureCollection","features":[]}', /It looks like a GeoJSON file/],
] as const)
  test(`a VTU file is refused with the offset: ${fault}`, async (t) => {
    const error = await t.throwsAsync(meshOf(t, text), { instanceOf: FormatError });
    t.regex(error!.message, message);
    t.regex(error!.message, /at byte \d+/);
  });

for (const [fault, change, message] of [
  [
    'a size that the file does not have',
    (bytes: Buffer, at: number) => bytes.writeUInt32LE(0xfffffff0, at),
    /in place of 72/,
  ],
  ['an offset behind the end', undefined, /begins at 99999 of the appended data, behind the end/],
] as const)
  test(`raw appended data are refused with an error: ${fault}`, async (t) => {
    const bytes = vtuOf(triangle, { format: 'raw' });
    const broken =
      change === undefined
        ? Buffer.from(bytes.toString('latin1').replace('offset="0"', 'offset="99999"'), 'latin1')
        : bytes;
    change?.(broken, broken.indexOf('\n  _') + 4);
    t.regex((await t.throwsAsync(meshOf(t, broken), { instanceOf: FormatError }))!.message, message);
  });

for (const [name, count] of [
  ['a byte less than two blocks', 31],
  ['two full blocks', 32],
  ['two blocks and one byte', 33],
] as const)
  for (const format of ['raw', 'base64', 'binary'] as const)
    test(`compressed blocks are read up to the last byte: ${name}, ${format}`, async (t) => {
      const values = Array.from({ length: count }, (_, n) => 200 - n);
      const made: MadePiece = {
        points: triangle.points,
        cells: values.map((_, n) => [1, n % 3]),
        cellData: [{ name: 'a', type: 'UInt8', values }],
      };
      const { data } = await meshOf(t, vtuOf(made, { format, compressed: true, block: 16 }));
      t.deepEqual([...(await data.values(0, 0))], values);
      t.deepEqual([...data.shapes], new Array(count).fill(1));
    });

test('invalid compressed blocks are refused with the offset of their header or data', async (t) => {
  const at = (bytes: Buffer) => bytes.indexOf('\n  _') + 4;
  const changed = (change: (bytes: Buffer, header: number) => void) => {
    const bytes = vtuOf(triangle, { format: 'raw', compressed: true, block: 64 });
    change(bytes, at(bytes));
    return bytes;
  };
  for (const [change, message] of [
    [(bytes: Buffer, header: number) => bytes.writeUInt32LE(0xfffffff, header), /declares 268435455 compressed blocks/],
    [(bytes: Buffer, header: number) => bytes.writeUInt32LE(1, header), /has \d+ bytes in place of 72/],
    [(bytes: Buffer, header: number) => bytes.writeUInt32LE(0xffffff, header + 12), /which the file does not have/],
    [
      (bytes: Buffer, header: number) => bytes.writeUInt32LE(0, header + 20),
      /has a block of \d+ bytes that does not unpack/,
    ],
  ] as const)
    t.regex((await t.throwsAsync(meshOf(t, changed(change)), { instanceOf: FormatError }))!.message, message);
});

const step = (z: number, value: number, more: Encoding = {}) =>
  vtuOf(
    {
      points: [0, 0, z, 10, 0, 2, 0, 10, 3],
      cells: [[5, 0, 1, 2]],
      cellData: [{ name: 'a', type: 'Float32', values: [value] }],
    },
    more,
  );
const collectionOf = (times: readonly PvdEntry[], files: Record<string, Buffer>) =>
  zipOf([
    { name: 'run/all.pvd', bytes: pvdOf(times) },
    ...Object.entries(files).map(([name, bytes]) => ({ name, bytes })),
  ]);

test('the parts of a zipped collection become steps in order of time', async (t) => {
  const { data } = await meshOf(
    t,
    collectionOf(
      [
        [7200, 'parts/c.vtu'],
        [0, './parts/a.vtu'],
        [3600, 'parts/b.vtu'],
      ],
      {
        'run/parts/a.vtu': vtuOf(
          {
            points: [...triangle.points],
            cells: triangle.cells,
            cellData: [{ name: 'a', type: 'Float32', values: [1] }],
          },
          { fieldData: [textArray('StartTime', '2024-01-01T00:00:00')] },
        ),
        'run/parts/b.vtu': step(1, 2, { format: 'raw', compressed: true }),
        'run/parts/c.vtu': step(1, 3, { format: 'base64', bigEndian: true }),
      },
    ),
  );
  t.deepEqual(data.time, {
    spacing: 'equidistant',
    unit: 'second',
    start: Date.UTC(2024, 0, 1),
    count: 3,
    offset: 0,
    interval: 3600,
  });
  const values = [];
  for (const n of [2, 0, 1]) values.push(...(await data.values(0, n)));
  t.deepEqual(values, [3, 1, 2]);
  t.is(data.heights, undefined);
});

test('points may move vertically between steps; times without a start are relative', async (t) => {
  const { data } = await meshOf(
    t,
    collectionOf(
      [
        [0, 'a.vtu'],
        [10, 'b.vtu'],
        [15, 'c.vtu'],
      ],
      {
        'run/a.vtu': step(1, 1),
        'run/b.vtu': step(1.5, 2),
        'run/c.vtu': step(2, 3),
      },
    ),
  );
  t.deepEqual(data.time, { spacing: 'nonEquidistant', unit: 'second', offsets: Float64Array.of(0, 10, 15) });
  t.deepEqual([...(await data.heights!(1))], [1.5, 2, 3]);
  t.is(data.nodes[2], 1);
});

test('hundreds of parts are read with few files open at a time', async (t) => {
  const count = 300;
  const names = Array.from({ length: count }, (_, n) => `${n}.vtu`);
  const { data } = await meshOf(
    t,
    collectionOf(
      names.map((name, n) => [n, name]),
      Object.fromEntries(names.map((name, n) => [`run/${name}`, step(1, n)])),
    ),
  );
  for (const n of [0, 299, 17, 150]) t.deepEqual([...(await data.values(0, n))], [n]);
});

test('a zip with one VTU file is read as that file', async (t) => {
  const { data } = await meshOf(
    t,
    zipOf([
      { name: 'a.vtu', bytes: step(1, 5) },
      { name: 'readme.txt', bytes: Buffer.from('x') },
    ]),
  );
  t.deepEqual([...(await data.values(0, 0))], [5]);
  t.is(data.time, undefined);
});

const parts = { 'run/a.vtu': step(1, 1), 'run/b.vtu': step(1, 2) };
for (const [fault, zip, message] of [
  ['a part that is missing', collectionOf([[0, 'x.vtu']], parts), /names 'x.vtu', which the zip does not have/],
  ['a part outside of the zip', collectionOf([[0, '../../a.vtu']], parts), /which the zip does not have/],
  [
    'a step of several parts',
    collectionOf(
      [
        [0, 'a.vtu', '0'],
        [0, 'b.vtu', '1'],
      ],
      parts,
    ),
    /several parts at the timestep 0/,
  ],
  [
    'files at a time that may be parts',
    collectionOf(
      [
        [0, 'a.vtu', ''],
        [0, 'b.vtu', ''],
      ],
      parts,
    ),
    /several parts at the timestep 0/,
  ],
  ['a time that is none', collectionOf([['soon', 'a.vtu']], parts), /timestep 'soon'/],
  ['no parts', collectionOf([], parts), /names no parts/],
  ['another file than a collection', zipOf([{ name: 'a.pvd', bytes: vtuOf(triangle) }]), /is no VTK Collection/],
  [
    'several VTU files without a collection',
    zipOf([
      { name: 'a.vtu', bytes: step(1, 1) },
      { name: 'b.vtu', bytes: step(1, 1) },
    ]),
    /no .pvd that says which step/,
  ],
  [
    'two collections',
    zipOf([
      { name: 'a.pvd', bytes: pvdOf([]) },
      { name: 'b.pvd', bytes: pvdOf([]) },
    ]),
    /2 collections/,
  ],
  ['neither', zipOf([{ name: 'a.txt', bytes: Buffer.from('x') }]), /neither a .pvd nor a .vtu/],
  [
    'points that move sideways',
    collectionOf(
      [
        [0, 'a.vtu'],
        [1, 'c.vtu'],
      ],
      {
        ...parts,
        'run/c.vtu': vtuOf({
          ...triangle,
          points: [0, 0, 1, 11, 0, 2, 0, 10, 3],
          cellData: [{ name: 'a', type: 'Float32', values: [1] }],
        }),
      },
    ),
    /Point 1 moves sideways/,
  ],
  [
    'other cells in another step',
    collectionOf(
      [
        [0, 'a.vtu'],
        [1, 'c.vtu'],
      ],
      {
        ...parts,
        'run/c.vtu': vtuOf({
          ...triangle,
          cells: [[5, 0, 2, 1]],
          cellData: [{ name: 'a', type: 'Float32', values: [1] }],
        }),
      },
    ),
    /cells of the steps differ/,
  ],
  [
    'an array that is missing in another step',
    collectionOf(
      [
        [0, 'a.vtu'],
        [1, 'c.vtu'],
      ],
      { ...parts, 'run/c.vtu': vtuOf(triangle) },
    ),
    /'a' of the first step is missing/,
  ],
] as const)
  test(`a zip is refused with an error: ${fault}`, async (t) => {
    t.regex((await t.throwsAsync(meshOf(t, zip), { instanceOf: FormatError }))!.message, message);
  });

test('VTU cells become polygons, lines and points in features', async (t) => {
  const { json } = await asJson(
    t,
    vtuOf({ ...triangle, cellData: [{ name: 'depth', type: 'Float64', values: [2.5] }] }),
    { reader: 'VtuReader', readerParameters: { SRID: 4326 } },
  );
  t.deepEqual(json.features[0]!.properties, { depth: 2.5 });
  t.is(json.features[0]!.geometry!.type, 'Polygon');
});
