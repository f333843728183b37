import test from 'ava';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { memory } from '../read.ts';
import { zipOf } from '../shapefiles.ts';
import { dataOf, whole } from './whole.ts';
import { group, storeOf, variable } from './zarr-files.ts';

const wgs84 =
  'GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]';
const y = variable('y', { shape: [2], dimension_names: ['y'], values: [55, 54] });
const x = variable('x', { shape: [3], dimension_names: ['x'], values: [10, 11, 12] });
const time = variable('time', {
  shape: [2],
  dimension_names: ['time'],
  data_type: 'int64',
  values: BigInt64Array.of(0n, 6n),
  attributes: { units: 'hours since 2020-01-01T12:30', calendar: 'proleptic_gregorian' },
});
const level = {
  shape: [2, 2, 3],
  dimension_names: ['time', 'y', 'x'],
  data_type: 'float32',
  values: [1, 2, 3, 4, 5, 6, 7, 8, 9, -9, 11, 12],
  // as xarray writes it
  attributes: { units: 'm', _FillValue: 'AAAAAAAAIsA=', grid_mapping: 'crs' },
};
const crs = variable('crs', { shape: [], data_type: 'uint8', values: [0], attributes: { crs_wkt: wgs84 } });

for (const codec of ['zstd', 'gzip', 'none'] as const)
  test(`a store of another program with the codec ${codec} is read as a grid georeferenced by its coordinates`, async (t) => {
    const files = {
      'zarr.json': group({}),
      ...variable('level', { ...level, codec, bigEndian: codec === 'gzip' }),
      ...y,
      ...x,
      ...time,
      ...crs,
    };
    for (const folder of ['', 'store.zarr/']) {
      const bytes = storeOf(
        Object.fromEntries(Object.entries(files).map(([name, one]) => [folder + name, one])),
        codec !== 'none',
      );
      t.is((await detect(memory(bytes)))?.format, 'md');
      const { crs: system, values, ...rest } = await whole(await dataOf(t, 'MDReader', bytes));
      t.like(system, { authority: 'EPSG', code: 4326 });
      t.deepEqual(values, { 0: [Float64Array.of(1, 2, 3, 4, 5, 6), Float64Array.of(7, 8, 9, -9, 11, 12)] });
      t.deepEqual(rest, {
        kind: 'grid',
        heights: false,
        width: 3,
        height: 2,
        affine: [9.5, 1, 0, 55.5, 0, -1],
        time: {
          spacing: 'equidistant',
          unit: 'hour',
          start: Date.UTC(2020, 0, 1, 12, 30),
          count: 2,
          offset: 0,
          interval: 6,
        },
        bands: [{ name: 'level', unit: 'm', type: 'Float32', nodata: -9 }],
      });
    }
  });

test('a store without georeference is an array; coordinates of degrees are WGS 84', async (t) => {
  const plain = storeOf({
    'zarr.json': group({}),
    ...variable('a', { shape: [2, 2], values: [1, 2, 3, 4], fill_value: 'NaN' }),
  });
  t.like(await whole(await dataOf(t, 'MDReader', plain)), {
    kind: 'array',
    items: [{ name: 'a', type: 'Float64', nodata: Number.NaN, axes: [0, 1], overTime: false }],
    values: { 0: [Float64Array.of(1, 2, 3, 4)] },
  });
  const lon = variable('x', {
    shape: [3],
    dimension_names: ['x'],
    values: [10, 11, 12],
    attributes: { units: 'degrees_east' },
  });
  const mixed = storeOf({
    'zarr.json': group({}),
    ...variable('level', level),
    ...variable('mean', {
      shape: [2, 3],
      dimension_names: ['y', 'x'],
      values: [1, 2, 3, 4, 5, 6],
      attributes: { scale_factor: 2 },
    }),
    ...y,
    ...lon,
    ...time,
  });
  t.like(await whole(await dataOf(t, 'MDReader', mixed)), {
    kind: 'array',
    crs: { authority: 'EPSG', code: 4326 },
    placement: { by: 'affine', x: 1, y: 0, affine: [9.5, 1, 0, 55.5, 0, -1] },
    items: [
      { name: 'level', axes: [0, 1], overTime: true },
      { name: 'mean', axes: [0, 1], overTime: false, scale: 2 },
    ],
  });
});

test('if metadata occur twice in the zip, as xarray writes them, the last ones are used', async (t) => {
  const files = (unit: string) =>
    Object.entries({
      'zarr.json': group({}),
      ...variable('a', { shape: [1], values: [7], attributes: { units: unit } }),
    }).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes), stored: true }));
  const bytes = zipOf([...files('s'), ...files('m')]);
  t.is((await detect(memory(bytes)))?.format, 'md');
  t.like(await whole(await dataOf(t, 'MDReader', bytes)), { items: [{ name: 'a', unit: 'm' }] });
});

test('unsupported features are refused with an error that names them', async (t) => {
  const a = { shape: [2], values: [1, 2] };
  const refused = async (files: Record<string, string | Uint8Array>, message: RegExp) =>
    t.throwsAsync(dataOf(t, 'MDReader', storeOf(files)), { instanceOf: FormatError, message });
  const root = { 'zarr.json': group({}) };
  await refused(
    { ...root, ...variable('a', { ...a, more: { codecs: [{ name: 'sharding_indexed', configuration: {} }] } }) },
    /sharding_indexed' in the zip is not valid metadata of Zarr: chunk_shape/,
  );
  await refused(
    { ...root, ...variable('a', { ...a, more: { codecs: [{ name: 'bytes' }, { name: 'numcodecs.pcodec' }] } }) },
    /^The array 'a' has the codec 'numcodecs.pcodec', which is not supported/,
  );
  await refused(
    { ...root, ...variable('a', { ...a, data_type: 'string', fill_value: '' }) },
    /^The array 'a' has the data type "string"/,
  );
  await refused(
    {
      ...root,
      ...variable('a', {
        ...a,
        more: { shape: [1e9], chunk_grid: { name: 'regular', configuration: { chunk_shape: [1e9] } } },
      }),
    },
    /a chunk may have/,
  );
  await refused(root, /^The store has no arrays with values/);
  await refused({ '.zarray': '{"zarr_format":2}' }, /^The zip holds arrays of Zarr 2, but no group/);
  await refused(
    { 'zarr.json': group({ platform: { version: 1, kind: 'grid', width: -1 } }) },
    /^The attribute 'platform' of the store is not valid: width/,
  );
  await refused(
    {
      ...root,
      ...x,
      ...y,
      ...variable('time', {
        shape: [2],
        dimension_names: ['time'],
        values: [0, 1],
        attributes: { units: 'days since 2000-02-29', calendar: '360_day' },
      }),
      ...variable('level', level),
    },
    /calendar '360_day'/,
  );
});

test('a store whose content does not fit the writer is refused with its kind', async (t) => {
  const bytes = storeOf({ 'zarr.json': group({}), ...variable('level', level), ...y, ...x, ...time });
  await t.throwsAsync(converted(t, bytes, { reader: 'MDReader', writer: 'DfsuWriter' }), {
    instanceOf: ConversionError,
    message: /^The dataset holds a grid; DfsuWriter takes meshes/,
  });
});
