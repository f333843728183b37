import test, { type ExecutionContext } from 'ava';
import type { Dataset } from 'h5wasm';
import { meshPart } from '../../src/arrays/files/mesh-part.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { flatMesh, layeredMesh } from '../formats/meshes.ts';
import { read } from '../formats/read.ts';
import { hdf5Library } from '../world/hdf5-library.ts';
import { newStore, smallGrid } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

async function stored(content: Grid | Mesh | MultiArray, name = 'Vandstand/nord ø'): Promise<[Client, string]> {
  const owner = await w.account();
  const client = w.as(owner);
  const id = await newStore(w, await newProject(client), owner, name, content);
  return [client, `/api/md/dataset/${id}/values`];
}

/** A file of values, and the rows of the same query as JSON. */
async function file(t: ExecutionContext, [client, url]: [Client, string], query: string): Promise<Buffer> {
  const answer = await client.get(`${url}?${query}`);
  t.is(answer.status, 200, JSON.stringify(answer.body));
  return answer.raw;
}
const rows = async ([client, url]: [Client, string], query: string): Promise<unknown[][]> =>
  (await client.get(`${url}?${query}`)).body.data;

/** Two layers and items with nodata, a scale and 64-bit integers. */
const layered = (): Grid => ({
  ...smallGrid(),
  layers: { count: 2, first: -15, spacing: 10, unit: 'm' },
  bands: [
    { name: 'Level', eum: { item: 100_000, unit: 1000 }, unit: 'm', type: 'Float32', nodata: -9999 },
    { name: 'Class', type: 'Int16', nodata: -9999, scale: 0.5, offset: 3 },
  ],
  async *rows({ band, step, layer }) {
    const all = Array.from({ length: 6 }, (_, n) => (n === 0 ? -9999 : 1000 * band + 100 * step + 50 * layer + n));
    yield { firstRow: 0, rowCount: 3, samples: band === 0 ? Float32Array.from(all) : Int16Array.from(all) };
  },
});

const TYPES = {
  netcdf: ['application/netcdf', '.nc'],
  parquet: ['application/vnd.apache.parquet', '.parquet'],
  csv: ['text/csv; charset=utf-8', '.csv'],
} as const;

test('f, format and Accept ask for a file, which has the name of the dataset', async (t) => {
  const [client, url] = await stored(smallGrid());
  for (const [format, [type, extension]] of Object.entries(TYPES))
    for (const [query, headers] of [
      [`?f=${format}`, {}],
      [`?format=${format.toUpperCase()}`, {}],
      ['', { accept: `text/html, ${type.split(';')[0]};q=0.5` }],
      [`?f=${format}`, {}],
    ] as const) {
      const answer = await client.get(`${url}${query}`, headers);
      t.is(answer.status, 200, JSON.stringify(answer.body));
      t.is(answer.headers['content-type'], type);
      const name = `filename="Vandstand_nord _${extension}"; filename*=UTF-8''Vandstand_nord%20%C3%B8${extension}`;
      t.is(answer.headers['content-disposition'], `attachment; ${name}`, `${format} ${query}`);
    }
  t.is((await client.get(`${url}?f=json&format=json`)).headers['content-type'], 'application/json; charset=utf-8');
  t.is((await client.get(url, { accept: '*/*' })).headers['content-type'], 'application/json; charset=utf-8');
  t.is((await client.get(`${url}?f=covjson`)).headers['content-type'], 'application/prs.coverage+json');
  const both = await client.get(`${url}?f=csv&format=json`);
  t.is(both.status, 400);
  t.regex(both.body.detail, /f=csv and format=json are different/);
  t.is((await client.get(`${url}?f=xlsx`)).status, 400);
});

test('Parquet has the rows of JSON, with units and the coordinate system', async (t) => {
  const at = await stored(layered());
  for (const query of ['', 'layer=1&bbox=500000,6000000,500020,6000015', 'point=500005,6000005']) {
    const bytes = await file(t, at, `${query}&f=parquet`);
    const { data } = await read(t, 'features', 'GeoParquetReader', bytes);
    t.deepEqual(
      data.fields.map(({ name }) => name),
      ['time', 'layer', 'x', 'y', 'z', 'Level [m]', 'Class'],
    );
    const found: unknown[][] = [];
    for await (const chunk of data.chunks()) found.push(...chunk.map(({ values }) => [...values]));
    const expected = await rows(at, query);
    t.true(expected.length > 0);
    t.deepEqual(
      found.map(([time, ...others]) => [Date.parse(`${time}Z`), ...others]),
      expected.map(([time, ...others]) => [Date.parse(`${time}Z`), ...others]),
    );
    t.true(bytes.includes('"crs":"EPSG:25832"'));
  }
});

