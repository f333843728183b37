import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { asJson, collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { written } from '../written.ts';

async function table(t: ExecutionContext, text: string | Uint8Array, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'features', 'CsvReader', text, parameters);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  const coordinates = features.map(({ geometry }) => geometry && [...geometry.coordinates]);
  const types = Object.fromEntries(data.fields.map(({ name, type }) => [name, type]));
  return { ...said, data, features, types, coordinates, values: features.map(({ values }) => [...values]) };
}

for (const [name, text] of Object.entries({
  commas: 'name,x,y\na,1.5,2\nb,3,-4e1\n',
  semicolons: 'name;x;y\na;1.5;2\nb;3;-4e1\n',
  tabs: 'name\tx\ty\na\t1.5\t2\nb\t3\t-4e1\n',
  bars: 'name|x|y\na|1.5|2\nb|3|-4e1\n',
  'decimal commas': 'name;x;y\na;1,5;2\nb;3;-4e1\n',
  'Windows lines, quotes and a byte order mark': '\ufeff"name","x","y"\r\n"a","1.5","2"\r\n"b","3","-4e1"\r\n',
  'old lines of Macintosh': 'name,x,y\ra,1.5,2\rb,3,-4e1\r',
  'the mark of Excel': 'sep=;\r\nname;x;y\r\na;1.5;2\r\nb;3;-4e1',
  'blank lines and blanks': '\nname,X,Y\na, 1.5 ,2\n\n\nb,3, "-4e1"\n',
  'separators at the ends': 'name,x,y\na,1.5,2,,\nb,3,-4e1\n',
}))
  test(`points of a table are read: ${name}`, async (t) => {
    const { coordinates, values, data, types } = await table(t, text);
    t.deepEqual(coordinates, [
      [1.5, 2],
      [3, -40],
    ]);
    t.deepEqual(values, [['a'], ['b']]);
    t.deepEqual(types, { name: 'string' });
    t.like(data, { hasZ: false, geometryTypes: ['Point'], count: 2 });
    t.is(data.crs, undefined);
  });

test('types are those that hold all values; codes with leading zeros stay texts', async (t) => {
  const { types, values } = await table(
    t,
    [
      'i,big,r,b,d,dt,code,mixed,none,text,x,y',
      '1,9007199254740993,1,true,2024-02-29,2024-01-01T12:00:00Z,007,1,,a,1,2',
      '-2,3,2.5,FALSE,2024-03-01,2024-01-02,010,x,,"b, ""c""\nd",3,4',
      ',,,,,,,,,"",5,6',
    ].join('\n'),
  );
  t.deepEqual(types, {
    i: 'integer',
    big: 'integer64',
    r: 'real',
    b: 'boolean',
    d: 'date',
    dt: 'dateTime',
    code: 'string',
    mixed: 'string',
    none: 'string',
    text: 'string',
  });
  t.deepEqual(values, [
    [1, 9007199254740993n, 1, true, '2024-02-29', '2024-01-01T12:00:00Z', '007', '1', null, 'a'],
    [-2, 3, 2.5, false, '2024-03-01', '2024-01-02', '010', 'x', null, 'b, "c"\nd'],
    [null, null, null, null, null, null, null, null, null, ''],
  ]);
});

test('a column whose later rows are no numbers becomes text, and a remark says so', async (t) => {
  const rows = Array.from({ length: 2000 }, (_, n) => `${n},${n === 1900 ? 'many' : n},00${n}`);
  const { types, remarks, values } = await table(t, `id,n,code\n${rows.join('\n')}\n`);
  t.deepEqual(types, { id: 'integer', n: 'string', code: 'string' });
  t.is(values[7]![1], '7');
  t.regex(remarks.join(), /The column 'n' became text/);
  t.notRegex(remarks.join(), /'code' became text/);
});

