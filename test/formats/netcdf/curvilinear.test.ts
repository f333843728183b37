import test from 'ava';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import { converted } from '../files.ts';
import { read } from '../read.ts';
import { written } from '../written.ts';
import { dataOf, whole } from '../zarr/whole.ts';
import { classicFile, hdf5File, type MadeFile } from './netcdf-files.ts';

const forms = { 'classic format': (file: MadeFile) => classicFile(file), 'NetCDF-4': hdf5File };

/** 3 × 2 cells between 4 × 3 corners; rows bend to the north. */
const corner = (row: number, column: number) => [
  500_000 + 100 * column + 10 * row,
  6_000_000 + 100 * row + column ** 2,
];
const corners = Array.from({ length: 12 }, (_, n) => corner(Math.floor(n / 4), n % 4));
const bent: MultiArray = {
  kind: 'array',
  crs: { authority: 'EPSG', code: 25832 },
  axes: [
    { name: 'y', values: Float64Array.of(0, 1) },
    { name: 'x', values: Float64Array.of(0, 1, 2) },
  ],
  placement: {
    by: 'nodes',
    y: 0,
    x: 1,
    nodeX: Float64Array.from(corners, ([x]) => x!),
    nodeY: Float64Array.from(corners, ([, y]) => y!),
  },
  items: [{ name: 'Level', type: 'Float32', nodata: -1e-35, axes: [0, 1], overTime: true }],
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count: 2, offset: 0, interval: 1 },
  async read(_item, step, [row = 0, column = 0], [rows = 2, columns = 3]) {
    return Float32Array.from(
      { length: rows * columns },
      (_, n) => 100 * step + 3 * (row + Math.floor(n / columns)) + column + (n % columns),
    );
  },
};

/** The classic format, whose description counts no more. */
const undescribed = (content: Buffer): Buffer =>
  Buffer.from(
    content.toString('latin1').replace('{"version":1,"kind":"array"', '{"version":9,"kind":"array"'),
    'latin1',
  );

test('curvilinear cells are written with their centres and corners, and come back', async (t) => {
  for (const parameters of [{}, { Version: '3' }]) {
    const { content, lost } = await written(t, bent, 'NetCdfWriter', parameters);
    t.deepEqual(await whole(await dataOf(t, 'NetCdfReader', content)), await whole(bent));
    t.deepEqual(lost, []);
  }
  const { content } = await written(t, bent, 'NetCdfWriter', { Version: '3' });
  const { data, lost } = await read(t, 'array', 'NetCdfReader', undescribed(content), { AllowedItemNames: ['Level'] });
  t.deepEqual(data.placement, bent.placement);
  t.like(data.crs, { authority: 'EPSG', code: 25832 });
  t.deepEqual(lost, []);
});

/** Longitudes across the antimeridian, at 2 × 3 cells without bounds. */
const foreign: MadeFile = {
  dimensions: { time: 2, eta: 2, xi: 3 },
  unlimited: 'time',
  attributes: { Conventions: 'CF-1.8' },
  variables: {
    time: { type: 'double', dimensions: ['time'], attributes: { units: 'hours since 2020-01-01' }, values: [0, 1] },
    lon: {
      type: 'double',
      dimensions: ['eta', 'xi'],
      attributes: { units: 'degrees_east' },
      values: [178, 179, -180, 178.5, 179.5, -179.5],
    },
    lat: {
      type: 'double',
      dimensions: ['eta', 'xi'],
      attributes: { units: 'degrees_north' },
      values: [1, 1, 1, 2, 2, 2],
    },
    zeta: {
      type: 'double',
      dimensions: ['time', 'eta', 'xi'],
      attributes: { units: 'm', coordinates: 'lon lat' },
      values: Array.from({ length: 12 }, (_, n) => n),
    },
  },
};

