import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { bytes } from '../blobs/rules.ts';
import { flatMesh, layeredMesh, sigmaZMesh } from '../formats/meshes.ts';
import { group, variable, storeOf as zipped } from '../formats/zarr/zarr-files.ts';
import { type Coverage, CovJson } from '../http/cov-json.ts';
import { newDataset } from '../world/content.ts';
import { newStore, smallGrid, storeOf } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, type User, world } from '../world.ts';

const w = world(test);

interface Queried {
  client: Client;
  owner: User;
  projectId: string;
  id: string;
  /** Rows of the table without its columns. */
  rows(query?: string): Promise<unknown[][]>;
  table(query?: string): Promise<{ columns: string[]; data: unknown[][] }>;
  coverage(query?: string): Promise<Coverage>;
  refusal(query: string): Promise<[number, string]>;
}

async function queried(t: ExecutionContext, content: Grid | Mesh | MultiArray | Buffer): Promise<Queried> {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const id = await newStore(w, projectId, owner, 'queried', content);
  const url = `/api/md/dataset/${id}/values`;
  const get = async (query: string) => {
    const answer = await client.get(`${url}${query}`);
    t.is(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    client,
    owner,
    projectId,
    id,
    table: (query = '') => get(query),
    rows: async (query = '') => (await get(query)).data,
    async coverage(query = '') {
      const read = CovJson.parse(await get(`${query}${query === '' ? '?' : '&'}format=covjson`));
      if (read.type === 'CoverageCollection') throw new Error('a collection');
      return read;
    },
    async refusal(query) {
      const { status, body } = await client.get(`${url}${query}`);
      return [status, body.detail];
    },
  };
}

const at = (hour: number) => `2026-01-24T${String(hour).padStart(2, '0')}:00:00.0000000`;

/** Value of a cell: each has another number, the first cell has nodata. */
const known = (band: number, step: number, layer: number, row: number, column: number) =>
  row + column === 0 ? -9999 : 10_000 * band + 1000 * step + 100 * layer + 10 * row + column;

/** 3 columns, 2 rows, 2 layers, 4 steps at unequal times, integers with scale beside floats. */
function layeredGrid(more: Partial<Grid> = {}): Grid {
  return {
    kind: 'grid',
    width: 3,
    height: 2,
    affine: [100, 10, 0, 220, 0, -10],
    crs: { authority: 'EPSG', code: 25832 },
    time: {
      spacing: 'nonEquidistant',
      unit: 'hour',
      start: Date.UTC(2026, 0, 24),
      offsets: Float64Array.of(0, 1, 5, 6),
    },
    layers: { count: 2, first: -15, spacing: 10, unit: 'm' },
    bands: [
      {
        name: 'Level',
        eum: { item: 100_000, unit: 1000 },
        unit: 'm',
        type: 'Float32',
        nodata: -9999,
        valueKind: 'meanStepBackward',
      },
      { name: 'Class/2', type: 'Int16', nodata: -9999, scale: 0.5, offset: 3 },
    ],
    async *rows({ band, step, layer }) {
      const of = (n: number) => known(band, step, layer, Math.floor(n / 3), n % 3);
      const samples =
        band === 0
          ? Float32Array.from({ length: 6 }, (_, n) => of(n))
          : Int16Array.from({ length: 6 }, (_, n) => of(n));
      yield { firstRow: 0, rowCount: 2, samples };
    },
    ...more,
  };
}

test('metadata of a dataset describe its items, axes and time', async (t) => {
  const { client, id } = await queried(t, layeredGrid());
  const { status, body } = await client.get(`/api/md/dataset/${id}`);
  t.is(status, 200);
  t.like(body, {
    id,
    name: 'queried',
    kind: 'grid',
    time: { steps: 4, start: at(0), end: at(6), relative: false, times: [at(0), at(1), at(5), at(6)] },
    affine: [100, 10, 0, 220, 0, -10],
    crs: { srid: 'EPSG:25832', name: 'ETRS89 / UTM zone 32N' },
    bbox: [100, 200, 130, 220],
  });
  t.deepEqual(body.axes, [
    { name: 'x', length: 3, first: 105, last: 125 },
    { name: 'y', length: 2, first: 215, last: 205 },
    { name: 'layer', length: 2, unit: 'm', values: [-15, -5] },
  ]);
  const axes = ['time', 'layer', 'y', 'x'];
  t.deepEqual(body.items, [
    {
      i: 0,
      id: 'Level',
      name: 'Level',
      item: 'eumIWaterLevel',
      unit: 'eumUmeter',
      unitSymbol: 'm',
      dataType: 'Single',
      noDataValue: -9999,
      hasLayers: true,
      timeSeriesType: 'MeanStepBackward',
      axes,
    },
    {
      i: 1,
      id: 'Class_2',
      name: 'Class/2',
      dataType: 'Int16',
      hasLayers: true,
      timeSeriesType: 'Instantaneous',
      axes,
    },
  ]);
});

test('grid values are returned with time, layer and cell; nodata is null, and scale is applied', async (t) => {
  const { table, rows, coverage } = await queried(t, layeredGrid());
  const { columns, data } = await table();
  t.deepEqual(columns, ['time', 'layer', 'x', 'y', 'z', 'Level', 'Class_2']);
  t.is(data.length, 4 * 2 * 2 * 3);
  const hours = [0, 1, 5, 6];
  const expected = hours.flatMap((hour, step) =>
    [0, 1].flatMap((layer) =>
      [0, 1].flatMap((row) =>
        [0, 1, 2].map((column) => {
          const values = [0, 1].map((band) => known(band, step, layer, row, column));
          const shown = values[0] === -9999 ? [null, null] : [values[0], values[1]! * 0.5 + 3];
          return [at(hour), layer, 105 + 10 * column, 215 - 10 * row, -15 + 10 * layer, ...shown];
        }),
      ),
    ),
  );
  t.deepEqual(data, expected);
  t.deepEqual(await rows(`?item=level&from=2026-01-24T01:00:00&to=2026-01-24T05:00:00&layer=1&bbox=110,200,130,209`), [
    [at(1), 1, 115, 205, -5, 1111],
    [at(1), 1, 125, 205, -5, 1112],
    [at(5), 1, 115, 205, -5, 2111],
    [at(5), 1, 125, 205, -5, 2112],
  ]);
  const all = await coverage();
  t.is(all.domain.domainType, 'Grid');
  t.deepEqual(all.domain.axes.x, { start: 105, stop: 125, num: 3 });
  t.deepEqual(all.ranges.Level!.axisNames, ['t', 'z', 'y', 'x']);
  t.deepEqual(
    all.ranges.Level!.values,
    expected.map((row) => row[5]),
  );
  t.like(all.parameters.Level, {
    unit: { label: { en: 'meter' }, symbol: 'm' },
    observedProperty: { label: { en: 'Water Level' } },
  });
  const profile = await coverage('?point=111,201&item=Level&to=2026-01-24');
  t.is(profile.domain.domainType, 'VerticalProfile');
  t.deepEqual(profile.ranges.Level!.values, [11, 111]);
  const series = await coverage('?point=120,210&item=Level&layer=0');
  t.is(series.domain.domainType, 'PointSeries');
  t.deepEqual(series.domain.axes, {
    t: { values: ['2026-01-24T00:00:00Z', '2026-01-24T01:00:00Z', '2026-01-24T05:00:00Z', '2026-01-24T06:00:00Z'] },
    // the edge of two cells belongs to the one of lower numbers
    x: { values: [115] },
    y: { values: [215] },
    z: { values: [-15] },
  });
  t.deepEqual(series.ranges.Level!.values, [1, 1001, 2001, 3001]);
  t.is((await coverage('?point=110,210&item=Level&layer=0&from=2026-01-24T06:00:00')).domain.domainType, 'Point');
});

test('coordinates may be in another coordinate system', async (t) => {
  const { rows, refusal } = await queried(t, smallGrid());
  const inside = [
    '500007,6000012',
    '9.00011,54.14821&crs=4326',
    '9.00011,54.14821&crs=CRS84',
    '9.00011,54.14821&crs=http://www.opengis.net/def/crs/EPSG/0/4326',
  ];
  for (const point of inside)
    t.deepEqual(
      (await rows(`?point=${point}`)).map(([, x]) => x),
      [500_005, 500_005],
      point,
    );
  t.is((await rows('?bbox=8.9,54.1,9.1,54.2&crs=EPSG:4326')).length, 12);
  t.deepEqual(await rows('?bbox=0,0,1,1'), []);
  t.deepEqual(await refusal('?point=9,54&crs=EPSG:1'), [400, 'The coordinate system EPSG:1 is not known.']);
  t.is((await refusal('?crs=4326'))[0], 400);
});

test('cells of rotated and curvilinear grids are points', async (t) => {
  // columns to the north, rows to the east
  const rotated = await queried(t, layeredGrid({ affine: [100, 0, 10, 200, 10, 0] }));
  const point = await rotated.coverage('?item=Level&layer=1&point=114,222&to=2026-01-24');
  t.deepEqual(point.domain.axes.x, { values: [115] });
  t.deepEqual(point.ranges.Level!.values, [112]);
  const some = await rotated.rows('?item=Level&layer=0&bbox=100,205,110,220&to=2026-01-24');
  t.deepEqual(some, [
    [at(0), 0, 105, 205, -15, null],
    [at(0), 0, 105, 215, -15, 1],
  ]);
  t.is((await rotated.coverage('?item=Level')).domain.domainType, undefined);

  const curvilinear: MultiArray = {
    kind: 'array',
    crs: { authority: 'EPSG', code: 4326 },
    axes: [
      { name: 'y', values: Float64Array.of(0, 1) },
      { name: 'x', values: Float64Array.of(0, 1) },
    ],
    placement: {
      by: 'nodes',
      x: 1,
      y: 0,
      nodeX: Float64Array.of(0, 2, 4, 1, 3, 5, 2, 4, 6),
      nodeY: Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2),
    },
    items: [{ name: 'Depth', type: 'Float64', axes: [0, 1], overTime: false }],
    read: async (_item, _step, start, shape) =>
      Float64Array.from(
        { length: shape[0]! * shape[1]! },
        (_, n) => 10 * (start[0]! + Math.floor(n / shape[1]!)) + start[1]! + (n % shape[1]!),
      ),
  };
  const bent = await queried(t, curvilinear);
  t.deepEqual((await bent.table()).columns, ['x', 'y', 'Depth']);
  t.deepEqual(await bent.rows(), [
    [1.5, 0.5, 0],
    [3.5, 0.5, 1],
    [2.5, 1.5, 10],
    [4.5, 1.5, 11],
  ]);
  const found = await bent.coverage('?point=4.6,1.1');
  t.is(found.domain.domainType, 'Point');
  t.deepEqual(found.domain.referencing, [
    { coordinates: ['x', 'y'], system: { type: 'GeographicCRS', id: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' } },
  ]);
  t.deepEqual(found.ranges.Depth!.values, [11]);
  t.is((await bent.coverage('?bbox=2,0,4,2')).domain.domainType, 'MultiPoint');
  t.like(await bent.refusal('?from=2026-01-24'), [400, 'The values have no times.']);
  t.is((await bent.refusal('?point=0.1,1.9'))[0], 400);
});

test('a box selects cells of a rotated grid that has too many cells for one answer', async (t) => {
  const [width, height] = [2200, 2000];
  const [cos, sin] = [0.8, 0.6];
  const { rows, refusal } = await queried(t, {
    kind: 'grid',
    width,
    height,
    affine: [1000, cos, -sin, 5000, sin, cos],
    bands: [{ name: 'Number', type: 'Float64' }],
    async *rows() {
      for (let firstRow = 0; firstRow < height; firstRow += 500)
        yield {
          firstRow,
          rowCount: 500,
          samples: Float64Array.from({ length: 500 * width }, (_, n) => firstRow * width + n),
        };
    },
  });
  t.deepEqual(await refusal(''), [
    413,
    'The answer needs 4400000 values of the dataset to be read. The maximum is 4000000. Ask for less with item, from and to, bbox, point, element or layer, or export the dataset with POST /api/conversion/download-convert.',
  ]);
  const boxes = [
    [1100, 5700, 1104, 5703],
    // the corner of the first row and column, and beside the grid
    [990, 4990, 1003, 5003],
    [0, 0, 10, 10],
    [900, 6200, 912, 6206],
  ];
  for (const [west, south, east, north] of boxes as [number, number, number, number][]) {
    const inside: number[] = [];
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        const x = 1000 + (column + 0.5) * cos - (row + 0.5) * sin;
        const y = 5000 + (column + 0.5) * sin + (row + 0.5) * cos;
        if (x >= west && x <= east && y >= south && y <= north) inside.push(row * width + column);
      }
    const found = await rows(`?bbox=${west},${south},${east},${north}`);
    t.deepEqual(
      found.map((row) => row.at(-1)),
      inside,
    );
  }
});

test('mesh values are found by point, box, element number and layer', async (t) => {
  const { table, rows, coverage, refusal, client, id } = await queried(t, flatMesh());
  t.deepEqual((await client.get(`/api/md/dataset/${id}`)).body.mesh, { nodes: 8, elements: 4 });
  t.deepEqual(await table('?element=9&item=velocity&to=2026-01-24T14:00:00'), {
    columns: ['time', 'element', 'x', 'y', 'velocity'],
    data: [
      [at(8), 9, 500_133.3333333333, 6_000_066.666666667, 100_002],
      [at(14), 9, 500_133.3333333333, 6_000_066.666666667, 101_002],
    ],
  });
  const noon = 'item=depth&to=2026-01-24T08:00:00';
  t.deepEqual(
    (await rows(`?point=500190,6000010&${noon}`)).map((row) => row[1]),
    [8],
  );
  t.deepEqual(
    (await rows(`?point=500299,6000099&${noon}`)).map((row) => row[1]),
    [10],
  );
  t.deepEqual(
    (await rows(`?bbox=500100,6000000,500200,6000100&${noon}`)).map((row) => row[1]),
    [8, 9],
  );
  t.deepEqual(
    (await rows('?item=salinity&point=500190,6000010&to=2026-01-24T08:00:00')).map((row) => row[1]),
    [30],
  );
  t.deepEqual(
    (await rows('?item=salinity&element=20,40&to=2026-01-24T08:00:00')).map((row) => row.at(-1)),
    [200_001, 200_003],
  );
  t.is((await coverage(`?${noon}`)).domain.domainType, 'MultiPoint');
  t.is((await coverage('?item=depth')).domain.domainType, 'MultiPointSeries');
  t.is((await coverage('?item=depth&element=7')).domain.domainType, 'PointSeries');
  t.regex((await refusal('?item=depth&element=1'))[1], /no element 1\./);
  t.regex((await refusal('?item=depth&layer=0'))[1], /has no layers/);
  t.regex((await refusal('?item=depth&point=0,0'))[1], /lies in no cell/);
  t.regex((await refusal('?point=1,2&bbox=1,2,3,4'))[1], /point or bbox, not both/);
  t.regex((await refusal('?format=csv'))[1], /depth and salinity .* format=covjson/);
  const both = CovJson.parse((await client.get(`/api/md/dataset/${id}/values?format=covjson`)).body);
  t.is(both.type === 'CoverageCollection' && both.coverages.length, 2);

  const layered = await queried(t, layeredMesh());
  t.deepEqual(await layered.rows(`?layer=1&${noon}`), [
    [at(8), 2, 1, 500_166.6666666667, 6_000_033.333333333, -5, 1],
    [at(8), 4, 1, 500_133.3333333333, 6_000_066.666666667, -5, 3],
  ]);
  const column = await layered.coverage(`?point=500150,6000020&${noon}`);
  t.is(column.domain.domainType, 'VerticalProfile');
  t.deepEqual([column.domain.axes.z, column.ranges.depth!.values], [{ values: [-15, -5] }, [0, 1]]);
  t.is((await layered.coverage('?point=500150,6000020&item=depth')).domain.domainType, 'Grid');
  const sigmaZ = await queried(t, sigmaZMesh());
  // the second column lacks the lowest layer
  t.deepEqual(
    (await sigmaZ.rows(`?layer=0&${noon}`)).map((row) => row[1]),
    [1],
  );
  t.deepEqual(
    (await sigmaZ.rows(`?layer=2&${noon}`)).map((row) => row[1]),
    [3, 5],
  );
  t.deepEqual((await sigmaZ.refusal(`?layer=3&${noon}`))[0], 400);
});

test('64-bit integers are exact; CSV has a header and empty cells for nodata', async (t) => {
  const store = zipped({
    'zarr.json': group({}),
    ...variable('count', {
      shape: [2, 2],
      values: BigInt64Array.of(9007199254740993n, -9223372036854775808n, 7n, -1n),
      data_type: 'int64',
      dimension_names: ['y', 'x'],
      fill_value: -1,
    }),
    ...variable('y', { shape: [2], values: [10, 0], dimension_names: ['y'] }),
    ...variable('x', { shape: [2], values: [1, 2], dimension_names: ['x'] }),
  });
  const { client, id, coverage } = await queried(t, store);
  const { raw, headers } = await client.get(`/api/md/dataset/${id}/values?format=CSV`);
  t.is(headers['content-type'], 'text/csv; charset=utf-8');
  t.is(raw.toString(), 'x,y,count\r\n1,10,9007199254740993\r\n2,10,-9223372036854775808\r\n1,0,7\r\n2,0,\r\n');
  t.is((await coverage()).ranges.count!.dataType, 'integer');
  const { headers: other } = await client.get(`/api/md/dataset/${id}/values?format=covjson`);
  t.is(other['content-type'], 'application/prs.coverage+json');
});

test('a response keeps its ETag until the content changes, and is refused if it would be too large', async (t) => {
  const { client, id, refusal } = await queried(t, smallGrid());
  const url = `/api/md/dataset/${id}/values?point=500005,6000005`;
  const { etag } = (await client.get(url)).headers;
  t.is((await client.get(url, { 'if-none-match': String(etag) })).status, 304);
  const blob = `dataset/${randomUUID()}`;
  await w.blobs.put(
    blob,
    bytes(await storeOf({ ...smallGrid(), bands: [{ name: 'Other', type: 'Float32' }] })),
    2 ** 20,
  );
  await w.sql('update datasets set blob = $1, row_version = row_version + 1 where id = $2', [blob, id]);
  const changed = await client.get(url, { 'if-none-match': String(etag) });
  t.is(changed.status, 200);
  t.deepEqual(changed.body.columns, ['time', 'x', 'y', 'Other']);
  const long: Grid = {
    ...smallGrid(),
    time: { spacing: 'equidistant', unit: 'second', start: 0, count: 3, offset: 0, interval: 1 },
    width: 1000,
    height: 500,
    async *rows() {
      yield { firstRow: 0, rowCount: 500, samples: new Float32Array(500_000) };
    },
  };
  const large = await queried(t, long);
  const [status, detail] = await large.refusal('');
  t.is(status, 413);
  t.regex(detail, /would have 1500000 values\. The maximum is 1000000\. Ask for less with item, from and to/);
  const { body } = await large.client.get(`/api/md/dataset/${large.id}/values?bbox=500000,5999830,510000,6000030`);
  t.is(body.data.length, 3 * 20 * 1000, 'sent in pieces');
  t.is((await refusal('?from=2026-01-25&to=2026-01-24'))[0], 400);
});

test('content that is not a store, and other dataset types, are refused with a sentence', async (t) => {
  const { refusal, client, owner, projectId } = await queried(t, Buffer.from('no zip'));
  t.deepEqual(await refusal(''), [
    422,
    'The content of the dataset cannot be read: The file is not a zip, or its end is missing. (at byte 6)',
  ]);
  const file = await newDataset(w, projectId, owner);
  const answer = await client.get(`/api/md/dataset/${file}`);
  t.is(answer.status, 400);
  t.regex(answer.body.detail, /format 'geotiff'.*MDWriter/);
  const stranger = w.as(await w.account({ tenantId: await w.tenant() }));
  t.is((await stranger.get(`/api/md/dataset/${file}`)).status, 404);
});

test('a signed link of a dataset or its project reads values, until it is revoked', async (t) => {
  const { client, projectId, owner, id } = await queried(t, layeredGrid());
  const grant = async (resourceId: string) =>
    (await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${resourceId}`)).body.data as string;
  const own = await grant(id);
  const values = `/api/md/dataset/${id}/values?item=Level&point=105,215`;
  const plain = await client.get(values);
  const signed = await w.nobody.get(`${values}&${own}`);
  t.deepEqual([signed.status, signed.body], [200, plain.body]);
  t.is(signed.headers['cache-control'], 'private, no-cache');
  const { etag } = signed.headers;
  t.is((await w.nobody.get(`${values}&${own}`, { 'if-none-match': String(etag) })).status, 304);
  t.is((await w.nobody.get(values, { 'svc-sas-token': own })).status, 200);
  const metadata = (await w.nobody.get(`/api/md/dataset/${id}?${await grant(projectId)}`)).body;
  t.is(metadata.id, id);
  t.regex(metadata.wgS84Extent, /^POLYGON/, 'a map shows where the data lie');
  const other = await newStore(w, projectId, owner, 'other', smallGrid());
  t.is((await w.nobody.get(`/api/md/dataset/${other}/values?${own}`)).status, 403);
  t.is((await w.nobody.get(`${values}&${own.replace('sp=', 'sp=x')}`)).status, 403);
  t.is((await w.nobody.get(values)).status, 401);
  await client.post(`/api/metadata/dataset/${id}/revoke-grants`);
  t.is((await w.nobody.get(`${values}&${own}`)).status, 403);
});

test('types of values have the words that clients of series know', async (t) => {
  const types = ['int8', 'uint8', 'int16', 'int32', 'int64', 'float32', 'float64'];
  const values = (type: string) => (type === 'int64' ? BigInt64Array.of(1n, 2n) : [1, 2]);
  const { client, id } = await queried(
    t,
    zipped({
      'zarr.json': group({}),
      ...Object.assign(
        {},
        ...types.map((data_type) => variable(data_type, { shape: [2], data_type, values: values(data_type) })),
      ),
    }),
  );
  const { body } = await client.get(`/api/md/dataset/${id}`);
  t.deepEqual(
    Object.fromEntries(body.items.map((item: { id: string; dataType: string }) => [item.id, item.dataType])),
    {
      int8: 'Int16',
      uint8: 'Int16',
      int16: 'Int16',
      int32: 'Int32',
      int64: 'Int64',
      float32: 'Single',
      float64: 'Double',
    },
  );
});

test('metadata name the title of the source, and the box of the data in longitude and latitude', async (t) => {
  const { client, id } = await queried(t, smallGrid());
  const { wgS84Extent } = (await client.get(`/api/md/dataset/${id}`)).body;
  // PROJ 9: corners 500000, 6000000 and 500020, 6000030 of EPSG:25832
  t.regex(wgS84Extent, /^POLYGON \(\(9 54\.14\d+, 9\.0003\d* 54\.14\d+, /);
  const geographic = await queried(t, {
    ...smallGrid(),
    affine: [8, 1, 0, 55, 0, -1],
    crs: { authority: 'EPSG', code: 4326 },
  });
  t.is(
    (await geographic.client.get(`/api/md/dataset/${geographic.id}`)).body.wgS84Extent,
    'POLYGON ((8 52, 10 52, 10 55, 8 55, 8 52))',
  );
  const mesh = await queried(t, { ...flatMesh(), located: false } as Mesh);
  t.is((await mesh.client.get(`/api/md/dataset/${mesh.id}`)).body.wgS84Extent, undefined, 'no place on the earth');
  const titled = await queried(
    t,
    zipped({ 'zarr.json': group({ title: 'Tide' }), ...variable('a', { shape: [1], values: [1] }) }),
  );
  t.is((await titled.client.get(`/api/md/dataset/${titled.id}`)).body.title, 'Tide');
});
