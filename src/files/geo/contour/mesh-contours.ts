import type { ContourBuilder, Corner } from './contour-builder.ts';
import { NO_DATA } from './levels.ts';
import { twinEdges } from './mesh-triangles.ts';

/**
 * Contours of values at the nodes of triangles, linear in each triangle. Triangles with a node without data (NaN) are
 * left out.
 * @param nodes x, y, z of each node
 * @param corners three nodes per triangle, clockwise
 * @param apartOf least distance of vertices to nodes, as a share of an edge of the given length
 */
export function meshContours(
  builder: ContourBuilder,
  nodes: Float64Array,
  corners: Uint32Array,
  values: Float64Array,
  apartOf: (length: number) => number,
): void {
  const numbers = new Int32Array(values.length);
  builder.levels.numbersOf(values, numbers);
  const kept = withData(corners, numbers);
  const twins = twinEdges(kept, values.length);
  // y points down in the builder.
  const corner = (edge: number): Corner => {
    const node = kept[edge]!;
    return { x: nodes[3 * node]!, y: -nodes[3 * node + 1]!, value: values[node]!, number: numbers[node]! };
  };
  const apart = (edge: number) => {
    const [p, q] = [3 * kept[edge]!, 3 * kept[after(edge)]!];
    return apartOf(Math.hypot(nodes[q]! - nodes[p]!, nodes[q + 1]! - nodes[p + 1]!));
  };
  const edges = new Int32Array(kept.length);
  for (let edge = 0; edge < kept.length; edge++) {
    const twin = twins[edge]!;
    edges[edge] =
      twin >= 0 && twin < edge ? edges[twin]! : builder.edge(corner(edge), corner(after(edge)), apart(edge), twin < 0);
  }
  for (let first = 0; first < kept.length; first += 3)
    builder.triangle(
      numbers[kept[first]!]!,
      numbers[kept[first + 1]!]!,
      numbers[kept[first + 2]!]!,
      edges[first]!,
      edges[first + 1]!,
      edges[first + 2]!,
    );
  if (!builder.bands) return;
  const passes = new Uint8Array(values.length);
  for (const [edge, twin] of twins.entries()) if (twin < 0) passes[kept[edge]!] = Math.min(2, passes[kept[edge]!]! + 1);
  /** The vertex at the start of each edge of the border, and at its end. */
  const [starts, ends] = [new Int32Array(kept.length), new Int32Array(kept.length)];
  for (let edge = 0; edge < kept.length; edge++) {
    if (twins[edge]! >= 0) continue;
    const node = corner(edge);
    // Around the node at the start of the edge, to the edge of the border that leads to it.
    let before = previous(edge);
    let nearest = distance(node, corner(before), corner(after(edge))) * apart(edge);
    while (twins[before]! >= 0) {
      const next = twins[before]!;
      before = previous(next);
      nearest = Math.min(nearest, distance(node, corner(before), corner(after(next))) * apart(next));
    }
    // Where the border passes a node several times, each of them has a vertex of its own inside its triangles, and
    // nearer to the node than the vertices of levels.
    const { x, y } = passes[kept[edge]!]! > 1 ? inside(node, corner(before), corner(after(edge)), nearest / 4) : node;
    starts[edge] = ends[before] = builder.borderVertex(x, y, node.number);
  }
  for (let edge = 0; edge < kept.length; edge++)
    if (twins[edge]! < 0)
      builder.border(edges[edge]!, numbers[kept[edge]!]!, numbers[kept[after(edge)]!]!, starts[edge]!, ends[edge]!);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * A point near a node of the border, to the right of the way from one neighbour over the node to the other. The node
 * itself where that is half a turn or more, which it is once at most.
 */
function inside(node: Point, from: Point, to: Point, near: number): Point {
  const [ax, ay, bx, by] = [from.x - node.x, from.y - node.y, to.x - node.x, to.y - node.y];
  if (ax * by - ay * bx >= 0) return node;
  const [a, b] = [near / 2 / Math.hypot(ax, ay), near / 2 / Math.hypot(bx, by)];
  return { x: node.x + a * ax + b * bx, y: node.y + a * ay + b * by };
}

/** Distance of a corner of a triangle to the line between the two others. */
const distance = (corner: Point, a: Point, b: Point): number =>
  Math.abs((a.x - corner.x) * (b.y - corner.y) - (a.y - corner.y) * (b.x - corner.x)) /
  Math.hypot(b.x - a.x, b.y - a.y);

const after = (edge: number): number => (edge % 3 === 2 ? edge - 2 : edge + 1);
const previous = (edge: number): number => (edge % 3 === 0 ? edge + 2 : edge - 1);

/** The triangles whose nodes all have data. */
function withData(corners: Uint32Array, numbers: Int32Array): Uint32Array {
  const kept = new Uint32Array(corners.length);
  let count = 0;
  for (let first = 0; first < corners.length; first += 3) {
    const [a, b, c] = [corners[first]!, corners[first + 1]!, corners[first + 2]!];
    if (numbers[a] === NO_DATA || numbers[b] === NO_DATA || numbers[c] === NO_DATA) continue;
    kept.set([a, b, c], count);
    count += 3;
  }
  return kept.subarray(0, count);
}
