import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { shapefileOf } from '../shapefiles.ts';
import { written } from '../written.ts';
import { gdalIndexed, gdalPlain } from './gdal-files.ts';

const toGis = { reader: 'GeoJsonReader', writer: 'GISWriter' };
const fromGis = { reader: 'GISReader', writer: 'GeoJsonWriter' };

interface Json {
  features: { id?: unknown; geometry: unknown; properties: Record<string, unknown> }[];
}

/** GeoJSON to the store and back; the features in the order of their property `n`. */
async function thereAndBack(t: ExecutionContext, text: string) {
  const there = await converted(t, text, toGis);
  const back = await converted(t, there.bytes, fromGis);
  const json = JSON.parse(back.bytes.toString('utf8')) as Json;
  return { there, back, features: json.features.toSorted((a, b) => Number(a.properties.n) - Number(b.properties.n)) };
}

async function featuresOf(data: FeatureCollection): Promise<Feature[]> {
  const all: Feature[] = [];
  for await (const chunk of data.chunks()) all.push(...chunk);
  return all;
}

const ring = (x: number) => [
  [x, 0],
  [x + 4, 0],
  [x + 4, 4],
  [x, 0],
];
const hole = [
  [1, 0.5],
  [2, 0.6],
  [2, 1],
  [1, 0.5],
].toReversed();
const geometries = [
  geometryOf('Point', [1, 2]),
  geometryOf('MultiPoint', [
    [1, 2],
    [3, 4],
  ]),
  geometryOf('LineString', [
    [0, 0],
    [5, 5],
  ]),
  geometryOf('MultiLineString', [
    [
      [0, 0],
      [5, 5],
    ],
    [
      [1, 0],
      [5, 6],
      [7, 8],
    ],
  ]),
  geometryOf('Polygon', [ring(0), hole]),
  geometryOf('MultiPolygon', [[ring(0), hole], [ring(10)]]),
  {
    type: 'GeometryCollection',
    geometries: [
      geometryOf('Point', [1, 2]),
      geometryOf('MultiPolygon', [[ring(0), hole], [ring(10)]]),
      {
        type: 'GeometryCollection',
        geometries: [
          geometryOf('LineString', [
            [0, 0],
            [5, 5],
          ]),
        ],
      },
    ],
  },
  null,
];

test('all geometry types, ids and values survive GeoJSON to store and back', async (t) => {
  const values = {
    text: 'Größe 漢字 🌊',
    whole: -7,
    real: 1.25,
    yes: true,
    day: '2024-02-29',
    time: '2024-02-29T12:30:00.5+01:00',
    nested: { a: [1, 'x', null] },
  };
  const none = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
  const features = geometries.map((geometry, n) =>
    feature(geometry, { n, ...(n % 2 === 0 ? values : none) }, n % 3 === 0 ? {} : { id: n * 10 }),
  );
  const { there, features: back } = await thereAndBack(t, collection(features));
  t.deepEqual(JSON.parse(JSON.stringify(back)), features);
  t.deepEqual(there.receipt.lost, []);
  const { data } = await read(t, 'features', 'GISReader', there.bytes);
  t.deepEqual(
    data.fields.map(({ name, type }) => `${name} ${type}`),
    [
      'n integer',
      'text string',
      'whole integer',
      'real real',
      'yes boolean',
      'day date',
      'time dateTime',
      'nested json',
    ],
  );
});

