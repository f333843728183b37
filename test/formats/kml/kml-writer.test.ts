import test from 'ava';
import type { Feature } from '../../../src/files/data/feature-collection.ts';
import { converted } from '../files.ts';
import { read } from '../read.ts';

const featureCollection = (features: readonly object[], more: object = {}) =>
  JSON.stringify({
    type: 'FeatureCollection',
    name: 'Zones',
    ...more,
    features: features.map((one) => ({ type: 'Feature', ...one })),
  });
const toKml = (t: Parameters<typeof converted>[0], text: string, more: object = {}) =>
  converted(t, text, { reader: 'GeoJsonReader', writer: 'KmlWriter', ...more });

async function readBack(t: Parameters<typeof read>[0], bytes: Uint8Array) {
  const { data, ...receipt } = await read(t, 'features', 'KmlReader', bytes);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  return { data, features, ...receipt };
}

const everything = featureCollection([
  {
    id: 'f1',
    properties: {
      name: 'A & <B>',
      kind: ' "x" \r\n ü',
      n: 7,
      x: 0.1,
      yes: true,
      none: null,
      day: '2024-02-29',
      deep: { a: [1] },
      whole: 9007199254740993n.toString(),
    },
    geometry: { type: 'Point', coordinates: [11.123456789012, 52, 3.5] },
  },
  {
    id: 5,
    properties: { name: null, kind: '' },
    geometry: {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4, 5],
      ],
    },
  },
  {
    properties: {},
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [0, 9],
          [9, 9],
          [0, 0],
        ],
        [
          [1, 2],
          [2, 3],
          [1, 3],
          [1, 2],
        ],
      ],
    },
  },
  {
    properties: {},
    geometry: {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
        [
          [
            [5, 5],
            [6, 5],
            [6, 6],
            [5, 5],
          ],
        ],
      ],
    },
  },
  {
    properties: {},
    geometry: {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
  },
  {
    properties: {},
    geometry: {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        {
          type: 'LineString',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      ],
    },
  },
  { properties: {}, geometry: null },
]);

test('fields, ids, heights and geometries survive, and the receipt names what KML cannot hold', async (t) => {
  const { bytes, text, receipt } = await toKml(t, everything);
  const { data, features, lost, bad } = await readBack(t, bytes);
  t.deepEqual([lost, bad], [[], []]);
  t.is(data.name, 'Zones');
  t.deepEqual(
    data.fields.map(({ name, type }) => `${name} ${type}`),
    ['name string', 'kind string', 'n integer', 'x real', 'yes boolean', 'day string', 'deep string', 'whole string'],
  );
  t.deepEqual(features[0], {
    id: 'f1',
    geometry: { type: 'Point', coordinates: Float64Array.of(11.123456789012, 52, 3.5) },
    values: ['A & <B>', ' "x" \r\n ü', 7, 0.1, true, '2024-02-29', '{"a":[1]}', '9007199254740993'],
  });
  t.deepEqual(features[1], {
    geometry: { type: 'LineString', coordinates: Float64Array.of(1, 2, Number.NaN, 3, 4, 5) },
    values: [null, '', null, null, null, null, null, null],
  });
  // the outer ring counter-clockwise, the hole clockwise
  t.deepEqual(
    [...features[2]!.geometry!.coordinates.filter((_, n) => n % 3 < 2)],
    [0, 0, 9, 9, 0, 9, 0, 0, 1, 2, 1, 3, 2, 3, 1, 2],
  );
  t.deepEqual(
    features.map(({ geometry }) => geometry?.type),
    ['Point', 'LineString', 'Polygon', 'MultiPolygon', 'MultiPoint', 'GeometryCollection', undefined],
  );
  t.regex(text, /<altitudeMode>absolute<\/altitudeMode><coordinates>11.123456789012,52,3.5</);
  t.deepEqual(receipt.lost, [
    'KML has no type for dates, times, large integers and nested values; these fields became texts: day, deep.',
    'The ids of 1 features are no names of XML, as KML needs them; they were dropped.',
  ]);
});

test('other coordinate systems are transformed to WGS 84, and the receipt says so', async (t) => {
  const text = featureCollection([{ properties: {}, geometry: { type: 'Point', coordinates: [500_000, 5_800_000] } }], {
    crs: { type: 'name', properties: { name: 'EPSG:25832' } },
  });
  const { bytes, receipt } = await toKml(t, text);
  const { features } = await readBack(t, bytes);
  const [x = 0, y = 0] = features[0]!.geometry!.coordinates;
  t.true(Math.abs(x - 9) < 1e-9 && Math.abs(y - 52.350_293_35) < 1e-6, `${x} ${y}`);
  t.regex(receipt.lost.join(), /KML is in WGS 84 \(EPSG:4326\): coordinates in .* were transformed\./);
});

test('LayerName names the document; a field called NAME is kept beside the name', async (t) => {
  const { bytes, text } = await toKml(t, featureCollection([{ properties: { NAME: 'a' }, geometry: null }]), {
    writerParameters: { LayerName: 'Lakes' },
  });
  t.regex(text, /<Document>\n<name>Lakes<\/name>/);
  const { data, features } = await readBack(t, bytes);
  t.deepEqual(
    data.fields.map(({ name }) => name),
    ['name', 'NAME'],
  );
  t.deepEqual(features[0]!.values, ['a', 'a']);
});

test('characters that XML cannot hold are replaced, and a file without features is written', async (t) => {
  const { bytes, receipt } = await toKml(t, featureCollection([{ properties: { a: 'x\u0001y' }, geometry: null }]));
  t.regex(bytes.toString('utf8'), />x\ufffdy</);
  t.regex(receipt.lost.join(), /1 texts have characters that XML cannot hold/);
  const empty = await toKml(t, featureCollection([]));
  t.is((await readBack(t, empty.bytes)).features.length, 0);
});

test('an unknown coordinate system is kept and named', async (t) => {
  const { receipt } = await toKml(t, featureCollection([{ properties: {}, geometry: null }], { crs: null }));
  t.regex(receipt.lost.join(), /coordinate system is not known/);
});
