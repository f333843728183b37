import test from 'ava';
import { asJson, collection, feature, geometryOf, jsonToJson, toShape } from './features.ts';
import { converted } from './files.ts';
import { shapefileOf, shpOf, zipOf } from './shapefiles.ts';

const point = geometryOf('Point', [1, 2]);
const read = (t: Parameters<typeof asJson>[0], text: string | Uint8Array, more = {}) =>
  asJson(t, text, { ...jsonToJson, ...more });

test('a FeatureCollection, a Feature, a geometry and sequences of them are read', async (t) => {
  const one = JSON.stringify(feature(point, { a: 1 }));
  const two = JSON.stringify(feature(geometryOf('Point', [3, 4]), { a: 2 }));
  const pretty = JSON.stringify(feature(point, { a: 1 }), null, 2);
  for (const [text, count] of [
    [collection([feature(point, { a: 1 })]), 1],
    [one, 1],
    [JSON.stringify(point), 1],
    [`\ufeff${one}`, 1],
    [`${one}\n${two}\n`, 2],
    [`${one}\r\n\r\n${two}`, 2],
    [`\x1e${one}\n\x1e${two}\n`, 2],
    [`\x1e${pretty}\n\x1e${pretty}\n`, 2],
    [`${JSON.stringify(point)}\n${JSON.stringify(point)}\n`, 2],
    [`${collection([feature(point), feature(point)])}\n${one}`, 3],
    [collection([]), 0],
    ['{"features":[],"type":"FeatureCollection"}', 0],
  ] as const) {
    const { json } = await read(t, text);
    t.is(json.features.length, count, text);
    for (const { geometry } of json.features) t.is(geometry?.type, 'Point');
  }
});

test('names in a file lose the controls that change the direction of text, and stay different', async (t) => {
  const properties = { 'a\u202eb': 1, ab: 2, 'c\u2066': 3, 'd\u200f': 4 };
  const { json, receipt } = await read(t, collection([feature(point, properties)], { name: 'lay\u202eer' }));
  t.is((json as { name?: string }).name, 'layer');
  t.deepEqual(json.features[0]?.properties, { ab_2: 1, ab: 2, c: 3, 'd\u200f': 4 });
  t.deepEqual(receipt.remarks, [
    'Characters that change the direction of text were removed from a name in the file (3 times).',
  ]);
});

test('geometries of all types keep their coordinates, with members in any order, heights, and empty ones', async (t) => {
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const geometries = [
    point,
    geometryOf('LineString', [
      [1, 2],
      [3, 4],
    ]),
    geometryOf('Polygon', [ring]),
    geometryOf('MultiPoint', [[1, 2]]),
    geometryOf('MultiLineString', [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ]),
    geometryOf('MultiPolygon', [[ring], [ring]]),
    {
      type: 'GeometryCollection',
      geometries: [
        point,
        geometryOf('LineString', [
          [1, 2],
          [3, 4],
        ]),
      ],
    },
    geometryOf('Point', []),
    geometryOf('LineString', []),
    null,
  ];
  const { json } = await read(t, collection(geometries.map((one) => feature(one))));
  t.deepEqual(json.features.map(({ geometry }) => geometry) as unknown[], geometries);
  const turned = '{"geometry":{"coordinates":[[1,2,3],[4,5]],"type":"LineString"},"properties":null,"type":"Feature"}';
  const back = await read(t, turned);
  t.deepEqual(back.json.features[0]!.geometry?.coordinates, [
    [1, 2, 3],
    [4, 5],
  ]);
  const four = await read(t, collection([feature(geometryOf('Point', [1, 2, 3, 4]))]));
  t.deepEqual(four.json.features[0]!.geometry?.coordinates, [1, 2, 3]);
  t.true(four.receipt.lost.some((sentence) => sentence.includes('more than three numbers')));
});

test('properties keep their values: large integers, all digits, texts with escapes, nested ones as JSON', async (t) => {
  const properties =
    '{"big":12345678901234567890,"i":9007199254740993,"r":0.1234567890123456789,"e":1.5e-10,"t":"a\\"\\\\\\n\\u00e9\\ud83d\\ude00é","n":{"x":[1,{"y":null}], "z":12345678901234567890},"l":[1,2],"b":true,"o":null,"neg":-0.5}';
  const text = `{"type":"Feature","properties":${properties},"geometry":null}`;
  const { bytes, json } = await read(t, text);
  const out = bytes.toString('utf8');
  for (const part of [
    '"big":12345678901234567890,',
    '"i":9007199254740993,',
    '"z":12345678901234567890}',
    '"e":1.5e-10,',
  ])
    t.true(out.includes(part), `${part} in ${out}`);
  const plain = JSON.parse(properties) as Record<string, unknown>;
  t.deepEqual(json.features[0]!.properties, plain);
});

