import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import Blosc from 'numcodecs/blosc';
import { clockText } from '../../../src/files/data/date-text.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Item } from '../../../src/files/data/item.ts';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import { realValues } from '../../../src/files/data/real-values.ts';
import { stepCount, type TimeAxis, timeOf } from '../../../src/files/data/time-axis.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { projecting } from '../../../src/files/geo/crs/geographic-base.ts';
import { converted } from '../files.ts';
import { dataOf, whole } from './whole.ts';
import { group, storeOf, type Variable, variable } from './zarr-files.ts';

const along = (name: string, values: readonly number[], attributes = {}, data_type = 'float64') =>
  variable(name, { shape: [values.length], dimension_names: [name], values, attributes, data_type });
const rows = along('y', [20, 10, 0]);
const columns = along('x', [0, 10, 20, 30]);
const counted = (length: number) => Array.from({ length }, (_, n) => n);

/** A store of one variable `d` over y and x, with other files. */
const plane = (given: Partial<Variable>, others: Record<string, string | Uint8Array> = {}) =>
  storeOf({
    'zarr.json': group({}),
    ...variable('d', { shape: [3, 4], dimension_names: ['y', 'x'], values: counted(12), ...given }),
    ...rows,
    ...columns,
    ...others,
  });

/** A store of one variable over time, whose values at step n begin with 12 n. */
const overTime = (values: readonly number[], attributes: object, data_type = 'float64') =>
  plane(
    {
      shape: [values.length, 3, 4],
      dimension_names: ['time', 'y', 'x'],
      values: counted(12 * values.length),
      data_type: 'float32',
    },
    variable('time', { shape: [values.length], dimension_names: ['time'], values, attributes, data_type }),
  );

const textsOf = ({ time }: { readonly time?: TimeAxis }): string[] =>
  time === undefined ? [] : Array.from({ length: stepCount(time) }, (_, step) => clockText(timeOf(time, step)));

/** Values of the first item at the first step with scale and offset, null for no data. */
async function firstValues(data: Grid | MultiArray): Promise<(number | null)[]> {
  const { values } = (await whole(data)) as { values: Record<string, [Float64Array]> };
  const item: Item = (data.kind === 'grid' ? data.bands : data.items)[0]!;
  return Array.from(realValues(values[0]![0], item), (value) => (Number.isNaN(value) ? null : value));
}

const read = async (t: ExecutionContext, bytes: Buffer) => (await dataOf(t, 'MDReader', bytes)) as Grid;
const receiptOf = async (t: ExecutionContext, bytes: Buffer, writer = 'MDWriter') =>
  (await converted(t, bytes, { reader: 'MDReader', writer })).receipt;

