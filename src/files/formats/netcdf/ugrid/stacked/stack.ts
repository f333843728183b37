import { CELL_SHAPES, type Mesh } from '../../../../data/mesh.ts';
import { cellCount, nodeCount } from '../../../../data/mesh-cells.ts';
import type { MeshCells } from '../../../../data/mesh-columns.ts';
import { FormatError } from '../../../../errors.ts';

/** No node is there: the column of nodes begins higher. */
export const NO_NODE = -1;

/**
 * A layered mesh as faces of the plane with layers above them. Interfaces are counted from the lowest layer's bottom;
 * the upper layers of all faces are the same.
 */
export interface Stack {
  readonly layers: number;
  /** Faces of the plane; their nodes are columns of nodes. */
  readonly faces: MeshCells;
  /** Index of the first cell of each face, then the number of cells. */
  readonly columns: Uint32Array;
  /** Node of each column at each interface, or `NO_NODE`. */
  readonly nodeAt: Int32Array;
}

/** Places of the plane times layers may be so many times the cells and nodes, which a few deep columns could exceed. */
const mostEmpty = 16;
const flatShapes: Readonly<Record<number, number>> = {
  [CELL_SHAPES.wedge]: CELL_SHAPES.triangle,
  [CELL_SHAPES.hexahedron]: CELL_SHAPES.quad,
};

/**
 * The faces and layers of a mesh whose cells stand on each other; undefined for a mesh without layers, for a vertical
 * section, and for cells that are not straight columns with the same corners in the same order.
 */
export function stackOf(mesh: Mesh): Stack | undefined {
  const { layers: declared, section, shapes, connectivity, offsets } = mesh;
  if (declared === undefined || section !== undefined) return undefined;
  const { columns } = declared;
  let layers = 0;
  for (let face = 0; face + 1 < columns.length; face++) layers = Math.max(layers, columns[face + 1]! - columns[face]!);
  const upright = layers === 0 ? undefined : uprightNodes(mesh, layers);
  if (upright === undefined || (columns.length - 1) * layers > mostEmpty * cellCount(mesh)) return undefined;
  const { columnOf, interfaceOf, nodeAt } = upright;
  const flat = new Uint8Array(columns.length - 1);
  const starts = new Uint32Array(columns.length);
  const corners: number[] = [];
  for (let face = 0; face < flat.length; face++) {
    const [first, end] = [columns[face]!, columns[face + 1]!];
    if (first === end) return undefined;
    const half = (offsets[first + 1]! - offsets[first]!) / 2;
    for (let cell = first; cell < end; cell++) {
      if (shapes[cell] !== shapes[first]) return undefined;
      for (let n = 0; n < half; n++) {
        const node = connectivity[offsets[cell]! + n]!;
        if (interfaceOf[node] !== layers - (end - cell)) return undefined;
        if (columnOf[node] !== columnOf[connectivity[offsets[first]! + n]!]) return undefined;
      }
    }
    for (let n = 0; n < half; n++) corners.push(columnOf[connectivity[offsets[first]! + n]!]!);
    flat[face] = flatShapes[shapes[first]!]!;
    starts[face + 1] = corners.length;
  }
  return {
    layers,
    faces: { shapes: flat, connectivity: Uint32Array.from(corners), offsets: starts },
    columns,
    nodeAt,
  };
}

