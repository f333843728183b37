import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';

type Geometry = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/**
 * Flattens a vertical section: x is the distance along it, y the height. The order of positions along it follows the
 * cells that connect them, from the end that comes first in the file.
 * @param heights z of the nodes at the step that is shown; absent: those of the mesh
 */
export function sectionPlane(mesh: Geometry, heights: ArrayLike<number> | undefined): Geometry {
  const { nodes, connectivity, offsets } = mesh;
  const count = nodes.length / 3;
  const positions = positionsOf(nodes);
  const neighbours = positions.x.map(() => new Set<number>());
  for (let cell = 0; cell + 1 < offsets.length; cell++) {
    const around = new Set<number>();
    for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) around.add(positions.of[connectivity[n]!]!);
    const [a, b] = around;
    if (around.size !== 2) continue;
    neighbours[a!]!.add(b!);
    neighbours[b!]!.add(a!);
  }
  const distances = distancesAlong(positions, neighbours);
  const flat = new Float64Array(nodes.length);
  for (let node = 0; node < count; node++) {
    flat[3 * node] = distances[positions.of[node]!]!;
    flat[3 * node + 1] = heights?.[node] ?? nodes[3 * node + 2]!;
  }
  return { ...mesh, nodes: flat };
}

/**
 * Draws the cells of a single column as stacked boxes of width 1. Node n of the mesh becomes node n on the left and n +
 * count on the right, so values at nodes occur twice.
 */
export function columnPlane(mesh: Geometry, heights: ArrayLike<number> | undefined): Geometry {
  const { nodes, connectivity, offsets } = mesh;
  const count = nodes.length / 3;
  const flat = new Float64Array(2 * nodes.length);
  for (let node = 0; node < count; node++) {
    flat[3 * (count + node)] = 1;
    for (const at of [node, count + node]) flat[3 * at + 1] = heights?.[node] ?? nodes[3 * node + 2]!;
  }
  const cells = Math.max(0, offsets.length - 1);
  const corners = new Uint32Array(4 * cells);
  for (let cell = 0; cell < cells; cell++) {
    const around = [...connectivity.subarray(offsets[cell]!, offsets[cell + 1]!)];
    const [low, ...others] = around.sort((one, other) => flat[3 * one + 1]! - flat[3 * other + 1]!);
    const high = others.at(-1) ?? low!;
    corners.set([low!, count + low!, count + high, high], 4 * cell);
  }
  return {
    nodes: flat,
    shapes: new Uint8Array(cells).fill(CELL_SHAPES.quad),
    connectivity: corners,
    offsets: Uint32Array.from({ length: cells + 1 }, (_, cell) => 4 * cell),
  };
}

interface Positions {
  readonly x: number[];
  readonly y: number[];
  /** Index of the position of each node. */
  readonly of: number[];
}

/** Nodes above each other have the same horizontal position. */
function positionsOf(nodes: Float64Array): Positions {
  const numbers = new Map<string, number>();
  const [x, y, of]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < nodes.length; n += 3) {
    const key = `${nodes[n]} ${nodes[n + 1]}`;
    const known = numbers.get(key) ?? x.length;
    if (known === x.length) {
      numbers.set(key, known);
      x.push(nodes[n]!);
      y.push(nodes[n + 1]!);
    }
    of.push(known);
  }
  return { x, y, of };
}

/** Distance of each position from an end of the section; positions that are not connected come after the others. */
function distancesAlong({ x, y }: Positions, neighbours: readonly ReadonlySet<number>[]): Float64Array {
  const distances = new Float64Array(x.length).fill(Number.NaN);
  let far = 0;
  const ends = [...neighbours.keys()].sort(
    (one, other) => Math.min(2, neighbours[one]!.size) - Math.min(2, neighbours[other]!.size),
  );
  for (const end of ends) {
    let [at, passed]: [number | undefined, number] = [end, far];
    while (at !== undefined && Number.isNaN(distances[at])) {
      distances[at] = passed;
      far = Math.max(far, passed);
      const here: number = at;
      at = [...neighbours[here]!].find((next) => Number.isNaN(distances[next]));
      if (at !== undefined) passed += Math.hypot(x[at]! - x[here]!, y[at]! - y[here]!);
    }
  }
  return distances;
}