test('64-bit integers are exact; heights, measures and missing values are kept', async (t) => {
  const values = [9007199254740993n, -9223372036854775808n, 5, null];
  const one = (value: unknown, n: number): Feature => ({
    geometry: { type: 'LineString', coordinates: Float64Array.of(n, 1, Number.NaN, 4, n, 2, 6, Number.NaN) },
    values: [value],
  });
  const data: FeatureCollection = {
    kind: 'features',
    fields: [{ name: 'v', type: 'integer64' }],
    hasZ: true,
    hasM: true,
    crs: { authority: 'EPSG', code: 25832 },
    chunks: async function* () {
      yield values.map(one);
    },
  };
  const { content } = await written(t, data, 'GISWriter');
  const { data: back } = await read(t, 'features', 'GISReader', content);
  t.like(back, { hasZ: true, hasM: true, count: 4, crs: { authority: 'EPSG', code: 25832 } });
  const features = (await featuresOf(back)).toSorted(
    (a, b) => a.geometry!.coordinates[0]! - b.geometry!.coordinates[0]!,
  );
  t.deepEqual(
    features.map(({ geometry, values: [value] }) => ({ geometry: [...geometry!.coordinates], value })),
    [...values.map((value, n) => ({ geometry: [n, 1, Number.NaN, 4, n, 2, 6, Number.NaN], value }))],
  );
});

test('a value that does not fit its column widens the column, and earlier values are kept', async (t) => {
  const columns = {
    long: [1, 2 ** 40, -3],
    real: [1, 2.5, 9007199254740993n],
    text: [true, 5, 'five'],
    when: ['2024-01-01', 'soon', '2024/01/02'],
  };
  const types = { long: 'integer', real: 'integer', text: 'boolean', when: 'date' } as const;
  const data: FeatureCollection = {
    kind: 'features',
    fields: Object.entries(types).map(([name, type]) => ({ name, type })),
    hasZ: false,
    hasM: false,
    chunks: async function* () {
      yield [0, 1, 2].map((n) => ({
        id: n,
        geometry: { type: 'Point', coordinates: Float64Array.of(n, n) },
        values: Object.values(columns).map((column) => column[n]),
      }));
    },
  };
  const { content, lost } = await written(t, data, 'GISWriter');
  const { data: back } = await read(t, 'features', 'GISReader', content);
  t.deepEqual(
    back.fields.map(({ type }) => type),
    ['integer64', 'real', 'string', 'string'],
  );
  const features = (await featuresOf(back)).toSorted((a, b) => Number(a.id) - Number(b.id));
  t.deepEqual(
    features.map(({ values }) => values),
    [
      [1, 1, 'true', '2024-01-01'],
      [2 ** 40, 2.5, '5', 'soon'],
      [-3, 9007199254740992, 'five', '2024/01/02'],
    ],
  );
  t.true(lost.includes("1 integers of 'real' were rounded to double precision."));
  t.true(lost.includes("Values of 'text' were written as text, because they have different types."));
});

test('ids that are all texts or all numbers are kept; mixed ids become texts, and the receipt says so', async (t) => {
  const store = async (ids: unknown[]) => {
    const json = collection(ids.map((id) => feature(geometryOf('Point', [1, 2]), {}, id === null ? {} : { id })));
    const { bytes, receipt } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'GISWriter' });
    const back = await featuresOf((await read(t, 'features', 'GISReader', bytes)).data);
    return { ids: back.map(({ id }) => id ?? null), lost: receipt.lost };
  };
  for (const ids of [
    ['a', 'b'],
    [null, 'a', 'b'],
    [1, 2 ** 40],
  ]) {
    const { ids: back, lost } = await store(ids);
    t.deepEqual([back, lost], [ids, []]);
  }
  const mixed = await store([1, 'b']);
  t.deepEqual(mixed.ids, ['1', 'b']);
  t.deepEqual(mixed.lost, ["Values of 'id' were written as text, because they have different types."]);
});

