import type { Item, Samples } from './item.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from './mesh.ts';

type Geometry = Pick<Mesh, 'nodes' | 'connectivity' | 'offsets'>;

export const nodeCount = ({ nodes }: Pick<Mesh, 'nodes'>): number => nodes.length / 3;
/** x, y or z of each node. */
export const nodeCoordinates = (nodes: Float64Array, axis: 0 | 1 | 2): Float64Array =>
  Float64Array.from({ length: nodes.length / 3 }, (_, n) => nodes[3 * n + axis]!);

export const cellCount = ({ offsets }: Pick<Mesh, 'offsets'>): number => Math.max(0, offsets.length - 1);

/** Number of nodes or cells at which an item has values. */
export const placeCount = (mesh: Geometry, { location }: Pick<MeshItem, 'location'>): number =>
  location === 'node' ? nodeCount(mesh) : cellCount(mesh);

/** Number of values per node or cell. */
export const componentCount = ({ components = [] }: Pick<MeshItem, 'components'>): number =>
  components.reduce((product, { values }) => product * values.length, 1);

/** The usual shape of flat cells with so many corners. */
export const shapesByCorners = (offsets: Uint32Array): Uint8Array =>
  Uint8Array.from({ length: cellCount({ offsets }) }, (_, cell) => {
    const corners = offsets[cell + 1]! - offsets[cell]!;
    return (
      [CELL_SHAPES.vertex, CELL_SHAPES.line, CELL_SHAPES.triangle, CELL_SHAPES.quad][corners - 1] ?? CELL_SHAPES.polygon
    );
  });

/** x, y, z of the centre of each cell: the mean of its nodes. */
export function cellCentres({ nodes, connectivity, offsets }: Geometry): Float64Array {
  const centres = new Float64Array(3 * cellCount({ offsets }));
  for (let cell = 0; cell < centres.length / 3; cell++) {
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    // Relative to the first node, because the sum of large coordinates would lose digits of a small cell.
    const origin = 3 * connectivity[first]!;
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      for (let n = first + 1; n < end; n++) sum += nodes[3 * connectivity[n]! + axis]! - nodes[origin + axis]!;
      centres[3 * cell + axis] = nodes[origin + axis]! + sum / (end - first);
    }
  }
  return centres;
}

/** Converts values at nodes to values of cells: the mean of the cell's nodes, no data if one of them has no value. */
export function nodeMeans(
  { connectivity, offsets }: Pick<Mesh, 'connectivity' | 'offsets'>,
  values: Samples,
  { nodata = Number.NaN }: Item,
): Float32Array | Float64Array {
  const empty = values instanceof Float32Array ? Math.fround(nodata) : nodata;
  const means = new (values instanceof Float32Array ? Float32Array : Float64Array)(cellCount({ offsets }));
  for (let cell = 0; cell < means.length; cell++) {
    let sum = 0;
    let whole = true;
    for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) {
      const value = values[connectivity[n]!]!;
      if (value === empty) whole = false;
      else sum += value;
    }
    means[cell] = whole ? sum / (offsets[cell + 1]! - offsets[cell]!) : nodata;
  }
  return means;
}
