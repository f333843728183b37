import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection, Geometry } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { readFooter } from '../../../src/files/formats/geoparquet/parquet/footer.ts';
import { schemaTree } from '../../../src/files/formats/geoparquet/parquet/schema.ts';
import { findReader, readers } from '../../../src/files/formats/registry.ts';
import { collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { written } from '../written.ts';
import {
  encodedFile,
  multilineFile,
  multipolygonFile,
  pointFile,
  polygonFile,
  seriesFile,
  tableFile,
} from './pyarrow-files.ts';

async function layer(t: ExecutionContext, bytes: Uint8Array, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'features', 'GeoParquetReader', bytes, parameters);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  return { ...said, data, features, values: features.map(({ values }) => [...values]) };
}

const layerOf = (features: readonly Feature[], more: Partial<FeatureCollection> = {}): FeatureCollection => ({
  kind: 'features',
  fields: [],
  hasZ: false,
  hasM: false,
  async *chunks() {
    yield features;
  },
  ...more,
});

const rows = (values: readonly unknown[][], fields: FeatureCollection['fields']): FeatureCollection =>
  layerOf(
    values.map((one) => ({ values: one })),
    { fields },
  );

/** The metadata `geo` and those of the columns. */
async function opened(bytes: Buffer) {
  const footer = await readFooter(memory(bytes));
  const geo = JSON.parse(footer.keyValues.get('geo') ?? 'null');
  return { footer, geo, columns: schemaTree(footer.schema) };
}

const numbers = (...all: number[]) => Float64Array.from(all);
const ring = [0, 0, 1, 0, 4, 0, 1, 1, 4, 4, 2, 2, 0, 0, 1, 0];
const all: Geometry[] = [
  { type: 'Point', coordinates: numbers(1, 2, 3, 4) },
  { type: 'LineString', coordinates: numbers(1, 2, 3, 4, 5, 6, 7, 8) },
  { type: 'Polygon', coordinates: numbers(...ring, ...ring), parts: Uint32Array.of(0, 4) },
  { type: 'MultiPoint', coordinates: numbers(1, 2, 3, 4, 5, 6, 7, 8) },
  { type: 'MultiLineString', coordinates: numbers(...ring, ...ring), parts: Uint32Array.of(0, 2) },
  {
    type: 'MultiPolygon',
    coordinates: numbers(...ring, ...ring, ...ring),
    parts: Uint32Array.of(0, 4, 8),
    polygons: Uint32Array.of(0, 2),
  },
  {
    type: 'GeometryCollection',
    coordinates: numbers(),
    members: [
      { type: 'Point', coordinates: numbers(9, 8, 7, 6) },
      { type: 'LineString', coordinates: numbers(1, 2, 3, 4, 5, 6, 7, 8) },
    ],
  },
  { type: 'Point', coordinates: numbers() },
  { type: 'Polygon', coordinates: numbers(), parts: Uint32Array.of() },
];

for (const Version of ['1.1', '2.0'])
  for (const [hasZ, hasM] of [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ] as const)
    test(`${Version}: geometries of all types come back: ${hasZ ? 'with' : 'without'} Z, ${hasM ? 'with' : 'without'} M`, async (t) => {
      const keep = [true, true, hasZ, hasM];
      const cut = (geometry: Geometry): Geometry => ({
        ...geometry,
        coordinates: geometry.coordinates.filter((_, n) => keep[n % 4]),
        ...(geometry.members && { members: geometry.members.map(cut) }),
      });
      const features = [...all.map(cut), undefined].map(
        (geometry, n): Feature => ({ ...(geometry && { geometry }), id: n, values: [] }),
      );
      const crs = { authority: 'EPSG', code: 25832 } as const;
      const { content, lost } = await written(t, layerOf(features, { hasZ, hasM, crs }), 'GeoParquetWriter', {
        Version,
      });
      t.deepEqual(lost, []);
      const back = await layer(t, content);
      t.like(back.data, { hasZ, hasM, crs, count: features.length });
      t.deepEqual(
        back.features.toSorted((a, b) => Number(a.id) - Number(b.id)),
        features,
      );
      t.deepEqual([...back.lost, ...back.bad], []);
    });

