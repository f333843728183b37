import test, { type ExecutionContext } from 'ava';
import { zipEntries } from '../../src/files/formats/io/zip.ts';
import { readEntry } from '../../src/files/formats/io/zip-entry.ts';
import {
  asJson,
  collection,
  feature,
  geometryOf,
  type Json,
  jsonToJson,
  shapeToShape,
  toJson,
  toShape,
} from './features.ts';
import { type Asked, converted } from './files.ts';
import { shapefileOf } from './shapefiles.ts';

const point = (x: number, y: number, ...z: number[]) => geometryOf('Point', [x, y, ...z]);
const square = (x: number) =>
  geometryOf('Polygon', [
    [
      [x, 50],
      [x + 1, 50],
      [x + 1, 51],
      [x, 50],
    ],
  ]);
const wells = [
  feature(point(9, 50), { name: 'A', depth: 12, dug: '2020-01-31' }),
  feature(point(10, 50), { name: 'B', depth: 7.5, dug: null }),
];

interface Added {
  content: string | Uint8Array;
  from?: 'geojson' | 'shapefile';
  asked?: Partial<Asked>;
}

/** Appends to a GeoJSON dataset and returns the parsed output. */
async function toGeoJson(t: ExecutionContext, existing: string, { content, from = 'geojson', asked }: Added) {
  const converters = from === 'geojson' ? jsonToJson : toJson;
  return asJson(t, content, { ...converters, existing: { content: existing, format: 'geojson' }, ...asked });
}

/** Converts `existing` to a shapefile, appends to it, and returns the output as GeoJSON. */
async function toShapefile(
  t: ExecutionContext,
  existing: string | Buffer,
  { content, from = 'geojson', asked }: Added,
) {
  const before = typeof existing === 'string' ? (await converted(t, existing, toShape)).bytes : existing;
  const converters = from === 'geojson' ? toShape : shapeToShape;
  const grown = await converted(t, content, {
    ...converters,
    existing: { content: before, format: 'shapefile' },
    ...asked,
  });
  const { json, receipt } = await asJson(t, grown.bytes);
  return { ...grown, before, json, reread: receipt };
}

const rows = (json: Json) => json.features.map(({ properties }) => properties);

test('features are appended after those of the dataset, with its fields in its order; missing values are null', async (t) => {
  const added = collection([feature(point(11, 51), { depth: 3, name: 'C' }), feature(null, { dug: '2021-05-01' })]);
  const expected = [
    { name: 'A', depth: 12, dug: '2020-01-31' },
    { name: 'B', depth: 7.5, dug: null },
    { name: 'C', depth: 3, dug: null },
    { name: null, depth: null, dug: '2021-05-01' },
  ];
  for (const grow of [toGeoJson, toShapefile]) {
    const { json, receipt, spatialInformation, recordsRead, recordsWritten } = await grow(t, collection(wells), {
      content: added,
    });
    t.deepEqual(rows(json), expected, grow.name);
    t.deepEqual(
      json.features.map(({ geometry }) => geometry?.coordinates),
      [[9, 50], [10, 50], [11, 51], undefined],
    );
    t.deepEqual(receipt.appended, { present: 2, added: 2 });
    t.deepEqual([recordsRead, recordsWritten], [2, 2]);
    t.is(receipt.statistics.before?.kind === 'features' && receipt.statistics.before.features, 2, 'of the file');
    t.like(receipt.statistics.after, { features: 4, minimum: [9, 50], maximum: [11, 51] });
    t.regex(spatialInformation?.location ?? '', /9 51.*11 51/, 'of the whole');
    t.deepEqual(receipt.lost, []);
  }
});

test('features of any format can be appended to any: shapefile to GeoJSON, GeoJSON to shapefile, shapefile to shapefile', async (t) => {
  const file = (await converted(t, collection([feature(point(11, 51), { NAME: 'C', depth: 2 })]), toShape)).bytes;
  for (const grow of [toGeoJson, toShapefile]) {
    const { json, log } = await grow(t, collection(wells), { content: file, from: 'shapefile' });
    t.deepEqual(rows(json).at(-1), { name: 'C', depth: 2, dug: null });
    t.true(log.some(({ message }) => message.includes("'NAME' to 'name'")));
  }
});