test('geometries are read from a column of WKT, with heights and measures', async (t) => {
  const { features, data, types } = await table(
    t,
    [
      'id,WKT',
      '1,POINT ZM (1 2 3 4)',
      '2,"SRID=25832;LINESTRING(0 0, 1 1.5)"',
      '3,"POLYGON ((0 0,4 0,4 4,0 0),(1 1,2 1,2 2,1 1))"',
      '4,"multipolygon m (((0 0 7,1 0 7,1 1 7,0 0 7)),((5 5 8,6 5 8,6 6 8,5 5 8)))"',
      '5,"GEOMETRYCOLLECTION(POINT Z(1 2 9),MULTIPOINT((3 4),(5 6)))"',
      '6,POINT EMPTY',
      '7,',
    ].join('\n'),
  );
  t.deepEqual(types, { id: 'integer' });
  t.like(data, { hasZ: true, hasM: true });
  const none = Number.NaN;
  t.deepEqual([...features[0]!.geometry!.coordinates], [1, 2, 3, 4]);
  t.deepEqual([...features[1]!.geometry!.coordinates], [0, 0, none, none, 1, 1.5, none, none]);
  t.deepEqual([...features[2]!.geometry!.parts!], [0, 4]);
  t.deepEqual([...features[3]!.geometry!.polygons!], [0, 1]);
  t.deepEqual([...features[3]!.geometry!.coordinates].slice(0, 4), [0, 0, none, 7]);
  t.deepEqual(
    features[4]!.geometry!.members!.map(({ type, coordinates }) => [type, coordinates.length]),
    [
      ['Point', 4],
      ['MultiPoint', 8],
    ],
  );
  t.is(features[5]!.geometry!.coordinates.length, 0);
  t.is(features[6]!.geometry, undefined);
});

test('longitudes and latitudes are EPSG:4326, and the receipt tells the guesses', async (t) => {
  const { data, remarks, coordinates } = await table(t, 'Longitude;Latitude;height\n9,5;54,25;\n9;54;3\n');
  t.like(data.crs, { authority: 'EPSG', code: 4326 });
  t.deepEqual(coordinates, [
    [9.5, 54.25, Number.NaN],
    [9, 54, 3],
  ]);
  t.deepEqual(remarks.slice(0, 2), ['Cells are separated by a semicolon.', 'Numbers have a decimal comma.']);
  t.true(remarks.includes('Longitudes and latitudes were taken as EPSG:4326.'));
  const usual = await table(t, 'lon,lat\n9.5,54.25\n');
  t.false(usual.remarks.some((remark) => remark.startsWith('Cells are separated')));
});

for (const [what, text, parameter, parameters] of [
  ['the separator', 'a,b;c\n1,2;3\n', 'Separator', { Separator: ';', DecimalSeparator: ',' }],
  ['decimal commas or thousands', 'id;x;y\n1;1,500;2,500\n', 'DecimalSeparator', { DecimalSeparator: ',' }],
  ['two columns of x', 'x,lon,y\n1,2,3\n', 'X', { X: 'x' }],
  ['two columns of y', 'x,lat,y\n1,2,3\n', 'Y', { Y: 'y' }],
  ['two heights', 'x,y,height,depth\n1,2,3,4\n', 'Z', { Z: '' }],
] as const)
  test(`what cannot be guessed for sure is asked for: ${what}`, async (t) => {
    const error = await t.throwsAsync(table(t, text), { instanceOf: ConversionError });
    t.regex(error!.message, new RegExp(`Give the parameter ${parameter}\\b`));
    await t.notThrowsAsync(table(t, text, parameters));
  });

test('parameters count more than guesses', async (t) => {
  const text = 'A;B;C;D\n1;2;3;1,5\n';
  const { coordinates, types } = await table(t, text, { X: 'b', Y: 'D', Z: 'A', DecimalSeparator: ',' });
  t.deepEqual(coordinates, [[2, 1.5, 1]]);
  t.deepEqual(types, { C: 'integer' });
  const headless = await table(t, text, { Header: false, Separator: ';' });
  t.deepEqual(headless.types, {
    'Column 1': 'string',
    'Column 2': 'string',
    'Column 3': 'string',
    'Column 4': 'string',
  });
  t.regex((await t.throwsAsync(table(t, text, { X: 'nope', Y: 'B' })))!.message, /no column 'nope'/);
});

