import test, { type ExecutionContext } from 'ava';
import type { ByteSource } from '../../../src/files/data/bytes.ts';
import type { Feature } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { readLayout } from '../../../src/files/formats/xyz/layout.ts';
import { asJson, collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';

async function points(t: ExecutionContext, text: string | Uint8Array, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'features', 'XyzReader', text, parameters);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  const coordinates = features.map(({ geometry }) => [...geometry!.coordinates]);
  return { ...said, data, coordinates, values: features.map(({ values }) => [...values]) };
}

const two = [
  [1, 2, 3],
  [4.5, -5, 6e3],
];

for (const [name, text] of Object.entries({
  blanks: '1 2 3\n4.5 -5 6e3\n',
  'runs of blanks at both ends': '  1   2 3  \n 4.5 -5    6e3 ',
  tabs: '1\t2\t3\n4.5\t-5\t6e3\n',
  commas: '1,2,3\n4.5,-5,6e3\n',
  'semicolons and blanks': '1; 2; 3;\n4.5; -5; 6e3;\n',
  'Windows lines and a byte order mark': '\ufeff1 2 3\r\n4.5 -5 6e3\r\n',
  'comments and blank lines': '# by hand\n\n1 2 3\n\n# more\n4.5 -5 6e3\n\n',
  'a header': 'X Y Z\n1 2 3\n4.5 -5 6e3\n',
  'a header of several lines': 'Survey of 2024\nsee map 7\nx;y;depth\n1 2 3\n4.5 -5 6e3\n',
  'exponents of Fortran': '1.0D+00 0.2d1 3D0\n+.45D+01 -5.d-00 6.0D+03\n',
  quotes: '"1" "2" "3"\n4.5 -5 6e3\n',
}))
  test(`points are read: ${name}`, async (t) => {
    const { data, coordinates, values } = await points(t, text);
    t.deepEqual(coordinates, two);
    t.deepEqual(values, [[], []]);
    t.like(data, { hasZ: true, hasM: false, fields: [], geometryTypes: ['Point'] });
  });

test('a file whose first points have Fortran exponents is recognized', async (t) => {
  t.like(await detect(memory(Buffer.from('1.0D+03 2.0d3 3.0D-01\n4 5 6\n'))), { format: 'xyz' });
});