// Expected dates: cftime 1.6.6.
const times: Readonly<Record<string, readonly [values: readonly number[], attributes: object, expected: string]>> = {
  'days since the year 1': [[730000], { units: 'days since 0001-01-01' }, '1999-09-02T00:00:00'],
  'days before the reform of the calendar': [
    [0, 1],
    { units: 'days since 1500-03-01', calendar: 'gregorian' },
    '1500-03-01T00:00:00 1500-03-02T00:00:00',
  ],
  'days around the reform of the calendar': [
    [0, 1, 2],
    { units: 'days since 1582-10-04' },
    '1582-10-04T00:00:00 1582-10-15T00:00:00 1582-10-16T00:00:00',
  ],
  'days of the proleptic Gregorian calendar': [
    [0, 1],
    { units: 'days since 1582-10-04', calendar: 'proleptic_gregorian' },
    '1582-10-04T00:00:00 1582-10-05T00:00:00',
  ],
  'seconds with a zone west of Greenwich': [
    [0, 1],
    { units: 'seconds since 1992-10-8 15:15:42.5 -6:00' },
    '1992-10-08T21:15:42.500 1992-10-08T21:15:43.500',
  ],
  'hours with a zone without a colon': [[0], { units: 'hours since 2000-01-01 00:00 +0530' }, '1999-12-31T18:30:00'],
  'days with a zone behind the date': [[0], { units: 'days since 2000-01-01 +02' }, '1999-12-31T22:00:00'],
  'hours in UTC': [[0], { units: 'hours since 2000-01-01 06:00 UTC' }, '2000-01-01T06:00:00'],
  milliseconds: [[0, 250], { units: 'milliseconds since 2000-01-01' }, '2000-01-01T00:00:00 2000-01-01T00:00:00.250'],
  microseconds: [[1500000], { units: 'microseconds since 2000-01-01' }, '2000-01-01T00:00:01.500'],
  minutes: [[10], { units: 'minutes since 2000-1-1 6:5' }, '2000-01-01T06:15:00'],
  'hours as days with a fraction': [
    [730000, 730000 + 1 / 24, 730000 + 2 / 24],
    { units: 'days since 0001-01-01', calendar: 'proleptic_gregorian' },
    '1999-09-04T00:00:00 1999-09-04T01:00:00 1999-09-04T02:00:00',
  ],
  'packed hours': [
    [0, 1],
    { units: 'hours since 2000-01-01', scale_factor: 6, add_offset: 12 },
    '2000-01-01T12:00:00 2000-01-01T18:00:00',
  ],
  'times that run backwards': [
    [2, 1, 0],
    { units: 'hours since 2024-01-01' },
    '2024-01-01T00:00:00 2024-01-01T01:00:00 2024-01-01T02:00:00',
  ],
  'a calendar without leap days': [
    [58, 59],
    { units: 'days since 2000-01-01', calendar: 'noleap' },
    '2000-02-28T00:00:00 2000-03-01T00:00:00',
  ],
  'a calendar of months of 30 days': [
    [27, 30],
    { units: 'days since 2000-01-01', calendar: '360_day' },
    '2000-01-28T00:00:00 2000-02-01T00:00:00',
  ],
  'months of 30 days': [
    [0, 1],
    { units: 'months since 2000-01-15', calendar: '360_day' },
    '2000-01-15T00:00:00 2000-02-15T00:00:00',
  ],
  'a calendar of leap years': [[59], { units: 'days since 2000-01-01', calendar: '366_day' }, '2000-02-29T00:00:00'],
  'the Julian calendar': [[0], { units: 'days since 2000-01-01', calendar: 'julian' }, '2000-01-01T00:00:00'],
};

for (const [what, [values, attributes, expected]] of Object.entries(times))
  test(`times of CF: ${what} are the dates that cftime gives`, async (t) => {
    t.is(textsOf(await read(t, overTime(values, attributes))).join(' '), expected);
  });

test('the receipt reports Julian dates, other calendars and sorted steps', async (t) => {
  const julian = await receiptOf(t, overTime([0, 1], { units: 'days since 1500-01-01' }));
  t.regex(julian.remarks.join(), /before 1582-10-15 are dates of the Julian calendar/);
  t.deepEqual(julian.lost, []);
  const other = await receiptOf(t, overTime([0, 1], { units: 'days since 2000-01-01', calendar: 'noleap' }));
  t.regex(other.lost.join(), /calendar 'noleap'/);
  const back = overTime([2, 1, 0], { units: 'hours since 2024-01-01' });
  t.regex((await receiptOf(t, back)).remarks.join(), /run backwards/);
  t.is((await firstValues(await read(t, back)))[0], 24, 'the values moved with their times');
});