test('NetCDF of a grid is the chosen window with its place, layers and times', async (t) => {
  const at = await stored(layered());
  const query = 'layer=1&bbox=500000,6000000,500020,6000015&from=2026-01-24T01:00:00';
  const { data } = await read(t, 'grid', 'NetCdfReader', await file(t, at, `${query}&f=netcdf`));
  t.like(data, { width: 2, height: 2, crs: { code: 25832 }, layers: { count: 1, first: -5 } });
  t.like(data.time, { start: Date.UTC(2026, 0, 24), offset: 1, count: 1 });
  t.deepEqual(
    data.bands.map(({ name, unit, scale }) => [name, unit, scale]),
    [
      ['Level', 'm', undefined],
      ['Class', undefined, 0.5],
    ],
  );
  const values: number[] = [];
  for await (const { samples } of data.rows({ band: 0, step: 0, layer: 0 })) values.push(...samples);
  const [x, , , y, , dy] = data.affine;
  t.deepEqual([x, y + (dy < 0 ? 0 : data.height * dy)], [500_000, 6_000_020]);
  const json = (await rows(at, query)).map((row) => row[5]);
  t.deepEqual(dy < 0 ? values : [...values.slice(2), ...values.slice(0, 2)], json as number[]);
});

test('NetCDF of a mesh is the chosen part, whose elements and nodes keep their numbers', async (t) => {
  const at = await stored(flatMesh());
  const box = 'bbox=500000,6000000,500150,6000100';
  const { data } = await read(t, 'mesh', 'NetCdfReader', await file(t, at, `${box}&f=netcdf`));
  t.like(data.crs, { code: 32633 });
  t.deepEqual(
    data.items.map(({ name, location }) => [name, location]),
    [
      ['depth', 'cell'],
      ['velocity', 'cell'],
      ['salinity', 'node'],
    ],
  );
  for (const [n, { name, location, nodata }] of data.items.entries()) {
    const ids = location === 'node' ? data.nodeIds! : data.cellIds!;
    const json = new Map(
      (await rows(at, `${box}&item=${name}`)).map(([time, id, , , value]) => [`${time} ${id}`, value]),
    );
    t.true(json.size > 0);
    let [found, empty] = [0, 0];
    for (let step = 0; step < 7; step++)
      for (const [place, value] of (await data.values(n, step)).entries()) {
        const time = new Date(Date.UTC(2026, 0, 24, 8 + 6 * step)).toISOString().replace('Z', '0000');
        const expected = json.get(`${time} ${ids[place]}`);
        if (expected === undefined) t.is(value, Math.fround(nodata!));
        else t.is(value, expected as number);
        if (expected === undefined) empty++;
        else found++;
      }
    t.is(found, json.size);
    // elements with a node in the box, and their other nodes, have no data
    t.true(empty > 0);
  }
  const whole = await read(t, 'mesh', 'NetCdfReader', await file(t, at, 'item=depth&f=netcdf'));
  t.deepEqual([...whole.data.cellIds!], [7, 8, 9, 10]);
  const layer = await file(t, await stored(layeredMesh()), 'item=depth&layer=1&f=netcdf');
  const flat = await read(t, 'mesh', 'NetCdfReader', layer);
  t.is(flat.data.layers, undefined);
});

test('NetCDF of a mesh has no data where the box holds only a centre, or only a node', async (t) => {
  const at = await stored(flatMesh());
  const part = async (box: string) => {
    const { data } = await read(t, 'mesh', 'NetCdfReader', await file(t, at, `bbox=${box}&f=netcdf`));
    const rows = await Promise.all(data.items.map((_, n) => data.values(n, 1)));
    return data.items.map(({ name, location, nodata }, n) => {
      const ids = [...(location === 'node' ? data.nodeIds! : data.cellIds!)];
      return [name, ids, [...rows[n]!].map((value) => (value === Math.fround(nodata!) ? null : value))];
    });
  };
  t.deepEqual(await part('500040,6000040,500060,6000060'), [
    ['depth', [7], [1000]],
    ['velocity', [7], [101_000]],
    ['salinity', [10, 20, 50, 60], [null, null, null, null]],
  ]);
  t.deepEqual(await part('500190,5999990,500210,6000010'), [
    ['depth', [8, 10], [null, null]],
    ['velocity', [8, 10], [null, null]],
    ['salinity', [20, 30, 40, 70, 80], [null, 201_002, null, null, null]],
  ]);
});