test('texts are read in the encoding of their mark, in UTF-8, else in Windows-1252, or as asked', async (t) => {
  const text = 'name,id\nMünchen €,1\n';
  const utf16 = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')]);
  const cp1252 = Buffer.from(text.replace('€', '\x80'), 'latin1');
  for (const bytes of [Buffer.from(text), utf16, cp1252]) t.is((await table(t, bytes)).values[0]![0], 'München €');
  const ibm = Buffer.from('name,id\nM\x81nchen,1\n', 'latin1');
  t.is((await table(t, ibm, { Encoding: 'IBM850' })).values[0]![0], 'München');
});

test('a row with more cells than columns is a bad record with its line; one with fewer has empty cells', async (t) => {
  const text = 'a,x,y\n"1\n1",2,3\n4,5,6,7\n8\n';
  const { bad, values, coordinates } = await table(t, text);
  t.deepEqual(
    bad.map(({ number, reason }) => [number, reason.message]),
    [[4, 'Line 4 has 4 cells, more than the 3 columns of the table.']],
  );
  t.deepEqual(values, [['1\n1'], ['8']]);
  t.deepEqual(coordinates, [[2, 3], undefined]);
  const asked = { reader: 'CsvReader', writer: 'GeoJsonWriter' };
  await t.throwsAsync(converted(t, text, asked), { instanceOf: FormatError, message: /^Line 4 has 4 cells/ });
});

test('hostile cells are read or refused with a sentence', async (t) => {
  const large = 'z'.repeat(300_000);
  const long = await table(t, `id,text\n1,"${large}"\n2,b\n`);
  t.is((long.values[0]![1] as string).length, 300_000);
  const zero = await table(t, `id,text\n${'1,a\n'.repeat(2000)}2,b\0c\n3,d\n`);
  t.deepEqual(
    zero.bad.map(({ reason }) => reason.message),
    ['Line 2002 has a zero byte.'],
  );
  await t.throwsAsync(table(t, 'a,b\0\n1,2\n'), { instanceOf: FormatError, message: /zero bytes/ });
  await t.throwsAsync(table(t, `a,b\n1,2\n3,"open\n${'x\n'.repeat(3000)}`), {
    message: /The quote of a cell in line 3 is not closed/,
  });
  await t.throwsAsync(table(t, `a;b\n${'1;'.repeat(20_000)}\n`), {
    message: /has 20001 columns. The maximum is 16384/,
  });
  await t.throwsAsync(table(t, ''), { message: /The file is empty/ });
  const nested = await table(t, `id,WKT\n1,${'GEOMETRYCOLLECTION('.repeat(40)}\n`);
  t.regex(nested.bad[0]!.reason.message, /^Line 2: Geometry collections are nested more than 16 deep/);
});

test('mutated tables are read or refused', async (t) => {
  const sound = [
    'id,lon,lat,name\n1,10,50.5,"a ""b"""\n2,11,51,c\n',
    'time;Level [m];Flow\n2020-01-01 00:00;1,5;2\n2020-01-02 00:00;2,5;3\n',
    'id,WKT\n1,"POLYGON((0 0,1 0,1 1,0 0))"\n2,POINT Z(1 2 3)\n',
  ].map((text) => Buffer.from(text));
  await mutate(t, 'CsvReader', sound, 3000);
});

const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