test('times that cannot be represented are refused with the unknown word or the date', async (t) => {
  const refused: readonly (readonly [values: readonly number[], attributes: object, message: RegExp])[] = [
    [[0, 59], { units: 'days since 2000-01-01', calendar: '360_day' }, /'360_day', whose date 2000-02-30/],
    [[59], { units: 'days since 2001-01-01', calendar: 'all_leap' }, /'all_leap', whose date 2001-02-29/],
    [[1], { units: 'days since 1900-02-28', calendar: 'julian' }, /'julian', whose date 1900-02-29/],
    [[1], { units: 'days since 1500-02-28' }, /'standard', whose date 1500-02-29/],
    [[0], { units: 'days since 2000-01-01', calendar: 'utc' }, /calendar 'utc'/],
    [[0], { units: 'days since 2000-01-01', calendar: 'none' }, /calendar 'none'/],
    [[0], { units: 'days since 2000-01-01', calendar: 'constructor' }, /calendar 'constructor'/],
    [[0], { units: 'days since 2001-02-29' }, /'2001-02-29', which is not a valid date/],
    [[0], { units: 'days since 1582-10-10' }, /'1582-10-10', which is not a valid date/],
    [[0], { units: 'days since yesterday' }, /'yesterday'/],
    [[0], { units: 'months since 2000-01-01' }, /'months', which are not of equal length/],
    [[0], { units: 'years since 2000-01-01' }, /'years'/],
    [[0, -99], { units: 'days since 2000-01-01', _FillValue: -99 }, /Step 1 in 'time' has no time/],
    [[1e9], { units: 'days since 2000-01-01' }, /years 1 to 9999/],
  ];
  for (const [values, attributes, message] of refused)
    await t.throwsAsync(read(t, overTime(values, attributes)), { instanceOf: FormatError, message });
});

test('a dimension called time without coordinates has steps without a date, and the receipt says so', async (t) => {
  const bytes = plane({
    shape: [2, 3, 4],
    dimension_names: ['time', 'y', 'x'],
    values: counted(24),
    data_type: 'float32',
  });
  const data = await read(t, bytes);
  t.deepEqual(data.time, { spacing: 'equidistant', unit: 'second', count: 2, offset: 0, interval: 1 });
  const { receipt, bytes: dfs2 } = await converted(t, bytes, { reader: 'MDReader', writer: 'Dfs2Writer' });
  t.regex(receipt.remarks.join(), /The dimension 'time' has no coordinates/);
  t.deepEqual(((await dataOf(t, 'Dfs2Reader', dfs2)) as Grid).time, data.time);
});

test('a variable with another number of steps than the times is not over time', async (t) => {
  const bytes = plane(
    { shape: [2, 3, 4], dimension_names: ['time', 'y', 'x'], values: counted(24) },
    along('time', [0, 1, 2], { units: 'days since 2000-01-01' }),
  );
  const data = (await dataOf(t, 'MDReader', bytes)) as MultiArray;
  t.like(data, { kind: 'array', items: [{ overTime: false, axes: [0, 1, 2] }] });
  t.is(data.time, undefined);
  t.is((await firstValues(data)).length, 24);
});

test('a scalar time coordinate is the time of the data, and other scalar coordinates are reported as lost', async (t) => {
  const scalar = (name: string, value: number, attributes: object) =>
    variable(name, { shape: [], values: [value], attributes });
  const bytes = plane(
    { attributes: { coordinates: 'time height' } },
    { ...scalar('time', 1, { units: 'days since 2024-01-01' }), ...scalar('height', 2, { units: 'm', axis: 'Z' }) },
  );
  const data = await read(t, bytes);
  t.is(data.kind, 'grid');
  t.deepEqual(textsOf(data), ['2024-01-02T00:00:00']);
  t.deepEqual((await receiptOf(t, bytes)).lost, ["The coordinate 'height', 2 m, was left out."]);
});

