import { CELL_SHAPES, type Mesh } from './mesh.ts';

/**
 * Boundary codes of a mesh that has none: 1 (land) for the nodes of edges that belong to one triangle or quad alone,
 * else 0.
 */
export function rimCodes({ nodes, shapes, connectivity, offsets }: Mesh): Int32Array {
  const count = nodes.length / 3;
  const codes = new Int32Array(count);
  /** How often each edge occurs, by lower · count + higher node. */
  const edges = new Map<number, number>();
  for (let cell = 0; cell < shapes.length; cell++) {
    if (shapes[cell] !== CELL_SHAPES.triangle && shapes[cell] !== CELL_SHAPES.quad) continue;
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    for (let at = first; at < end; at++) {
      const [a, b] = [connectivity[at]!, connectivity[at + 1 < end ? at + 1 : first]!];
      const edge = Math.min(a, b) * count + Math.max(a, b);
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  }
  for (const [edge, cells] of edges) {
    if (cells !== 1) continue;
    codes[Math.floor(edge / count)] = 1;
    codes[edge % count] = 1;
  }
  return codes;
}
