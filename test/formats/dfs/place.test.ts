import test from 'ava';
import { eumItem, eumUnit, isEumPair } from '../../../src/files/data/eum/eum.ts';
import type { Affine } from '../../../src/files/data/grid.ts';
import { ConversionError } from '../../../src/files/errors.ts';
import { equidistantAxis } from '../../../src/files/formats/io/dfs/axes.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { placeOfGrid, storedPlace } from '../../../src/files/formats/io/dfs/grid-place.ts';
import { usualDeleteValues } from '../../../src/files/formats/io/dfs/header.ts';
import { itemOf, newItem } from '../../../src/files/formats/io/dfs/items.ts';
import { crsOfProjection, projectionText } from '../../../src/files/formats/io/dfs/projection.ts';
import { neqNumbers, newTime } from '../../../src/files/formats/io/dfs/time.ts';
import { sourceOf } from './dfs-bytes.ts';
import { sampleBytes, sampleTest } from './samples.ts';

const axis = (nx: number, ny: number, x0: number, y0: number, dx: number, dy: number) => ({
  counts: [nx, ny],
  spacing: [x0, y0, dx, dy],
});
const radians = Math.PI / 180;

/** Convergence of a transverse Mercator projection on a sphere, good to 1e-5 degree near its meridian. */
const gamma = (longitude: number, latitude: number, meridian: number) =>
  Math.atan(Math.tan((longitude - meridian) * radians) * Math.sin(latitude * radians)) / radians;

const utm33 = crsOfProjection({ text: 'UTM-33' })!;

test('the stored rotation counts from true north: the meridian convergence is subtracted', async (t) => {
  const [longitude, latitude] = [12.4387, 55.2257];
  const place = async (rotation: number) => {
    const { affine } = await placeOfGrid(
      axis(3, 2, 0, 0, 10, 20),
      { text: '', longitude, latitude, rotation },
      utm33,
      undefined,
    );
    return affine;
  };
  const upright = await place(gamma(longitude, latitude, 15));
  t.deepEqual([upright[1], upright[2], upright[4], upright[5]], [10, 0, 0, 20]);
  t.true(Math.abs(gamma(longitude, latitude, 15) + 2.1042898) < 1e-4);
  const turned = await place(gamma(longitude, latitude, 15) + 30);
  const wanted = [
    10 * Math.cos(30 * radians),
    20 * Math.sin(30 * radians),
    -10 * Math.sin(30 * radians),
    20 * Math.cos(30 * radians),
  ];
  for (const [n, value] of [turned[1], turned[2], turned[4], turned[5]].entries())
    t.true(Math.abs(value - wanted[n]!) < 1e-4, `${value} ${wanted[n]}`);
  // The centre of the first cell stays where it is.
  const centre = ([x, a, b, y, c, d]: Affine) => [x + (a + b) / 2, y + (c + d) / 2];
  for (const n of [0, 1]) t.true(Math.abs(centre(upright)[n]! - centre(turned)[n]!) < 1e-6);
});

test('x0 and y0 are ignored if they repeat the origin, otherwise added along the axes', async (t) => {
  const local = { text: 'NON-UTM', longitude: 1000, latitude: 2000, rotation: 0 };
  const at = async (x0: number, y0: number, rotation = 0) =>
    (await placeOfGrid(axis(3, 2, x0, y0, 10, 10), { ...local, rotation }, undefined, undefined)).affine;
  t.deepEqual(await at(0, 0), [1000, 10, 0, 2000, 0, 10]);
  t.deepEqual(await at(1005, 1995), [1000, 10, 0, 2000, 0, 10]);
  t.deepEqual(await at(30, 40), [1030, 10, 0, 2040, 0, 10]);
  // A cell away is not the same position.
  t.deepEqual(await at(1010, 2000), [2010, 10, 0, 4000, 0, 10]);
  const turned = await at(30, 0, 90);
  t.true(
    Math.abs(turned[0] - 1000) < 1e-9 && Math.abs(turned[3] - 1970) < 1e-9,
    'x runs south in a grid turned by 90 degrees',
  );
});