// Expected values: xarray 2026.9; of valid values netCDF4 1.7.
const packed: Readonly<Record<string, readonly [given: Partial<Variable>, expected: (number | null)[]]>> = {
  'a fill value of NaN and a missing value': [
    {
      data_type: 'float32',
      values: [Number.NaN, -9999, ...counted(10)],
      attributes: { _FillValue: 'NaN', missing_value: -9999 },
    },
    [null, null, ...counted(10)],
  ],
  'a list of missing values': [
    {
      data_type: 'int16',
      values: [-1, -2, -3, ...counted(9)],
      attributes: { missing_value: [-1, -2], _FillValue: -3 },
    },
    [null, null, null, ...counted(9)],
  ],
  'packed values': [
    {
      data_type: 'int16',
      values: [-1, ...counted(11)],
      attributes: { _FillValue: -1, scale_factor: 0.5, add_offset: 10 },
    },
    [null, ...counted(11).map((n) => 10 + n / 2)],
  ],
  'signed bytes that are unsigned': [
    { data_type: 'int8', values: [-1, -2, 127, ...counted(9)], attributes: { _Unsigned: 'true', _FillValue: -1 } },
    [null, 254, 127, ...counted(9)],
  ],
  'packed unsigned bytes with a valid range of their bits': [
    {
      data_type: 'int8',
      values: [-1, -56, 127, ...counted(9)],
      attributes: { _Unsigned: 'true', valid_range: [1, -56], scale_factor: 0.5 },
    },
    [
      null,
      100,
      63.5,
      null,
      ...counted(9)
        .slice(1)
        .map((n) => n / 2),
    ],
  ],
  'unsigned bytes that are signed': [
    { data_type: 'uint8', values: [255, 128, ...counted(10)], attributes: { _Unsigned: 'false' } },
    [-1, -128, ...counted(10)],
  ],
  'a smallest valid value without a fill value': [
    { data_type: 'float32', attributes: { valid_min: 2.5 } },
    counted(12).map((n) => (n < 2.5 ? null : n)),
  ],
  'a largest valid value in the packed type': [
    { data_type: 'int32', attributes: { valid_max: 9, scale_factor: 0.1, _FillValue: 0 } },
    counted(12).map((n) => (n > 9 || n === 0 ? null : n * 0.1)),
  ],
};

for (const [what, [given, expected]] of Object.entries(packed))
  test(`no data and packing of CF: ${what}`, async (t) => {
    t.deepEqual(await firstValues(await read(t, plane(given))), expected);
  });

test('the receipt counts values that are not valid, and names an attribute that the type does not have', async (t) => {
  const { lost } = await receiptOf(t, plane({ data_type: 'int16', attributes: { valid_range: [2, 9] } }));
  t.deepEqual(lost, ["4 values of 'd' outside of the valid 2 to 9 became no data."]);
  const { remarks } = await receiptOf(t, plane({ data_type: 'int16', attributes: { missing_value: 1e20 } }));
  t.deepEqual(remarks, ["'missing_value' of 'd' was ignored: its type does not have the value."]);
});

test('NaN and Infinity as words in the metadata are numbers, and stay words within texts', async (t) => {
  const files = variable('d', {
    shape: [3, 4],
    dimension_names: ['y', 'x'],
    data_type: 'float32',
    values: [Number.NaN, ...counted(11)],
    attributes: { missing_value: '@', valid_max: '@@', units: 'NaN of "Infinity"' },
  });
  const text = (files['d/zarr.json'] as string).replace('"@"', 'NaN').replace('"@@"', 'Infinity');
  t.regex(text, /:NaN,.*:Infinity,/);
  const bytes = storeOf({ 'zarr.json': group({}), ...files, 'd/zarr.json': text, ...rows, ...columns });
  const data = await read(t, bytes);
  t.like(data.bands[0], { nodata: Number.NaN, unit: 'NaN of "Infinity"' });
  t.deepEqual(await firstValues(data), [null, ...counted(11)]);
});

test('coordinates of single precision are the decimal numbers that were meant', async (t) => {
  const degrees = (name: string, first: number, units: string, length: number) =>
    along(
      name,
      Array.from({ length }, (_, n) => first + n * 0.01),
      { units },
      'float32',
    );
  const bytes = storeOf({
    'zarr.json': group({}),
    ...variable('d', { shape: [20, 30], dimension_names: ['lat', 'lon'], values: counted(600) }),
    ...degrees('lat', 54, 'degrees_north', 20),
    ...degrees('lon', 10, 'degrees_east', 30),
  });
  const data = await read(t, bytes);
  t.deepEqual(data.affine, [9.995, 0.01, 0, 53.995, 0, 0.01]);
  t.like(data.crs, { code: 4326 });
});