test('fields of all types, null, odd names and ids come back', async (t) => {
  const fields: FeatureCollection['fields'] = [
    { name: 'text', type: 'string', width: 20 },
    { name: 'TEXT', type: 'integer' },
    { name: 'geometry', type: 'integer64' },
    { name: 'bbox', type: 'real', width: 12, decimals: 3 },
    { name: '', type: 'boolean' },
    { name: 'day', type: 'date' },
    { name: 'time', type: 'dateTime' },
    { name: 'utc', type: 'dateTime' },
    { name: 'json', type: 'json' },
  ];
  const values = [
    [
      'a\0"ü😀',
      -5,
      2n ** 62n,
      0.1,
      true,
      '2024-02-29',
      '2024-12-31T23:59:59.123456',
      '1969-12-31T23:59:59.5Z',
      '{"a":[1]}',
    ],
    [
      '',
      2147483647,
      -9007199254740991,
      -1e300,
      false,
      '0001-01-01',
      '1582-10-04T00:00:00',
      '2024-01-01T00:00:00Z',
      '[]',
    ],
    [null, null, null, null, null, null, null, null, null],
  ];
  const geometry: Geometry = { type: 'Point', coordinates: numbers(1, 2) };
  const features = values.map((own, n): Feature => ({ id: `key ${n}`, geometry, values: own }));
  const { content, lost } = await written(t, layerOf(features, { fields }), 'GeoParquetWriter');
  t.deepEqual(lost, ["The field 'TEXT' was called 'TEXT_2'.", "The field '' was called 'field'."]);
  const { columns } = await opened(content);
  t.deepEqual(
    columns.map(({ name }) => name),
    ['id', 'text', 'TEXT_2', 'geometry', 'bbox', 'field', 'day', 'time', 'utc', 'json', 'geometry_2', 'bbox_2'],
  );
  const back = await layer(t, content);
  t.is(back.data.crs, undefined);
  t.deepEqual(back.features, features);
  const names = ['text', 'TEXT_2', 'geometry', 'bbox', 'field', 'day', 'time', 'utc', 'json'];
  t.deepEqual(
    back.data.fields,
    fields.map((field, n) => ({ ...field, name: names[n]! })),
  );
});

