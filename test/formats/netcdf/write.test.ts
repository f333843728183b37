import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Data } from '../../../src/files/data/data.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import type { Series } from '../../../src/files/data/series.ts';
import { openNetCdf } from '../../../src/files/formats/netcdf/open.ts';
import { converted } from '../files.ts';
import { flatMesh, layeredMesh, sigmaZMesh } from '../meshes.ts';
import { memory } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';
import { dataOf, whole } from '../zarr/whole.ts';

const LARGE = 2n ** 53n;

/** Five hourly steps in two layers, from the south; floats, and integers that a double cannot hold. */
const grid: Grid = {
  kind: 'grid',
  width: 70,
  height: 40,
  affine: [500_000, 10, 0, 6_000_000, 0, 10],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count: 5, offset: 0, interval: 1 },
  layers: { count: 2, first: -1, spacing: 1, unit: 'm' },
  bands: [
    {
      name: 'Water level',
      type: 'Float32',
      nodata: -1e-35,
      eum: { item: 100000, unit: 1000 },
      unit: 'm',
      valueKind: 'meanStepBackward',
    },
    { name: '2nd item, m³/s', type: 'Float64', integer64: 'Int64', nodata: -1, unit: 'no unit of UDUNITS' },
  ],
  async *rows({ band, step, layer }) {
    const exact = BigInt64Array.from({ length: 2800 }, (_, n) =>
      n % 9 === 3 ? -1n : LARGE + BigInt(step * 10_000 + layer * 5000 + n),
    );
    if (band === 1) yield { firstRow: 0, rowCount: 40, samples: Float64Array.from(exact, Number), exact };
    else
      yield {
        firstRow: 0,
        rowCount: 40,
        samples: Float32Array.from({ length: 2800 }, (_, n) =>
          n % 7 === 3 ? -1e-35 : step + layer / 10 + Math.sin(n),
        ),
      };
  },
};

const array: MultiArray = {
  kind: 'array',
  axes: [
    { name: 'Frequency', unit: 'Hz', values: Float64Array.of(1, 2, 4), edges: Float64Array.of(0, 1.5, 3, 5) },
    { name: 'Direction', unit: 'degree', values: Float64Array.of(0, 90) },
  ],
  items: [
    { name: 'Energy', type: 'Float32', nodata: -9, axes: [0, 1], overTime: true },
    { name: 'Mean', type: 'Int16', axes: [1], overTime: false },
  ],
  time: { spacing: 'nonEquidistant', unit: 'second', start: 86_400_000, offsets: Float64Array.of(0, 10, 25.5) },
  async read(item, step, [from = 0, second = 0], [rows = 1, columns = 1]) {
    if (item === 1) return Int16Array.of(-7, 8).slice(from, from + rows);
    return Float32Array.from(
      { length: rows * columns },
      (_, n) => step * 100 + (from + Math.floor(n / columns)) * 2 + second + (n % columns),
    );
  },
};

/** More steps than a chunk has. */
const count = 40_000;
const series: Series = {
  kind: 'series',
  items: [
    {
      name: 'Rain',
      type: 'Float32',
      nodata: -1e-35,
      eum: { item: 100004, unit: 1002 },
      unit: 'mm',
      valueKind: 'stepAccumulated',
      position: [10, 20, -0],
    },
    { name: 'Rain', type: 'Float64', nodata: Number.NaN },
    { name: 'Count', type: 'Float64', integer64: 'Int64', nodata: -1 },
  ],
  time: { spacing: 'equidistant', unit: 'second', start: 0, count, offset: 0, interval: 60 },
  async *chunks() {
    for (let firstStep = 0; firstStep < count; firstStep += 7000) {
      const length = Math.min(7000, count - firstStep);
      yield {
        firstStep,
        offsets: Float64Array.from({ length }, (_, n) => (firstStep + n) * 60),
        values: [
          Float32Array.from({ length }, (_, n) => (n % 5 === 0 ? -1e-35 : firstStep + n)),
          Float64Array.from({ length }, (_, n) => (n % 3 === 0 ? Number.NaN : (firstStep + n) / 3)),
          BigInt64Array.from({ length }, (_, n) => LARGE + BigInt(firstStep + n)),
        ],
      };
    }
  },
};