/** The column and interface of each node, if the nodes stand in columns that end in the same uppermost interface. */
function uprightNodes(mesh: Mesh, layers: number) {
  const { nodes, shapes, connectivity, offsets } = mesh;
  const count = nodeCount(mesh);
  const above = new Int32Array(count).fill(NO_NODE);
  const below = new Int32Array(count).fill(NO_NODE);
  for (let cell = 0; cell < shapes.length; cell++) {
    if (flatShapes[shapes[cell]!] === undefined) return undefined;
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    const half = (end - first) / 2;
    for (let n = first; n < first + half; n++) {
      const [low, high] = [connectivity[n]!, connectivity[n + half]!];
      if (above[low] !== NO_NODE && above[low] !== high) return undefined;
      if (below[high] !== NO_NODE && below[high] !== low) return undefined;
      if (nodes[3 * low] !== nodes[3 * high] || nodes[3 * low + 1] !== nodes[3 * high + 1]) return undefined;
      above[low] = high;
      below[high] = low;
    }
  }
  const tops = [];
  for (let node = 0; node < count; node++) if (above[node] === NO_NODE) tops.push(node);
  const interfaces = layers + 1;
  if (tops.length * interfaces > mostEmpty * count) return undefined;
  const columnOf = new Int32Array(count);
  const interfaceOf = new Int32Array(count);
  const nodeAt = new Int32Array(tops.length * interfaces).fill(NO_NODE);
  let placed = 0;
  for (const [column, top] of tops.entries()) {
    let at = layers;
    for (let node = top; node !== NO_NODE; node = below[node]!, at--, placed++) {
      if (at < 0) return undefined;
      columnOf[node] = column;
      interfaceOf[node] = at;
      nodeAt[column * interfaces + at] = node;
    }
  }
  // Nodes of a ring have no top.
  return placed === count ? { columnOf, interfaceOf, nodeAt } : undefined;
}

/**
 * The cells of a stack.
 * @throws FormatError for a face with more layers than there are, or a cell without nodes
 */
export function cellsOfStack({ layers, faces, columns, nodeAt }: Stack): MeshCells {
  const cells = columns.at(-1)!;
  const shapes = new Uint8Array(cells);
  const offsets = new Uint32Array(cells + 1);
  const corners: number[] = [];
  const interfaces = layers + 1;
  for (let face = 0; face < faces.shapes.length; face++) {
    const around = faces.connectivity.subarray(faces.offsets[face]!, faces.offsets[face + 1]!);
    if (around.length !== 3 && around.length !== 4)
      throw new FormatError(`The face ${face + 1} below layers has ${around.length} corners.`);
    const end = columns[face + 1]!;
    for (let cell = columns[face]!; cell < end; cell++) {
      const layer = layers - (end - cell);
      for (const at of [layer, layer + 1])
        for (const column of around) {
          const node = nodeAt[column * interfaces + at];
          if (layer < 0 || node === undefined || node === NO_NODE)
            throw new FormatError(`The cell ${cell + 1} in the layer ${layer + 1} lacks a node.`);
          corners.push(node);
        }
      shapes[cell] = around.length === 3 ? CELL_SHAPES.wedge : CELL_SHAPES.hexahedron;
      offsets[cell + 1] = corners.length;
    }
  }
  return { shapes, connectivity: Uint32Array.from(corners), offsets };
}

/** The lowest or highest node of each column. */
export function extremeNodes({ layers, nodeAt }: Stack, which: 'lowest' | 'highest'): Int32Array {
  const interfaces = layers + 1;
  return Int32Array.from({ length: nodeAt.length / interfaces }, (_, column) => {
    const own = nodeAt.subarray(column * interfaces, (column + 1) * interfaces);
    return which === 'highest' ? own[layers]! : own.find((node) => node !== NO_NODE)!;
  });
}

/** Number of the cell of each face and layer, or `NO_NODE`. */
export function cellsAt({ layers, columns }: Pick<Stack, 'layers' | 'columns'>): Int32Array {
  const cells = new Int32Array((columns.length - 1) * layers).fill(NO_NODE);
  for (let face = 0; face + 1 < columns.length; face++) {
    const end = columns[face + 1]!;
    for (let cell = columns[face]!; cell < end; cell++) cells[face * layers + layers - (end - cell)] = cell;
  }
  return cells;
}

/** The faces with the lowest nodes of each column. */
export function planeOf(
  { layers: _, heights: __, nodeIds: ___, cellIds: ____, nodeCodes, ...mesh }: Mesh,
  stack: Stack,
): Mesh {
  const lowest = extremeNodes(stack, 'lowest');
  const nodes = new Float64Array(3 * lowest.length);
  for (const [column, node] of lowest.entries()) nodes.set(mesh.nodes.subarray(3 * node, 3 * node + 3), 3 * column);
  return {
    ...mesh,
    ...stack.faces,
    nodes,
    ...(nodeCodes === undefined ? {} : { nodeCodes: lowest.map((node) => nodeCodes[node]!) }),
  };
}