test('coordinates within a hundredth of the spacing are made equidistant, and the receipt says by how much', async (t) => {
  const nearly = plane({}, along('y', [20, 10.05, 0]));
  t.deepEqual((await read(t, nearly)).affine, [-5, 10, 0, 25, 0, -10]);
  t.deepEqual((await receiptOf(t, nearly)).remarks, [
    "The coordinates 'y' were evened: the largest difference is 0.0050 of the distance 10.",
  ]);
  t.is((await read(t, plane({}, along('y', [20, 10.2, 0])))).kind as string, 'array');
  t.deepEqual((await receiptOf(t, plane({}, along('y', [20, 10.005, 0])))).remarks, []);
});

test('x before y, x from the east and time as the last dimension are turned', async (t) => {
  const time = along('time', [0, 1], { units: 'days since 2000-01-01' });
  const given = { shape: [4, 3, 2], dimension_names: ['x', 'y', 'time'], values: counted(24) };
  const data = await read(t, plane(given, { ...time, ...along('x', [30, 20, 10, 0]) }));
  t.like(data, { kind: 'grid', width: 4, height: 3, affine: [-5, 10, 0, 25, 0, -10] });
  const { values } = (await whole(data)) as { values: Record<string, Float64Array[]> };
  // x fastest: from the west, which is the last one of the file
  const at = (step: number, row: number, column: number) => ((3 - column) * 3 + row) * 2 + step;
  for (const step of [0, 1])
    t.deepEqual(
      values[0]![step],
      Float64Array.from({ length: 12 }, (_, n) => at(step, Math.floor(n / 4), n % 4)),
    );
});

test('one level is a grid without layers, depths are heights from the lowest, and pressures begin with the highest', async (t) => {
  const levels = (name: string, numbers: readonly number[], attributes: object) =>
    plane(
      { shape: [numbers.length, 3, 4], dimension_names: [name, 'y', 'x'], values: counted(12 * numbers.length) },
      along(name, numbers, attributes),
    );
  const single = levels('depth', [0.5], { units: 'm', positive: 'down' });
  const one = await read(t, single);
  t.is(one.kind, 'grid');
  t.is(one.layers, undefined);
  t.regex((await receiptOf(t, single)).lost.join(), /The only 'depth' 0.5 m of 'd' was left out/);
  const deep = await read(t, levels('depth', [0, 10, 20], { units: 'm', positive: 'down' }));
  t.deepEqual(deep.layers, { count: 3, first: -20, spacing: 10, unit: 'm' });
  t.is((await firstValues(deep))[0], 24);
  const air = (await dataOf(
    t,
    'MDReader',
    levels('plev', [500, 850, 1000], { units: 'hPa', positive: 'down' }),
  )) as MultiArray;
  t.deepEqual(air.axes[0], { name: 'plev', unit: 'hPa', values: Float64Array.of(1000, 850, 500) });
  t.is((await firstValues(air))[0], 24);
});

