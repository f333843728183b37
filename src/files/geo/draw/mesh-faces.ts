import { areaShapes, CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { cellCentres } from '../../data/mesh-cells.ts';
import { footprints } from '../../data/mesh-columns.ts';

/** A mesh seen from above: faces, and lines and points for cells without an area. */
export interface MeshFaces {
  /** Corners of the faces, one after the other; face f has `corners[starts[f] … starts[f + 1])`. */
  readonly starts: Uint32Array;
  readonly corners: Uint32Array;
  /** The cell of each face. */
  readonly cells: Uint32Array;
  readonly lines: readonly { cell: number; nodes: readonly number[] }[];
  readonly points: readonly { cell: number; node: number }[];
}

const lineShapes: ReadonlySet<number> = new Set([CELL_SHAPES.line, CELL_SHAPES.polyline]);

/** Faces of 3D cells without a footprint, as node positions within the cell. */
const solidFaces: Readonly<Record<number, readonly (readonly number[])[]>> = {
  [CELL_SHAPES.tetrahedron]: [
    [0, 1, 2],
    [0, 1, 3],
    [0, 2, 3],
    [1, 2, 3],
  ],
  [CELL_SHAPES.pyramid]: [
    [0, 1, 2, 3],
    [0, 1, 4],
    [1, 2, 4],
    [2, 3, 4],
    [3, 0, 4],
  ],
};

/** Wedges and hexahedra appear as their footprints. Of 3D cells above each other the highest comes last. */
export function facesFromAbove(mesh: Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>): MeshFaces {
  const { shapes, connectivity, offsets } = footprints(mesh);
  const [starts, corners, cells]: [number[], number[], number[]] = [[0], [], []];
  const lines: MeshFaces['lines'][number][] = [];
  const points: MeshFaces['points'][number][] = [];
  const add = (cell: number, nodes: ArrayLike<number>) => {
    for (let n = 0; n < nodes.length; n++) corners.push(nodes[n]!);
    starts.push(corners.length);
    cells.push(cell);
  };
  for (const cell of fromBelow(mesh)) {
    const shape = shapes[cell]!;
    const nodes = connectivity.subarray(offsets[cell]!, offsets[cell + 1]!);
    if (areaShapes.has(shape)) add(cell, nodes);
    else if (lineShapes.has(shape)) lines.push({ cell, nodes: [...nodes] });
    else if (shape === CELL_SHAPES.vertex) for (const node of nodes) points.push({ cell, node });
    else
      for (const face of solidFaces[shape] ?? [])
        add(
          cell,
          face.map((place) => nodes[place]!),
        );
  }
  return {
    starts: Uint32Array.from(starts),
    corners: Uint32Array.from(corners),
    cells: Uint32Array.from(cells),
    lines,
    points,
  };
}

/** Numbers of the cells in the order in which they are painted. */
function fromBelow(mesh: Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>): Uint32Array {
  const order = Uint32Array.from(mesh.shapes, (_, cell) => cell);
  const isFlat = mesh.shapes.every(
    (shape) => areaShapes.has(shape) || lineShapes.has(shape) || shape === CELL_SHAPES.vertex,
  );
  if (isFlat) return order;
  const centres = cellCentres(mesh);
  return order.sort((one, other) => centres[3 * one + 2]! - centres[3 * other + 2]!);
}