test('the schema has the fields of all features, in order of first appearance; missing values are null', async (t) => {
  const { json } = await read(
    t,
    collection([feature(point, { a: 1 }), feature(point, { b: 'x', a: 2 }), feature(point, null)]),
  );
  t.deepEqual(
    json.features.map(({ properties }) => properties),
    [
      { a: 1, b: null },
      { a: 2, b: 'x' },
      { a: null, b: null },
    ],
  );
  t.deepEqual(Object.keys(json.features[1]!.properties), ['a', 'b']);
});

test('ids and the name stay; foreign members are reported as lost', async (t) => {
  const text = collection(
    [feature(point, {}, { id: 'x1', bbox: [1, 2, 1, 2] }), feature(point, {}, { id: 7, colour: 'red' })],
    {
      name: 'Flüsse',
      title: 'x',
    },
  );
  const { json, receipt } = await read(t, text);
  t.deepEqual(
    json.features.map(({ id }) => id),
    ['x1', 7],
  );
  t.is(json.name, 'Flüsse');
  t.true(receipt.lost.includes('Foreign members were left out: title, colour.'));
});

test('a named crs member is read; a link or an unknown name is refused; null means an unknown coordinate system', async (t) => {
  const withCrs = (crs: unknown) => collection([feature(point)], { crs });
  const named = (name: string) => withCrs({ type: 'name', properties: { name } });
  for (const [text, from] of [
    [collection([]), 'EPSG:4326'],
    [named('urn:ogc:def:crs:OGC:1.3:CRS84'), 'EPSG:4326'],
    [named('urn:ogc:def:crs:EPSG::25832'), 'EPSG:25832'],
    [named('urn:ogc:def:crs:EPSG:9.6:25832'), 'EPSG:25832'],
    [named('EPSG:3857'), 'EPSG:3857'],
    [named('http://www.opengis.net/def/crs/EPSG/0/2154'), 'EPSG:2154'],
    [withCrs({ type: 'EPSG', properties: { code: 31467 } }), 'EPSG:31467'],
    [withCrs(null), undefined],
  ] as const)
    t.is((await read(t, text)).receipt.crs?.from, from, text);
  const link = withCrs({ type: 'link', properties: { href: 'http://example.com/crs' } });
  await t.throwsAsync(read(t, link), { message: /^The crs member is a link, which is not supported/ });
  await t.throwsAsync(read(t, named('urn:ogc:def:crs:MARS::1')), {
    message: /^The crs member .* is not known\. Give SRID/,
  });
  t.is((await read(t, link, { readerParameters: { SRID: 25832 } })).receipt.crs?.from, 'EPSG:25832');
});

test('the error for invalid GeoJSON has the offset', async (t) => {
  for (const [text, message] of [
    ['', /^The file is empty/],
    ['hello', /^The file is not GeoJSON: it does not begin with '\{'/],
    ['[1,2]', /^The file is not GeoJSON/],
    ['{"type":"Feature"', /^The GeoJSON is incomplete\. \(at byte 17\)/],
    ['{"type":"FeatureCollection"}', /^The FeatureCollection has no member 'features'/],
    ['{"type":"Topology","objects":{}}', /^'Topology' is not a GeoJSON type/],
    ['{"a":1}', /^The object is not GeoJSON: it has no member 'type'/],
    ['{"type":"FeatureCollection","features":{}}', /not an array/],
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":tru},"geometry":null}]}',
      /^Expected true.*at byte \d+/,
    ],
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1.2.3},"geometry":null}]}',
      /Expected ',' or '\}', but found '\.'/,
    ],
    ['{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":"\\x"},"geometry":null}]}', /escape/],
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature" "geometry":null}]}',
      /Expected ',' or '\}', but found '"'/,
    ],
    [
      `{"type":"FeatureCollection","features":[{"type":"Feature","x":${'['.repeat(600)}${']'.repeat(600)}}]}`,
      /nested more than 500 deep/,
    ],
    ['{"type":"FeatureCollection","features":[]} x', /The file is not GeoJSON/],
  ] as const)
    await t.throwsAsync(read(t, text), { message }, text.slice(0, 100));
});

