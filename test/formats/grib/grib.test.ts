import test from 'ava';
import { layersOf } from '../../../src/files/data/grid.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { mutate, outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { grib1, grib2, type TestGrid } from './grib-bytes.ts';
import { packed } from './packed-messages.ts';

const grid: TestGrid = { columns: 3, rows: 2, first: [8, 55], last: [10, 54] };
const six = (start: number): number[] => [0, 1, 2, 3, 4, 5].map((n) => start + n);
const temperature = { parameter: [0, 0], level: [103, 2], grid } as const;
const day = Date.UTC(2026, 0, 15);

async function valuesOf(
  data: { rows(slice: { band: number; step: number; layer: number }): AsyncIterable<{ samples: ArrayLike<number> }> },
  band: number,
  step = 0,
): Promise<number[]> {
  const values: number[] = [];
  for await (const { samples } of data.rows({ band, step, layer: 0 })) values.push(...Array.from(samples));
  return values;
}

test('fields of a parameter over time are an item; heights above ground are told', async (t) => {
  const bytes = Buffer.concat([0, 6, 12].map((step) => grib2({ ...temperature, step, values: six(step) })));
  t.like(await detect(memory(bytes)), { format: 'grib', name: 'a GRIB file' });
  const { data, lost, remarks } = await read(t, 'grid', 'GribReader', bytes);
  t.deepEqual(data.affine, [7.5, 1, 0, 55.5, 0, -1]);
  t.like(data.crs, { authority: 'EPSG', code: 4326 });
  t.like(data.time, { spacing: 'equidistant', unit: 'hour', start: day, count: 3, offset: 0, interval: 6 });
  t.is(layersOf(data), 1);
  t.like(data.bands, [{ name: 'Temperature, height above ground', eum: { item: 100006 }, type: 'Float32' }]);
  t.deepEqual(await valuesOf(data, 0, 2), six(12));
  t.deepEqual(lost, []);
  t.deepEqual(remarks.toSorted(), [
    "'Temperature, height above ground' is at 2 m.",
    'The fields were computed on another earth (a sphere of 6371229 m); longitudes and latitudes were taken as WGS 84 (EPSG:4326).',
    'The reference time of the fields is 2026-01-15T00:00:00Z.',
  ]);
});

test('components of vectors are along true east and north unless their grid says otherwise', async (t) => {
  const bytesOf = (of: TestGrid) =>
    Buffer.concat(
      [0, 2, 3].map((number) => grib2({ ...temperature, parameter: [2, number], grid: of, values: six(0) })),
    );
  const axes = async (of: TestGrid) =>
    (await read(t, 'grid', 'GribReader', bytesOf(of))).data.bands.map(({ geographicAxes }) => geographicAxes);
  t.deepEqual(await axes(grid), [undefined, true, true]);
  t.deepEqual(await axes({ ...grid, alongGrid: true }), [undefined, undefined, undefined]);
});

test('cells without values, and bytes between messages, are read in both editions', async (t) => {
  const values = [1, null, 3, null, null, 6];
  const expected = [1, Number.NaN, 3, Number.NaN, Number.NaN, 6];
  const heading = Buffer.from('\r\r\nHTXX01 ECMF 150000\r\r\n');
  const second = Buffer.concat([heading, grib2({ ...temperature, values }), Buffer.alloc(70_000)]);
  const two = await read(t, 'grid', 'GribReader', second);
  t.deepEqual(await valuesOf(two.data, 0), expected);
  const one = await read(t, 'grid', 'GribReader', grib1({ parameter: 11, grid, values }));
  t.deepEqual(await valuesOf(one.data, 0), expected);
});

test('a message of GRIB 1 has its level, valid time, name and decimal scale', async (t) => {
  const bytes = grib1({ parameter: 11, level: [100, 850], range: [0, 6, 0], decimal: 2, grid, values: six(-20.25) });
  const { data, remarks } = await read(t, 'grid', 'GribReader', bytes);
  t.like(data.bands, [{ name: 'Temperature, isobaric' }]);
  t.like(data.time, { start: day + 12 * 3_600_000, count: 1 });
  t.deepEqual(await valuesOf(data, 0), six(-20.25));
  t.true(remarks.includes("'Temperature, isobaric' is at 850 hPa."));
});