test('ZColumnIndex names the column of z; other columns are fields with their names or numbers', async (t) => {
  const text = 'x y flag depth\n1 2 7 3\n4 5 8 6\n';
  const named = await points(t, text, { ZColumnIndex: 3 });
  t.deepEqual(named.coordinates, [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  t.deepEqual(named.data.fields, [{ name: 'flag', type: 'real' }]);
  t.deepEqual(named.values, [[7], [8]]);
  const unnamed = await points(t, text.slice(text.indexOf('\n') + 1));
  t.deepEqual(unnamed.data.fields, [{ name: 'Column 4', type: 'real' }]);
  t.deepEqual(unnamed.coordinates[0], [1, 2, 7]);
});

test('a column that starts with a word is a text field; nan is a missing value', async (t) => {
  const { data, coordinates, values } = await points(
    t,
    'x y z "Bed level" "Bed level" name\n1 2 3 4 5 "well 7"\n1 2 nan NaN 6 b\n',
  );
  t.deepEqual(
    data.fields.map(({ name, type }) => [name, type]),
    [
      ['Bed level', 'real'],
      ['Bed level_2', 'real'],
      ['name', 'string'],
    ],
  );
  t.deepEqual(coordinates[1], [1, 2, Number.NaN]);
  t.deepEqual(values, [
    [4, 5, 'well 7'],
    [null, 6, 'b'],
  ]);
});

test('numbers are read to the nearest double', async (t) => {
  const words = ['123456789012345678', '0.1234567890123456', '-6199999.0050000001', '1e-320', '.5', '5.'];
  const { coordinates } = await points(t, `${words.slice(0, 3).join(' ')}\n${words.slice(3).join(' ')}\n`);
  t.deepEqual(coordinates.flat(), words.map(Number));
});

test('lines across chunk boundaries are read correctly', async (t) => {
  const count = 60_000;
  const lines = Array.from({ length: count }, (_, n) => `${n}.125 ${count - n} ${n % 977}.5`);
  const { coordinates } = await points(t, lines.join('\n'));
  t.is(coordinates.length, count);
  t.true(coordinates.every(([x, y, z], n) => x === n + 0.125 && y === count - n && z === (n % 977) + 0.5));
});

for (const [fault, line, message] of [
  ['a word', '7 x 9', /Line 3 has 'x' in column 2 in place of a number/],
  ['too few columns', '7 8', /Line 3 has 2 columns, the first has 3/],
  ['too many columns', '7 8 9 10', /Line 3 has 4 columns, the first has 3/],
  ['an infinite coordinate', 'inf 8 9', /Line 3 has 'inf' in column 1 in place of a coordinate/],
] as const)
  test(`a bad line ends the conversion with its number, or is skipped: ${fault}`, async (t) => {
    const text = `x y z\n1 2 3\n${line}\n4 5 6\n`;
    const asked = { reader: 'XyzReader', writer: 'GeoJsonWriter', readerParameters: { SRID: 25832 } };
    const error = await t.throwsAsync(converted(t, text, asked), { instanceOf: FormatError });
    t.regex(error!.message, message);
    t.is(error!.offset, 'x y z\n1 2 3\n'.length);
    const { receipt, recordsRead, recordsSkipped, badRecords } = await converted(t, text, {
      ...asked,
      onBadRecord: 'skip',
    });
    t.is(recordsRead, 2);
    t.is(recordsSkipped, 1);
    t.is(badRecords!.features[0]!.properties.record, 3);
    t.regex(receipt.lost.join(), message);
  });

for (const [fault, text, message] of [
  ['no numbers', 'hello\nworld\n', /No line of the file begins with the numbers of a point: x, y, z\./],
  ['two columns', '1 2\n3 4\n', /No line of the file/],
  ['a line without end', `${'x'.repeat(3 << 20)}`, /A line has more than 65536 bytes|No line of the file/],
  ['too many columns', `${'1 '.repeat(2000)}\n`, /Line 1 has 2000 columns. The maximum is 1024/],
  ['nothing', '', /The file is empty/],
  ['another format', '{"type":"FeatureCollection","features":[]}', /It looks like a GeoJSON file/],
] as const)
  test(`a file of points is refused with an error: ${fault}`, async (t) => {
    const error = await t.throwsAsync(points(t, text), { instanceOf: FormatError });
    t.regex(error!.message, message);
  });

test('a line has at most 1024 columns, each of which can be z', async (t) => {
  const lines = (columns: number) => {
    const line = (first: number) => Array.from({ length: columns }, (_, n) => first + n).join(' ');
    return `${line(1)}\n${line(5000)}\n`;
  };
  const { coordinates, data, values } = await points(t, lines(1024), { ZColumnIndex: 1023 });
  t.deepEqual(coordinates, [
    [1, 2, 1024],
    [5000, 5001, 6023],
  ]);
  t.is(data.fields.length, 1021);
  t.deepEqual([values[1]![0], values[1]!.at(-1)], [5002, 6022]);
  const error = await t.throwsAsync(points(t, lines(1025)), { instanceOf: FormatError });
  t.regex(error!.message, /^Line 1 has 1025 columns. The maximum is 1024/);
  await t.throwsAsync(points(t, lines(1025), { ZColumnIndex: 1024 }), { message: /ZColumnIndex/ });
});

test('a header of nearly 1 MiB is skipped; a longer one is refused without reading further', async (t) => {
  const headerLine = `${'about the survey '.repeat(60)}\n`;
  const header = headerLine.repeat(Math.floor((1 << 20) / headerLine.length));
  // The line of numbers begins in the first mebibyte and ends behind it.
  const { coordinates } = await points(t, `${header}1 2 3${' '.repeat(headerLine.length)}\n`);
  t.deepEqual(coordinates, [[1, 2, 3]]);
  const source = memory(Buffer.from(`${header.repeat(4)}1 2 3\n`));
  let read = 0;
  const counted: ByteSource = {
    size: source.size,
    async read(offset, length) {
      const bytes = await source.read(offset, length);
      read = Math.max(read, offset + bytes.length);
      return bytes;
    },
  };
  await t.throwsAsync(readLayout(counted, 2), { instanceOf: FormatError, message: /No line of the file begins/ });
  // The next chunk is requested while one is parsed.
  t.true(read <= 3 << 20, `${read} bytes were read`);
});

test('the error for a missing z column names it', async (t) => {
  const error = await t.throwsAsync(points(t, '1 2 3\n', { ZColumnIndex: 4 }), { instanceOf: FormatError });
  t.regex(error!.message, /z in column 5, as ZColumnIndex 4 asks/);
});

for (const [name, text, message] of [
  [
    'decimal commas and blanks',
    'x y z\n1,5 2,5 3,5\n',
    /^Line 2 separates some numbers by a comma alone.*decimal points/,
  ],
  ['decimal commas and semicolons', '1,5;2,5;3,5\n', /comma alone/],
  ['a decimal comma in z only', '350000\t6100000\t3,5\n', /comma alone/],
  ['carriage returns as ends of lines', '1 2 3\r4 5 6\r', /^Line 1 ends with a carriage return only/],
] as const)
  test(`ambiguous separators end the conversion: ${name}`, async (t) => {
    await t.throwsAsync(points(t, text), { instanceOf: FormatError, message });
  });

test('commas with blanks, and text with blanks after numbers with commas, are read', async (t) => {
  t.deepEqual((await points(t, '1, 2 ,3\n4.5,-5,6e3\n')).coordinates, two);
  t.deepEqual((await points(t, '1,2,3,A b\n')).coordinates, [[1, 2, 3]]);
});

test('each comma, semicolon or tab separates two cells: an empty cell has no value, and shifts no other', async (t) => {
  for (const separator of [',', ';', '\t', ' , ']) {
    const lines = ['x,y,z,d', '1,2,,5', '3,4,,7', '5,6,7,'].join('\n').replaceAll(',', separator);
    const { data, coordinates, values, remarks } = await points(t, lines);
    t.deepEqual(coordinates, [
      [1, 2, Number.NaN],
      [3, 4, Number.NaN],
      [5, 6, 7],
    ]);
    t.deepEqual(data.fields, [{ name: 'd', type: 'real' }]);
    t.deepEqual(values, [[5], [7], [null]]);
    t.deepEqual(remarks, ['2 points have no z.']);
  }
  t.like(await detect(memory(Buffer.from('1,2,,5\n3,4,,a\n'))), { format: 'xyz' });
});

test('a point without z has two coordinates in GeoJSON; one without x or y is a bad record', async (t) => {
  const asked = { reader: 'XyzReader' };
  const { json, receipt } = await asJson(t, 'x,y,z,d\n1,2,,5\n', asked);
  t.deepEqual(json.features[0]!.geometry!.coordinates, [1, 2]);
  t.deepEqual([json.features[0]!.properties, receipt.remarks], [{ d: 5 }, ['1 points have no z.']]);
  t.is((await converted(t, '1,2,,5\n', { ...asked, writer: 'XyzWriter' })).text, 'x y z Column_4\n1 2 nan 5\n');
  const shape = await converted(t, '1,2,,5\n', { ...asked, writer: 'ShapefileWriter' });
  t.deepEqual((await asJson(t, shape.bytes)).json.features[0]!.geometry!.coordinates, [1, 2, 0]);
  t.true(shape.receipt.lost.includes('1 vertices have no height (Z); the shapefile has 0 there.'));
  for (const line of [',2,3', '1,,3', ' ,2,3']) {
    const text = `1,2,3\n${line}\n`;
    await t.throwsAsync(asJson(t, text, asked), { message: /^Line 2 has '' in column [12] in place of a number/ });
    t.is((await asJson(t, text, { ...asked, onBadRecord: 'skip' })).recordsSkipped, 1);
  }
});

test('labels may contain blanks in separated columns, and commas in columns of blanks', async (t) => {
  const tabs = 'x\ty\tz\tlabel\tdepth\n1\t2\t3\tWell 7 north\t\n4\t5\t6\t\t2.5\n7\t8\t9\t"tab\t""here"""\t\n';
  const { data, values } = await points(t, tabs);
  t.deepEqual(
    data.fields.map(({ name, type }) => [name, type]),
    [
      ['label', 'string'],
      ['depth', 'real'],
    ],
  );
  t.deepEqual(values, [
    ['Well 7 north', null],
    [null, 2.5],
    ['tab\t"here"', null],
  ]);
  t.deepEqual((await points(t, '1 2 3 a\n4 5 6 b,c\n')).values, [['a'], ['b,c']]);
  t.deepEqual((await points(t, Buffer.from('1;2;3;Ærø\n', 'latin1'))).values, [['Ærø']]);
});

test('lines of blanks among lines of commas are read, and the other way round', async (t) => {
  const three = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ];
  t.deepEqual((await points(t, '1,2,3\n4 5 6\n,,\n7, 8, 9,\n')).coordinates, three);
  t.deepEqual((await points(t, '1 2 3\n4,5,6\n7 8 9\n')).coordinates, three);
  t.deepEqual((await points(t, '1 2\t3\n4 5\t6\n7 8\t9\n')).coordinates, three, 'blanks and tabs as one');
});

for (const [name, end] of [
  ['alone', '\x1a'],
  ['with a line feed', '\x1a\r\n'],
  ['padded to a block', `\r\n${'\x1a'.repeat(128)}`],
  ['and zero bytes', '\n\x1a\0\0\0'],
] as const)
  test(`the end mark of MS-DOS (Ctrl-Z) ends a text: ${name}`, async (t) => {
    t.deepEqual((await points(t, `1 2 3\n4.5 -5 6e3${end}`)).coordinates, two);
    t.deepEqual((await points(t, `1,2,3\n4.5,-5,6e3\n${end}`)).coordinates, two);
    t.like(await detect(memory(Buffer.from(`1 2 3\n4.5 -5 6e3\n${end}`))), { format: 'xyz' });
    const grid = `ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2${end}`;
    t.is((await converted(t, grid, { reader: 'AsciiGridReader', writer: 'AsciiGridWriter' })).recordsRead, 2);
    const json = `${collection([feature(geometryOf('Point', [1, 2]))])}${end.replaceAll('\0', '')}`;
    t.is((await asJson(t, json, { reader: 'GeoJsonReader' })).recordsRead, 1);
    const mesh = `3 LONG/LAT\n1 0 0 -1 1\n2 1 0 -1 1\n3 0 1 -1 1\n1 3 21\n1 1 2 3${end}`;
    t.is((await converted(t, mesh, { reader: 'MeshFileReader', writer: 'MeshFileWriter' })).recordsRead, 1);
  });

test('points become features with heights and fields', async (t) => {
  const { json } = await asJson(t, '1 2 3 7.5\n4 5 6 8\n', {
    reader: 'XyzReader',
    readerParameters: { SRID: 4326 },
  });
  t.deepEqual(json.features[0], {
    type: 'Feature',
    properties: { 'Column 4': 7.5 },
    geometry: { type: 'Point', coordinates: [1, 2, 3] },
  });
  const shape = await converted(t, '1 2 3 7.5\n', { reader: 'XyzReader', writer: 'ShapefileWriter' });
  const { json: back } = await asJson(t, shape.bytes);
  t.deepEqual(back.features[0]!.geometry!.coordinates, [1, 2, 3]);
});

test('points are written as they were read, with a header line if they have fields', async (t) => {
  const asked = { reader: 'XyzReader', writer: 'XyzWriter' };
  t.is((await converted(t, '1,2,3\n4.5,-5,nan\n', asked)).text, '1 2 3\n4.5 -5 nan\n');
  t.is(
    (await converted(t, 'x y z "Bed level"\n1 2 3 4.125\n1 2 3 nan\n', asked)).text,
    'x y z Bed_level\n1 2 3 4.125\n1 2 3 nan\n',
  );
});

test('multipoints become one line per point; text fields and the coordinate system are reported as lost', async (t) => {
  const json = collection([
    feature(
      geometryOf('MultiPoint', [
        [1, 2, 3],
        [4, 5, 6],
      ]),
      { depth: 2, name: 'a' },
    ),
  ]);
  const { text, receipt } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'XyzWriter' });
  t.is(text, 'x y z depth\n1 2 3 2\n4 5 6 2\n');
  t.deepEqual(receipt.lost, [
    "An XYZ file holds numbers only; the fields 'name' were left out.",
    'An XYZ file does not store its coordinate system, which is EPSG:4326.',
  ]);
});