test('features are reprojected to the coordinate system of the dataset, and the receipt says how', async (t) => {
  const utm = await asJson(t, collection(wells), {
    ...jsonToJson,
    transformations: [{ type: 'crsTransformation', outputSrid: 25832 }],
  });
  const { json, receipt, spatialInformation } = await toGeoJson(t, JSON.stringify(utm.json), {
    content: collection([feature(point(9, 51), { name: 'C' })]),
  });
  t.deepEqual([receipt.crs?.from, receipt.crs?.to], ['EPSG:4326', 'EPSG:25832']);
  t.regex(receipt.crs?.operation ?? '', /\.$/);
  t.is(spatialInformation?.srid, 25832);
  t.deepEqual(json.crs, utm.json.crs);
  const [x, y] = json.features[2]!.geometry!.coordinates as [number, number];
  // pyproj 3.7: EPSG:4326 to 25832
  t.true(Math.abs(x - 500000) < 0.001 && Math.abs(y - 5649824.6) < 1, `${x} ${y}`);

  const there = await toGeoJson(t, collection(wells), {
    content: JSON.stringify(utm.json),
    asked: { transformations: [{ type: 'crsTransformation', outputSrid: 3857 }] },
  });
  t.deepEqual([there.receipt.crs?.from, there.receipt.crs?.to], ['EPSG:25832', 'EPSG:4326'], 'there and back');
  t.deepEqual(there.json.features[3]!.geometry!.coordinates, [10, 50]);
});

test('an append ends with an error if only one side has a coordinate system', async (t) => {
  const nowhere = { crs: null };
  const content = collection([feature(point(1, 2), { name: 'C' })], nowhere);
  await t.throwsAsync(toGeoJson(t, collection(wells), { content }), {
    message:
      'The coordinate system of the input is not known, so the input cannot be reprojected to that of the dataset, EPSG:4326. Give SRID to the reader.',
  });
  await t.throwsAsync(toGeoJson(t, collection(wells, nowhere), { content: collection(wells) }), {
    message: 'The coordinate system of the dataset is not known, so data in EPSG:4326 cannot be appended to it.',
  });
  const both = await toGeoJson(t, collection(wells, nowhere), { content });
  t.is(both.json.features.length, 3);
});

test("a coordinate system that the file cannot store is taken from the dataset's metadata", async (t) => {
  const wkt =
    'PROJCRS["Site grid",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]]],CONVERSION["x",METHOD["Transverse Mercator"],PARAMETER["Latitude of natural origin",50],PARAMETER["Longitude of natural origin",9.3],PARAMETER["Scale factor at natural origin",1],PARAMETER["False easting",0],PARAMETER["False northing",0]],CS[Cartesian,2],AXIS["(E)",east],AXIS["(N)",north],LENGTHUNIT["metre",1]]';
  const site = collection([feature(point(100, 200), { name: 'A' })]);
  const { json } = await asJson(t, collection([feature(point(9.3, 50), { name: 'B' })]), {
    ...jsonToJson,
    existing: { content: site, format: 'geojson', crs: { wkt } },
  });
  t.deepEqual(json.features[0]!.geometry!.coordinates, [100, 200]);
  t.deepEqual(json.features[1]!.geometry!.coordinates, [0, 0]);
});

test('the error names fields that the dataset does not have', async (t) => {
  const content = collection([feature(point(1, 2), { name: 'C', owner: 'x', rate: 1 })]);
  for (const grow of [toGeoJson, toShapefile])
    await t.throwsAsync(grow(t, collection(wells), { content, asked: { onBadRecord: 'skip' } }), {
      message: "The dataset has no fields 'owner', 'rate'; it has 'name', 'depth', 'dug'.",
    });
  const none = await toGeoJson(t, collection([]), { content });
  t.deepEqual(rows(none.json), [{ name: 'C', owner: 'x', rate: 1 }], 'GeoJSON without features has no fields yet');
  await t.throwsAsync(toGeoJson(t, collection([feature(point(1, 2))]), { content }), {
    message: "The dataset has no fields 'name', 'owner', 'rate'; it has none.",
  });
});