// Expected x and y of longitude 12, latitude 47 (of the south pole's projection 12, −70): pyproj 3.7.2, CRS.from_cf.
const grs80 = { semi_major_axis: 6378137, inverse_flattening: 298.257222101 };
const origin = { false_easting: 500000, false_northing: 1000 };
const mappings: readonly (readonly [name: string, parameters: object, x: number, y: number, latitude?: number])[] = [
  [
    'albers_conical_equal_area',
    { standard_parallel: [29.5, 45.5], longitude_of_central_meridian: -96, latitude_of_projection_origin: 23 },
    7086990.0882,
    6874244.1005,
  ],
  [
    'azimuthal_equidistant',
    { longitude_of_projection_origin: 10, latitude_of_projection_origin: 50 },
    652163.9687,
    -330595.1947,
  ],
  [
    'lambert_azimuthal_equal_area',
    { longitude_of_projection_origin: 10, latitude_of_projection_origin: 52 },
    652221.3295,
    -552893.893,
  ],
  [
    'lambert_conformal_conic',
    { standard_parallel: [30, 60], longitude_of_central_meridian: 10, latitude_of_projection_origin: 45 },
    646927.0145,
    217540.9734,
  ],
  [
    'lambert_conformal_conic',
    { standard_parallel: 46, longitude_of_central_meridian: 2, latitude_of_projection_origin: 46 },
    1258679.4013,
    159854.9137,
  ],
  [
    'lambert_cylindrical_equal_area',
    { standard_parallel: 30, longitude_of_central_meridian: 0 },
    1657835.363,
    5359567.0438,
  ],
  ['mercator', { standard_parallel: 20, longitude_of_projection_origin: 5 }, 1232529.6042, 5557520.2465],
  [
    'mercator',
    { scale_factor_at_projection_origin: 0.997, longitude_of_projection_origin: 110 },
    -10376582.1674,
    5894077.1908,
  ],
  [
    'oblique_mercator',
    {
      azimuth_of_central_line: 30,
      longitude_of_projection_origin: 7,
      latitude_of_projection_origin: 46,
      scale_factor_at_projection_origin: 0.99,
    },
    764853.2112,
    294891.3829,
  ],
  [
    'orthographic',
    { longitude_of_projection_origin: 10, latitude_of_projection_origin: 50 },
    652081.1078,
    -330414.1125,
  ],
  [
    'polar_stereographic',
    { latitude_of_projection_origin: 90, straight_vertical_longitude_from_pole: -45, standard_parallel: 70 },
    4593497.6824,
    -2657348.4777,
  ],
  [
    'polar_stereographic',
    {
      latitude_of_projection_origin: -90,
      straight_vertical_longitude_from_pole: 0,
      scale_factor_at_projection_origin: 0.994,
    },
    966219.0483,
    2194388.1725,
    -70,
  ],
  ['sinusoidal', { longitude_of_projection_origin: 3 }, 1184503.9847, 5208247.0088],
  [
    'stereographic',
    {
      longitude_of_projection_origin: 20,
      latitude_of_projection_origin: 45,
      scale_factor_at_projection_origin: 0.9999,
    },
    -108105.3514,
    253809.8118,
  ],
  [
    'transverse_mercator',
    { longitude_of_central_meridian: 9, latitude_of_projection_origin: 0, scale_factor_at_central_meridian: 0.9996 },
    728069.5651,
    5210532.848,
  ],
];

const mappedBy = (attributes: object, units = {}) =>
  plane(
    { attributes: { grid_mapping: 'crs' } },
    {
      ...variable('crs', { shape: [], values: [0], attributes }),
      ...along('x', [0, 10, 20, 30], { standard_name: 'projection_x_coordinate', ...units }),
      ...along('y', [20, 10, 0], { standard_name: 'projection_y_coordinate', ...units }),
    },
  );

for (const [name, parameters, x, y, latitude = 47] of mappings)
  test(`a grid mapping by parameters is the system of CF: ${name} with ${Object.values(parameters).flat().join(', ')}`, async (t) => {
    const { crs } = await read(t, mappedBy({ grid_mapping_name: name, ...grs80, ...origin, ...parameters }));
    using project = await projecting(crs!);
    const [easting, northing] = [Float64Array.of(12), Float64Array.of(latitude)];
    t.is(project.forward(easting, northing), 0);
    t.true(Math.hypot(easting[0]! - x, northing[0]! - y) < 0.01, `${easting[0]}, ${northing[0]}`);
  });

