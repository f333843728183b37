import test from 'ava';
import { arrayToMesh } from '../../src/files/convert/bridges/array-to-mesh.ts';
import { gridToMesh } from '../../src/files/convert/bridges/grid-to-mesh.ts';
import { seriesToMesh } from '../../src/files/convert/bridges/series-to-mesh.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { CELL_SHAPES } from '../../src/files/data/mesh.ts';
import { cellCentres } from '../../src/files/data/mesh-cells.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import { hourly, numbers } from './meshes.ts';

const value = (step: number, layer: number, row: number, column: number) =>
  step * 1000 + layer * 100 + row * 10 + column;

const gridOf = (over: Partial<Grid>): Grid => ({
  kind: 'grid',
  width: 3,
  height: 2,
  affine: [100, 10, 0, 200, 0, 20],
  bands: [{ name: 'depth', unit: 'm', type: 'Float32', nodata: -1e-35 }],
  time: hourly,
  async *rows({ step, layer }) {
    for (let row = 0; row < 2; row++)
      yield {
        firstRow: row,
        rowCount: 1,
        samples: Float32Array.from({ length: 3 }, (_, n) => value(step, layer, row, n)),
      };
  },
  ...over,
});

/** Twice the area of the first four nodes of a cell, seen from above. */
function doubleArea({ nodes, connectivity }: { nodes: Float64Array; connectivity: Uint32Array }): number {
  const at = (n: number) => 3 * connectivity[n % 4]!;
  return [0, 1, 2, 3].reduce(
    (sum, n) => sum + nodes[at(n)]! * nodes[at(n + 1) + 1]! - nodes[at(n + 1)]! * nodes[at(n) + 1]!,
    0,
  );
}

test('grid cells become quads around their centres, with the values of each step', async (t) => {
  const mesh = gridToMesh(gridOf({}));
  t.deepEqual([...mesh.shapes], new Array(6).fill(CELL_SHAPES.quad));
  t.deepEqual([...cellCentres(mesh)].slice(0, 6), [105, 210, 0, 115, 210, 0]);
  t.deepEqual([...cellCentres(mesh)].slice(-3), [125, 230, 0]);
  t.is(doubleArea(mesh), 400);
  for (const step of [0, 6])
    t.deepEqual(
      numbers(await mesh.values(0, step)),
      [0, 1, 2, 10, 11, 12].map((n) => step * 1000 + n),
    );
  t.deepEqual(mesh.time, hourly);
  t.like(mesh.items[0], { name: 'depth', unit: 'm', location: 'cell', nodata: -1e-35 });
});

test('quads are counter-clockwise, also with the northern row first or a rotated grid', (t) => {
  t.is(doubleArea(gridToMesh(gridOf({ affine: [100, 10, 0, 200, 0, -20] }))), 400);
  const rotated = gridToMesh(gridOf({ affine: [0, 8, -6, 0, 6, 8] }));
  t.is(doubleArea(rotated), 200);
  t.deepEqual([...cellCentres(rotated)].slice(0, 3), [1, 7, 0]);
});

test('cells of a layered grid become hexahedra from the lowest layer up', async (t) => {
  const mesh = gridToMesh(gridOf({ layers: { count: 2, first: -15, spacing: 10 } }));
  t.deepEqual([...mesh.shapes], new Array(12).fill(CELL_SHAPES.hexahedron));
  const centres = cellCentres(mesh);
  t.deepEqual([...centres].slice(0, 3), [105, 210, -15]);
  t.deepEqual([...centres].slice(18, 21), [105, 210, -5]);
  const [first] = mesh.connectivity;
  t.is(mesh.nodes[3 * first! + 2], -20);
  t.deepEqual(
    numbers(await mesh.values(0, 2)),
    [2000, 2001, 2002, 2010, 2011, 2012, 2100, 2101, 2102, 2110, 2111, 2112],
  );
});

test('a DFS1 becomes two-node lines between cell centres, with values at the nodes', async (t) => {
  const line = gridOf({
    height: 1,
    origin: { format: 'dfs1', content: undefined },
    async *rows({ step }) {
      yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(step, step + 1, step + 2) };
    },
  });
  const mesh = gridToMesh(line);
  const single = gridToMesh({ ...line, width: 1 });
  t.deepEqual([[...single.shapes], [...single.connectivity], single.nodes.length], [[CELL_SHAPES.vertex], [0], 3]);
  t.deepEqual([...mesh.shapes], [CELL_SHAPES.line, CELL_SHAPES.line]);
  t.deepEqual([...mesh.connectivity], [0, 1, 1, 2]);
  t.deepEqual([...mesh.nodes], [105, 210, 0, 115, 210, 0, 125, 210, 0]);
  t.is(mesh.items[0]!.location, 'node');
  t.deepEqual(numbers(await mesh.values(0, 4)), [4, 5, 6]);
});