test('lines and points without height are refused by XyzWriter', async (t) => {
  const line = geometryOf('LineString', [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const asked = { reader: 'GeoJsonReader', writer: 'XyzWriter' };
  await t.throwsAsync(converted(t, collection([feature(line)]), asked), { message: /Feature 1 is a LineString/ });
  await t.throwsAsync(converted(t, collection([feature(geometryOf('Point', [1, 2]))]), asked), {
    instanceOf: ConversionError,
    message: /no height/,
  });
});

test('seeded mutations of files of points are read or end with an expected error', async (t) => {
  const sound = ['x y z name\n1 2 3 a\n4 5 6 b\n7 8 9 c\n', '1;2;3\n4.5;-5;6e3\n# end\n'].map((text) =>
    Buffer.from(text),
  );
  await mutate(t, 'XyzReader', sound, 10_000);
});

test('reading a file that shrinks throws an error instead of ending early', async (t) => {
  const bytes = Buffer.from('1 2 3\n'.repeat(400_000));
  const source = memory(bytes);
  const { findReader } = await import('../../../src/files/formats/registry.ts');
  const nothing = () => {};
  const data = await findReader('XyzReader')!.read(
    { size: source.size, read: async (offset, length) => bytes.subarray(offset, Math.min(offset + length, 1_200_000)) },
    { ZColumnIndex: 2 },
    {
      signal: new AbortController().signal,
      scratch: '',
      log: nothing,
      reportLoss: nothing,
      remark: nothing,
      progress: nothing,
      reportBadRecord: nothing,
      onEnd: nothing,
    },
  );
  if (data.kind !== 'features') return t.fail();
  const error = await t.throwsAsync(async () => {
    for await (const _ of data.chunks());
  });
  t.false(error instanceof FormatError);
  t.regex(error!.message, /^The input ended at byte/);
});
