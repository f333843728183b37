import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../src/files/data/feature-collection.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { sliceSamples } from '../../src/files/data/slice-samples.ts';
import { ConversionError, RequestError } from '../../src/files/errors.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { gridOf, NODATA } from './contours/made.ts';
import { converted } from './files.ts';
import { flatMesh, itemNames, layeredMesh, value } from './meshes.ts';
import { read } from './read.ts';
import { passed } from './transformed.ts';

const profile = (line: string, spacing: number, more: object = {}) => [
  { type: 'profileTransformation', profile: { line, spacing, ...more } },
];

/** The points of a profile, as features. */
async function pointsOf(t: ExecutionContext, data: Grid | Mesh, steps: object[]) {
  const features: Feature[] = [];
  let names: string[] = [];
  await passed<Grid | Mesh | FeatureCollection>(t, data, steps, async (made) => {
    names = (made as FeatureCollection).fields.map(({ name }) => name);
    for await (const chunk of (made as FeatureCollection).chunks()) features.push(...chunk);
  });
  return {
    names,
    values: features.map(({ values }) => values),
    places: features.map(({ geometry }) => Array.from(geometry!.coordinates)),
  };
}

/** Centres at 1005, 1015, … and 1995, 1985, …; the value is 10 for each column and 1 for each row. */
const ramp = (rows = 3, columns = 4) =>
  gridOf(Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => 10 * c + r)));

test('points lie every spacing from the first vertex on, at the last one only where one falls on it', async (t) => {
  const { names, values, places } = await pointsOf(
    t,
    ramp(),
    profile('LINESTRING (1005 1995, 1025 1995, 1025 1980)', 10),
  );
  t.deepEqual(names, ['chainage', 'depth']);
  t.deepEqual(places, [
    [1005, 1995],
    [1015, 1995],
    [1025, 1995],
    [1025, 1985],
  ]);
  t.deepEqual(values, [
    [0, 0],
    [10, 10],
    [20, 20],
    [30, 21],
  ]);
  const whole = await pointsOf(t, ramp(), profile('LINESTRING (1005 1995, 1025 1995, 1025 1985)', 10));
  t.is(whole.values.length, 4);
  const cut = await pointsOf(t, ramp(), profile('LINESTRING (1005 1995, 1006 1995)', 0.1));
  t.is(cut.values.length, 11, 'ten times 0.1 is 1');
});

test('values are bilinear between centres, and those of the outer cells up to the edge', async (t) => {
  const at = async (points: string, more = {}) =>
    (await pointsOf(t, ramp(), profile(`LINESTRING (${points})`, 1000, more))).values[0]![1];
  t.is(Number(((await at('1011 1988, 1030 1988')) as number).toFixed(9)), 6.7);
  t.is(await at('1011 1988, 1030 1988', { method: 'nearest' }), 11);
  t.is(await at('1000 2000, 1030 1988'), 0);
  t.is(await at('1040 1970, 1030 1988'), 32);
});

test('outside of the data, and beside cells without data, there are no values', async (t) => {
  const grid = gridOf([[1, 1, NODATA, 1, 1]]);
  const { values } = await pointsOf(t, grid, profile('LINESTRING (995 1995, 1055 1995)', 5));
  t.deepEqual(
    values.map(([, depth]) => depth),
    [null, 1, 1, 1, 1, null, null, null, 1, 1, 1, 1, null],
  );
  const error = await t.throwsAsync(pointsOf(t, grid, profile('LINESTRING (0 0, 10 0)', 5)), {
    instanceOf: ConversionError,
  });
  t.regex(error!.message, /outside of the data/);
});

test('turned grids have the values of their cells', async (t) => {
  // columns run to the north, rows to the east
  const turned = { ...ramp(), affine: [1000, 0, 10, 2000, 10, 0] as const };
  const { values } = await pointsOf(t, turned, profile('LINESTRING (1005 2005, 1005 2035)', 10));
  t.deepEqual(
    values.map(([, depth]) => depth),
    [0, 10, 20, 30],
  );
});