async function all(data: Data): Promise<unknown> {
  if (data.kind !== 'series') return whole(data);
  const columns = data.items.map((): unknown[] => []);
  for await (const { values } of data.chunks())
    for (const [n, column] of values.entries()) for (const value of column) columns[n]!.push(value);
  const { origin: _, chunks: __, ...rest } = data;
  return { ...rest, columns };
}

const kinds: Readonly<Record<string, Data>> = {
  grid,
  mesh: flatMesh(),
  'layered mesh': layeredMesh(),
  'sigma-z mesh': sigmaZMesh(),
  array,
  series,
};
const ways: Readonly<Record<string, Record<string, unknown>>> = {
  'NetCDF-4': {},
  'NetCDF-4 without compression': { Compression: 'None' },
  'the classic format': { Version: '3' },
};

for (const [kind, data] of Object.entries(kinds))
  for (const [way, parameters] of Object.entries(ways))
    test(`a ${kind} comes back from ${way} with all values, times and quantities`, async (t) => {
      const { content, lost } = await written(t, data, 'NetCdfWriter', parameters);
      t.deepEqual(await all(await dataOf(t, 'NetCdfReader', content)), await all(data));
      t.deepEqual(lost, []);
    });

/** The file as its variables and attributes say, without its description. */
async function opened(t: ExecutionContext, bytes: Uint8Array) {
  const [root] = await openNetCdf(memory(bytes), {
    signal: new AbortController().signal,
    scratch: await folderOf(t),
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd: (close) => t.teardown(close),
  });
  return root!;
}

test('the variables of a grid have the attributes of CF', async (t) => {
  for (const parameters of Object.values(ways)) {
    const { attributes, variables } = await opened(t, (await written(t, grid, 'NetCdfWriter', parameters)).content);
    t.is(attributes.Conventions, 'CF-1.11 UGRID-1.0');
    const level = variables.get('Water_level')!.metadata;
    t.deepEqual(level.dimensions, ['time', 'layer', 'y', 'x']);
    t.deepEqual(level.shape, [5, 2, 40, 70]);
    t.like(level.attributes, {
      long_name: 'Water level',
      standard_name: 'sea_surface_height_above_mean_sea_level',
      units: 'm',
      cell_methods: 'time: mean',
      grid_mapping: 'crs',
      _FillValue: Math.fround(-1e-35),
    });
    t.like(variables.get('time')!.metadata.attributes, { bounds: 'time_bnds', calendar: 'proleptic_gregorian' });
    t.deepEqual([...(await variables.get('time_bnds')!.all())], [-1, 0, 0, 1, 1, 2, 2, 3, 3, 4]);
    t.like(variables.get('crs')!.metadata.attributes, {
      grid_mapping_name: 'transverse_mercator',
      false_easting: 500_000,
      longitude_of_central_meridian: 9,
    });
    const second = variables.get('v_2nd_item__m__s')!.metadata.attributes;
    t.like(second, { long_name: '2nd item, m³/s', unit_symbol: 'no unit of UDUNITS' });
    t.is(second.units, undefined);
  }
});

/** Layers of the same shares everywhere, with the ids and codes of a DFSU file. */
const sigmaMesh = (): Mesh => ({
  ...layeredMesh(),
  nodeIds: Int32Array.from({ length: 12 }, (_, n) => 100 - n),
  nodeCodes: Int32Array.from({ length: 12 }, (_, n) => Math.floor(n / 3)),
  cellIds: Int32Array.of(4, 3, 2, 1),
});

