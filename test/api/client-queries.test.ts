import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { flatMesh, layeredMesh, value } from '../formats/meshes.ts';
import { newStore } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);

/** 3 columns, 2 rows from the south, 2 layers, 4 steps at unequal times; the first cell has no data. */
const known = (step: number, layer: number, row: number, column: number) =>
  row + column === 0 ? -9999 : 1000 * step + 100 * layer + 10 * row + column;
const grid: Grid = {
  kind: 'grid',
  width: 3,
  height: 2,
  affine: [100, 10, 0, 200, 0, 10],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'nonEquidistant', unit: 'hour', start: Date.UTC(2026, 0, 24), offsets: Float64Array.of(0, 1, 5, 6) },
  layers: { count: 2, first: -15, spacing: 10, unit: 'm' },
  bands: [{ name: 'Level', type: 'Float32', nodata: -9999, unit: 'm' }],
  async *rows({ step, layer }) {
    const samples = Float32Array.from({ length: 6 }, (_, n) => known(step, layer, Math.floor(n / 3), n % 3));
    yield { firstRow: 0, rowCount: 2, samples };
  },
};

async function scene(t: ExecutionContext, content: Grid | Mesh) {
  const owner = await w.account();
  const client = w.as(owner);
  const id = await newStore(w, await newProject(client), owner, 'store', content);
  const post = (name: string, body: object) => client.post(`/api/md/dataset/${id}/${name}`, body);
  return {
    async query(name: string, body: object) {
      const answer = await post(name, body);
      t.is(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    async binary(name: string, query: object, options: object) {
      const answer = await post(name, { query, options });
      t.is(answer.status, 200, JSON.stringify(answer.body));
      t.is(answer.headers['content-type'], 'application/x-binary');
      return decode(answer.raw, options);
    },
    refusal: async (name: string, body: object) => {
      const { status, body: answer } = await post(name, body);
      return [status, answer.detail];
    },
  };
}

const triangle = { geometry: 'POLYGON ((100 200, 131 200, 131 211, 100 200))' };

test('steps of the chosen elements of a grid, by item, layer and step', async (t) => {
  const { query } = await scene(t, grid);
  const answer = await query('query-timesteps', {
    spatialFilter: { geometry: 'POLYGON ((111 200, 131 200, 131 221, 111 221, 111 200))', srid: 25832 },
    temporalFilter: { type: 'TemporalIndexFilter', from: 1, to: 2 },
    verticalFilter: { type: 'VerticalIndexFilter', from: 1 },
    itemFilter: { itemIndices: [0] },
  });
  t.deepEqual(
    answer.elements.map(({ i }: { i: number }) => i),
    [1, 2, 4, 5],
  );
  t.deepEqual(answer.elements[0].v, [
    [110, 200],
    [120, 200],
    [120, 210],
    [110, 210],
  ]);
  t.is(answer.srid, 25832);
  t.deepEqual(answer.dataBlocks, [
    { itemIndex: 0, timeIndex: 1, layerIndex: 1, data: [1101, 1102, 1111, 1112] },
    { itemIndex: 0, timeIndex: 2, layerIndex: 1, data: [2101, 2102, 2111, 2112] },
  ]);
});

test('times series at a point of a grid; no data is null', async (t) => {
  const { query } = await scene(t, grid);
  const answer = await query('query-timeseries', {
    spatialFilter: { geometry: 'MULTIPOINT ((105 205), (125 215))' },
    temporalFilter: { type: 'TemporalValueFilter', from: '2026-01-24T010000', to: '2026-01-24T050000' },
    includeGeometries: false,
  });
  t.deepEqual(answer.elements, [{ i: 0 }, { i: 5 }]);
  t.deepEqual(answer.timeSteps, ['2026-01-24T01:00:00.0000000', '2026-01-24T05:00:00.0000000']);
  t.deepEqual(
    answer.dataBlocks.map(({ elementIndex, layerIndex, data }: Record<string, unknown>) => [
      elementIndex,
      layerIndex,
      data,
    ]),
    [
      [0, 0, [null, null]],
      [5, 0, [1012, 2012]],
      [0, 1, [null, null]],
      [5, 1, [1112, 2112]],
    ],
  );
});

test('binary answers hold the same as those in JSON, of grids and of meshes', async (t) => {
  for (const content of [grid, meshOfCells(flatMesh()), meshOfCells(layeredMesh())]) {
    const { query, binary } = await scene(t, content);
    const wish = content === grid ? { spatialFilter: triangle } : {};
    const plain = await query('query-timesteps', wish);
    for (const options of [
      { majorVersion: 1, minorVersion: 1, coordinatePrecision: 3, includeMeshElementId: true },
      { includeMeshElementId: true },
    ]) {
      const packed = await binary('binary-query-timesteps', wish, options);
      t.is(packed.srid, plain.srid);
      t.deepEqual(
        packed.elements,
        plain.elements.map(({ i, v }: { i: number; v: unknown }) => (content === grid ? { i } : { i, v })),
      );
      t.deepEqual(
        packed.blocks.map(({ indices: [item, step, layer], data }) => [item, step, layer, data]),
        plain.dataBlocks.map(({ itemIndex, timeIndex, layerIndex, data }: Record<string, never>) => [
          itemIndex,
          timeIndex,
          layerIndex,
          (data as (number | null)[]).map((one) => one ?? (content === grid ? -9999 : Math.fround(-1e-35))),
        ]),
      );
      const series = await query('query-timeseries', wish);
      const packedSeries = await binary('binary-query-timeseries', wish, options);
      t.deepEqual(
        packedSeries.times,
        series.timeSteps.map((one: string) => Date.parse(`${one.slice(0, 19)}Z`) / 1000),
      );
      t.is(packedSeries.blocks.length, series.dataBlocks.length);
      t.deepEqual(
        packedSeries.blocks.map(({ indices }) => indices),
        series.dataBlocks.map(({ itemIndex, elementIndex, layerIndex }: Record<string, never>) => [
          itemIndex,
          elementIndex,
          layerIndex,
        ]),
      );
    }
  }
});

test('elements of a mesh have the numbers of the file, and values by step', async (t) => {
  const { query } = await scene(t, meshOfCells(flatMesh()));
  const answer = await query('query-timesteps', {
    spatialFilter: { geometry: 'POINT (500050 6000050)' },
    temporalFilter: { type: 'TemporalIndexListFilter', indices: [3, 1] },
    itemFilter: { itemIndices: [1] },
  });
  t.deepEqual(
    answer.elements.map(({ i }: { i: number }) => i),
    [7],
  );
  t.deepEqual(
    answer.dataBlocks.map(({ timeIndex, layerIndex, data }: Record<string, unknown>) => [timeIndex, layerIndex, data]),
    [
      [1, -1, [value(1, 1, 0)]],
      [3, -1, [value(1, 3, 0)]],
    ],
  );
});

test('queries that meet nothing, or too much, are refused with a sentence', async (t) => {
  const { refusal } = await scene(t, grid);
  const space = (geometry: string) => refusal('query-timesteps', { spatialFilter: { geometry } });
  t.deepEqual(await refusal('query-timesteps', { itemFilter: { itemIndices: [3] } }), [
    400,
    'There is no item 3: the data have items 0 to 0.',
  ]);
  t.regex(String(await space('POINT (0 0)')), /No element lies within the spatial filter/);
  t.regex(String(await space('LINESTRING (0 0, 1 1)')), /must be a POINT, MULTIPOINT/);
  t.regex(String(await space('POINT (0')), /^400/);
  t.regex(
    String(await refusal('query-timesteps', { temporalFilter: { type: 'X' } })),
    /temporalFilter\.type must be one of/,
  );
  t.regex(
    String(await refusal('query-timeseries', { temporalFilter: { type: 'TemporalIndexFilter', from: 9 } })),
    /leaves no step/,
  );
  t.regex(
    String(await refusal('query-timesteps', { verticalFilter: { type: 'VerticalIndexFilter', from: 7 } })),
    /leaves no layer/,
  );
});

/** A mesh without its item at nodes. */
const meshOfCells = (mesh: Mesh): Mesh => ({ ...mesh, items: mesh.items.slice(0, 2) });

interface Decoded {
  srid: number;
  elements: { i: number; v?: number[][] }[];
  times: number[];
  blocks: { indices: number[]; data: number[] }[];
}

/** Reads a binary answer, written for this test. */
function decode(bytes: Buffer, { coordinatePrecision }: { coordinatePrecision?: number }): Decoded {
  let at = 4;
  const byte = () => bytes[at++]!;
  const varint = (): number => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const one = byte();
      value |= BigInt(one & 127) << shift;
      shift += 7n;
      if (one < 128) return Number(BigInt.asIntN(64, value));
    }
  };
  const zigzag = () => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const double = () => {
    at += 8;
    return bytes.readDoubleLE(at - 8);
  };
  const found: Decoded = { srid: varint(), elements: [], times: [], blocks: [] };
  const page = () => {
    const fixed = byte();
    const corners: number[][] = [];
    const last = [0, 0];
    const ratio = 10 ** (coordinatePrecision ?? 0);
    for (let count = varint(), n = 0; n < count; n++)
      corners.push(
        [0, 1].map((axis) => {
          if (n === 0 || coordinatePrecision === undefined) {
            const first = double();
            last[axis] = Math.trunc(first * ratio);
            return first;
          }
          last[axis]! += zigzag();
          return last[axis]! / ratio;
        }),
      );
    let i = 0;
    for (let count = varint(); count > 0; count--) {
      i += zigzag();
      const size = fixed === 0 ? byte() : fixed;
      found.elements.push({ i, v: Array.from({ length: size }, () => corners[byte()]!) });
    }
  };
  for (let tag = byte(); tag !== 255; tag = byte()) {
    if (tag === 10 && byte() === 10)
      for (let end = varint() + at; at < end; at += 4) found.elements.push({ i: bytes.readInt32LE(at) });
    else if (tag === 10) for (let pages = varint(); pages > 0; pages--) page();
    else if (tag === 20) {
      let time = varint() - 62_135_596_800;
      found.times.push(time);
      for (let difference = varint(); difference > 0; difference = varint())
        for (let count = varint(); count > 0; count--) {
          time += difference;
          found.times.push(time);
        }
    } else {
      const indices = [0, 1, 2].map(() => {
        byte();
        return varint();
      });
      const length = varint() / 4;
      const data = Array.from({ length }, (_, n) => bytes.readFloatLE(at + 4 * n));
      at += 4 * length;
      found.blocks.push({ indices, data });
    }
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes behind the end`);
  return found;
}

test('outlines of too many elements are refused before they are made', async (t) => {
  const side = 360;
  const large: Grid = {
    kind: 'grid',
    width: side,
    height: side,
    affine: [0, 1, 0, 0, 0, 1],
    bands: [{ name: 'Level', type: 'Float32', nodata: -9999 }],
    async *rows() {
      yield { firstRow: 0, rowCount: side, samples: new Float32Array(side * side).fill(1) };
    },
  };
  const { query, binary, refusal } = await scene(t, large);
  const [status, detail] = await refusal('query-timesteps', { includeValues: false });
  t.is(status, 413);
  t.regex(detail, /1036800 coordinates of outlines\. The maximum is 1000000; includeGeometries: false/);
  const plain = await query('query-timesteps', { includeGeometries: false });
  t.is(plain.dataBlocks[0].data.length, side * side);
  t.is((await binary('binary-query-timesteps', {}, {})).elements.length, side * side);
});

test('data over no steps answer elements without values', async (t) => {
  const none: Grid = {
    ...grid,
    time: { spacing: 'nonEquidistant', unit: 'hour', start: Date.UTC(2026, 0, 24), offsets: Float64Array.of() },
  };
  const { query, binary } = await scene(t, none);
  const steps = await query('query-timesteps', {});
  t.deepEqual([steps.elements.length, steps.dataBlocks], [6, []]);
  const series = await query('query-timeseries', { includeGeometries: false });
  t.deepEqual(series.timeSteps, []);
  t.deepEqual(series.dataBlocks[0].data, []);
  t.deepEqual((await binary('binary-query-timesteps', {}, {})).blocks, []);
  const packed = await binary('binary-query-timeseries', {}, {});
  t.deepEqual(packed.times, []);
});
