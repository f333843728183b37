import type { Mesh } from '../../data/mesh.ts';
import { cellCount } from '../../data/mesh-cells.ts';
import { cellArea } from '../mesh/flat-cells.ts';

type Cells = Pick<Mesh, 'nodes' | 'connectivity' | 'offsets'>;

/**
 * Values of cells at the nodes: the mean of the cells around a node, weighted by their areas. Cells without data (NaN)
 * do not count; a node without other cells has NaN.
 */
export function nodeValues(cells: Cells, values: Float64Array): Float64Array {
  const { nodes, connectivity, offsets } = cells;
  const sums = new Float64Array(nodes.length / 3);
  const areas = new Float64Array(nodes.length / 3);
  for (let cell = 0; cell < cellCount(cells); cell++) {
    const value = values[cell]!;
    if (Number.isNaN(value)) continue;
    const area = cellArea(cells, cell);
    for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) {
      sums[connectivity[n]!]! += area * value;
      areas[connectivity[n]!]! += area;
    }
  }
  return sums.map((sum, node) => sum / areas[node]!);
}