test('series become one vertex at their position, with one item per series', async (t) => {
  const series: Series = {
    kind: 'series',
    items: [
      { name: 'level', type: 'Float64', nodata: -1 },
      { name: 'count', type: 'Int32', position: [5, 6, 7] },
    ],
    time: { spacing: 'pulled', unit: 'second', start: 0 },
    async *chunks() {
      const reused = Float64Array.of(1, 2);
      yield { firstStep: 0, offsets: Float64Array.of(0, 10), values: [reused, Int32Array.of(7, 8)] };
      reused.set([3, 4]);
      yield { firstStep: 2, offsets: Float64Array.of(15, 30), values: [reused, Int32Array.of(9, 10)] };
    },
  };
  const mesh = await seriesToMesh(series);
  t.deepEqual([...mesh.nodes], [5, 6, 7]);
  t.deepEqual([...mesh.shapes], [CELL_SHAPES.vertex]);
  t.deepEqual(mesh.time, {
    spacing: 'nonEquidistant',
    unit: 'second',
    start: 0,
    offsets: Float64Array.of(0, 10, 15, 30),
  });
  const all = await Promise.all(
    [0, 1, 2, 3].map(async (step) => [...(await mesh.values(0, step)), ...(await mesh.values(1, step))]),
  );
  t.deepEqual(all, [
    [1, 7],
    [2, 8],
    [3, 9],
    [4, 10],
  ]);
});

test('a spectrum becomes cells over frequency and direction; curvilinear cells keep their corners', async (t) => {
  const direction = { name: 'direction', values: Float64Array.of(0, 90, 180) };
  const frequency = { name: 'frequency', values: Float64Array.of(0.1, 0.2, 0.4, 0.8) };
  const lost: string[] = [];
  const work = {
    parameters: {},
    writer: { name: 'VtuWriter' },
    stem: 'made',
    quality() {},
    context: {
      signal: new AbortController().signal,
      scratch: '',
      log() {},
      progress() {},
      reportLoss: (sentence: string) => void lost.push(sentence),
      remark() {},
      reportBadRecord() {},
      onEnd() {},
    },
  };
  const array: MultiArray = {
    kind: 'array',
    axes: [direction, frequency],
    items: [
      { name: 'energy', type: 'Float32', axes: [0, 1], overTime: true },
      { name: 'mean', type: 'Float32', axes: [1], overTime: true },
    ],
    time: hourly,
    read: async (_item, step, start, shape) => {
      t.deepEqual(
        [start, shape],
        [
          [0, 0],
          [3, 4],
        ],
      );
      return Float32Array.from({ length: 12 }, (_, n) => 100 * step + n);
    },
  };
  const mesh = arrayToMesh(array, work);
  t.deepEqual([...mesh.shapes], new Array(12).fill(CELL_SHAPES.quad));
  t.deepEqual([...mesh.nodes.subarray(0, 3)], [0.1 - 0.05, -45, 0]);
  const corners = [4, 19].map((node) => mesh.nodes[3 * node]);
  t.true(
    corners.every((x) => Math.abs(x! - 1) < 1e-12),
    String(corners),
  );
  t.is(mesh.nodes.at(-2), 225);
  t.deepEqual(numbers(await mesh.values(0, 5)).slice(0, 2), [500, 501]);
  t.is(mesh.items.length, 1);
  t.regex(lost.join(), /dimensions differ from those of 'energy'/);

  const nodeX = Float64Array.from({ length: 20 }, (_, n) => 10 * (n % 5) + Math.floor(n / 5));
  const nodeY = Float64Array.from({ length: 20 }, (_, n) => 5 * Math.floor(n / 5) + (n % 5));
  const bent = arrayToMesh({ ...array, placement: { by: 'nodes', x: 1, y: 0, nodeX, nodeY } }, work);
  t.deepEqual([...bent.nodes.subarray(0, 6)], [0, 0, 0, 10, 1, 0]);
  t.true(doubleArea(bent) > 0);

  const depth = { name: 'z', values: Float64Array.of(-15, -2.5), edges: Float64Array.of(-20, -10, 5) };
  const space = arrayToMesh(
    { ...array, axes: [depth, direction, frequency], items: [{ name: 'speed', axes: [0, 1, 2], overTime: true }] },
    work,
  );
  t.deepEqual([...space.shapes], new Array(24).fill(CELL_SHAPES.hexahedron));
  t.deepEqual(
    [...cellCentres(space)].filter((_, n) => n % 36 === 2),
    [-15, -2.5],
  );

  const line = arrayToMesh({ ...array, items: [array.items[1]!] }, work);
  t.deepEqual([...line.shapes], new Array(3).fill(CELL_SHAPES.line));
  t.is(line.items[0]!.location, 'node');
});
