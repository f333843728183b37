import test from 'ava';
import { asJson, collection, feature, geometryOf, jsonToJson } from './features.ts';
import { shapefileOf } from './shapefiles.ts';

const square = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
];

test('outer rings run counter-clockwise, holes clockwise, and all are closed', async (t) => {
  const hole = [
    [0.2, 0.2],
    [0.4, 0.2],
    [0.4, 0.4],
    [0.2, 0.4],
    [0.2, 0.2],
  ];
  const { json } = await asJson(
    t,
    collection([feature(geometryOf('Polygon', [square, hole])), feature(geometryOf('Polygon', [square.slice(0, 4)]))]),
    jsonToJson,
  );
  t.deepEqual(json.features[0]!.geometry?.coordinates, [square.toReversed(), hole.toReversed()]);
  t.deepEqual(json.features[1]!.geometry?.coordinates, [
    [
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
      [1, 0],
    ],
  ]);
});

test('degrees have seven decimals, other coordinates fifteen digits; values have all their digits', async (t) => {
  const shapes = [[[[10.123456789012, -0.00000001]]]];
  const degrees = await asJson(t, shapefileOf({ shapes }));
  t.deepEqual(degrees.json.features[0]!.geometry?.coordinates, [10.1234568, 0]);
  const numbers = [500000.12345678901, 5400000.1, 0.1 + 0.2, -1e-9, 1e20, 123456789012345.6];
  for (const n of [0, 2, 4]) {
    const [x, y] = [numbers[n]!, numbers[n + 1]!];
    const { json } = await asJson(t, shapefileOf({ shapes: [[[[x, y]]]] }), { readerParameters: { SRID: 25832 } });
    t.deepEqual(json.features[0]!.geometry?.coordinates, [Number(x.toPrecision(15)), Number(y.toPrecision(15))]);
  }
  const values = { a: 0.1 + 0.2, b: 1 / 3, c: 5e-324, d: 1.7976931348623157e308, e: -123456.789, f: 1e21, g: 0.000123 };
  t.deepEqual((await asJson(t, collection([feature(null, values)]), jsonToJson)).json.features[0]!.properties, values);
});

test('a real field stays real when the text is read back', async (t) => {
  const columns = [{ name: 'r', type: 'N', width: 8, decimals: 2 }];
  const { text } = await asJson(t, shapefileOf({ shapes: [[[[1, 2]]]], columns, rows: [['5.00']] }));
  t.true(text.includes('"r":5.0}'), text);
});

test('a coordinate that is not finite is a bad record', async (t) => {
  const shapes = [[[[Number.POSITIVE_INFINITY, 1]]], [[[1, 2]]]];
  await t.throwsAsync(asJson(t, shapefileOf({ shapes })), { message: /^Feature 1 has the coordinate Infinity/ });
  const { json, recordsSkipped } = await asJson(t, shapefileOf({ shapes }), { onBadRecord: 'skip' });
  t.deepEqual([json.features.length, recordsSkipped], [1, 1]);
});