test('CoordinateInterpretationType places the origin at the cell centre, its corner, or the domain border', async (t) => {
  const projection = { text: 'LONG/LAT', longitude: 10, latitude: 50, rotation: 0 };
  const crs = crsOfProjection(projection);
  const at = async (means: 'CenterOfCell' | 'BottomLeftBorder' | 'Borders' | undefined) =>
    (await placeOfGrid(axis(5, 3, 0, 0, 0.5, 0.5), projection, crs, means)).affine;
  t.deepEqual(await at(undefined), [9.75, 0.5, 0, 49.75, 0, 0.5]);
  t.deepEqual(await at('CenterOfCell'), [9.75, 0.5, 0, 49.75, 0, 0.5]);
  t.deepEqual(await at('BottomLeftBorder'), [10, 0.5, 0, 50, 0, 0.5]);
  t.deepEqual(await at('Borders'), [10 - 0.3125, 0.625, 0, 50 - 0.375, 0, 0.75]);
  // Two columns: twice the width; one row keeps its height.
  const few = await placeOfGrid(axis(2, 1, 0, 0, 0.5, 0.5), projection, crs, 'Borders');
  t.deepEqual(few.affine, [9.5, 1, 0, 49.75, 0, 0.5]);
  const local = { text: 'NON-UTM', longitude: 10, latitude: 50, rotation: 0 };
  const centre = await placeOfGrid(axis(5, 3, 0, 0, 2, 2), local, undefined, 'CenterOfCell');
  t.deepEqual(centre.affine, [9, 2, 0, 49, 0, 2]);
});

test('an unknown projection text leaves the grid without a georeference', async (t) => {
  const projection = { text: 'DKS', longitude: 12, latitude: 55, rotation: 20 };
  t.deepEqual(await placeOfGrid(axis(3, 2, 0, 0, 10, 20), projection, crsOfProjection(projection), undefined), {
    affine: [-5, 10, 0, -10, 0, 20],
    located: false,
    crs: { wkt: 'DKS' },
  });
  t.is(await projectionText({ wkt: 'DKS' }), 'DKS');
});

