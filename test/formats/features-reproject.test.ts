import test from 'ava';
import { asJson, collection, feature, geometryOf, jsonToJson, toShape } from './features.ts';
import { converted } from './files.ts';

const to = (outputSrid: number | string, more = {}) => ({
  ...jsonToJson,
  transformations: [{ type: 'crsTransformation', outputSrid, ...more }],
});

test('crsTransformation moves every vertex, and the receipt names both systems and the operation', async (t) => {
  const text = collection([
    feature(
      geometryOf('LineString', [
        [9, 50],
        [10, 51, 100],
      ]),
    ),
    feature(null),
    feature({ type: 'GeometryCollection', geometries: [geometryOf('Point', [9, 50])] }),
  ]);
  const { json, receipt, spatialInformation } = await asJson(t, text, to(25832));
  const [[x0, y0], [x1, y1, z1]] = json.features[0]!.geometry!.coordinates as [
    [number, number],
    [number, number, number],
  ];
  const near = (value: number, wanted: number) => t.true(Math.abs(value - wanted) < 0.001, `${value} ${wanted}`);
  // pyproj 3.7 (PROJ 9.5): EPSG:4326 to 25832.
  near(x0, 500000);
  near(y0, 5538630.7028);
  near(x1, 570168.8619);
  near(y1, 5650300.7869);
  t.is(z1, 100);
  const members = json.features[2]!.geometry!.geometries as { coordinates: number[] }[];
  near(members[0]!.coordinates[1]!, 5538630.7028);
  t.deepEqual([receipt.crs?.from, receipt.crs?.to], ['EPSG:4326', 'EPSG:25832']);
  t.regex(receipt.crs!.operation!, /\.$/);
  t.deepEqual(receipt.statistics.before?.kind, 'features');
  t.is(spatialInformation?.srid, 25832);
  const back = await asJson(t, JSON.stringify(json), to('EPSG:4326'));
  t.deepEqual(back.json.features[0]!.geometry!.coordinates, [
    [9, 50],
    [10, 51, 100],
  ]);
});

test('a point that cannot be transformed ends the conversion, or is skipped and listed with its location', async (t) => {
  const text = collection([
    feature(geometryOf('Point', [9, 50]), { n: 1 }),
    feature(
      geometryOf('LineString', [
        [9, 50],
        [0, 91],
      ]),
      { n: 2 },
    ),
    feature(geometryOf('Point', [9, 51]), { n: 3 }),
  ]);
  await t.throwsAsync(asJson(t, text, to(3857)), {
    message: /^Feature 2 has the point \(0, 91\), which cannot be transformed to WGS 84 \/ Pseudo-Mercator\./,
  });
  const { json, recordsSkipped, recordsWritten, recordsRead, badRecords } = await asJson(t, text, {
    ...to(3857),
    onBadRecord: 'skip',
  });
  t.deepEqual(
    json.features.map(({ properties }) => properties.n),
    [1, 3],
  );
  t.deepEqual([recordsRead, recordsSkipped, recordsWritten], [3, 1, 2]);
  t.deepEqual(badRecords?.features[0]?.geometry, { type: 'Point', coordinates: [0, 91] });
  t.is(badRecords?.features[0]?.properties.record, 2);
});

test('the receipt reports features that cross the antimeridian or contain a pole', async (t) => {
  const utm1 = { type: 'name', properties: { name: 'EPSG:32601' } };
  const crossing = collection(
    [
      feature(
        geometryOf('LineString', [
          [100000, 100000],
          [300000, 100000],
        ]),
      ),
    ],
    { crs: utm1 },
  );
  const { receipt } = await asJson(t, crossing, to(4326));
  t.true(receipt.lost.some((sentence) => sentence.startsWith('1 features cross the antimeridian')));
  const polar = { type: 'name', properties: { name: 'EPSG:3413' } };
  const ring = [
    [-1e6, -1e6],
    [1e6, -1e6],
    [1e6, 1e6],
    [-1e6, 1e6],
    [-1e6, -1e6],
  ];
  const around = await asJson(t, collection([feature(geometryOf('Polygon', [ring]))], { crs: polar }), to(4326));
  t.true(around.receipt.lost.some((sentence) => sentence.startsWith('1 features contain a pole')));
});

test('inputSrid overrides the file; without any coordinate system, crsTransformation ends with an error', async (t) => {
  const point = feature(geometryOf('Point', [500000, 5538630.7028]));
  const { json } = await asJson(t, collection([point]), to(4326, { inputSrid: 25832 }));
  t.deepEqual(json.features[0]!.geometry!.coordinates, [9, 50]);
  await t.throwsAsync(asJson(t, collection([point], { crs: null }), to(4326)), {
    message: /^The coordinate system of the input is not known/,
  });
});

test('only features with heights are reprojected to or from a geocentric system', async (t) => {
  const high = collection([feature(geometryOf('Point', [10, 55, 40]))]);
  const there = await asJson(t, high, to(4978));
  const [x, y, z] = there.json.features[0]!.geometry!.coordinates as number[];
  t.deepEqual([Math.round(x!), Math.round(y!), Math.round(z!)], [3610912, 636701, 5201416]);
  const message = "'WGS 84' is geocentric: features without heights (Z) cannot be reprojected.";
  await t.throwsAsync(asJson(t, collection([feature(geometryOf('Point', [10, 55]))]), to(4978)), { message });
  const flat = collection([feature(geometryOf('Point', [3610912, 636701]))]);
  await t.throwsAsync(asJson(t, flat, to(4326, { inputSrid: 4978 })), { message });
});

test('progress rises to the end, and a cancelled conversion stops', async (t) => {
  const many = collection(Array.from({ length: 2000 }, (_, n) => feature(geometryOf('Point', [n / 100, 0]), { n })));
  const { progress } = await converted(t, many, toShape);
  t.is(progress.at(-1), 1);
  t.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  const abort = new AbortController();
  const running = converted(t, many, { ...toShape, signal: abort.signal });
  abort.abort();
  await t.throwsAsync(running, { name: 'AbortError' });
});

test('the receipt reports features beyond the area of use of the target, and features across the antimeridian', async (t) => {
  const told = async (points: number[][], outputSrid: number) => {
    const text = collection([feature(geometryOf('LineString', points))]);
    const transformations = [{ type: 'crsTransformation', outputSrid }];
    const { receipt } = await asJson(t, text, { ...jsonToJson, transformations });
    return receipt.lost.join(' ');
  };
  const within = [
    [10, 50],
    [11, 51],
  ];
  const far = /1 features extend beyond the area of use of .* \(longitude \S+ to \S+, latitude \S+ to \S+\)/;
  t.notRegex(await told(within, 3857), /extend beyond|antimeridian/);
  t.regex(await told([...within, [11, -90]], 3857), far);
  t.regex(await told([...within, [40, 50]], 25832), /1 features extend beyond the area of use of ETRS89/);
  const over = [
    [179, 50],
    [-179, 51],
  ];
  t.regex(await told(over, 3857), /1 features cross the antimeridian/);
});