test('a column widens for values that do not fit its field', async (t) => {
  const fields: FeatureCollection['fields'] = [
    { name: 'long', type: 'integer' },
    { name: 'unsigned', type: 'integer' },
    { name: 'real', type: 'integer' },
    { name: 'mixed', type: 'integer' },
    { name: 'zones', type: 'dateTime' },
    { name: 'offset', type: 'dateTime' },
    { name: 'days', type: 'date' },
    { name: 'fine', type: 'dateTime' },
  ];
  const given = rows(
    [
      [1, 1, 1, 1, '2024-01-01T00:00', '2024-01-01T01:00:00+01:00', '2024-01-01', '2024-01-01T00:00:00.1234567'],
      [
        2 ** 40,
        2n ** 64n - 1n,
        0.5,
        'x',
        '2024-01-01T00:00Z',
        '2024-01-01T00:00:00-00:30',
        '2024-01-01T12:00:00',
        null,
      ],
    ],
    fields,
  );
  const { content, lost } = await written(t, given, 'GeoParquetWriter');
  const back = await layer(t, content);
  t.deepEqual(
    back.data.fields.map(({ type }) => type),
    ['integer64', 'integer64', 'real', 'string', 'string', 'dateTime', 'dateTime', 'dateTime'],
  );
  t.deepEqual(back.values, [
    [1, 1, 1, '1', '2024-01-01T00:00', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00', '2024-01-01T00:00:00.123456'],
    [2 ** 40, 2n ** 64n - 1n, 0.5, 'x', '2024-01-01T00:00Z', '2024-01-01T00:30:00Z', '2024-01-01T12:00:00', null],
  ]);
  t.deepEqual(lost, [
    "Values of 'mixed' were written as text, because they have different types.",
    "Times of 'zones' were written as text, because some have a zone and others do not.",
    "Times of 'fine' were cut to microseconds.",
  ]);
});

test('rows without geometry are a plain Parquet file, and texts of many and of few values come back', async (t) => {
  const values = Array.from({ length: 9000 }, (_, n) => [
    `text ${n}`,
    n % 7 === 0 ? null : `use ${n % 5}`,
    n % 3 === 0,
  ]);
  const fields: FeatureCollection['fields'] = [
    { name: 'many', type: 'string' },
    { name: 'few', type: 'string' },
    { name: 'third', type: 'boolean' },
  ];
  const { content } = await written(t, rows(values, fields), 'GeoParquetWriter', { RowGroupRows: 4000 });
  const { footer, geo } = await opened(content);
  t.is(geo, null);
  t.deepEqual(
    footer.rowGroups.map((group) => group.rows),
    [4000, 4000, 1000],
  );
  t.deepEqual((await layer(t, content)).values, values);
});

test('features are in spatial order with boxes around them, as both versions have them', async (t) => {
  const place = 0.1 + 1e-9;
  const points = [place, 5, place + 1e-6, 5.1].map((x, n) => feature(geometryOf('Point', [x, x]), { n }));
  const text = collection(points);
  for (const Version of ['1.1', '2.0']) {
    const { bytes, receipt } = await converted(t, text, {
      reader: 'GeoJsonReader',
      writer: 'GeoParquetWriter',
      writerParameters: { Version },
    });
    t.true(receipt.remarks.includes('Features stand in the order of a Hilbert curve, not in that of the input.'));
    const back = await layer(t, bytes);
    t.deepEqual(
      back.values.map(([n]) => n),
      [0, 2, 1, 3],
    );
    const { geo, columns } = await opened(bytes);
    t.like(geo.columns.geometry, { geometry_types: ['Point'], bbox: [place, place, 5.1, 5.1] });
    t.false('crs' in geo.columns.geometry);
    const [box] = columns.filter(({ name }) => name === 'bbox');
    t.is(box === undefined, Version === '2.0');
  }
});

test('a system without a code comes back by its definition, and an unknown one is null', async (t) => {
  const wkt =
    'PROJCRS["own",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]]],CONVERSION["own",METHOD["Transverse Mercator"],PARAMETER["Latitude of natural origin",0],PARAMETER["Longitude of natural origin",10.5],PARAMETER["Scale factor at natural origin",1],PARAMETER["False easting",1000],PARAMETER["False northing",0]],CS[Cartesian,2],AXIS["easting",east],AXIS["northing",north],LENGTHUNIT["metre",1]]';
  const features: Feature[] = [{ values: [], geometry: { type: 'Point', coordinates: numbers(1, 2) } }];
  for (const Version of ['1.1', '2.0']) {
    const own = await written(t, layerOf(features, { crs: { wkt } }), 'GeoParquetWriter', { Version });
    t.regex((await layer(t, own.content)).data.crs?.wkt ?? '', /"own".*10\.5/);
    const unknown = await written(t, layerOf(features), 'GeoParquetWriter', { Version });
    t.is((await opened(unknown.content)).geo.columns.geometry.crs, null);
    t.is((await layer(t, unknown.content)).data.crs, undefined);
  }
});

test('native encodings of geometries are read', async (t) => {
  const polygon = await layer(t, polygonFile);
  t.like(polygon.data, { hasZ: true, hasM: false, geometryTypes: ['Polygon'] });
  t.deepEqual(
    polygon.features.map(({ geometry }) => geometry),
    [
      {
        type: 'Polygon',
        coordinates: numbers(0, 0, 1, 4, 0, 2, 4, 4, 3, 0, 0, 1, 1, 1, 9, 2, 1, 9, 2, 2, 9, 1, 1, 9),
        parts: Uint32Array.of(0, 4),
      },
      undefined,
      { type: 'Polygon', coordinates: numbers(), parts: Uint32Array.of() },
    ],
  );
  const [several] = (await layer(t, multipolygonFile)).features;
  t.deepEqual(several?.geometry, {
    type: 'MultiPolygon',
    coordinates: numbers(0, 0, 4, 0, 4, 4, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1, 9, 9, 10, 9, 10, 10, 9, 9),
    parts: Uint32Array.of(0, 4, 8),
    polygons: Uint32Array.of(0, 2),
  });
  const points = await layer(t, pointFile);
  t.deepEqual(
    points.features.map(({ geometry }) => geometry?.coordinates),
    [numbers(1, 2), undefined],
  );
  const [lines] = (await layer(t, multilineFile)).features;
  t.deepEqual(lines?.geometry, {
    type: 'MultiLineString',
    coordinates: numbers(0, 0, 1, 1, 2, 2, 3, 3, 4, 4),
    parts: Uint32Array.of(0, 2),
  });
});

test('lists, exact integers, decimals and times of others are read, and bytes are named as lost', async (t) => {
  const { data, values, lost, remarks } = await layer(t, encodedFile);
  t.deepEqual(values, [
    ['apple', 7, 1.5, '{"a":1,"b":[1]}'],
    ['apply', 5, 2.5, null],
    ['ape', -3, -1, '{"a":null,"b":[]}'],
  ]);
  t.deepEqual(
    data.fields.map(({ type }) => type),
    ['string', 'integer64', 'real', 'json'],
  );
  t.deepEqual(lost, []);
  t.deepEqual(remarks, ["Lists and groups were read as JSON text: 'j'."]);
});

test('a table with times and numbers is series: other columns and rows without a time are named', async (t) => {
  const { data, lost, remarks, bad } = await read(t, 'series', 'ParquetReader', seriesFile);
  const chunks = [];
  for await (const chunk of data.chunks()) chunks.push(chunk);
  t.like(data.time, { spacing: 'equidistant', count: 3, interval: 3600, start: Date.UTC(2024, 0, 1) });
  t.like(data.items[0], { name: 'Level', unit: 'm', type: 'Float32' });
  t.deepEqual(chunks, [
    {
      firstStep: 0,
      offsets: numbers(0, 3600, 7200),
      values: [Float32Array.of(1.5, Number.NaN, 2), numbers(1, 2 ** 53, 4)],
    },
  ]);
  t.deepEqual(lost, [
    "Columns without numbers were left out: 'note'.",
    "Integers of 'count' were rounded to double precision.",
  ]);
  t.deepEqual(remarks, ["Times were read from the column 'time'."]);
  t.deepEqual(
    bad.map(({ reason }) => reason.message),
    ["Row 3 has no time in the column 'time'."],
  );
  const table = await read(t, 'series', 'GeoParquetReader', tableFile);
  t.deepEqual(
    table.data.items.map(({ name }) => name),
    ['big', 'price', 'u'],
  );
  t.deepEqual(table.remarks, ["Times were read from the column 'when', in UTC."]);
});

test('series come back with units, quantities, kinds of values and types', async (t) => {
  const items = [
    { name: 'Level', unit: 'm', eum: { item: 100000, unit: 1000 }, type: 'Float32', nodata: -1e-30 },
    { name: 'Level', type: 'Int16', nodata: -1, valueKind: 'stepAccumulated' },
    { name: 'count', type: 'Float64', integer64: 'Int64', nodata: -(2 ** 63), exactNodata: -(2n ** 63n) },
  ] as const;
  const time = { spacing: 'nonEquidistant', unit: 'hour', start: Date.UTC(2024, 0, 1), offsets: numbers(0, 1, 3) };
  const values = [
    Float32Array.of(1, -1e-30, 3),
    Int16Array.of(1, 2, -1),
    BigInt64Array.of(2n ** 60n, -(2n ** 63n), 0n),
  ];
  const series = {
    kind: 'series',
    items,
    time,
    async *chunks() {
      yield { firstStep: 0, offsets: time.offsets, values };
    },
  } as const;
  const { content, lost } = await written(t, series as never, 'GeoParquetWriter', { RowGroupRows: 100 });
  t.deepEqual(lost, []);
  const { columns } = await opened(content);
  t.deepEqual(
    columns.map(({ name }) => name),
    ['time', 'Level [m]', 'Level', 'count'],
  );
  const back = await read(t, 'series', 'GeoParquetReader', content);
  t.deepEqual(back.data.items as unknown, items);
  t.deepEqual(back.data.time as unknown, time);
  const chunks = [];
  for await (const chunk of back.data.chunks()) chunks.push(chunk);
  t.deepEqual(chunks as unknown, [{ firstStep: 0, offsets: time.offsets, values }]);
});

test('Parquet files are told by their content, and ParquetReader is the same reader', async (t) => {
  t.like(await detect(memory(pointFile)), { format: 'geoparquet' });
  t.is(findReader('ParquetReader'), findReader('GeoParquetReader'));
  t.is(readers.filter(({ format }) => format === 'geoparquet').length, 1);
  const error = await t.throwsAsync(read(t, 'features', 'GeoPackageReader', pointFile), { instanceOf: FormatError });
  t.regex(error.message, /It looks like a Parquet file\.$/);
});

test('damaged files end with a sentence that names the place', async (t) => {
  const cut = await t.throwsAsync(read(t, 'features', 'GeoParquetReader', pointFile.subarray(0, -6)), {
    instanceOf: FormatError,
  });
  t.regex(cut.message, /does not end with 'PAR1'.*\(at byte \d+\)$/);
  const features = Array.from(
    { length: 300 },
    (_, n): Feature => ({ values: [n], geometry: { type: 'Point', coordinates: numbers(n, n) } }),
  );
  const { content } = await written(
    t,
    layerOf(features, { fields: [{ name: 'n', type: 'integer' }] }),
    'GeoParquetWriter',
  );
  const damaged = Buffer.from(content);
  damaged.fill(0xff, 60, 120);
  const error = await t.throwsAsync(layer(t, damaged), { instanceOf: FormatError });
  t.regex(error.message, /The column 'n'.* \(at byte \d+\)$/);
});

test('a file without columns of items or without series is refused by the writer', async (t) => {
  const none = { kind: 'series', items: [], time: { spacing: 'pulled', unit: 'second' }, async *chunks() {} };
  await t.throwsAsync(written(t, none as never, 'GeoParquetWriter'), { instanceOf: ConversionError });
});

test('hostile files are read or refused with a sentence', async (t) => {
  const features = all.map((geometry, n): Feature => ({ geometry, id: n, values: [`text ${n}`, n, `{"a":${n}}`] }));
  const fields: FeatureCollection['fields'] = [
    { name: 'text', type: 'string' },
    { name: 'n', type: 'integer64' },
    { name: 'json', type: 'json' },
  ];
  const own = await written(t, layerOf(features, { fields, hasZ: true, hasM: true }), 'GeoParquetWriter');
  const files = [own.content, polygonFile, multipolygonFile, pointFile, seriesFile, tableFile, encodedFile];
  await mutate(t, 'GeoParquetReader', files, 3000);
});
