import test from 'ava';
import { ConversionError } from '../../src/files/errors.ts';
import { asJson, collection, feature, geometryOf, jsonToJson } from './features.ts';
import { bandsOf, converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { placed, tiffFile } from './tiff-file.ts';

const within = (geometry: string, SRID?: unknown) => [
  { type: 'spatialFilterTransformation', spatialFilter: { geometry, SRID } },
];
const box = (west: number, south: number, east: number, north: number) =>
  `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
const tiffToTiff = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };

/** Plane features by name, to compare those that pass the filter. */
const plane = { crs: { type: 'name', properties: { name: 'EPSG:25832' } } };
const scene: Record<string, unknown> = {
  inside: geometryOf('Point', [2, 2]),
  outside: geometryOf('Point', [20, 2]),
  onBorder: geometryOf('Point', [10, 5]),
  onCorner: geometryOf('Point', [0, 0]),
  inHole: geometryOf('Point', [5, 5]),
  onHole: geometryOf('Point', [4, 5]),
  oneOfTwo: geometryOf('MultiPoint', [
    [50, 50],
    [1, 1],
  ]),
  through: geometryOf('LineString', [
    [-5, 3],
    [15, 3],
  ]),
  beside: geometryOf('LineString', [
    [-5, 11],
    [11, 11],
    [11, -5],
  ]),
  touching: geometryOf('LineString', [
    [10, 10],
    [20, 20],
  ]),
  lineInHole: geometryOf('LineString', [
    [4.5, 4.5],
    [5.5, 5.5],
  ]),
  around: geometryOf('Polygon', [
    [
      [-50, -50],
      [50, -50],
      [50, 50],
      [-50, 50],
      [-50, -50],
    ],
  ]),
  aroundWithHole: geometryOf('Polygon', [
    [
      [-50, -50],
      [50, -50],
      [50, 50],
      [-50, 50],
      [-50, -50],
    ],
    [
      [-1, -1],
      [-1, 11],
      [11, 11],
      [11, -1],
      [-1, -1],
    ],
  ]),
  collection: { type: 'GeometryCollection', geometries: [geometryOf('Point', [99, 99]), geometryOf('Point', [9, 9])] },
  nothing: null,
};
const features = collection(
  Object.entries(scene).map(([name, geometry]) => feature(geometry, { name })),
  plane,
);
const withHole = 'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (4 4, 4 6, 6 6, 6 4, 4 4))';

async function named(t: Parameters<typeof asJson>[0], transformations: unknown[], text = features) {
  const { json, ...rest } = await asJson(t, text, { ...jsonToJson, transformations });
  return { names: json.features.map(({ properties }) => properties.name), json, ...rest };
}

test('features that intersect the filter are kept unclipped and in order', async (t) => {
  const { names, json, receipt, recordsRead, recordsWritten } = await named(t, within(withHole));
  t.deepEqual(names, [
    'inside',
    'onBorder',
    'onCorner',
    'onHole',
    'oneOfTwo',
    'through',
    'touching',
    'around',
    'collection',
  ]);
  t.deepEqual(json.features[5]!.geometry, scene.through as never, 'nothing is cut');
  t.deepEqual([recordsRead, recordsWritten], [15, 9]);
  t.is(receipt.statistics.before?.kind === 'features' && receipt.statistics.before.features, 15);
  t.is(receipt.statistics.after?.kind === 'features' && receipt.statistics.after.features, 9);
});

test('a filter may have points, lines, polygons or a collection, also as EWKT and in any letter case', async (t) => {
  const kept = async (wkt: string) => (await named(t, within(wkt))).names;
  t.deepEqual(await kept('point z (2 2 7)'), ['inside', 'around']);
  t.deepEqual(await kept('SRID=25832;MULTIPOINT ((5 5), 20 2)'), [
    'outside',
    'inHole',
    'lineInHole',
    'around',
    'aroundWithHole',
  ]);
  t.deepEqual(await kept('LINESTRING (20 0, 20 20)'), ['outside', 'touching', 'around', 'aroundWithHole']);
  t.deepEqual(await kept('MULTIPOLYGON (((1 1, 3 1, 3 3, 1 3, 1 1)), ((19 1, 21 1, 21 2, 19 2, 19 1)))'), [
    'inside',
    'outside',
    'oneOfTwo',
    'through',
    'around',
    'aroundWithHole',
  ]);
  t.deepEqual(await kept('GEOMETRYCOLLECTION (POINT (5 5), POLYGON ((19 1, 21 1, 21 3, 19 1)))'), [
    'outside',
    'inHole',
    'lineInHole',
    'around',
    'aroundWithHole',
  ]);
});

test('a point next to an edge by one unit in the last place does not intersect it', async (t) => {
  // Rounded cross products would place them on the line from (0, 0) to (3, 1). As doubles, 0.1 is more than 0.3 / 3.
  const beside = (x: number, y: number, name: string) => feature(geometryOf('Point', [x, y]), { name });
  const text = collection(
    [
      beside(1.5, 0.5, 'on'),
      beside(1.5, 0.5 + 2 ** -53, 'above'),
      beside(1.5, 0.5 - 2 ** -54, 'below'),
      beside(0.3, 0.1, 'decimal'),
    ],
    plane,
  );
  t.deepEqual((await named(t, within('POLYGON ((0 0, 3 1, 3 -1, 0 0))'), text)).names, ['on', 'below']);
  t.deepEqual((await named(t, within('LINESTRING (0 0, 3 1)'), text)).names, ['on']);
});

test('a filter that no feature intersects ends the conversion, except for an empty layer', async (t) => {
  await t.throwsAsync(named(t, within(box(500, 500, 501, 501))), {
    instanceOf: ConversionError,
    message: 'None of the 15 features intersects the spatial filter.',
  });
  t.deepEqual((await named(t, within(box(0, 0, 1, 1)), collection([], plane))).names, []);
});

test('a filter in another system is transformed to that of the data, with curved edges', async (t) => {
  // the parallel 60° N from 0° to 20° E in LAEA Europe is up to 39 km from the straight line between its ends (pyproj
  // 3.7)
  const text = collection(
    [
      feature(geometryOf('Point', [4321000, 4099900]), { name: 'south of the parallel' }),
      feature(geometryOf('Point', [4321000, 4120000]), { name: 'between parallel and chord' }),
    ],
    { crs: { type: 'name', properties: { name: 'EPSG:3035' } } },
  );
  const { names } = await named(t, within('POLYGON ((0 40, 20 40, 20 60, 0 60, 0 40))', 4326), text);
  t.deepEqual(names, ['south of the parallel']);
});

test('a filter across 180° finds features on both sides, and a filter around a pole finds all longitudes', async (t) => {
  const at = (lon: number, lat: number) => feature(geometryOf('Point', [lon, lat]), { name: `${lon} ${lat}` });
  const text = collection([at(179, -17), at(-179, -17), at(0, -17), at(-170, 80), at(95, 88), at(0, 60)]);
  t.deepEqual((await named(t, within(box(178, -18, 182, -16)), text)).names, ['179 -17', '-179 -17']);
  // Fiji's grid, and a square around the north pole
  const fiji = await named(t, within(box(1700000, 3700000, 2300000, 4200000), 3460), text);
  t.deepEqual(fiji.names, ['179 -17', '-179 -17']);
  const pole = await named(t, within(box(-1500000, -1500000, 1500000, 1500000), 3413), text);
  t.deepEqual(pole.names, ['-170 80', '95 88']);
});

test('a filter that cannot be transformed to the system of the data ends the conversion with the point', async (t) => {
  const error = await t.throwsAsync(named(t, within(box(-180, -90, 180, 90), 4326)), { instanceOf: ConversionError });
  t.regex(
    error!.message,
    /point \(.+\) of the spatial filter cannot be transformed to ETRS89 \/ UTM zone 32N|is torn apart/,
  );
});

test('a filter with very many parts is transformed; one that the projection tears apart ends the conversion', async (t) => {
  const text = collection([feature(geometryOf('Point', [9.5, 50.5]), { name: 'in' })]);
  const squares = Array.from({ length: 5000 }, (_, n) => {
    const [x, y] = [400000 + 5000 * (n % 100), 5500000 + 5000 * Math.floor(n / 100)];
    return `((${x} ${y}, ${x + 4999} ${y}, ${x + 4999} ${y + 4999}, ${x} ${y + 4999}, ${x} ${y}))`;
  });
  const many = await named(t, within(`MULTIPOLYGON (${squares.join(', ')})`, 25832), text);
  t.deepEqual(many.names, ['in']);
  const mercator = collection([feature(geometryOf('Point', [0, 0]), { name: 'x' })], {
    crs: { type: 'name', properties: { name: 'EPSG:3857' } },
  });
  await t.throwsAsync(named(t, within(box(170, -20, 190, 20), 4326), mercator), {
    instanceOf: ConversionError,
    message:
      /^The geometry of the spatial filter is torn apart in WGS 84 \/ Pseudo-Mercator, the coordinate system of the data, near the point \(180, /,
  });
});

test('filters and reprojections are applied in the order of the request', async (t) => {
  const text = collection([
    feature(geometryOf('Point', [9, 50]), { name: 'a' }),
    feature(geometryOf('Point', [10, 51]), { name: 'b' }),
  ]);
  const utm = [{ type: 'crsTransformation', outputSrid: 25832 }];
  const near = box(499999, 5538000, 500001, 5539000);
  t.deepEqual((await named(t, [...utm, ...within(near)], text)).names, ['a']);
  t.deepEqual((await named(t, [...within(near, 25832), ...utm], text)).names, ['a']);
  await t.throwsAsync(named(t, [...within(near), ...utm], text), { message: /None of the 2 features/ });
});

/** Cells 0 to 99 of a square of ten, from the north-west, upper left corner (0, 10). */
const square = (more: object = {}) =>
  tiffFile({
    width: 10,
    height: 10,
    values: Array.from({ length: 100 }, (_, n) => n),
    tags: { ...placed(0, 10, 1), 42113: [2, '255'] },
    ...more,
  });

test('a grid is cropped to the filter; cells with the centre outside become nodata', async (t) => {
  const triangle = 'POLYGON ((2 4, 6 4, 2 8, 2 4))';
  const { bytes, receipt, recordsWritten } = await converted(t, square(), {
    ...tiffToTiff,
    transformations: within(triangle),
  });
  const grid = await gridOf(t, bytes);
  t.deepEqual([grid.width, grid.height, grid.affine], [4, 4, [2, 1, 0, 8, 0, -1]]);
  // centres on the hypotenuse are inside
  t.deepEqual(await valuesOf(grid), [22, 255, 255, 255, 32, 33, 255, 255, 42, 43, 44, 255, 52, 53, 54, 55]);
  t.is(recordsWritten, 16);
  t.like(bandsOf(receipt.statistics.after)[0], { values: 10, empty: 6, minimum: 22, maximum: 55 });
});

test('cropping along cell boundaries adds no cells and no nodata value', async (t) => {
  const plain = square({ tags: placed(0, 10, 1), tile: 16, deflate: true });
  const { bytes } = await converted(t, plain, { ...tiffToTiff, transformations: within(box(7, 7, 30, 9)) });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands[0]?.nodata, undefined);
  t.deepEqual(await valuesOf(grid), [17, 18, 19, 27, 28, 29]);
});

test('the receipt counts cells that already have the nodata value chosen for the sample type', async (t) => {
  const plain = square({ tags: placed(0, 10, 1) });
  const { bytes, receipt } = await converted(t, plain, {
    ...tiffToTiff,
    transformations: within('POLYGON ((0 8, 2 10, 0 10, 0 8))'),
  });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands[0]?.nodata, 0);
  t.deepEqual(await valuesOf(grid), [0, 1, 10, 0]);
  t.regex(receipt.lost.join(), /got 0\. 1 of its cells inside the filter have this value/);
});

test('an ASCII grid is filtered, too, and declares the nodata value', async (t) => {
  const text = 'ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n4 5 6\n7 8 9.5\n';
  const { text: cut } = await converted(t, text, {
    reader: 'AsciiGridReader',
    writer: 'AsciiGridWriter',
    transformations: within('POLYGON ((1 0, 3 0, 3 2, 1 0))'),
  });
  t.is(cut, 'ncols 2\nnrows 2\nxllcorner 1\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n-9999 6\n8 9.5\n');
});

test('a line selects the cells that it crosses, a point the cell that contains it', async (t) => {
  const { bytes } = await converted(t, square(), {
    ...tiffToTiff,
    transformations: within('GEOMETRYCOLLECTION (LINESTRING (0.5 9.5, 2.2 9.5, 2.2 8.5), POINT (10 7.5))'),
  });
  const grid = await gridOf(t, bytes);
  t.deepEqual([grid.width, grid.height], [10, 3]);
  t.deepEqual(
    (await valuesOf(grid)).filter((value) => value !== 255),
    [0, 1, 2, 12, 29],
  );
});

test('all bands of a grid are cropped, 64-bit integers exactly', async (t) => {
  const values = Array.from({ length: 18 }, (_, n) => 2 ** 40 + n);
  const file = tiffFile({
    width: 3,
    height: 3,
    samples: 2,
    bits: 64,
    format: 2,
    values,
    tags: placed(0, 3, 1),
  });
  const { bytes } = await converted(t, file, {
    ...tiffToTiff,
    transformations: within('POLYGON ((0 0, 2 0, 0 2, 0 0))'),
  });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands[0]?.integer64, 'Int64');
  t.deepEqual(await valuesOf(grid, 0), [2 ** 40 + 6, -9999, 2 ** 40 + 12, 2 ** 40 + 14]);
  t.deepEqual(await valuesOf(grid, 1), [2 ** 40 + 7, -9999, 2 ** 40 + 13, 2 ** 40 + 15]);
});

test('a filter outside the grid, or without a cell centre inside, ends the conversion', async (t) => {
  const cut = (wkt: string, srid?: unknown) =>
    converted(t, square(), { ...tiffToTiff, transformations: within(wkt, srid) });
  await t.throwsAsync(cut(box(10, 0, 20, 10)), { instanceOf: ConversionError, message: /does not intersect the grid/ });
  await t.throwsAsync(cut(box(0.6, 0.6, 0.9, 0.9)), {
    instanceOf: ConversionError,
    message: /None of the cell centres of the grid/,
  });
  await t.throwsAsync(cut(box(0, 0, 1, 1), 25832), {
    instanceOf: ConversionError,
    message: /coordinate system of the input is not known, so a filter in EPSG:25832 cannot be applied/,
  });
});

test('a grid is reprojected and cropped in the order of the request', async (t) => {
  const file = square({ tags: { ...placed(500000, 5900000, 100), 42113: [2, '255'] } });
  const warp = [{ type: 'crsTransformation', inputSrid: 25832, outputSrid: 4326 }];
  const place = 'POLYGON ((9.003 53.242, 9.009 53.242, 9.009 53.246, 9.003 53.242))';
  for (const transformations of [
    [...warp, ...within(place)],
    [...within(place, 4326), ...warp],
  ]) {
    const { bytes, spatialInformation, receipt } = await converted(t, file, { ...tiffToTiff, transformations });
    const grid = await gridOf(t, bytes);
    t.is(grid.bands[0]?.nodata, 255);
    t.is(spatialInformation?.srid, 4326);
    t.is(receipt.crs?.to, 'EPSG:4326');
    t.true(grid.affine[0] > 9.001 && grid.affine[3] < 53.248);
    const { values, empty } = bandsOf(receipt.statistics.after)[0]!;
    t.true(values > 4 && values < 20 && empty > 3, `${values} ${empty}`);
  }
});