test('the part of a mesh around chosen nodes is bounded', (t) => {
  // all triangles have node 0
  const count = 4000;
  const mesh = {
    ...flatMesh(),
    nodes: new Float64Array(3 * (count + 2)),
    shapes: new Uint8Array(count).fill(CELL_SHAPES.triangle),
    connectivity: Uint32Array.from({ length: 3 * count }, (_, n) => (n % 3 === 0 ? 0 : Math.floor(n / 3) + (n % 3))),
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => 3 * n),
    items: [{ name: 'level', location: 'node', type: 'Float32' } as const],
  };
  const over = (steps: number) =>
    meshPart({ ...mesh, time: { ...mesh.time!, count: steps } as TimeAxis }, [new Float32Array(steps)], {
      node: Uint32Array.of(0),
    });
  t.is(over(2).values[0]!.length, 2 * (count + 2));
  t.throws(() => over(5000), { message: /would have 20010000 values.*The maximum is 16000000/ });
});

test('NetCDF of a box without values can be read, and has none', async (t) => {
  const { File, system } = await hdf5Library();
  const box = 'bbox=0,0,1,1&f=netcdf';
  for (const [content, dimension] of [
    [flatMesh(), 'element'],
    [layeredMesh(), 'element'],
    [smallGrid(), 'x'],
  ] as const) {
    const name = `${dimension}.nc`;
    system.writeFile(name, await file(t, await stored(content), box));
    const library = new File(name, 'r');
    t.deepEqual((library.get(dimension) as Dataset).shape, [0]);
    t.deepEqual((library.get('time') as Dataset).shape, [content.kind === 'grid' ? 2 : 7]);
    const [item] = content.kind === 'grid' ? content.bands : content.items;
    t.is((library.get(item!.name!) as Dataset).shape!.at(-1), 0);
    library.close();
  }
});

test('NetCDF of places is time series with their positions', async (t) => {
  const mesh = await stored(flatMesh());
  const listed = await read(t, 'series', 'NetCdfReader', await file(t, mesh, 'element=8,10&item=depth&f=netcdf'));
  const json = await rows(mesh, 'element=8,10&item=depth');
  t.deepEqual(
    listed.data.items.map(({ name, position }) => [name, ...position!]),
    [8, 10].map((id) => [String(id), ...json.find((row) => row[1] === id)!.slice(2, 4)]),
  );
  const values: number[][] = [];
  for await (const chunk of listed.data.chunks()) values.push(...chunk.values.map((one) => Array.from(one, Number)));
  t.deepEqual(
    values,
    [8, 10].map((id) => json.filter((row) => row[1] === id).map((row) => row[4] as number)),
  );
  const grid = await stored(smallGrid());
  const point = await read(t, 'series', 'NetCdfReader', await file(t, grid, 'point=500005,6000005&f=netcdf'));
  t.deepEqual(point.data.items[0]!.position, [500_005, 6_000_005]);
  t.like(point.data.crs, { code: 25832 });
  const [client, url] = mesh;
  const refused = await client.get(`${url}?point=500050,6000050&f=netcdf`);
  t.is(refused.status, 400, JSON.stringify(refused.body));
  t.regex(refused.body.detail, /values at different places/);
});

test('values of a dataset that is not visible are 404 in each format', async (t) => {
  const [, url] = await stored(smallGrid());
  const other = w.as(await w.account());
  for (const f of ['netcdf', 'parquet', 'csv']) t.is((await other.get(`${url}?f=${f}`)).status, 404);
});

test('too many values are a problem that names the export, whatever the format', async (t) => {
  const [width, height] = [1100, 1000];
  const large: Grid = {
    ...smallGrid(),
    width,
    height,
    async *rows() {
      yield { firstRow: 0, rowCount: height, samples: new Float32Array(width * height) };
    },
  };
  const [client, url] = await stored(large);
  for (const f of ['netcdf', 'parquet', 'csv', 'json']) {
    const answer = await client.get(`${url}?f=${f}`);
    t.is(answer.status, 413);
    t.regex(String(answer.headers['content-type']), /^application\/problem\+json/);
    t.regex(
      answer.body.detail,
      /The maximum is 1000000.*export the dataset with POST \/api\/conversion\/download-convert/,
    );
    t.is(answer.headers['content-disposition'], undefined);
  }
});