test('accumulations keep their kind of value, also beside instantaneous fields', async (t) => {
  const rain = (step: number, end: number) =>
    grib2({ parameter: [1, 8], grid, step, interval: { end, process: 1 }, values: six(end) });
  const steps = [0, 6, 12].map((step) => grib2({ ...temperature, step, values: six(step) }));
  const bytes = Buffer.concat([rain(0, 6), rain(6, 12), ...steps]);
  const { data, remarks } = await read(t, 'grid', 'GribReader', bytes);
  t.like(data.bands, [
    { name: 'Total precipitation, surface', unit: 'kg/(m^2)', valueKind: 'stepAccumulated' },
    { name: 'Temperature, height above ground' },
  ]);
  t.is(data.bands[1]!.valueKind, undefined);
  t.deepEqual(
    await valuesOf(data, 0),
    six(0).map(() => Number.NaN),
  );
  t.deepEqual(await valuesOf(data, 0, 1), six(6));
  t.true(remarks.includes("'Total precipitation, surface' has 2 of 3 fields; where one is missing, there is no data."));
  t.true(
    remarks.includes("The values of 'Total precipitation, surface' are over 6 h before their time (accumulation)."),
  );
  const whole = await read(t, 'grid', 'GribReader', Buffer.concat([rain(0, 6), rain(0, 12)]));
  t.is(whole.data.bands[0]!.valueKind, 'accumulated');
  const mixed = await read(t, 'grid', 'GribReader', Buffer.concat([rain(0, 3), rain(3, 6), rain(0, 6)]));
  t.deepEqual(
    mixed.data.bands.map(({ name }) => name),
    ['Total precipitation, surface, accumulation, 3 hours', 'Total precipitation, surface, accumulation, 6 hours'],
  );
});

test('pressure levels and members are axes, the highest pressure first', async (t) => {
  const one = (member: number, level: number) =>
    grib2({ parameter: [0, 0], level: [100, level], member, grid, values: six(level / 100 + member) });
  const bytes = Buffer.concat([one(1, 50_000), one(2, 50_000), one(1, 85_000), one(2, 85_000)]);
  const { data } = await read(t, 'array', 'GribReader', bytes);
  t.deepEqual(
    data.axes.map(({ name, values }) => [name, [...values]]),
    [
      ['member', [1, 2]],
      ['isobaric', [85_000, 50_000]],
      ['latitude', [55, 54]],
      ['longitude', [8, 9, 10]],
    ].map(([name, values]) => (name === 'latitude' ? [name, data.placement ? [55, 54] : [54, 55]] : [name, values])),
  );
  t.deepEqual([...(await data.read(0, 0, [1, 0, 0, 0], [1, 1, 2, 3]))], six(852));
});

test('equal heights of levels are layers, the lowest first', async (t) => {
  const bytes = Buffer.concat(
    [300, 100, 200].map((level) => grib2({ parameter: [2, 2], level: [103, level], grid, values: six(level) })),
  );
  const { data } = await read(t, 'grid', 'GribReader', bytes);
  t.deepEqual(data.layers, { count: 3, first: 100, spacing: 100, unit: 'm' });
  t.deepEqual(await valuesOf(data, 0), six(100));
});

test('several reference times of one valid time are an axis', async (t) => {
  const at = (hour: number, step: number) =>
    grib2({ ...temperature, reference: [2026, 1, 15, hour], step, values: six(hour + step / 10) });
  const { data, remarks } = await read(
    t,
    'array',
    'GribReader',
    Buffer.concat([at(0, 0), at(0, 6), at(6, 0), at(6, 6)]),
  );
  t.deepEqual(data.axes[0]!.values, Float64Array.of(0, 6));
  t.like(data.time, { count: 3, interval: 6 });
  t.true(remarks.includes('The fields have 2 reference times, from 2026-01-15T00:00:00Z to 2026-01-15T06:00:00Z.'));
  const [first] = await data.read(0, 1, [0, 0, 0], [2, 1, 1]);
  t.is(Math.round(first! * 100), 60);
});