test('features are written with WKT and read back; points have x, y and z', async (t) => {
  const input = collection([
    feature(geometryOf('Polygon', [ring]), { name: 'a, "b"\nc', n: 1, r: 0.1, none: null, day: '2024-01-31' }),
    feature(geometryOf('MultiPoint', [ring[0], ring[1]]), { name: ' lead', n: 2, r: 1e-7, none: null, day: null }),
    feature(null, { name: '', n: null, r: null, none: null, day: null }),
  ]);
  const { text, receipt } = await converted(t, input, { reader: 'GeoJsonReader', writer: 'CsvWriter' });
  t.is(
    text,
    [
      'name,n,r,none,day,WKT',
      '"a, ""b""\nc",1,0.1,,2024-01-31,"POLYGON ((0 0, 1 0, 1 1, 0 0))"',
      '" lead",2,0.0000001,,,"MULTIPOINT ((0 0), (1 0))"',
      '"",,,,,',
      '',
    ].join('\r\n'),
  );
  t.true(receipt.lost.some((sentence) => /coordinate system, which is EPSG:4326/.test(sentence)));
  const { json } = await asJson(t, text, { reader: 'CsvReader', readerParameters: { SRID: 4326 } });
  t.deepEqual(json.features, JSON.parse(input).features);
  const points = await converted(
    t,
    collection([feature(geometryOf('Point', [1, 2, 3]), { a: 1 }, { id: 7 }), feature(null, { a: 2 }, { id: 'x' })]),
    {
      reader: 'GeoJsonReader',
      writer: 'CsvWriter',
    },
  );
  t.is(points.text, 'id,a,x,y,z\r\n7,1,1,2,3\r\nx,2,,,\r\n');
});

test('a later feature that is no point, or has an id, changes the columns of those before it, which count once', async (t) => {
  const point = geometryOf('Point', [1, 2]);
  const { text, recordsRead } = await converted(
    t,
    collection([
      feature(null, { a: 'x, "y"' }),
      feature(point, { a: null }),
      feature(geometryOf('LineString', [ring[0], ring[1]]), { a: 'b' }),
      feature(point, { a: 'c' }, { id: 4 }),
    ]),
    { reader: 'GeoJsonReader', writer: 'CsvWriter' },
  );
  t.is(
    text,
    ['id,a,WKT', ',"x, ""y""",', ',,"POINT (1 2)"', ',b,"LINESTRING (0 0, 1 0)"', '4,c,"POINT (1 2)"', ''].join('\r\n'),
  );
  t.is(recordsRead, 4);
});

test('points whose fields are called like coordinates are written as WKT', async (t) => {
  const input = collection([feature(geometryOf('Point', [1, 2]), { X: 9, lat: 8 })]);
  const { text } = await converted(t, input, { reader: 'GeoJsonReader', writer: 'CsvWriter' });
  t.is(text, 'X,lat,WKT\r\n9,8,"POINT (1 2)"\r\n');
});

test('heights and measures are written as WKT', async (t) => {
  const data: FeatureCollection = {
    kind: 'features',
    fields: [],
    hasZ: true,
    hasM: true,
    async *chunks() {
      yield [{ geometry: { type: 'Point', coordinates: Float64Array.of(1, 2, 3, 4.5) }, values: [] }];
    },
  };
  t.is((await written(t, data, 'CsvWriter')).content.toString(), 'WKT\r\n"POINT ZM (1 2 3 4.5)"\r\n');
});

test('integers that a double rounds stay exact beside reals; numbers beyond all doubles are texts', async (t) => {
  const { types, values } = await table(t, 'a,b,c\n9007199254740993,1e400,1.5\n0.5,1,-9007199254740993\n');
  t.deepEqual(types, { a: 'real', b: 'string', c: 'real' });
  t.deepEqual(values, [
    [9007199254740993n, '1e400', 1.5],
    [0.5, '1', -9007199254740993n],
  ]);
});

test('times of a form with a zone are written in UTC, with microseconds', async (t) => {
  const { values, types, remarks } = await table(
    t,
    'x,y,at\n1,2,29.02.2024 12:00:00.000001 +0200\n1,2,29.02.2024 12:00:00.5 Z\n',
    { Time: 'at', TimeFormat: 'dd.MM.yyyy HH:mm:ss.S X' },
  );
  t.deepEqual(types, { at: 'dateTime' });
  t.deepEqual(values, [['2024-02-29T10:00:00.000001Z'], ['2024-02-29T12:00:00.500Z']]);
  t.true(remarks.includes("Times of the column 'at' were read as dd.MM.yyyy HH:mm:ss.S X, in UTC."));
});