test('longitudes and latitudes of WGS 84 are EPSG:4326, a rotated pole is kept, and geostationary views are reported', async (t) => {
  const geographic = { grid_mapping_name: 'latitude_longitude' };
  t.like((await read(t, mappedBy(geographic))).crs, { authority: 'EPSG', code: 4326 });
  const named = {
    ...geographic,
    horizontal_datum_name: 'WGS84',
    semi_major_axis: 6378137,
    inverse_flattening: 298.257223563,
  };
  t.like((await read(t, mappedBy(named))).crs, { authority: 'EPSG', code: 4326 });
  const sphere = (await read(t, mappedBy({ ...geographic, earth_radius: 6371229 }))).crs;
  t.is(sphere?.code, undefined);
  t.regex(sphere!.wkt!, /6371229/);
  const rotated = mappedBy({
    grid_mapping_name: 'rotated_latitude_longitude',
    grid_north_pole_latitude: 39.25,
    grid_north_pole_longitude: -162,
  });
  const pole = (await read(t, rotated)).crs;
  t.regex(pole!.wkt!, /39\.25/);
  const { bytes: stored } = await converted(t, rotated, { reader: 'MDReader', writer: 'MDWriter' });
  t.deepEqual((await read(t, stored)).crs, pole);
  await t.throwsAsync(converted(t, rotated, { reader: 'MDReader', writer: 'Dfs2Writer' }), {
    message: /do not know the coordinate system 'rotated_latitude_longitude'\. Add a crsTransformation/,
  });
  const { remarks } = await receiptOf(t, mappedBy({ grid_mapping_name: 'geostationary' }));
  t.regex(remarks.join(), /The projection 'geostationary' is not supported/);
});

test('coordinates in kilometres are metres of a system in metres', async (t) => {
  const laea = {
    grid_mapping_name: 'lambert_azimuthal_equal_area',
    longitude_of_projection_origin: 10,
    latitude_of_projection_origin: 52,
    ...grs80,
  };
  t.deepEqual((await read(t, mappedBy(laea, { units: 'km' }))).affine, [-5000, 10000, 0, 25000, 0, -10000]);
});

test('a static item beside one over time becomes a DFS2 with rows from the south, and both become bands of a GeoTIFF', async (t) => {
  const bytes = storeOf({
    'zarr.json': group({}),
    ...variable('d', {
      shape: [2, 3, 4],
      dimension_names: ['time', 'y', 'x'],
      values: counted(24),
      data_type: 'float32',
    }),
    ...variable('mask', { shape: [3, 4], dimension_names: ['y', 'x'], values: counted(12), data_type: 'uint8' }),
    ...variable('profile', { shape: [3], dimension_names: ['y'], values: counted(3) }),
    ...rows,
    ...columns,
    ...along('time', [0, 1], { units: 'days since 2000-01-01' }),
  });
  const { bytes: dfs2, receipt } = await converted(t, bytes, { reader: 'MDReader', writer: 'Dfs2Writer' });
  t.regex(receipt.lost.join(), /The item 'profile' was left out/);
  t.regex(receipt.remarks.join(), /'mask' is constant over time; its values were written at each step/);
  const back = (await dataOf(t, 'Dfs2Reader', dfs2)) as Grid;
  t.like(back, { width: 4, height: 3 });
  t.deepEqual([back.affine[1], back.affine[5]], [10, 10]);
  const { values } = (await whole(back)) as { values: Record<string, Float64Array[]> };
  const south = [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3];
  t.deepEqual(
    Array.from(values[0]![1]!),
    south.map((n) => n + 12),
  );
  t.deepEqual(Array.from(values[1]![1]!), south);
  const tiff = await converted(t, bytes, { reader: 'MDReader', writer: 'GeoTiffWriter' });
  t.is(((await dataOf(t, 'GeoTiffReader', tiff.bytes)) as Grid).bands.length, 4);
});

test('levels that are not even are no layers of a DFS3, and the error names the filter', async (t) => {
  const bytes = plane(
    { shape: [3, 3, 4], dimension_names: ['depth', 'y', 'x'], values: counted(36) },
    along('depth', [0, 10, 50], { units: 'm', positive: 'down' }),
  );
  await t.throwsAsync(converted(t, bytes, { reader: 'MDReader', writer: 'Dfs3Writer' }), {
    message: /The levels 'depth' are not evenly spaced.*--layers/,
  });
});