test('the index has each feature once, and each node covers the boxes of its children', async (t) => {
  const points = Array.from({ length: 700 }, (_, n) =>
    feature(n === 300 ? null : geometryOf('Point', [(n * 37) % 101, (n * 53) % 97]), { n, text: 'x'.repeat(n % 50) }),
  );
  const { bytes } = await converted(t, collection(points), toGis);
  const start = 12 + bytes.readUInt32LE(8);
  const levels = [1, 3, 44, 700];
  const nodes = Array.from({ length: 748 }, (_, n) => {
    const at = start + 40 * n;
    return {
      box: [0, 8, 16, 24].map((k) => bytes.readDoubleLE(at + k)),
      offset: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
  let first = 0;
  for (const [level, size] of levels.slice(0, 3).entries()) {
    for (let n = 0; n < size; n++) {
      const { box, offset } = nodes[first + n]!;
      t.is(offset, first + size + 16 * n);
      const children = nodes.slice(offset, Math.min(offset + 16, first + size + levels[level + 1]!));
      for (const k of [0, 1]) {
        t.is(box[k], Math.min(...children.map((child) => child.box[k]!)));
        t.is(box[k + 2], Math.max(...children.map((child) => child.box[k + 2]!)));
      }
    }
    first += size;
  }
  // The features follow each other in the order of the leaves.
  let at = start + 40 * 748;
  for (const { offset } of nodes.slice(48)) {
    t.is(offset, at - start - 40 * 748);
    at += 4 + bytes.readUInt32LE(at);
  }
  t.is(at, bytes.length);
  const { data } = await read(t, 'features', 'GISReader', bytes);
  const back = await featuresOf(data);
  t.deepEqual(
    back.map(({ values: [n] }) => n as number).toSorted((a, b) => a - b),
    Array.from({ length: 700 }, (_, n) => n),
  );
  for (const [k, { geometry, values }] of back.entries()) {
    const { box } = nodes[48 + k]!;
    const n = Number(values[0]);
    t.deepEqual([...(geometry?.coordinates ?? [])], n === 300 ? [] : [(n * 37) % 101, (n * 53) % 97]);
    t.deepEqual(box.slice(0, 2), n === 300 ? [Infinity, Infinity] : [...geometry!.coordinates]);
  }
  // Neighbours in the file are neighbours on the map.
  const places = back.flatMap(({ geometry }) => (geometry === undefined ? [] : [[...geometry.coordinates]]));
  const steps = places.slice(1).map(([x, y], n) => Math.hypot(x! - places[n]![0]!, y! - places[n]![1]!));
  t.true(steps.reduce((sum, one) => sum + one, 0) / steps.length < 8);
});

test('GDAL files are read with and without index, and with any patch version', async (t) => {
  for (const file of [gdalIndexed, gdalPlain])
    for (const patch of [0, 1, 9]) {
      const bytes = Buffer.from(file);
      bytes[7] = patch;
      t.like(await detect(memory(bytes)), { format: 'gis' });
      const { data, lost } = await read(t, 'features', 'GISReader', bytes);
      t.deepEqual(lost, []);
      t.like(data, { name: 'mixed', hasZ: false, hasM: false, count: 4 });
      t.deepEqual(
        data.fields.map(({ name, type }) => `${name} ${type}`),
        ['n integer', 'big integer64', 'f real', 's string', 'ok boolean', 't dateTime'],
      );
      const features = (await featuresOf(data)).toSorted((a, b) => Number(b.values[1]) - Number(a.values[1]));
      t.deepEqual(
        features.map(({ values }) => values),
        [
          [1, 9007199254740993n, 1.5, 'ä', true, '2024-01-01T10:00:00'],
          [3, 2, null, '', true, null],
          [-2, 1, 2.5, null, false, '2024-01-02T00:00:00'],
          [4, -5, 0.25, 'x', true, '1999-12-31T23:59:59.500'],
        ],
      );
      const [point, multi, polygon, all] = features.map(({ geometry }) => geometry!);
      t.like(point, { type: 'Point', coordinates: Float64Array.of(1, 2) });
      t.like(polygon, { type: 'Polygon', parts: Uint32Array.of(0, 4) });
      t.deepEqual([...polygon!.coordinates.subarray(6, 10)], [0, 0, 1, 0.5]);
      t.like(multi, { type: 'MultiPolygon', parts: Uint32Array.of(0, 4), polygons: Uint32Array.of(0, 1) });
      t.deepEqual(
        all!.members!.map(({ type }) => type),
        ['Point', 'LineString'],
      );
    }
});

test('the header has the geometry type of a uniform layer, and none for a mixed one', async (t) => {
  const one = await converted(t, shapefileOf({ type: 5, shapes: [[ring(0).toReversed()]] }), {
    reader: 'ShapefileReader',
    writer: 'GISWriter',
  });
  t.deepEqual((await read(t, 'features', 'GISReader', one.bytes)).data.geometryTypes, ['Polygon', 'MultiPolygon']);
  const mixed = await converted(t, collection(geometries.map((geometry) => feature(geometry))), toGis);
  t.is((await read(t, 'features', 'GISReader', mixed.bytes)).data.geometryTypes!.length, 7);
});

/**
 * Ends of the parts in the only geometry of a store, as the vector of the FlatBuffer has them; undefined without the
 * vector.
 */
function endsOf(bytes: Buffer): number[] | undefined {
  const follow = (at: number) => at + bytes.readUInt32LE(at);
  const member = (table: number, slot: number) => {
    const vtable = table - bytes.readInt32LE(table);
    const at = 4 + 2 * slot < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + 4 + 2 * slot) : 0;
    return at === 0 ? undefined : follow(table + at);
  };
  // after the header and the index: a leaf and its root
  const feature = 12 + bytes.readUInt32LE(8) + 2 * 40;
  const ends = member(member(follow(feature + 4), 0)!, 0);
  return ends === undefined
    ? undefined
    : Array.from({ length: bytes.readUInt32LE(ends) }, (_, n) => bytes.readUInt32LE(ends + 4 + 4 * n));
}

test('lines of one part have the ends of their parts, without which older GDAL reads none', async (t) => {
  const line = [
    [0, 0],
    [5, 5],
    [7, 5],
  ];
  const stored = async (type: string, coordinates: unknown) =>
    endsOf((await converted(t, collection([feature(geometryOf(type, coordinates))]), toGis)).bytes);
  t.deepEqual(await stored('MultiLineString', [line]), [3]);
  t.deepEqual(await stored('MultiLineString', [line, line]), [3, 6]);
  t.is(await stored('LineString', line), undefined);
});

test('Shapefile to store and back keeps widths, dates, texts and geometries', async (t) => {
  const columns = [
    { name: 'text', type: 'C', width: 12 },
    { name: 'num', type: 'N', width: 8, decimals: 2 },
    { name: 'day', type: 'D', width: 8 },
  ];
  const shape = shapefileOf({
    type: 1,
    shapes: [[[[1.5, 2.5]]], [[[3, 4]]]],
    columns,
    rows: [
      ['ä', '1.25', '20240229'],
      ['b', '', ''],
    ],
  });
  const there = await converted(t, shape, { reader: 'ShapefileReader', writer: 'GISWriter' });
  const direct = await read(t, 'features', 'ShapefileReader', shape);
  const { data } = await read(t, 'features', 'GISReader', there.bytes);
  t.deepEqual(data.fields, direct.data.fields);
  t.deepEqual(
    (await featuresOf(data)).map(({ geometry, values }) => [geometry, values]),
    (await featuresOf(direct.data)).map(({ geometry, values }) => [geometry, values]),
  );
});

test('stores without features, without geometries and with empty geometries are read back', async (t) => {
  const { features: none, there } = await thereAndBack(t, collection([]));
  t.deepEqual(none, []);
  t.like(await detect(memory(there.bytes)), { format: 'gis' });
  const empty = [feature(geometryOf('Point', []), { n: 1 }), feature(null, { n: 2 })];
  const { features, there: second } = await thereAndBack(t, collection(empty));
  t.deepEqual(
    features.map(({ geometry }) => geometry),
    [null, null],
  );
  t.deepEqual(second.receipt.lost, ['1 geometries without vertices became null or were left out of their collection.']);
});

test('appended features match fields by name, keep ids, and are reprojected to the dataset', async (t) => {
  const wells = (x: number, properties: object, id: number) =>
    feature(geometryOf('Point', [x, 50]), properties, { id });
  const existing = await converted(t, collection([wells(9, { name: 'A', n: 1 }, 5)]), toGis);
  const grown = await converted(t, collection([wells(10, { N: 2 }, 6)]), {
    ...toGis,
    existing: { content: existing.bytes, format: 'gis' },
  });
  const { bytes } = await converted(t, grown.bytes, fromGis);
  const { features } = JSON.parse(bytes.toString('utf8')) as Json;
  t.deepEqual(
    features
      .map(({ id, properties }) => ({ id, ...properties }))
      .toSorted((a, b) => (a.id as number) - (b.id as number)),
    [
      { id: 5, name: 'A', n: 1 },
      { id: 6, name: null, n: 2 },
    ],
  );
  const line = collection([
    feature(
      geometryOf('LineString', [
        [0, 0],
        [1, 1],
      ]),
      { n: 3 },
    ),
  ]);
  await t.throwsAsync(converted(t, line, { ...toGis, existing: { content: existing.bytes, format: 'gis' } }), {
    message: /Feature 1 is a LineString; the dataset can only hold Point/,
  });
  const mixed = await converted(t, collection(geometries.map((geometry, n) => feature(geometry, { n }))), toGis);
  const more = await converted(t, collection([feature(geometries[6], { n: 9 })]), {
    ...toGis,
    existing: { content: mixed.bytes, format: 'gis' },
  });
  t.is((await featuresOf((await read(t, 'features', 'GISReader', more.bytes)).data)).length, 9);
});

test('reprojection sets the coordinate system of the store; an item filter keeps the chosen field', async (t) => {
  const { bytes, receipt } = await converted(t, collection([feature(geometryOf('Point', [9, 50]), { a: 1, b: 2 })]), {
    ...toGis,
    transformations: [
      { type: 'crsTransformation', outputSrid: 25832 },
      { type: 'itemFilterTransformation', itemFilter: { names: ['b'] } },
    ],
  });
  t.is(receipt.crs?.to, 'EPSG:25832');
  const { data } = await read(t, 'features', 'GISReader', bytes);
  t.like(data, { crs: { authority: 'EPSG', code: 25832 }, fields: [{ name: 'b' }] });
  const [{ geometry }] = (await featuresOf(data)) as [Feature];
  t.true(Math.abs(geometry!.coordinates[0]! - 500_000) < 1e-3);
});

test('a truncated file or one of another version is refused with the offset', async (t) => {
  const refused = async (bytes: Uint8Array, message: RegExp) =>
    t.throwsAsync(async () => featuresOf((await read(t, 'features', 'GISReader', bytes)).data), { message });
  await refused(Buffer.from('fgb\x02fgb\0xxxxxxxx', 'latin1'), /version 2; only 3 can be read.*at byte 3/);
  await refused(Buffer.from('{"type":"FeatureCollection","features":[]}'), /does not begin with 'fgb'.*GeoJSON/);
  await refused(
    gdalPlain.subarray(0, gdalPlain.length - 3),
    /A feature claims \d+ bytes; the file has \d+\. \(at byte/,
  );
  await refused(gdalIndexed.subarray(0, 500), /claims \d+ bytes|index of 4 features ends|claims 4 features/);
  const huge = Buffer.from(gdalPlain);
  huge.writeUInt32LE(0xfffffff0, 8);
  await refused(huge, /The header claims 4294967280 bytes/);
});

test('seeded mutations of a store are read or end with an expected error', async (t) => {
  const { bytes } = await converted(
    t,
    collection(geometries.map((geometry, n) => feature(geometry, { n, t: 'x' }))),
    toGis,
  );
  await mutate(t, 'GISReader', [gdalIndexed, gdalPlain, bytes], 6000);
});