test('the layers of a mesh are a dimension above the faces of the plane', async (t) => {
  for (const parameters of Object.values(ways)) {
    const { content } = await written(t, sigmaMesh(), 'NetCdfWriter', parameters);
    const { variables } = await opened(t, content);
    const of = (name: string) => variables.get(name)!.metadata;
    const values = async (name: string) => Array.from(await variables.get(name)!.all(), Number);
    t.like(of('mesh2d').attributes, {
      topology_dimension: 2,
      face_node_connectivity: 'mesh2d_face_nodes',
      face_coordinates: 'mesh2d_face_x mesh2d_face_y',
      layer_dimension: 'mesh2d_layers',
    });
    t.deepEqual(await values('mesh2d_face_nodes'), [1, 2, 3, 1, 3, 4]);
    t.deepEqual(await values('mesh2d_node_code'), [0, 1, 2, 3]);
    t.deepEqual(of('depth').dimensions, ['time', 'mesh2d_nFaces', 'mesh2d_layers']);
    t.deepEqual((await values('depth')).slice(0, 4), [0, 1, 2, 3]);
    t.is(of('depth').attributes.coordinates, 'mesh2d_face_x mesh2d_face_y mesh2d_layer_sigma');
    t.deepEqual(of('salinity').dimensions, ['time', 'mesh2d_nNodes', 'mesh2d_interfaces']);
    t.deepEqual(of('mesh2d_node_interface_heights').dimensions, ['time', 'mesh2d_nNodes', 'mesh2d_interfaces']);
    t.like(of('mesh2d_layer_sigma').attributes, {
      standard_name: 'ocean_sigma_coordinate',
      formula_terms: 'sigma: mesh2d_layer_sigma eta: mesh2d_surface depth: mesh2d_depth',
    });
    t.deepEqual(await values('mesh2d_layer_sigma'), [-0.75, -0.25]);
    t.deepEqual((await values('mesh2d_surface')).slice(0, 4), [0, 0, 1, 1]);
    t.deepEqual(await values('mesh2d_depth'), [20, 20]);
    t.deepEqual(await all(await dataOf(t, 'NetCdfReader', content)), await all(sigmaMesh()));
  }
});

test('a mesh has what map viewers look for', async (t) => {
  const { variables } = await opened(t, (await written(t, flatMesh(), 'NetCdfWriter')).content);
  t.is(variables.get('projected_coordinate_system')!.metadata.attributes.EPSG_code, 'EPSG:32633');
  t.like(variables.get('mesh2d_node_z')!.metadata.attributes, { standard_name: 'altitude', location: 'node' });
  // Unsigned bytes on faces are refused by MDAL.
  t.false(variables.has('mesh2d_face_shape'));
  const polygons = { ...flatMesh(), shapes: Uint8Array.of(7, 5, 5, 7) };
  const { content } = await written(t, polygons, 'NetCdfWriter');
  t.true((await opened(t, content)).variables.has('mesh2d_face_shape'));
  t.deepEqual(await all(await dataOf(t, 'NetCdfReader', content)), await all(polygons));
});

test('places without a cell below sigma-z layers have no data', async (t) => {
  const { variables } = await opened(t, (await written(t, sigmaZMesh(), 'NetCdfWriter')).content);
  const values = async (name: string) => Array.from(await variables.get(name)!.all(), Number);
  t.deepEqual((await values('depth')).slice(0, 6), [0, 1, 2, Math.fround(-1e-35), 3, 4]);
  t.deepEqual(await values('mesh2d_face_layers'), [3, 2]);
  t.is(variables.get('mesh2d_layer_sigma')!.metadata.attributes.standard_name, 'ocean_sigma_z_coordinate');
  t.deepEqual(await values('mesh2d_layer_sigma'), [Number.NaN, Number.NaN, -0.5]);
  t.deepEqual(await values('mesh2d_layer_z'), [-25, -15, Number.NaN]);
  t.deepEqual(await values('mesh2d_sigma_depth'), [10]);
});

