import test from 'ava';
import { asJson, collection, feature, geometryOf, thereAndBack, toShape } from './features.ts';
import { converted } from './files.ts';

const point = geometryOf('Point', [1, 2]);
const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];
const hole = [
  [0.5, 0.2],
  [0.7, 0.3],
  [0.7, 0.2],
  [0.5, 0.2],
];

test('geometries of each type are the same after writing and reading, with heights and null geometries', async (t) => {
  for (const geometries of [
    [point, null, geometryOf('Point', [3, 4])],
    [null, geometryOf('Point', [1, 2, 3])],
    [
      geometryOf('MultiPoint', [
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ],
    [
      geometryOf('LineString', [
        [1, 2],
        [3, 4],
      ]),
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
    ],
    [
      geometryOf('Polygon', [ring, hole]),
      geometryOf('MultiPolygon', [[ring, hole], [ring.map(([x, y]) => [x! + 9, y!])]]),
    ],
    [geometryOf('Polygon', [ring.map(([x, y]) => [x, y, 7.5])])],
    [null, null],
  ]) {
    const { back } = await thereAndBack(t, collection(geometries.map((one) => feature(one))));
    t.deepEqual(back.features.map(({ geometry }) => geometry) as unknown[], geometries);
  }
});

test('mixed geometry types become one shapefile each, with a suffix, and the receipt says so', async (t) => {
  const text = collection(
    [
      point,
      geometryOf('LineString', [
        [1, 2],
        [3, 4],
      ]),
      geometryOf('Polygon', [ring]),
      geometryOf('MultiPoint', [[1, 2]]),
      point,
    ].map((one, n) => feature(one, { n })),
    { name: 'mix' },
  );
  const { bytes, receipt } = await converted(t, text, toShape);
  const numbers = async (Layer: string) =>
    (await asJson(t, bytes, { readerParameters: { Layer } })).json.features.map(({ properties }) => properties.n);
  t.deepEqual(await numbers('mix_point'), [0, 4]);
  t.deepEqual(await numbers('mix_multipoint'), [3]);
  t.deepEqual(await numbers('mix_line'), [1]);
  t.deepEqual(await numbers('mix_polygon'), [2]);
  t.true(
    receipt.lost.includes(
      'A shapefile holds one kind of geometry, so the zip has one for each of point, multipoint, line, polygon. Features keep their order within each.',
    ),
  );
});

test('a geometry collection is split by type, and the receipt says so', async (t) => {
  const members = [
    point,
    geometryOf('Point', [3, 4]),
    geometryOf('LineString', [
      [1, 2],
      [3, 4],
    ]),
  ];
  const { bytes, receipt } = await converted(
    t,
    collection([feature({ type: 'GeometryCollection', geometries: members }, { a: 5 })], { name: 'c' }),
    toShape,
  );
  const read = async (Layer: string) => (await asJson(t, bytes, { readerParameters: { Layer } })).json.features[0]!;
  t.deepEqual(
    await read('c_multipoint'),
    feature(
      geometryOf('MultiPoint', [
        [1, 2],
        [3, 4],
      ]),
      { a: 5 },
    ) as never,
  );
  t.deepEqual((await read('c_line')).properties, { a: 5 });
  t.true(receipt.lost.some((sentence) => sentence.startsWith('1 geometry collections were split')));
});

test('fields are as wide as their values, which are read back exactly', async (t) => {
  const rows = [
    { text: 'Fluß', i: 7, l: 12345678901, r: 1.5, e: 1e-20, b: true, d: '2024-02-29', z: 0 },
    { text: null, i: -123456, l: -9007199254740991, r: -1234567.891, e: 0.1 + 0.2, b: false, d: null, z: -1 },
    { text: '日本語'.repeat(20), i: null, l: 5, r: 1e-7, e: 1.7976931348623157e308, b: null, d: '1999-12-31', z: 99 },
  ];
  const { back, lost } = await thereAndBack(t, collection(rows.map((row) => feature(point, row))));
  t.deepEqual(
    back.features.map(({ properties }) => properties),
    rows,
  );
  t.deepEqual(lost, []);
});

test('integers beyond 2^53 keep their digits', async (t) => {
  const text = `{"type":"Feature","geometry":null,"properties":{"a":9223372036854775807,"b":-9223372036854775808}}`;
  const { bytes } = await converted(t, text, toShape);
  t.regex((await asJson(t, bytes)).bytes.toString(), /"a":9223372036854775807,"b":-9223372036854775808/);
});

test('names are truncated to ten bytes between characters and made unique, and the receipt says so', async (t) => {
  const properties = {
    Straßenname: 1,
    name_of_the_first: 2,
    name_of_the_second: 3,
    NAME_OF_THE_THIRD: 4,
    aaaaaaaaaä: 5,
    ok: 6,
  };
  const { back, lost } = await thereAndBack(t, collection([feature(point, properties)]));
  t.deepEqual(back.features[0]!.properties, {
    Straßenna: 1,
    name_of_th: 2,
    name_of__1: 3,
    NAME_OF__2: 4,
    aaaaaaaaa: 5,
    ok: 6,
  });
  t.true(lost.some((sentence) => sentence.includes("'name_of_the_second' became 'name_of__1'")));
});

test('long texts are truncated between characters, times and nested values become text, and the receipt says so', async (t) => {
  const rows = [
    { long: `a${'ä'.repeat(300)}`, at: '2024-05-06T07:08:09Z', nested: { a: [1, 2] }, mixed: 1 },
    { long: 'x', at: '2024-05-06', nested: [], mixed: 'x' },
  ];
  const { back, lost } = await thereAndBack(t, collection(rows.map((row) => feature(point, row))));
  t.deepEqual(
    back.features.map(({ properties }) => properties),
    [
      { long: `a${'ä'.repeat(126)}`, at: '2024-05-06T07:08:09Z', nested: '{"a":[1,2]}', mixed: '1' },
      { long: 'x', at: '2024-05-06', nested: '[]', mixed: 'x' },
    ],
  );
  t.true(lost.includes("1 values of 'long' were cut to 254 bytes."));
  t.true(lost.some((sentence) => sentence.startsWith("Times of 'at' were written as text")));
  t.true(lost.includes("Nested values of 'nested' were written as JSON text."));
});

test('ids are written to a field; without any field, a counter is added', async (t) => {
  const ids = await thereAndBack(
    t,
    collection([feature(point, { a: 1 }, { id: 'x' }), feature(point, { a: 2 }, { id: 'yy' })]),
  );
  t.deepEqual(
    ids.back.features.map(({ properties }) => properties),
    [
      { a: 1, id: 'x' },
      { a: 2, id: 'yy' },
    ],
  );
  const none = await thereAndBack(t, collection([feature(point), feature(point)]));
  t.deepEqual(
    none.back.features.map(({ properties }) => properties),
    [{ FID: 0 }, { FID: 1 }],
  );
});

test('the coordinate system is written to the .prj file; the receipt reports an unknown one', async (t) => {
  const crs = { type: 'name', properties: { name: 'EPSG:25832' } };
  const { back } = await thereAndBack(t, collection([feature(geometryOf('Point', [500000, 5500000]))], { crs }));
  t.deepEqual(back.crs, { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } });
  const unknown = await thereAndBack(t, collection([feature(point)], { crs: null }));
  t.true(unknown.lost.includes('The coordinate system is not known, so there is no .prj file.'));
});

test('vertices without height get 0 in a layer with heights, and the receipt says so', async (t) => {
  const { back, lost } = await thereAndBack(
    t,
    collection([
      feature(
        geometryOf('LineString', [
          [1, 2, 3],
          [4, 5],
        ]),
      ),
    ]),
  );
  t.deepEqual(back.features[0]!.geometry?.coordinates, [
    [1, 2, 3],
    [4, 5, 0],
  ]);
  t.true(lost.includes('1 vertices have no height (Z); the shapefile has 0 there.'));
});

test('the file is named after the layer, with characters that are valid on all systems', async (t) => {
  const { back } = await thereAndBack(t, collection([feature(point)], { name: '../a:b\\c?' }));
  t.is(back.name, '_a_b_c_');
});