test('projection texts are mapped to coordinate systems and back', async (t) => {
  t.is(crsOfProjection(undefined), undefined);
  t.is(crsOfProjection({ text: 'NON-UTM' }), undefined);
  t.is(crsOfProjection({ text: 'LONG/LAT' })?.code, 4326);
  t.is(utm33.code, 32633);
  t.is(crsOfProjection({ text: 'UTM-7S' })?.code, 32707);
  const mike =
    'PROJCS["UTM-17",GEOGCS["Unused",DATUM["UTM Projections",SPHEROID["WGS 1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000],PARAMETER["False_Northing",0],PARAMETER["Central_Meridian",-81],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0],UNIT["Meter",1]]';
  t.is(crsOfProjection({ text: mike })?.code, 32617);
  t.is(crsOfProjection({ text: mike.replace('Northing",0', 'Northing",10000000') })?.code, 32717);
  t.is(await projectionText(undefined), 'NON-UTM');
  t.is(await projectionText({ authority: 'EPSG', code: 4326 }), 'LONG/LAT');
  t.regex(await projectionText({ authority: 'EPSG', code: 25832 }), /^PROJCS\["ETRS_1989_UTM_Zone_32N"/);
});

test('a georeference is the same after writing and reading', async (t) => {
  const crs = { authority: 'EPSG', code: 25832 } as const;
  for (const turn of [0, 33, -120]) {
    const [sin, cos] = [Math.sin(turn * radians), Math.cos(turn * radians)];
    const affine: Affine = [700_000, 50 * cos, 20 * sin, 6_200_000, -50 * sin, 20 * cos];
    const { dx, dy, ...stored } = await storedPlace(affine, crs);
    const again = await placeOfGrid(axis(4, 3, 0, 0, dx, dy), { text: '', ...stored }, crs, undefined);
    for (const [n, value] of again.affine.entries()) t.true(Math.abs(value - affine[n]!) < 1e-4, `${turn}: ${value}`);
  }
  const aligned = await storedPlace([700_000, 50, 0, 6_200_000, 0, 50], crs);
  t.true(
    Math.abs(aligned.rotation - gamma(aligned.longitude, aligned.latitude, 9)) < 2e-5,
    'rotation is the convergence',
  );
  t.deepEqual(await storedPlace([5, 2, 0, 7, 0, 2], undefined), {
    longitude: 5,
    latitude: 7,
    rotation: 0,
    dx: 2,
    dy: 2,
  });
  const geographic = { authority: 'EPSG', code: 4326 } as const;
  const { longitude, rotation } = await storedPlace([5, 2, 0, 7, 0, 2], geographic);
  t.deepEqual([longitude, rotation], [6, 0]);
  await t.throwsAsync(storedPlace([5, 1, 1, 7, -1, 1], geographic), {
    instanceOf: ConversionError,
    message: /rotated/,
  });
  await t.throwsAsync(storedPlace([5, 1, 1, 7, 0, 1], crs), { instanceOf: ConversionError, message: /skewed/ });
});

sampleTest('MIKE SHE grids that repeat their corner in x0 and y0 are placed correctly', async (t) => {
  const { header } = await DfsFile.open(await sourceOf(t, await sampleBytes('Karup_MIKE_SHE_output.dfs2')));
  const { projection, items } = header;
  const { affine } = await placeOfGrid(items[0]!.axis, projection, crsOfProjection(projection), undefined);
  t.deepEqual(affine, [494079, 500, 0, 6220000, 0, 500]);
});

test('times are written in seconds from a whole second, equidistant if all steps are equally long', (t) => {
  const start = Date.UTC(2020, 0, 1) + 250;
  const hours = newTime({ spacing: 'equidistant', unit: 'hour', start, count: 3, offset: 1, interval: 0.5 });
  t.deepEqual(hours.time, {
    equidistant: true,
    start: { date: '2020-01-01', time: '01:00:00' },
    unit: 1400,
    steps: 3,
    firstStep: 0,
    numbers: [0.25, 1800],
  });
  const even = newTime({ spacing: 'nonEquidistant', unit: 'minute', start, offsets: Float64Array.of(0, 1, 2) });
  t.deepEqual(even.time.numbers, [0.25, 60]);
  const uneven = newTime({ spacing: 'nonEquidistant', unit: 'day', offsets: Float64Array.of(-1, 1, 5) });
  t.is(uneven.time.start, undefined);
  t.deepEqual([...uneven.offsets], [-86400, 86400, 5 * 86400]);
  t.deepEqual(uneven.time.numbers, [-86400, 6 * 86400]);
  // The running maximum of the times begins at 0.
  t.deepEqual(neqNumbers(Float64Array.of(-3, -1)), [-3, 3]);
  t.deepEqual(neqNumbers(Float64Array.of(5, 1, 3)), [5, 0]);
  t.deepEqual(neqNumbers(new Float64Array()), [0, 0]);
  const none = newTime(undefined);
  t.deepEqual(none.time.start, { date: '1970-01-01', time: '00:00:00' });
  t.is(none.time.steps, 1);
});

test('items keep quantity, unit and value type from file to file', (t) => {
  t.like(eumItem(100000), { identifier: 'eumIWaterLevel', name: 'Water Level' });
  t.like(eumUnit(1800), { identifier: 'eumUm3PerSec', symbol: 'm^3/s' });
  t.true(isEumPair({ item: 100001, unit: 1800 }));
  t.false(isEumPair({ item: 100001, unit: 1000 }));
  t.true(isEumPair({ item: 999, unit: 1000 }));
  const lost: string[] = [];
  const context = { reportLoss: (sentence: string) => void lost.push(sentence) };
  const options = { type: 'Float32', axis: equidistantAxis([]), otherwise: 'Item 1' } as const;
  const rain = { name: 'Rain – ≥', eum: { item: 100004, unit: 1002 }, valueKind: 'stepAccumulated' } as const;
  const written = newItem(rain, options, context);
  t.deepEqual(
    { name: written.name, valueKind: written.valueKind, eumUnit: written.eumUnit },
    { name: 'Rain – ?', valueKind: 2, eumUnit: 1002 },
  );
  t.is(lost.length, 1);
  t.deepEqual(itemOf(written, usualDeleteValues), {
    ...rain,
    name: 'Rain – ?',
    type: 'Float32',
    unit: 'mm',
    nodata: Math.fround(-1e-35),
  });
  t.like(newItem({ eum: { item: 100004, unit: 1800 } }, options, context), {
    name: 'Item 1',
    eumItem: 999,
    eumUnit: 1800,
  });
  t.is(lost.length, 2);
});