for (const [form, make] of Object.entries(forms)) {
  test(`${form}: coordinates of two dimensions place the cells`, async (t) => {
    const { data, lost, remarks } = await read(t, 'array', 'NetCdfReader', await make(foreign));
    t.deepEqual(data.placement, {
      by: 'nodes',
      y: 0,
      x: 1,
      nodeX: Float64Array.of(
        177.25,
        178.25,
        179.25,
        180.25,
        177.75,
        178.75,
        179.75,
        180.75,
        178.25,
        179.25,
        180.25,
        181.25,
      ),
      nodeY: Float64Array.of(0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 2.5, 2.5, 2.5, 2.5),
    });
    t.deepEqual(data.crs, { authority: 'EPSG', code: 4326 });
    t.deepEqual(lost, []);
    t.true(remarks.some((one) => one.includes('corners of the cells')));
  });

  test(`${form}: curvilinear cells become cells of MD, VTU and DFS2 files`, async (t) => {
    const bytes = await make(foreign);
    for (const [writer, reader] of [
      ['MDWriter', 'MDReader'],
      ['VtuWriter', 'VtuReader'],
      ['Dfs2Writer', 'Dfs2Reader'],
    ] as const) {
      const { bytes: made } = await converted(t, bytes, { reader: 'NetCdfReader', writer });
      const back = await dataOf(t, reader, made);
      if (back.kind === 'array') {
        t.is(back.placement?.by, 'nodes');
        t.deepEqual([...(await back.read(0, 1, [0, 0], [2, 3]))], [6, 7, 8, 9, 10, 11]);
      } else if (back.kind === 'mesh') {
        t.deepEqual([...back.nodes.subarray(0, 2)], [177.25, 0.5]);
        t.deepEqual([...(await back.values(0, 1))], [6, 7, 8, 9, 10, 11]);
      } else t.fail(`${writer} made ${back.kind}.`);
    }
  });

  test(`${form}: coordinates without values give no place, and are named`, async (t) => {
    const { lon, ...variables } = foreign.variables;
    const gaps = { ...lon!, values: [178, 179, Number.NaN, 178.5, 179.5, -179.5] };
    const file = { ...foreign, variables: { lon: gaps, ...variables } };
    const { data, lost, remarks } = await read(t, 'array', 'NetCdfReader', await make(file));
    t.is(data.placement, undefined);
    t.true(lost.some((one) => one.includes("'lon', 'lat'")));
    t.true(remarks.some((one) => one.includes('lack values')));
  });
}

/** 2 × 2 cells with bounds, whose longitudes jump at the antimeridian. */
const jumping = (west: readonly number[], east: readonly number[], attributes = {}): MadeFile => ({
  dimensions: { eta: 2, xi: 2, corner: 4 },
  attributes: { Conventions: 'CF-1.8' },
  variables: {
    lon: {
      type: 'double',
      dimensions: ['eta', 'xi'],
      attributes: { units: 'degrees_east', bounds: 'lon_b' },
      values: [179.5, -179.5, 179.5, -179.5],
    },
    lat: {
      type: 'double',
      dimensions: ['eta', 'xi'],
      attributes: { units: 'degrees_north', bounds: 'lat_b' },
      values: [1, 1, 2, 2],
    },
    lon_b: { type: 'double', dimensions: ['eta', 'xi', 'corner'], values: [...west, ...east, ...west, ...east] },
    lat_b: {
      type: 'double',
      dimensions: ['eta', 'xi', 'corner'],
      values: [1, 1, 2, 2].flatMap((at) => [at - 0.5, at - 0.5, at + 0.5, at + 0.5]),
    },
    zeta: {
      type: 'double',
      dimensions: ['eta', 'xi'],
      attributes: { units: 'm', coordinates: 'lon lat', ...attributes },
      values: [1, 2, 3, 4],
    },
  },
});

test('bounds of cells across the antimeridian do not jump', async (t) => {
  for (const file of [
    jumping([179, 180, 180, 179], [-180, -179, -179, -180]),
    jumping([179, -180, -180, 179], [180, -179, -179, 180]),
    jumping([179, -180, -180, 179], [-180, -179, -179, -180]),
  ]) {
    const { data, remarks } = await read(t, 'array', 'NetCdfReader', classicFile(file));
    t.like(data.placement, { by: 'nodes', nodeX: Float64Array.of(179, 180, 181, 179, 180, 181, 179, 180, 181) });
    t.false(remarks.some((one) => one.includes('corners of the cells')));
  }
});

test('the grid mapping of a projection does not hold for longitudes and latitudes', async (t) => {
  const file = jumping([179, 180, 180, 179], [-180, -179, -179, -180], { grid_mapping: 'utm' });
  const utm = {
    type: 'int',
    dimensions: [],
    attributes: {
      grid_mapping_name: 'transverse_mercator',
      latitude_of_projection_origin: 0,
      longitude_of_central_meridian: 9,
      scale_factor_at_central_meridian: 0.9996,
      false_easting: 500_000,
      false_northing: 0,
    },
    values: [0],
  } as const;
  const { data, remarks } = await read(
    t,
    'array',
    'NetCdfReader',
    classicFile({ ...file, variables: { ...file.variables, utm } } as MadeFile),
  );
  t.deepEqual(data.crs, { authority: 'EPSG', code: 4326 });
  t.true(remarks.some((one) => one.includes("'lon' and 'lat' were taken as WGS 84")));
});