const zarr2 = (dtype: string, values: { buffer: ArrayBufferLike }, more: object = {}, attributes: object = {}) => ({
  '.zgroup': '{"zarr_format": 2}',
  'd/.zarray': JSON.stringify({
    zarr_format: 2,
    shape: [3, 4],
    chunks: [3, 4],
    dtype,
    compressor: null,
    fill_value: null,
    order: 'C',
    filters: null,
    ...more,
  }),
  'd/.zattrs': JSON.stringify({ _ARRAY_DIMENSIONS: ['y', 'x'], ...attributes }),
  'd/0.0': new Uint8Array(values.buffer),
});

test('a store of Zarr 2 is read, its fill value means no data, and its compressors are unpacked', async (t) => {
  const values = Float32Array.from([-9, ...counted(11)]);
  const plain = await read(t, storeOf(zarr2('<f4', values, { fill_value: -9 }, { units: 'm' })));
  t.like(plain, { kind: 'array', items: [{ name: 'd', unit: 'm', type: 'Float32', nodata: -9 }] });
  t.deepEqual(await firstValues(plain), [null, ...counted(11)]);
  const zlib = zarr2('<f4', values, { compressor: { id: 'zlib', level: 1 }, fill_value: 'NaN' });
  t.is(
    (await firstValues(await read(t, storeOf({ ...zlib, 'd/0.0': deflateSync(Buffer.from(values.buffer)) }))))[0],
    -9,
  );
  const slashes: Record<string, string | Uint8Array> = zarr2('|i1', Int8Array.from(counted(12)), {
    dimension_separator: '/',
    fill_value: 0,
  });
  slashes['d/0/0'] = slashes['d/0.0']!;
  delete slashes['d/0.0'];
  t.deepEqual(await firstValues(await read(t, storeOf(slashes))), [null, ...counted(12).slice(1)]);
  const whole64 = BigInt64Array.from(counted(12), BigInt);
  t.deepEqual(await firstValues(await read(t, storeOf(zarr2('<i8', whole64)))), counted(12));
  const packed = await new Blosc(5, 'lz4', 1).encode(new Uint8Array(values.buffer));
  const blosc = { ...zarr2('<f4', values, { compressor: { id: 'blosc' } }), 'd/0.0': packed };
  t.deepEqual(await firstValues(await read(t, storeOf(blosc))), [-9, ...counted(11)]);
  const cut = await read(t, storeOf({ ...blosc, 'd/0.0': packed.slice(0, -3) }));
  await t.throwsAsync(firstValues(cut), { instanceOf: FormatError, message: /cannot be decompressed/ });
  await t.throwsAsync(read(t, storeOf(zarr2('<f4', values, { filters: [{ id: 'lzma' }] }))), {
    message: /codec 'lzma'/,
  });
});

const folder = '/work/shared/data/cases';
const present = existsSync(folder);
if (!present) console.warn(`SKIPPED: the sample files in ${folder} are absent, so tests on them do not run.`);

(present ? test : test.skip)('stores that other programs wrote are read as xarray and cftime read them', async (t) => {
  const of = async (name: string) => read(t, await readFile(join(folder, `${name}.zarr.zip`)));
  t.is(textsOf(await of('11-days-since-year-1'))[0], '1999-09-02T00:00:00');
  const present = (await firstValues(await of('13-fill-and-missing-value'))).filter((value) => value !== null);
  t.deepEqual([present.length, Math.min(...present), Math.max(...present)], [18, 1, 19]);
  t.is(Math.max(...((await firstValues(await of('14-unsigned-attribute'))) as number[])), 247);
  t.is(textsOf(await of('16-time-zone-in-units'))[0], '1992-10-08T21:15:42.500');
  t.is((await of('17-float32-coordinates')).affine[1], 0.01);
  t.regex((await of('18-grid-mapping-without-wkt')).crs!.wkt!, /Transverse Mercator/);
  t.deepEqual(
    textsOf(await of('21-time-descending')).map((text) => text.slice(11, 13)),
    ['00', '01', '02'],
  );
  t.deepEqual(textsOf(await of('22-scalar-time')), ['2024-01-02T00:00:00']);
});
