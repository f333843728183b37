import Constrainautor from '@kninnug/constrainautor';
import Delaunator from 'delaunator';
import { FormatError } from '../../errors.ts';
import { type InitialTriangulation, nextEdge } from './triangulation.ts';

/**
 * The constrained Delaunay triangulation of vertices and segments between them, within a frame far around them, so that
 * every vertex lies inside. The last four vertices are the corners of the frame.
 * @param segments pairs of different vertices; no two cross, and none passes through a vertex
 */
export function constrainedDelaunay(
  vertices: { readonly x: Float64Array; readonly y: Float64Array; readonly z: Float64Array },
  segments: Int32Array,
): InitialTriangulation {
  const framed = withFrame(vertices);
  const coordinates = new Float64Array(2 * framed.x.length);
  for (let n = 0; n < framed.x.length; n++) {
    coordinates[2 * n] = framed.x[n]!;
    coordinates[2 * n + 1] = framed.y[n]!;
  }
  const delaunay = new Delaunator(coordinates);
  const constrained = new Constrainautor(delaunay);
  for (let n = 0; n < segments.length; n += 2) constrain(constrained, segments[n]!, segments[n + 1]!, framed);
  const turned = counterClockwise(delaunay.triangles, delaunay.halfedges);
  const segmentOfEdge = new Int32Array(turned.triangles.length).fill(-1);
  const numbers = new Map<number, number>();
  const key = (a: number, b: number) => Math.min(a, b) * framed.x.length + Math.max(a, b);
  for (let n = 0; n < segments.length; n += 2) numbers.set(key(segments[n]!, segments[n + 1]!), n / 2);
  for (let edge = 0; edge < segmentOfEdge.length; edge++) {
    const to = turned.triangles[nextEdge(edge)]!;
    segmentOfEdge[edge] = numbers.get(key(turned.triangles[edge]!, to)) ?? -1;
  }
  return {
    ...framed,
    ...turned,
    segments: segmentOfEdge,
    regions: new Int32Array(turned.triangles.length / 3).fill(-1),
  };
}

function constrain(
  triangulation: Constrainautor,
  from: number,
  to: number,
  { x, y }: { x: Float64Array; y: Float64Array },
) {
  try {
    triangulation.constrainOne(from, to);
  } catch (error) {
    // Vertices so near to each other or to a segment that rounding merges them.
    throw new FormatError(
      `The border from (${x[from]}, ${y[from]}) to (${x[to]}, ${y[to]}) cannot be triangulated: ${(error as Error).message}.`,
    );
  }
}

/**
 * The Delaunay triangulation of different points. Triangles run counter-clockwise; `onRim` is 1 for points on the hull.
 */
export function delaunayTriangles(x: Float64Array, y: Float64Array): { triangles: Uint32Array; onRim: Uint8Array } {
  const delaunay = new Delaunator(
    Float64Array.from({ length: 2 * x.length }, (_, n) => (n % 2 === 0 ? x : y)[n >> 1]!),
  );
  const { triangles, halfedges } = counterClockwise(delaunay.triangles, delaunay.halfedges);
  const onRim = new Uint8Array(x.length);
  for (const [edge, opposite] of halfedges.entries()) {
    if (opposite >= 0) continue;
    onRim[triangles[edge]!] = 1;
    onRim[triangles[nextEdge(edge)]!] = 1;
  }
  return { triangles: Uint32Array.from(triangles), onRim };
}

/** Delaunator's triangles run clockwise where y points up. */
function counterClockwise(triangles: Uint32Array, halfedges: Int32Array) {
  const turned = { triangles: new Int32Array(triangles.length), halfedges: new Int32Array(triangles.length) };
  // (a, b, c) becomes (a, c, b): the half-edges 0, 1, 2 become 2, 1, 0 in the other direction.
  const place = (edge: number) => edge + 2 - 2 * (edge % 3);
  for (let e = 0; e < triangles.length; e += 3) {
    turned.triangles[e] = triangles[e]!;
    turned.triangles[e + 1] = triangles[e + 2]!;
    turned.triangles[e + 2] = triangles[e + 1]!;
    for (let k = e; k < e + 3; k++) turned.halfedges[place(k)] = halfedges[k]! < 0 ? -1 : place(halfedges[k]!);
  }
  return turned;
}

function withFrame({ x, y, z }: { readonly x: Float64Array; readonly y: Float64Array; readonly z: Float64Array }) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < x.length; n++) {
    west = Math.min(west, x[n]!);
    east = Math.max(east, x[n]!);
    south = Math.min(south, y[n]!);
    north = Math.max(north, y[n]!);
  }
  const around = Math.max(east - west, north - south);
  const with4 = (all: Float64Array, ...four: number[]) => {
    const longer = new Float64Array(all.length + 4);
    longer.set(all);
    longer.set(four, all.length);
    return longer;
  };
  return {
    x: with4(x, west - around, east + around, east + around, west - around),
    y: with4(y, south - around, south - around, north + around, north + around),
    z: with4(z, 0, 0, 0, 0),
  };
}
