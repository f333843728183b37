import type { PreparedGeometry } from '../vector/prepared-geometry.ts';
import { constrainedDelaunay } from './constrained-delaunay.ts';
import type { PlanarGraph } from './planar-graph.ts';
import { type RefinementLimits, refine } from './refine.ts';
import { nextEdge, Triangulation } from './triangulation.ts';

export interface PolygonMesh {
  /** x, y, z of each node; those of the polygons come first. */
  readonly nodes: Float64Array;
  /** Three nodes per triangle, counter-clockwise. */
  readonly triangles: Uint32Array;
  /** Polygon of each triangle. */
  readonly polygons: Int32Array;
  /** 1 for nodes on the rim of the mesh, also around holes. */
  readonly onRim: Uint8Array;
}

/**
 * Triangles of good shape inside polygons, whose borders are the graph. Neighbours share the nodes of their borders.
 */
export function meshPolygons(
  graph: PlanarGraph,
  polygons: PreparedGeometry,
  limits: RefinementLimits,
  signal: AbortSignal,
): PolygonMesh {
  const mesh = new Triangulation(constrainedDelaunay(graph, graph.segments));
  assignRegions(mesh, polygons);
  refine(mesh, graph.segments, limits, signal);
  return compact(mesh);
}

/** Regions between segments belong to a polygon as a whole. */
function assignRegions(mesh: Triangulation, polygons: PreparedGeometry): void {
  const { triangles, halfedges, segments, regions, x, y } = mesh;
  const seen = new Uint8Array(mesh.triangleCount);
  for (let start = 0; start < mesh.triangleCount; start++) {
    if (seen[start] === 1) continue;
    const middle = (all: Float64Array) => [0, 1, 2].reduce((sum, k) => sum + all[triangles[3 * start + k]!]! / 3, 0);
    const region = polygons.polygonAt(middle(x), middle(y));
    const stack = [start];
    seen[start] = 1;
    for (let triangle = stack.pop(); triangle !== undefined; triangle = stack.pop()) {
      regions[triangle] = region;
      for (let edge = 3 * triangle; edge < 3 * triangle + 3; edge++) {
        const next = Math.floor(halfedges[edge]! / 3);
        if (next < 0 || segments[edge]! >= 0 || seen[next] === 1) continue;
        seen[next] = 1;
        stack.push(next);
      }
    }
  }
}

/** Only what lies inside, with the nodes in use renumbered. */
function compact(mesh: Triangulation): PolygonMesh {
  const { triangles, halfedges, regions } = mesh;
  const inside: number[] = [];
  for (let triangle = 0; triangle < mesh.triangleCount; triangle++) if (regions[triangle]! >= 0) inside.push(triangle);
  const used = new Uint8Array(mesh.vertexCount);
  for (const triangle of inside) for (let k = 0; k < 3; k++) used[triangles[3 * triangle + k]!] = 1;
  const numbers = new Uint32Array(mesh.vertexCount);
  const nodes: number[] = [];
  for (let vertex = 0; vertex < mesh.vertexCount; vertex++) {
    if (used[vertex] === 0) continue;
    numbers[vertex] = nodes.length / 3;
    nodes.push(mesh.x[vertex]!, mesh.y[vertex]!, mesh.z[vertex]!);
  }
  const onRim = new Uint8Array(nodes.length / 3);
  const corners = new Uint32Array(3 * inside.length);
  for (const [n, triangle] of inside.entries())
    for (let k = 0; k < 3; k++) {
      const edge = 3 * triangle + k;
      const from = numbers[triangles[edge]!]!;
      corners[3 * n + k] = from;
      const beyond = halfedges[edge]!;
      if (beyond >= 0 && regions[Math.floor(beyond / 3)]! >= 0) continue;
      onRim[from] = 1;
      onRim[numbers[triangles[nextEdge(edge)]!]!] = 1;
    }
  return {
    nodes: Float64Array.from(nodes),
    triangles: corners,
    polygons: Int32Array.from(inside, (triangle) => regions[triangle]!),
    onRim,
  };
}