test('fields are matched by name, then ignoring case; in a shapefile by the name truncated to ten bytes', async (t) => {
  const years = { population_2020: 1, population_2021: 2, Name: 'a' };
  const grown = await toShapefile(t, collection([feature(point(1, 2), years)]), {
    content: collection([feature(point(1, 2), { ...years, population_2020: 3, population_2021: 4 })]),
  });
  t.deepEqual(rows(grown.json), [
    { population: 1, populati_1: 2, Name: 'a' },
    { population: 3, populati_1: 4, Name: 'a' },
  ]);
  t.true(grown.log.some(({ message }) => message.includes("'population_2021' to 'populati_1'")));
  await t.throwsAsync(
    toShapefile(t, grown.bytes, { content: collection([feature(point(1, 2), { population_2021: 4 })]) }),
    {
      message:
        "The field 'population_2021' matches several fields of the dataset: 'population', 'populati_1'. Rename it to one of them.",
    },
  );
  const back = await toGeoJson(t, collection([feature(point(1, 2), years)]), {
    content: grown.bytes,
    from: 'shapefile',
  });
  t.deepEqual(rows(back.json).at(-1), { population_2020: 3, population_2021: 4, Name: 'a' });

  const cases = collection([feature(point(1, 2), { name: 1, Name: 2 })]);
  const exact = await toGeoJson(t, cases, { content: collection([feature(point(1, 2), { Name: 3 })]) });
  t.deepEqual(rows(exact.json)[1], { name: null, Name: 3 });
  await t.throwsAsync(toGeoJson(t, cases, { content: collection([feature(point(1, 2), { NAME: 3 })]) }), {
    message: /no field 'NAME'/,
  });
});

test('a value that does not fit its field is a bad record: an error with the value, or skipped and listed', async (t) => {
  const content = collection([
    feature(point(11, 50), { name: 'C', depth: 'deep' }),
    feature(point(12, 50), { name: 'D', depth: 4 }),
  ]);
  for (const grow of [toGeoJson, toShapefile]) {
    await t.throwsAsync(grow(t, collection(wells), { content }), {
      message: "Feature 1 has 'deep' in 'depth'; the field of the dataset holds numbers.",
    });
    const { json, receipt, recordsRead, recordsSkipped, recordsWritten, badRecords } = await grow(
      t,
      collection(wells),
      { content, asked: { onBadRecord: 'skip' } },
    );
    t.deepEqual(rows(json).at(-1), { name: 'D', depth: 4, dug: null });
    t.deepEqual([recordsRead, recordsSkipped, recordsWritten], [2, 1, 1]);
    t.deepEqual(receipt.appended, { present: 2, added: 1 });
    t.deepEqual(badRecords?.features[0]?.geometry, { type: 'Point', coordinates: [11, 50] });
  }
  const days = collection([feature(point(1, 2), { dug: 'long ago' })]);
  await t.throwsAsync(toShapefile(t, collection(wells), { content: days }), {
    message: "Feature 1 has 'long ago' in 'dug'; the field of the dataset holds dates.",
  });
  const flags = collection([feature(point(1, 2), { ok: true })]);
  await t.throwsAsync(toGeoJson(t, flags, { content: collection([feature(point(1, 2), { ok: 1 })]) }), {
    message: "Feature 1 has 1 in 'ok'; the field of the dataset holds booleans.",
  });
});

