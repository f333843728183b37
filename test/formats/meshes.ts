import type { Samples } from '../../src/files/data/item.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import { cellCount, nodeCount } from '../../src/files/data/mesh-cells.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';

export const hourly: TimeAxis = {
  spacing: 'equidistant',
  unit: 'hour',
  start: Date.UTC(2026, 0, 24, 8),
  count: 7,
  offset: 0,
  interval: 6,
};
export const itemNames = ['depth', 'velocity', 'salinity'];

/** A number of its own for each place of each item and step. */
export const value = (item: number, step: number, place: number) => item * 100_000 + step * 1000 + place;

/** 7 steps × 3 items; the last item has its values at the nodes. */
const overTime = (mesh: Omit<Mesh, 'kind' | 'items' | 'values'>): Mesh => ({
  kind: 'mesh',
  crs: parseSrid(32633),
  ...mesh,
  time: hourly,
  items: itemNames.map((name, n) => ({
    name,
    unit: 'm',
    type: 'Float32',
    nodata: -1e-35,
    location: n === 2 ? 'node' : 'cell',
  })),
  async values(item, step) {
    const places = item === 2 ? nodeCount(mesh) : cellCount(mesh);
    return Float32Array.from({ length: places }, (_, place) => value(item, step, place));
  },
});

/** Eastings 0, 100, 200, 300 and northings 0, 100, from (500000, 6000000). */
const corners = Array.from({ length: 8 }, (_, n) => [500_000 + 100 * (n % 4), 6_000_000 + 100 * Math.floor(n / 4)]);

/** A quad, two triangles and a quad from west to east, without layers. Node n lies at height −n. */
export const flatMesh = (): Mesh =>
  overTime({
    nodes: Float64Array.from(corners.flatMap(([x, y], n) => [x!, y!, -n])),
    nodeCodes: Int32Array.of(1, 1, 2, 2, 1, 1, 3, 3),
    nodeIds: Int32Array.from(corners, (_, n) => 10 * (n + 1)),
    cellIds: Int32Array.of(7, 8, 9, 10),
    shapes: Uint8Array.of(CELL_SHAPES.quad, CELL_SHAPES.triangle, CELL_SHAPES.triangle, CELL_SHAPES.quad),
    connectivity: Uint32Array.of(0, 1, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 6),
    offsets: Uint32Array.of(0, 4, 7, 10, 14),
  });

/** The two triangles between the quads, in two layers of 10 m from −20 up; the heights of step s lie s higher. */
export function layeredMesh(): Mesh {
  const plan = [1, 2, 6, 5].map((corner) => corners[corner]!);
  // Nodes of a vertical line follow each other from the bottom up.
  const nodes = Float64Array.from(plan.flatMap(([x, y]) => [-20, -10, 0].flatMap((z) => [x!, y!, z])));
  const wedge = (a: number, b: number, c: number, layer: number) =>
    [layer, layer + 1].flatMap((k) => [3 * a + k, 3 * b + k, 3 * c + k]);
  return overTime({
    nodes,
    shapes: new Uint8Array(4).fill(CELL_SHAPES.wedge),
    connectivity: Uint32Array.from([
      ...wedge(0, 1, 2, 0),
      ...wedge(0, 1, 2, 1),
      ...wedge(0, 2, 3, 0),
      ...wedge(0, 2, 3, 1),
    ]),
    offsets: Uint32Array.of(0, 6, 12, 18, 24),
    layers: { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) },
    heights: async (step) => Float64Array.from({ length: 12 }, (_, node) => nodes[3 * node + 2]! + step),
  });
}

/** Sigma-z: the first column has three cells, the second only the upper two; one of the three layers is sigma. */
export function sigmaZMesh(): Mesh {
  const plan = [1, 2, 6, 5].map((corner) => corners[corner]!);
  const nodes = Float64Array.from(plan.flatMap(([x, y]) => [-30, -20, -10, 0].flatMap((z) => [x!, y!, z])));
  const wedge = (a: number, b: number, c: number, layer: number) =>
    [layer, layer + 1].flatMap((k) => [4 * a + k, 4 * b + k, 4 * c + k]);
  const cells = [wedge(0, 1, 2, 0), wedge(0, 1, 2, 1), wedge(0, 1, 2, 2), wedge(0, 2, 3, 1), wedge(0, 2, 3, 2)];
  return overTime({
    nodes,
    shapes: new Uint8Array(5).fill(CELL_SHAPES.wedge),
    connectivity: Uint32Array.from(cells.flat()),
    offsets: Uint32Array.from([0, 1, 2, 3, 4, 5], (n) => 6 * n),
    layers: { maximum: 3, sigma: 1, columns: Uint32Array.of(0, 3, 5) },
  });
}

/** The values of an item at some places, as the meshes here are made. */
export const expected = (item: number, step: number, places: readonly number[]): number[] =>
  places.map((place) => Math.fround(value(item, step, place)));

export const numbers = (samples: Samples): number[] => Array.from(samples);