test('in longitude and latitude distances are metres along the ellipsoid', async (t) => {
  const degrees = gridOf([[1]], { affine: [-1, 3, 0, 2, 0, -3], crs: parseSrid(4326) });
  // a degree from the equator to the north, and one along it
  const spans = [
    ['LINESTRING (0 0, 0 1)', 110_574.3886],
    ['LINESTRING (0 0, 1 0)', 111_319.4908],
  ] as const;
  for (const [line, length] of spans) {
    const { places } = await pointsOf(t, degrees, profile(line, length / 4 - 1e-4));
    t.is(places.length, 5);
    t.true(Math.abs(Math.max(...places.at(-1)!) - 1) < 1e-8);
  }
  const { places } = await pointsOf(t, degrees, profile('LINESTRING (0 0, 0 1)', 55_287.1943));
  // a degree of latitude is shorter near the equator
  t.true(places[1]![1]! > 0.5 && places[1]![1]! < 0.5001);
});

test('values at nodes are linear in triangles, those of elements stand as they are', async (t) => {
  const one = { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 1, to: 1 } };
  const { names, values } = await pointsOf(t, flatMesh(), [
    one,
    ...profile('LINESTRING (500025 6000000, 500275 6000000)', 125),
  ]);
  t.deepEqual(names, ['chainage', 'time', ...itemNames]);
  t.deepEqual(
    values.map(([chainage, time, , , salinity]) => [chainage, time, salinity]),
    [
      [0, '2026-01-24T14:00:00', value(2, 1, 0) + 0.25],
      [125, '2026-01-24T14:00:00', value(2, 1, 0) + 1.5],
      [250, '2026-01-24T14:00:00', value(2, 1, 0) + 2.75],
    ],
  );
  t.deepEqual(
    values.map(([, , depth]) => depth),
    [value(0, 1, 0), value(0, 1, 1), value(0, 1, 3)],
  );
});

test('layers become items', async (t) => {
  const mesh = layeredMesh();
  const read: string[] = [];
  const counted: Mesh = {
    ...mesh,
    values: (item, step) => {
      read.push(`${item} ${step}`);
      return mesh.values(item, step);
    },
  };
  const { names, values } = await pointsOf(t, counted, profile('LINESTRING (500150 6000010, 500160 6000010)', 100));
  t.deepEqual(names.slice(2, 4), ['depth, layer 0', 'depth, layer 1']);
  t.deepEqual(values[0]!.slice(2, 4), [value(0, 0, 0), value(0, 0, 1)]);
  t.deepEqual(read, [...new Set(read)], 'the values of an item at a step are read once');
});

const ascii = 'ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 5 6\n';
const along = profile('LINESTRING (5 15, 25 15)', 5);
const asked = { reader: 'AsciiGridReader', readerParameters: { SRID: 25832 }, transformations: along };

test('a DFS1 file has the line of values, and its receipt names the places that it lost', async (t) => {
  const { bytes, receipt } = await converted(t, ascii, { ...asked, writer: 'Dfs1Writer' });
  const { data: grid } = await read(t, 'grid', 'Dfs1Reader', bytes);
  t.deepEqual(Array.from(await sliceSamples(grid, { band: 0, step: 0, layer: 0 })), [1, 1.5, 2, 2.5, 3]);
  t.deepEqual(grid.affine, [-2.5, 5, 0, -2.5, 0, 5]);
  t.true(receipt.lost.some((sentence) => sentence.includes('places (x, y)')));
});

test('a NetCDF file has the place of each point beside its distance', async (t) => {
  const { bytes, receipt } = await converted(t, ascii, { ...asked, writer: 'NetCdfWriter' });
  const { data: array } = await read(t, 'array', 'NetCdfReader', bytes);
  t.is(array.crs?.code, 25832);
  t.deepEqual(
    array.axes.map(({ name, unit, values }) => [name, unit, Array.from(values)]),
    [['chainage', 'm', [0, 5, 10, 15, 20]]],
  );
  const values = await Promise.all(array.items.map(async (_, n) => Array.from(await array.read(n, 0, [0], [5]))));
  t.deepEqual(values, [
    [5, 10, 15, 20, 25],
    [15, 15, 15, 15, 15],
    [1, 1.5, 2, 2.5, 3],
  ]);
  t.false(receipt.lost.some((sentence) => sentence.includes('places')));
});