test('a layered mesh whose cells do not stand on each other keeps its cells', async (t) => {
  const mesh = layeredMesh();
  const nodes = mesh.nodes.slice();
  nodes[3]! += 1;
  const leaning: Mesh = { ...mesh, nodes };
  const { content } = await written(t, leaning, 'NetCdfWriter');
  const { variables } = await opened(t, content);
  t.is(variables.get('mesh2d')!.metadata.attributes.topology_dimension, 3);
  t.deepEqual(await all(await dataOf(t, 'NetCdfReader', content)), await all(leaning));
});

test('rows of a grid are written from the south', async (t) => {
  const { content } = await written(
    t,
    {
      kind: 'grid',
      width: 2,
      height: 2,
      affine: [0, 1, 0, 2, 0, -1],
      bands: [{ name: 'a', type: 'Int16' }],
      async *rows() {
        yield { firstRow: 0, rowCount: 2, samples: Int16Array.of(1, 2, 3, 4) };
      },
    },
    'NetCdfWriter',
  );
  const { variables } = await opened(t, content);
  t.deepEqual([...(await variables.get('a')!.all())], [3, 4, 1, 2]);
  t.deepEqual([...(await variables.get('y')!.all())], [0.5, 1.5]);
});

test('the history tells the reader and the transformations', async (t) => {
  const stored = (await written(t, grid, 'NetCdfWriter')).content;
  const { bytes } = await converted(t, stored, {
    reader: 'NetCdfReader',
    writer: 'NetCdfWriter',
    transformations: [
      { type: 'itemFilterTransformation', itemFilter: { names: ['Water level'] } },
      { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexListFilter', indices: [2] } },
    ],
  });
  t.regex(
    String((await opened(t, bytes)).attributes.history),
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: NetCdfReader, ItemFilterTransformation, TemporalFilterTransformation, NetCdfWriter$/,
  );
});

test('steps are appended along time', async (t) => {
  const part = async (first: number, steps: number) =>
    (
      await written(
        t,
        {
          ...grid,
          time: { spacing: 'equidistant', unit: 'hour', start: 0, count: steps, offset: first, interval: 1 },
          rows: (slice) => grid.rows({ ...slice, step: slice.step + first }),
        },
        'NetCdfWriter',
      )
    ).content;
  const grown = await converted(t, await part(3, 2), {
    reader: 'NetCdfReader',
    writer: 'NetCdfWriter',
    existing: { content: await part(0, 3), format: 'netcdf' },
  });
  t.deepEqual(grown.receipt.appended, { present: 3, added: 2 });
  t.deepEqual(await all(await dataOf(t, 'NetCdfReader', grown.bytes)), await all(grid));
});

const folder = '/work/shared/data/dfs';
const files = {
  'OresundHD.dfs2': 'Dfs2',
  'OresundHD.dfs3': 'Dfs3',
  'HD2D.dfsu': 'Dfsu',
  'OdenseHD3D.dfsu': 'Dfsu',
  'TemporalNeqCal.dfs0': 'Dfs0',
  'random.dfs1': 'Dfs1',
};
for (const [name, format] of Object.entries(files))
  test(`${name} comes back from NetCDF as it was`, async (t) => {
    const path = join(folder, name);
    if (!existsSync(path)) return t.pass(`${path} is not there; nothing was compared.`);
    const bytes = await readFile(path);
    const stored = await converted(t, bytes, { reader: `${format}Reader`, writer: 'NetCdfWriter' });
    const back = await converted(t, stored.bytes, { reader: 'NetCdfReader', writer: `${format}Writer` });
    t.deepEqual(
      await all(await dataOf(t, `${format}Reader`, back.bytes)),
      await all(await dataOf(t, `${format}Reader`, bytes)),
    );
  });
