import type { Samples } from './item.ts';
import { CELL_SHAPES, type Mesh } from './mesh.ts';
import { componentCount } from './mesh-cells.ts';
import { sampleArrays, sampleTypeOf } from './samples.ts';

/**
 * The mesh with a fan of triangles in place of each polygon of more than four nodes: all triangles have the first node
 * of the polygon and its values. Undefined if it has no polygons.
 */
export function withFans(mesh: Mesh): { mesh: Mesh; polygons: number } | undefined {
  const { shapes, connectivity, offsets } = mesh;
  const polygons = shapes.reduce((sum, shape) => sum + (shape === CELL_SHAPES.polygon ? 1 : 0), 0);
  if (polygons === 0) return undefined;
  const [newShapes, corners, starts, from]: [number[], number[], number[], number[]] = [[], [], [0], []];
  const add = (cell: number, shape: number, nodes: Iterable<number>) => {
    for (const node of nodes) corners.push(node);
    newShapes.push(shape);
    starts.push(corners.length);
    from.push(cell);
  };
  for (const [cell, shape] of shapes.entries()) {
    const nodes = connectivity.subarray(offsets[cell]!, offsets[cell + 1]!);
    if (shape !== CELL_SHAPES.polygon) add(cell, shape, nodes);
    else if (nodes.length === 4) add(cell, CELL_SHAPES.quad, nodes);
    else for (let n = 2; n < nodes.length; n++) add(cell, CELL_SHAPES.triangle, [nodes[0]!, nodes[n - 1]!, nodes[n]!]);
  }
  const { cellIds: _, blocks: __, ...rest } = mesh;
  return {
    polygons,
    mesh: {
      ...rest,
      shapes: Uint8Array.from(newShapes),
      connectivity: Uint32Array.from(corners),
      offsets: Uint32Array.from(starts),
      async values(item, step) {
        const values = await mesh.values(item, step);
        const described = mesh.items[item]!;
        return described.location === 'node'
          ? values
          : repeated(values, from, shapes.length, componentCount(described));
      },
    },
  };
}

/** The values of each new cell: those of the cell that it is a part of. */
function repeated(values: Samples, from: readonly number[], cells: number, components: number): Samples {
  const all = new sampleArrays[sampleTypeOf(values)](from.length * components);
  for (let c = 0; c < components; c++)
    for (const [n, cell] of from.entries()) all[c * from.length + n] = values[c * cells + cell]!;
  return all;
}