test('fields are widened to hold new values; in GeoJSON a date becomes text, and a field without values takes any type', async (t) => {
  const narrow = collection([feature(point(1, 2), { n: 5, s: 'a', x: 1.5 })]);
  const wide = { n: 123456.75, s: 'longer than before', x: 22222.125 };
  const grown = await toShapefile(t, narrow, { content: collection([feature(point(1, 2), wide)]) });
  t.deepEqual(rows(grown.json), [{ n: 5, s: 'a', x: 1.5 }, wide]);
  t.true(grown.log.some(({ message }) => message === "The field 'n' held integers; now it holds numbers."));

  const json = await toGeoJson(t, collection([feature(point(1, 2), { when: '2020-01-31', any: null, s: 'a' })]), {
    content: collection([feature(point(1, 2), { when: 'long ago', any: { a: [1] }, s: 5 })]),
  });
  t.deepEqual(rows(json.json), [
    { when: '2020-01-31', any: null, s: 'a' },
    { when: 'long ago', any: { a: [1] }, s: '5' },
  ]);
  t.true(json.receipt.lost.includes("1 values of 's' were converted to text, the type of the field in the dataset."));
});

/** Names, types and widths of the only table of a zip. */
async function tableOf(zip: Buffer): Promise<string[]> {
  const source = { size: zip.length, read: async (at: number, length: number) => zip.subarray(at, at + length) };
  const entry = (await zipEntries(source)).find(({ name }) => name.endsWith('.dbf'));
  const dbf = (await readEntry(source, entry!, 1 << 20))!;
  const columns = (dbf.readUInt16LE(8) - 33) / 32;
  return Array.from({ length: columns }, (_, n) => {
    const at = 32 + 32 * n;
    const name = dbf.toString('latin1', at, at + 11).replace(/\0.*$/s, '');
    return `${name} ${String.fromCharCode(dbf[at + 11]!)}(${dbf[at + 16]},${dbf[at + 17]})`;
  });
}

test('fields of a shapefile keep their types; widths stay or grow with the values; ids go to a field id', async (t) => {
  const columns = [
    { name: 'text', type: 'C', width: 80 },
    { name: 'count', type: 'N', width: 5 },
    { name: 'rate', type: 'N', width: 9, decimals: 3 },
    { name: 'flag', type: 'L', width: 1 },
    { name: 'day', type: 'D', width: 8 },
  ];
  const empty = shapefileOf({ columns, shapes: [[[[9, 50]]]], rows: [['', '', '', '', '']] });
  const nothing = await toShapefile(t, empty, { content: collection([feature(point(1, 2))]) });
  t.deepEqual(await tableOf(nothing.bytes), [
    'text C(80,0)',
    'count N(5,0)',
    'rate N(9,3)',
    'flag L(1,0)',
    'day D(8,0)',
  ]);
  const more = { text: 'x'.repeat(90), count: 1234567, rate: -12345.0625, flag: true, day: '2024-12-31' };
  const grown = await toShapefile(t, nothing.bytes, { content: collection([feature(point(1, 2), more)]) });
  t.deepEqual(await tableOf(grown.bytes), [
    'text C(90,0)',
    'count N(7,0)',
    'rate N(11,4)',
    'flag L(1,0)',
    'day D(8,0)',
  ]);
  t.deepEqual(rows(grown.json)[2], more);
  const id = await toShapefile(t, grown.bytes, { content: collection([feature(point(1, 2), {}, { id: 'seven' })]) });
  t.true(id.receipt.lost.includes("Ids of 1 features were left out: the dataset has no field 'id' for them."));

  const withIds = collection([feature(point(1, 2), { n: 1 }, { id: 'one' })]);
  const next = collection([feature(point(1, 2), { n: 2 }, { id: 'two' })]);
  t.deepEqual(rows((await toShapefile(t, withIds, { content: next })).json), [
    { n: 1, id: 'one' },
    { n: 2, id: 'two' },
  ]);
  const ids = (await toGeoJson(t, withIds, { content: next })).json.features.map(({ id }) => id);
  t.deepEqual(ids, ['one', 'two'], 'ids of GeoJSON stay ids');
});

