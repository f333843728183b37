import test from 'ava';
import { FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { mutate, outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { type RasFile, rasFile } from './ras-file.ts';

/** A pentagon, a quadrilateral, a triangle, and a cell of the rim that has two points alone. */
const upper = {
  name: 'Upper reach',
  points: [
    [0, 0],
    [10, 0],
    [10, 10],
    [5, 15],
    [0, 10],
    [20, 0],
    [20, 10],
    [30, 5],
  ] as [number, number][],
  cells: [
    [0, 1, 2, 3, 4],
    [1, 5, 6, 2],
    [5, 7, 6],
    [0, 1],
  ],
  beds: [1, 2, 3, Number.NaN],
  faces: [
    [0, 1],
    [1, 2],
    [0, 3],
  ] as [number, number][],
  results: {
    'Water Surface': [
      [1, 5, 6, 7],
      [1.5, 2, 6.5, 7],
    ],
    'Face Velocity': [
      [0.5, 0.25, -9],
      [0, 0.75, 0],
    ],
  },
};
const lower = {
  name: 'Lower',
  points: [
    [100, 0],
    [110, 0],
    [100, 10],
  ] as [number, number][],
  cells: [[0, 1, 2]],
  beds: [-4],
  results: { 'Water Surface': [[-4], [-3]] },
};
const wkt =
  'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';
const whole: RasFile = {
  areas: [upper, lower],
  times: { values: [0.5, 0.5 + 1 / 24], unit: 'Days', stamps: ['02SEP2018 12:00:00', '02SEP2018 13:00:00'] },
  attributes: { Projection: wkt, 'Units System': 'SI Units' },
};

test('the cells of all 2D flow areas are read with bed, water surface, depth and velocity', async (t) => {
  const bytes = await rasFile(whole);
  t.like(await detect(memory(bytes)), { format: 'hecras' });
  const { data, lost, remarks } = await read(t, 'mesh', 'HecRasReader', bytes);
  t.like(data.crs, { authority: 'EPSG', code: 25832 });
  t.deepEqual([...data.shapes], [7, 9, 5, 5]);
  t.deepEqual([...data.connectivity], [0, 1, 2, 3, 4, 1, 5, 6, 2, 5, 7, 6, 8, 9, 10]);
  t.deepEqual([...data.offsets], [0, 5, 9, 12, 15]);
  t.deepEqual([...data.nodes.subarray(0, 6)], [0, 0, 1, 10, 0, 1.5]);
  const start = Date.UTC(2018, 8, 2);
  t.deepEqual(data.time, { spacing: 'equidistant', unit: 'second', start, count: 2, offset: 43_200, interval: 3600 });
  t.deepEqual(
    data.items.map(({ name, unit, location }) => [name, unit, location]),
    [
      ['Bed Elevation', 'm', 'cell'],
      ['Water Surface', 'm', 'cell'],
      ['Depth', 'm', 'cell'],
      ['Velocity', 'm/s', 'cell'],
    ],
  );
  const values = async (item: number, step: number) => [...(await data.values(item, step))];
  const none = Number.NaN;
  t.deepEqual(await values(0, 1), [1, 2, 3, -4]);
  // where the surface is the bed, a cell is dry
  t.deepEqual(await values(1, 0), [none, 5, 6, none]);
  t.deepEqual(await values(1, 1), [1.5, none, 6.5, -3]);
  t.deepEqual(await values(2, 1), [0.5, none, 3.5, 1]);
  t.deepEqual(await values(3, 0), [0.5, 0.5, 0.25, none]);
  t.deepEqual(await values(3, 1), [none, 0.75, 0.75, none]);
  t.deepEqual(lost, ['Velocities stand at the faces of cells; each cell has the largest one of its faces.']);
  t.deepEqual(remarks, [
    '1 cells of fewer than three points, at the rim of flow areas, were left out.',
    'The file has no depths; they are the water surface above the lowest point of each cell.',
    'The file has no heights of points; they are the mean of the lowest elevations of the cells around.',
  ]);
});

test('depths of the file, names in a table, packed chunks of several steps, and the end of a day are read', async (t) => {
  const results = {
    ...upper.results,
    Depth: [
      [0, 3, 3, 0],
      [0.25, 0, 4, 0],
    ],
  };
  const bytes = await rasFile({
    ...whole,
    areas: [{ ...upper, results }],
    times: { values: [0, 12], unit: 'Hours', stamps: ['31DEC2019 24:00:00', '01JAN2020 12:00:00'] },
    attributes: { 'Units System': 'US Customary' },
    compound: true,
    chunks: [2, 3],
  });
  const { data } = await read(t, 'mesh', 'HecRasReader', bytes, { AllowedItemNames: ['Depth'], SRID: 2277 });
  t.like(data.crs, { code: 2277 });
  t.is(data.time!.start, Date.UTC(2020, 0, 1));
  t.deepEqual(
    data.items.map(({ name, unit }) => [name, unit]),
    [['Depth', 'ft']],
  );
  t.deepEqual([...(await data.values(0, 1))], [0.25, Number.NaN, 4]);
  t.deepEqual([...(await data.values(0, 0))], [Number.NaN, 3, 3]);
});

test('in a DFSU a cell of more than four points is a fan of triangles with its values', async (t) => {
  const { bytes, receipt } = await converted(t, await rasFile(whole), { reader: 'HecRasReader', writer: 'DfsuWriter' });
  t.regex(receipt.lost.join(), /1 elements of more than four nodes became fans of triangles/);
  const { data } = await read(t, 'mesh', 'DfsuReader', bytes);
  t.deepEqual([...data.connectivity.subarray(0, 9)], [0, 1, 2, 0, 2, 3, 0, 3, 4]);
  t.deepEqual([...(await data.values(0, 0))], [1, 1, 1, 2, 3, -4]);
  t.deepEqual([...(await data.values(3, 0))].slice(0, 5), [0.5, 0.5, 0.5, 0.5, 0.25]);
});

test('a file of a geometry alone has the elevation of the bed', async (t) => {
  const { times: _, ...plain } = whole;
  const bytes = await rasFile({ ...plain, areas: [{ ...lower, results: {} }] });
  const { data, remarks } = await read(t, 'mesh', 'HecRasReader', bytes);
  t.is(data.time, undefined);
  t.deepEqual([...(await data.values(0, 0))], [-4]);
  t.regex(remarks.join(), /no results over time/);
});

test('tables that do not fit are refused with a sentence that names them', async (t) => {
  const refused = async (file: RasFile, message: RegExp) =>
    t.throwsAsync(read(t, 'mesh', 'HecRasReader', await rasFile(file)), { instanceOf: FormatError, message });
  await refused({ areas: [{ ...lower, cells: [[0, 1, 9]] }] }, /Cell 0 of the flow area 'Lower' has the point 9 of 3/);
  await refused({ areas: [{ ...lower, cells: [[0, 1]] }] }, /have no cells/);
  await refused({ areas: [{ ...upper, faces: [[0, 17]] }] }, /has the cell 17 of 4/);
  await refused(
    { ...whole, areas: [{ ...lower, results: { 'Water Surface': [[1]] } }] },
    /has the shape 1 × 1 instead of 2 × 1/,
  );
  await refused({ ...whole, times: { values: [0, 1], unit: 'Fortnights' } }, /unit 'Fortnights'/);
  await t.throwsAsync(read(t, 'mesh', 'HecRasReader', Buffer.from('x')), { instanceOf: FormatError });
});

test('seeded mutations are read or end with an expected error', async (t) => {
  const bytes = await rasFile(whole);
  await mutate(t, 'HecRasReader', [bytes], 300);
  for (let cut = 0; cut < bytes.length; cut += 997) await outcome('HecRasReader', bytes.subarray(0, cut), '');
});