test('geometries without heights are written without Z; single missing heights become 0, and the receipt counts them', async (t) => {
  const { text, receipt } = await converted(
    t,
    collection([
      feature(geometryOf('Point', [1, 2])),
      feature(geometryOf('Point', [1, 2, 0])),
      feature(
        geometryOf('LineString', [
          [1, 2, 3],
          [4, 5],
        ]),
      ),
      feature(
        geometryOf('LineString', [
          [1, 2],
          [4, 5],
        ]),
      ),
    ]),
    { reader: 'GeoJsonReader', writer: 'CsvWriter' },
  );
  t.is(
    text,
    'WKT\r\n"POINT (1 2)"\r\n"POINT Z (1 2 0)"\r\n"LINESTRING Z (1 2 3, 4 5 0)"\r\n"LINESTRING (1 2, 4 5)"\r\n',
  );
  t.true(receipt.lost.includes('1 vertices had no height or measure, unlike others of their geometry: it became 0.'));
});

test('features are appended to a table', async (t) => {
  const wkt =
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]';
  const content = 'name,n,x,y\r\na,1,10,50\r\n';
  const { text } = await converted(t, collection([feature(geometryOf('Point', [11, 51]), { n: 2, name: 'b' })]), {
    reader: 'GeoJsonReader',
    writer: 'CsvWriter',
    existing: { content, format: 'csv', crs: { wkt, srid: 4326 } },
  });
  t.is(text, 'name,n,x,y\r\na,1,10,50\r\nb,2,11,51\r\n');
});

test('tables are detected by their rows, points of x and y alone as XYZ', async (t) => {
  for (const [text, format] of [
    ['id,lon,lat\n1,2,3\n', 'csv'],
    ['time,level\n2020-01-01,1\n', 'csv'],
    ['sep=;\na;b\n1;2\n', 'csv'],
    ['x;y;z\n1;2;3\n', 'xyz'],
    ['just a text\nof two lines\n', undefined],
  ] as const)
    t.is((await detect(memory(Buffer.from(text))))?.format, format, text);
});

test('the file is whole: all rows are written before they are copied', async (t) => {
  const data: FeatureCollection = {
    kind: 'features',
    fields: [{ name: 'text', type: 'string' }],
    hasZ: false,
    hasM: false,
    async *chunks() {
      yield Array.from({ length: 7000 }, (_, n): Feature => ({ values: [String(n).padEnd(1000, 'x')] }));
    },
  };
  for (let run = 0; run < 10; run++) t.is((await written(t, data, 'CsvWriter')).content.length, 7000 * 1002 + 6);
});

test('only cells that are times on days that exist make a column of times, in thousands of rows, too', async (t) => {
  const typeOf = async (...cells: string[]) =>
    (await table(t, `x,y,at\n${cells.map((cell) => `1,2,${cell}\n`).join('')}`)).types.at;
  for (const time of ['2024-02-29T12:00:00', '2023-12-31 23:59:59', '2000-02-29T00:00:00', '2024/04/30 23:59:59'])
    t.is(await typeOf(time, time), 'dateTime', time);
  for (const text of [
    '2023-02-29T12:00:00',
    '1900-02-29T12:00:00',
    '2024-04-31T12:00:00',
    '2024-13-01T12:00:00',
    '2024-00-01T12:00:00',
    '2024-01-00T12:00:00',
    '2024-01-01T24:00:00',
    '2024-01-01T12:60:00',
    '2024-01-01T12:00:60',
    '2024-01-01T12.00:00',
    '2024-01-01t12:00:00',
  ])
    t.is(await typeOf('2024-01-01T12:00:00', text), 'string', text);
  const count = 5000;
  const rows = Array.from({ length: count }, (_, n) => `${n},2,2024-01-01T12:00:00,${n + 1 / 7}\n`);
  const { values, coordinates } = await table(t, `x,y,at,r\n${rows.join('')}`);
  t.deepEqual(
    values,
    rows.map((_, n) => ['2024-01-01T12:00:00', n + 1 / 7]),
  );
  t.deepEqual(
    coordinates,
    rows.map((_, n) => [n, 2]),
  );
});