test('a CSV file has a row for each point with its place', async (t) => {
  const { text } = await converted(t, ascii, { ...asked, writer: 'CsvWriter' });
  t.deepEqual(text.trimEnd().split('\r\n').slice(1), [
    '0,1,5,15',
    '5,1.5,10,15',
    '10,2,15,15',
    '15,2.5,20,15',
    '20,3,25,15',
  ]);
});

test('writers of grids get the line of values; features that are no points are refused with advice', async (t) => {
  const diagonal = profile('LINESTRING (5 15, 25 5)', 5);
  const { bytes } = await converted(t, ascii, { ...asked, transformations: diagonal, writer: 'AsciiGridWriter' });
  const { data: grid } = await read(t, 'grid', 'AsciiGridReader', bytes);
  t.deepEqual([grid.width, grid.height], [5, 1]);
  const contours = [{ type: 'contoursTransformation', contours: { levels: [2.5] } }];
  await t.throwsAsync(converted(t, ascii, { ...asked, transformations: contours, writer: 'GeoTiffWriter' }), {
    message: /^GeoTiffWriter cannot follow AsciiGridReader and ContoursTransformation; /,
  });
  const line = {
    type: 'LineString',
    coordinates: [
      [5, 15],
      [25, 5],
    ],
  };
  const feature = Buffer.from(JSON.stringify({ type: 'Feature', properties: { level: 2.5 }, geometry: line }));
  await t.throwsAsync(converted(t, feature, { reader: 'GeoJsonReader', writer: 'GeoTiffWriter' }), {
    message:
      'Feature 1 is a LineString; a grid is made of points that form a lattice. A rasterizeTransformation burns others.',
  });
});

test('real values of packed ones may equal the packed nodata value', async (t) => {
  const values: number[] = [];
  const packed: Grid = {
    ...ramp(1),
    bands: [{ name: 'level', type: 'Int16', nodata: 0, scale: 0.5, offset: -1 }],
    async *rows() {
      yield { firstRow: 0, rowCount: 1, samples: Int16Array.of(1, 2, 3, 0) };
    },
  };
  const steps = profile('LINESTRING (1005 1995, 1035 1995)', 10);
  await passed<Grid | FeatureCollection>(t, packed, steps, async (made) => {
    for await (const chunk of (made as FeatureCollection).chunks())
      values.push(...chunk.map(({ values: [, level] }) => (level === null ? Number.NaN : Number(level))));
  });
  t.deepEqual(values, [-0.5, 0, 0.5, Number.NaN]);
});

test('lines that are none, too many points and other systems are refused with a sentence', async (t) => {
  const refusal = async (line: string, spacing: number, more = {}) => {
    const error = await t.throwsAsync(pointsOf(t, ramp(), profile(line, spacing, more)));
    t.true(error instanceof RequestError || error instanceof ConversionError);
    return error!.message;
  };
  const line = 'LINESTRING (1005 1995, 1025 1995)';
  t.regex(await refusal('POINT (1 2)', 10), /must be a LINESTRING, not a Point/);
  t.regex(await refusal('LINESTRING (1 2)', 10), /one vertex/);
  t.regex(await refusal('LINESTRING (1 2, 1 2)', 10), /has no length/);
  t.regex(await refusal(line, 0), /positive number/);
  t.regex(await refusal(line, 1e-9), /points every 1e-9; the maximum is 200,000/);
  t.regex(await refusal(line, 10, { SRID: 4326 }), /crsTransformation/);
  t.regex(await refusal(line, 10, { method: 'cubic' }), /bilinear or nearest/);
});