for (const { name, message, values } of packed)
  test(`values in the packing ${name} are those that others read`, async (t) => {
    const { data } = await read(t, 'grid', 'GribReader', Buffer.from(message, 'base64'));
    t.deepEqual(await valuesOf(data, 0), Array.from(Float32Array.from(values)));
  });

test('rows and columns of each scanning mode come to their places', async (t) => {
  // the value of a point tells its place: longitude + latitude / 100
  for (let mode = 0; mode < 16; mode++) {
    const [fromEast, fromSouth, byColumns, alternating] = [8, 4, 2, 1].map((bit) => (mode & bit) !== 0);
    const lons = fromEast ? [10, 9, 8] : [8, 9, 10];
    const lats = fromSouth ? [54, 55] : [55, 54];
    const lines = byColumns
      ? lons.map((lon) => lats.map((lat) => lon + lat / 100))
      : lats.map((lat) => lons.map((lon) => lon + lat / 100));
    const values = lines.flatMap((line, n) => (alternating && n % 2 === 1 ? line.toReversed() : line));
    const own = { ...grid, first: [lons[0]!, lats[0]!] as const, last: [lons.at(-1)!, lats.at(-1)!] as const };
    const bytes = grib2({ ...temperature, grid: { ...own, scanning: mode << 4 }, values });
    const { data } = await read(t, 'grid', 'GribReader', bytes);
    const placed = await valuesOf(data, 0);
    const {
      affine: [west, dx, , top, , dy],
    } = data;
    for (const [n, value] of placed.entries()) {
      const [lon, lat] = [west + dx * ((n % 3) + 0.5), top + dy * (Math.floor(n / 3) + 0.5)];
      t.true(Math.abs(value - (lon + lat / 100)) < 1e-3, `mode ${mode}: ${value} at ${lon} ${lat}`);
    }
  }
});

test('longitudes that cross the date line rise', async (t) => {
  const over = { ...grid, first: [359, 55], last: [1, 54] } as const;
  const { data } = await read(t, 'grid', 'GribReader', grib2({ ...temperature, grid: over, values: six(0) }));
  t.deepEqual(data.affine, [-1.5, 1, 0, 55.5, 0, -1]);
});

test('items on several grids are listed, and can be chosen', async (t) => {
  const other = { ...grid, columns: 2, last: [9, 54] } as const;
  const bytes = Buffer.concat([
    grib2({ ...temperature, values: six(0) }),
    grib2({ parameter: [3, 1], level: [101], grid: other, values: [1, 2, 3, 4] }),
  ]);
  await t.throwsAsync(read(t, 'grid', 'GribReader', bytes), {
    instanceOf: ConversionError,
    message:
      "The file has 2 grids. Choose items of one with AllowedItemNames. 3 × 2 latitude_longitude: 'Temperature, height above ground'; 2 × 2 latitude_longitude: 'Pressure reduced to MSL, mean sea level'.",
  });
  const { data } = await read(t, 'grid', 'GribReader', bytes, {
    AllowedItemNames: ['Pressure reduced to MSL, mean sea level'],
  });
  t.deepEqual(await valuesOf(data, 0), [1, 2, 3, 4]);
});

test('fields that stand twice, and messages of other grids, are told', async (t) => {
  const twice = Buffer.concat([grib2({ ...temperature, values: six(0) }), grib2({ ...temperature, values: six(7) })]);
  const spectral = grib2({ ...temperature, values: six(0) });
  spectral.writeUInt16BE(50, spectral.indexOf(Buffer.of(0, 0, 0, 72, 3)) + 12);
  const { data, lost } = await read(t, 'grid', 'GribReader', Buffer.concat([twice, spectral]));
  t.deepEqual(await valuesOf(data, 0), six(7));
  t.deepEqual(lost, [
    'A field was left out: The file has a grid of the template 3.50 (spherical harmonic coefficients), which is not supported. (at byte 419)',
    "1 of the fields of 'Temperature, height above ground' repeat others for the same time and level; the last ones were taken.",
  ]);
});