test('a feature with an invalid geometry ends the conversion, or is skipped and listed', async (t) => {
  const wrong = [
    [geometryOf('Circle', [1, 2]), "'Circle' is not a geometry type"],
    [geometryOf('Point', [1]), 'A position has 1 numbers'],
    [geometryOf('Point', ['a', 2]), 'A position is not an array of numbers'],
    [geometryOf('LineString', [1, 2]), 'A position is not an array of numbers'],
    [geometryOf('Polygon', [[1, 2]]), 'A position is not an array of numbers'],
    [{ type: 'Point' }, 'A Point has no coordinates'],
    ['x', 'A geometry is not an object'],
  ] as const;
  const text = collection([
    feature(point, { n: 0 }),
    ...wrong.map(([geometry]) => feature(geometry)),
    feature(point, { n: 9 }),
  ]);
  await t.throwsAsync(read(t, text), { message: /^Feature 2: 'Circle' is not a geometry type\. \(at byte \d+\)/ });
  const { json, recordsSkipped, badRecords } = await read(t, text, { onBadRecord: 'skip' });
  t.deepEqual(
    json.features.map(({ properties }) => properties.n),
    [0, 9],
  );
  t.is(recordsSkipped, wrong.length);
  for (const [n, [, why]] of wrong.entries())
    t.true(String(badRecords?.features[n]?.properties.reason).includes(why), why);
});

test('features across chunk boundaries of a large file are read correctly', async (t) => {
  const long = 'ä"\\x'.repeat(200_000);
  const many = Array.from({ length: 3000 }, (_, n) =>
    feature(
      geometryOf(
        'LineString',
        Array.from({ length: 20 }, (__, i) => [n / 7, i * 1.1234567]),
      ),
      { n, s: `x${n}ü` },
    ),
  );
  many.push(feature(point, { n: -1, s: long }));
  const { json, recordsRead } = await read(t, collection(many));
  t.is(recordsRead, 3001);
  t.deepEqual(
    json.features.map(({ properties }) => properties.n),
    many.map((one) => (one.properties as { n: number }).n),
  );
  t.is(json.features.at(-1)?.properties.s, long);
});

test('strings that are not UTF-8 are decoded as Windows-1252, and the receipt says so', async (t) => {
  const text = Buffer.from(collection([feature(point, { a: 'größe' })]), 'latin1');
  const { json, receipt } = await read(t, text);
  t.is(json.features[0]!.properties.a, 'größe');
  t.true(receipt.lost.some((sentence) => sentence.includes('Windows-1252')));
});

test('a conversion without features makes an empty shapefile and an empty collection', async (t) => {
  const { bytes } = await converted(t, collection([]), toShape);
  t.deepEqual((await asJson(t, bytes)).json.features, []);
});

test('the error for a file of another format names that format', async (t) => {
  const shapefile = shapefileOf({ shapes: [[[[1, 2]]]] });
  const cases = [
    [
      'GeoJsonReader',
      '{"type":"Topology","objects":{},"arcs":[]}',
      /'Topology' is not .*It looks like a TopoJSON file/,
    ],
    ['GeoJsonReader', shapefile, /does not begin with '\{'.* It looks like a zip with a Shapefile/],
    ['GeoJsonReader', '<?xml version="1.0"?><kml><Document/></kml>', /It looks like a KML file/],
    ['GeoJsonReader', '', /The file is empty/],
    ['ShapefileReader', '{"type":"FeatureCollection","features":[]}', /It looks like a GeoJSON file/],
    ['ShapefileReader', shpOf(1, [[[[1, 2]]]]).shp, /It looks like a single \.shp file \(put it into a zip/],
    ['ShapefileReader', zipOf([{ name: 'a.tif', bytes: Buffer.from('x') }]), /It looks like a zip with TIFF images/],
    [
      'ShapefileReader',
      zipOf([{ name: 'a.txt', bytes: Buffer.from('x') }]),
      /^The zip contains no shapefile \(\.shp\)\.$/,
    ],
    ['ShapefileReader', '', /The file is empty/],
  ] as const;
  for (const [reader, bytes, message] of cases)
    await t.throwsAsync(read(t, bytes as string, { reader }), { message }, `${reader} ${message}`);
});

test('Esri JSON is named', async (t) => {
  const one = '{"attributes":{"a":1},"geometry":{"x":1,"y":2}}';
  for (const text of [
    `{"displayFieldName":"","geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},"features":[${one}]}`,
    `{"features":[${one}]}`,
    '{"features":[{"geometry":{"rings":[[[0,0],[0,1],[1,1],[0,0]]]},"attributes":{}}]}',
    '{"hasZ":false,"spatialReference":{"latestWkid":25832},"features":[]}',
  ])
    await t.throwsAsync(asJson(t, text, { reader: 'GeoJsonReader' }), { message: /^The file is Esri JSON/ }, text);
  const paths = { type: 'FeatureCollection', features: [], geometry: { paths: 1 }, attributes: {} };
  t.is((await asJson(t, JSON.stringify(paths), { reader: 'GeoJsonReader' })).recordsRead, 0);
});