test('a shapefile keeps its geometry type; a geometry that cannot be converted to it is a bad record', async (t) => {
  await t.throwsAsync(toShapefile(t, collection(wells), { content: collection([feature(square(5), { name: 'C' })]) }), {
    message: 'Feature 1 is a Polygon; the dataset can only hold Point.',
  });
  const one = collection([
    feature(geometryOf('MultiPoint', [[1, 2]]), { name: 'C' }),
    feature({ type: 'GeometryCollection', geometries: [point(3, 4)] }, { name: 'D' }),
    feature(square(5), { name: 'E' }),
  ]);
  const points = await toShapefile(t, collection(wells), { content: one, asked: { onBadRecord: 'skip' } });
  t.deepEqual(
    points.json.features.slice(2).map(({ geometry }) => geometry?.coordinates),
    [
      [1, 2],
      [3, 4],
    ],
  );
  t.is(points.recordsSkipped, 1);
  const many = collection([
    feature(
      geometryOf('MultiPoint', [
        [1, 2],
        [3, 4],
      ]),
      { name: 'A' },
    ),
  ]);
  const multi = await toShapefile(t, many, { content: collection([feature(point(5, 6), { name: 'B' })]) });
  t.deepEqual(multi.json.features[1]!.geometry, { type: 'MultiPoint', coordinates: [[5, 6]] });
  const mixed = await toGeoJson(t, collection(wells), { content: collection([feature(square(5), { name: 'C' })]) });
  t.is(mixed.json.features[2]!.geometry!.type, 'Polygon', 'GeoJSON holds all kinds');
  const empty = collection([feature(null, { name: 'A' })]);
  await t.throwsAsync(
    toShapefile(t, empty, { content: collection([feature(point(5, 6), { name: 'B' }), feature(square(5))]) }),
    { message: 'Feature 2 is a Polygon; the dataset can only hold Point.' },
    'the first geometry decides',
  );
});

test('a dataset with several layers cannot be appended to', async (t) => {
  const mixed = collection([...wells, feature(square(5), { name: 'C' })]);
  await t.throwsAsync(toShapefile(t, mixed, { content: collection(wells) }), {
    message: 'The dataset has several layers. Only a dataset with one layer can be appended to.',
  });
});

test('heights are kept in GeoJSON, and dropped with a reported loss in a shapefile without Z', async (t) => {
  const content = collection([feature(point(11, 51, 100), { name: 'C' })]);
  const json = await toGeoJson(t, collection(wells), { content });
  t.deepEqual(
    json.json.features.map(({ geometry }) => geometry!.coordinates),
    [
      [9, 50],
      [10, 50],
      [11, 51, 100],
    ],
  );
  const flat = await toShapefile(t, collection(wells), { content });
  t.deepEqual(flat.json.features[2]!.geometry!.coordinates, [11, 51]);
  t.true(flat.receipt.lost.includes('The dataset has no heights (Z); those of the added features were left out.'));
  const high = await toShapefile(t, content, { content: collection([feature(point(1, 2), { name: 'D' })]) });
  t.deepEqual(
    high.json.features.map(({ geometry }) => geometry!.coordinates),
    [
      [11, 51, 100],
      [1, 2, 0],
    ],
  );
});

test('a broken record of the existing dataset ends the append, even with onBadRecord skip', async (t) => {
  const broken = collection([...wells, feature({ type: 'Point', coordinates: ['x', 1] }, { name: 'C' })]);
  for (const existing of [broken, 'no GeoJSON', ''])
    await t.throwsAsync(
      toGeoJson(t, existing, {
        content: collection([feature(point(1, 2), { name: 'D' })]),
        asked: { onBadRecord: 'skip' },
      }),
      { message: /^The existing dataset cannot be read: / },
    );
});

test('a format without append ends with an error', async (t) => {
  const grid = 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n5\n';
  const asked = { reader: 'AsciiGridReader', writer: 'AsciiGridWriter' };
  await t.throwsAsync(converted(t, grid, { ...asked, existing: { content: grid, format: 'asciigrid' } }), {
    message: 'AsciiGridWriter cannot append.',
  });
});

test('progress covers existing and added features', async (t) => {
  const many = Array.from({ length: 5000 }, (_, n) => feature(point(n / 100, 50), { n }));
  const { progress } = await toGeoJson(t, collection(many), { content: collection(many) });
  t.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  t.true(progress.some((fraction) => fraction > 0.2 && fraction < 0.45));
  t.is(progress.at(-1), 1);
});