test('a file that is cut, and one without messages, end with a sentence', async (t) => {
  const bytes = grib2({ ...temperature, values: six(0) });
  await t.throwsAsync(read(t, 'grid', 'GribReader', bytes.subarray(0, -9)), {
    instanceOf: FormatError,
    message: 'The file ends within a message. (at byte 0)',
  });
  await t.throwsAsync(read(t, 'grid', 'GribReader', Buffer.from('no fields at all')), { instanceOf: FormatError });
});

test('one message with a date or step that is no time is left out, and the others are read', async (t) => {
  const good = grib2({ ...temperature, values: six(0) });
  const noDate = grib2({ ...temperature, reference: [2026, 13, 45, 0], values: six(1) });
  const far = grib2({ ...temperature, step: 2 ** 30, values: six(2) });
  far[far.indexOf(Buffer.of(0, 0, 0, 0, 0, 1, 0x40)) + 5] = 4;
  const { data, lost } = await read(t, 'grid', 'GribReader', Buffer.concat([good, noDate, far]));
  t.deepEqual(await valuesOf(data, 0), six(0));
  t.is(lost.length, 2);
  t.regex(lost[0]!, /A field was left out: The date and time 2026-13-45 .* are not in the calendar/);
  t.regex(lost[1]!, /lies 1073741824 units 4 from its reference time/);
});

test('a field without groups of packed numbers has its reference everywhere', async (t) => {
  const bytes = grib2({ ...temperature, values: six(7.5).fill(7.5) });
  // section 5 of template 5.2 in the place of that of 5.0, and no packed bytes
  const at = bytes.indexOf(Buffer.of(0, 0, 0, 21, 5));
  const section = Buffer.alloc(47);
  bytes.copy(section, 0, at, at + 21);
  section.writeUInt32BE(47);
  section[10] = 2;
  section[19] = 0;
  const end = bytes.indexOf(Buffer.of(0, 0, 0, 6, 6));
  const message = Buffer.concat([
    bytes.subarray(0, at),
    section,
    bytes.subarray(end, end + 6),
    Buffer.of(0, 0, 0, 5, 7),
    Buffer.from('7777'),
  ]);
  message.writeUInt32BE(message.length, 12);
  const { data } = await read(t, 'grid', 'GribReader', message);
  t.deepEqual(await valuesOf(data, 0), six(0).fill(7.5));
});

test('an item without members, beside one that has them, has no such axis', async (t) => {
  const bytes = Buffer.concat([
    ...[1, 2].map((member) => grib2({ ...temperature, member, values: six(member) })),
    grib2({ parameter: [3, 5], grid, values: six(9) }),
  ]);
  const { data, remarks } = await read(t, 'array', 'GribReader', bytes);
  t.deepEqual(
    data.items.map(({ axes }) => axes.length),
    [3, 2],
  );
  t.deepEqual([...(await data.read(1, 0, [0, 0], [2, 3]))], six(9));
  t.deepEqual(
    remarks.filter((one) => one.includes('fields; where one is missing')),
    [],
  );
});

test('damaged files end with a sentence, never with a crash', async (t) => {
  const samples = [
    grib2({ ...temperature, values: [1, null, 3, 4, 5, 6] }),
    grib1({ parameter: 11, grid, values: [1, null, 3, 4, 5, 6] }),
    ...packed.map(({ message }) => Buffer.from(message, 'base64')),
  ];
  await mutate(t, 'GribReader', samples, 1500);
  for (let cut = 0; cut < samples[0]!.length; cut += 5) await outcome('GribReader', samples[0]!.subarray(0, cut), '');
  t.pass();
});
