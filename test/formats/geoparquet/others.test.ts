import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import type { Series, SeriesChunk } from '../../../src/files/data/series.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { physical } from '../../../src/files/formats/geoparquet/parquet/constants.ts';
import { readFooter } from '../../../src/files/formats/geoparquet/parquet/footer.ts';
import { geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { memory, read } from '../read.ts';
import { written } from '../written.ts';
import { geometryColumn, geoOf, type MadeColumn, madeParquet, wkbPoint } from './made-parquet.ts';

async function layer(t: ExecutionContext, bytes: Uint8Array) {
  const { data, ...said } = await read(t, 'features', 'GeoParquetReader', bytes);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  return { ...said, data, features };
}

async function series(t: ExecutionContext, bytes: Uint8Array) {
  const { data, ...said } = await read(t, 'series', 'GeoParquetReader', bytes);
  const chunks: SeriesChunk[] = [];
  for await (const chunk of data.chunks()) chunks.push(chunk);
  return { ...said, data, chunks };
}

test('an id that a double cannot hold keeps its digits', async (t) => {
  const fid: MadeColumn = { path: ['fid'], type: physical.int64, values: [7, 2n ** 60n + 1n] };
  const bytes = await madeParquet([fid, geometryColumn(wkbPoint(1, 2), wkbPoint(1, 2))], {
    geo: geoOf({}),
    'gdal:schema': '{"fid":"fid"}',
  });
  t.deepEqual(
    (await layer(t, bytes)).features.map(({ id }) => id),
    [7, '1152921504606846977'],
  );
});

test('of a covering only groups are no fields, and triangles are polygons', async (t) => {
  const corners = [0, 0, 1, 0, 0, 1, 0, 0];
  const triangle = Buffer.alloc(13 + 64);
  triangle.writeUInt8(1, 0);
  triangle.writeUInt32LE(17, 1);
  triangle.writeUInt32LE(1, 5);
  triangle.writeUInt32LE(4, 9);
  for (const [n, corner] of corners.entries()) triangle.writeDoubleLE(corner, 13 + 8 * n);
  const columns = (group: boolean): MadeColumn[] => [
    { path: group ? ['box', 'xmin'] : ['box'], type: physical.double, values: [1] },
    geometryColumn(triangle),
  ];
  const geo = geoOf({ covering: { bbox: { xmin: ['box', 'xmin'] } }, geometry_types: ['Triangle'] });
  for (const group of [true, false]) {
    const { data, remarks } = await layer(t, await madeParquet(columns(group), { geo }));
    t.deepEqual(
      data.fields.map(({ name }) => name),
      group ? [] : ['box'],
    );
    t.deepEqual(data.geometryTypes, ['Polygon']);
    t.deepEqual(remarks, []);
  }
});

/** Series as this library writes them, with other columns under the same description. */
async function edited(t: ExecutionContext, columns: (first: number) => readonly MadeColumn[]) {
  const start = Date.UTC(2024, 0, 1);
  const given: Series = {
    kind: 'series',
    items: [
      { name: 'Level', unit: 'm', type: 'Float32' },
      { name: 'count', type: 'Int32' },
    ],
    time: { spacing: 'equidistant', unit: 'hour', start, count: 3, offset: 0, interval: 1 },
    async *chunks() {
      yield {
        firstStep: 0,
        offsets: Float64Array.of(0, 1, 2),
        values: [Float32Array.of(1, 2, 3), Int32Array.of(4, 5, 6)],
      };
    },
  };
  const { content } = await written(t, given, 'GeoParquetWriter');
  t.like((await series(t, content)).data.time, given.time);
  const { keyValues } = await readFooter(memory(content));
  return await series(t, await madeParquet(columns(start * 1000), Object.fromEntries(keyValues)));
}

const hour = 3_600_000_000;
const times = (...values: number[]): MadeColumn => ({
  path: ['time'],
  type: physical.int64,
  annotation: { 8: { type: 'struct', value: timestamp } },
  values,
});
/** Microseconds without a zone. */
const timestamp = {
  1: { type: 'bool', value: false },
  2: { type: 'struct', value: { 2: { type: 'struct', value: {} } } },
} as const;

test('series that another program has changed have its times and its new columns', async (t) => {
  const { data, chunks, lost, remarks } = await edited(t, (start) => [
    times(start + hour, start + 2 * hour, start + 3 * hour),
    { path: ['Level [m]'], type: physical.float, values: [1, null, 3] },
    { path: ['count'], type: physical.int32, values: [4, null, 6] },
    { path: ['Flow [m3/s]'], type: physical.double, values: [7, 8, 9] },
    { path: ['note'], type: physical.bytes, values: [Buffer.from('x'), null, null] },
  ]);
  t.like(data.time, { spacing: 'nonEquidistant', unit: 'hour', offsets: Float64Array.of(1, 2, 3) });
  t.deepEqual(
    data.items.map(({ name, unit, type }) => [name, unit, type]),
    [
      ['Level', 'm', 'Float32'],
      ['count', undefined, 'Int32'],
      ['Flow', 'm^3/s', 'Float64'],
    ],
  );
  t.deepEqual(chunks[0]?.values, [Float32Array.of(1, Number.NaN, 3), Int32Array.of(4, 0, 6), Float64Array.of(7, 8, 9)]);
  t.deepEqual(lost, [
    "Columns without numbers were left out: 'note'.",
    "The column 'count' has rows without a value, which became 0.",
  ]);
  t.deepEqual(remarks, []);
});

test('an integer of more than 64 bits becomes a double, with a sentence', async (t) => {
  const data: FeatureCollection = {
    kind: 'features',
    fields: [{ name: 'n', type: 'integer64' }],
    hasZ: false,
    hasM: false,
    async *chunks() {
      yield [{ values: [2n ** 70n + 1n] }, { values: [5] }];
    },
  };
  const { content, lost } = await written(t, data, 'GeoParquetWriter');
  t.deepEqual(lost, ["1 integers of 'n' were rounded to double precision."]);
  t.deepEqual(
    (await layer(t, content)).features.map(({ values }) => [...values]),
    [[2 ** 70], [5]],
  );
});

test('infinite heights stay out of the box of the metadata', async (t) => {
  const data: FeatureCollection = {
    kind: 'features',
    fields: [],
    hasZ: true,
    hasM: false,
    async *chunks() {
      yield [{ values: [], geometry: { type: 'Point', coordinates: Float64Array.of(1, 2, Number.POSITIVE_INFINITY) } }];
    },
  };
  const { content } = await written(t, data, 'GeoParquetWriter');
  const { keyValues } = await readFooter(memory(content));
  t.deepEqual(JSON.parse(keyValues.get('geo')!).columns.geometry.bbox, [1, 2, 1, 2]);
});

test('only times that were moved to UTC are said to be', async (t) => {
  const point = geometryOf('Point', [1, 2]);
  for (const [time, said] of [
    ['2024-01-01T00:00:00Z', false],
    ['2024-01-01T00:00:00+01:00', true],
  ] as const) {
    const text = JSON.stringify({
      type: 'Feature',
      properties: { time },
      geometry: { type: point.type, coordinates: [1, 2] },
    });
    const { receipt } = await converted(t, text, { reader: 'GeoJsonReader', writer: 'GeoParquetWriter' });
    t.is(receipt.remarks.includes("Times of 'time' were written in UTC."), said);
  }
});

/** A file that has nothing but metadata. */
const onlyMetadata = (...metadata: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(metadata);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from('PAR1'), bytes, length, Buffer.from('PAR1')]);
};
/** 2,097,152 elements. */
const many = Buffer.of(0xfc, 0x80, 0x80, 0x80, 1);

test('metadata of millions of empty elements are refused before they fill the memory', async (t) => {
  const elements = Buffer.alloc(2 ** 21);
  const schema = onlyMetadata(Buffer.of(0x29), many, elements, Buffer.of(0x16, 0, 0x19, 0x0c, 0));
  const root = Buffer.of(0x29, 0x1c, 0x48, 1, 0x61, 0x15, 0, 0, 0x16, 0);
  const groups = onlyMetadata(
    root,
    Buffer.of(0x19),
    many,
    Buffer.alloc(3 * 2 ** 21, Buffer.of(0x36, 0, 0)),
    Buffer.of(0),
  );
  for (const bytes of [schema, groups])
    await t.throwsAsync(read(t, 'features', 'GeoParquetReader', bytes), {
      instanceOf: FormatError,
      message: /a list has 2097152 elements; the limit is \d+/,
    });
});
