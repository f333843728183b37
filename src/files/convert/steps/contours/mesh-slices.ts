import type { Mesh } from '../../../data/mesh.ts';
import { realValues } from '../../../data/real-values.ts';
import type { Context } from '../../../formats/define.ts';
import { Contouring, leastDistance } from '../../../geo/contour/contour-geometries.ts';
import { meshContours } from '../../../geo/contour/mesh-contours.ts';
import type { Triangles } from '../../../geo/contour/mesh-triangles.ts';
import { nodeValues } from '../../../geo/contour/node-values.ts';
import { meshLayers } from '../mesh-layers.ts';
import type { SliceContours } from './slice-contours.ts';
import type { ContoursTransformation } from './transformation.ts';

/** Contours of the layers of a mesh. Values of elements go to the nodes first. */
export function meshSlices(
  mesh: Mesh,
  { levels, as }: ContoursTransformation,
  context: Context,
): { layers: number; slices: SliceContours } {
  const { count, layerOf } = meshLayers(mesh, 'contours');
  if (mesh.items.some(({ location }) => location === 'cell'))
    context.remark('Values of elements were brought to the nodes: the mean of the elements around, weighted by area.');
  const slices: SliceContours = async function* (item, step, layer) {
    const described = mesh.items[item]!;
    const all = realValues(await mesh.values(item, step), described);
    const { cells, flat: own, triangles } = layerOf(layer);
    const { nodes } = own;
    const values = described.location === 'node' ? all : nodeValues(own, valuesAt(all, cells));
    const corners =
      described.location === 'node'
        ? triangles.corners
        : cornersWithData(triangles, (cell) => !Number.isNaN(all[cells[cell]!]!));
    let largest = 0;
    for (let n = 0; n < nodes.length; n++) if (n % 3 < 2) largest = Math.max(largest, Math.abs(nodes[n]!));
    const apartOf = (length: number) => leastDistance(length, largest);
    const length = usualLength(nodes, corners);
    const contouring = new Contouring(levels, as === 'polygons', length, apartOf(length), [0, 1, 0, 0, 0, -1]);
    meshContours(contouring.builder, nodes, corners, values, apartOf);
    yield { geometries: contouring.take(), levelAt: (number: number) => contouring.builder.levels.at(number) };
  };
  return { layers: count, slices };
}

const valuesAt = (values: Float64Array, cells: Uint32Array): Float64Array =>
  Float64Array.from(cells, (cell) => values[cell]!);

/** The corners of the triangles of some cells. */
function cornersWithData({ corners, cells }: Triangles, hasData: (cell: number) => boolean): Uint32Array {
  const kept = new Uint32Array(corners.length);
  let count = 0;
  for (const [n, cell] of cells.entries())
    if (hasData(cell)) {
      kept.set(corners.subarray(3 * n, 3 * n + 3), count);
      count += 3;
    }
  return kept.subarray(0, count);
}

/** The mean length of the first edges of triangles; 1 without triangles. */
function usualLength(nodes: Float64Array, corners: Uint32Array): number {
  let sum = 0;
  for (let first = 0; first < corners.length; first += 3) {
    const [p, q] = [3 * corners[first]!, 3 * corners[first + 1]!];
    sum += Math.hypot(nodes[q]! - nodes[p]!, nodes[q + 1]! - nodes[p + 1]!);
  }
  return corners.length === 0 ? 1 : (3 * sum) / corners.length;
}
