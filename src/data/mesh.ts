import type { Crs } from './crs-reference.ts';
import type { Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { TimeAxis } from './time-axis.ts';

/** Shapes of cells by VTK's numbers. Nodes stand in VTK's order. */
export const CELL_SHAPES = {
  vertex: 1,
  line: 3,
  polyline: 4,
  triangle: 5,
  polygon: 7,
  quad: 9,
  tetrahedron: 10,
  hexahedron: 12,
  wedge: 13,
  pyramid: 14,
} as const;

/** Values of a mesh stand at its nodes or in its cells. */
export interface MeshItem extends Item {
  readonly location: 'node' | 'cell';
}

/** Cells above each other. Those of a column follow each other from the bottom up. */
export interface MeshLayers {
  /** Most layers of a column, as the file states it; a file may state more than there are. */
  readonly maximum: number;
  /** Terrain-following layers at the top; fewer than `maximum`: the rest lie at fixed heights (sigma-z). */
  readonly sigma: number;
  /** First cell of each column, and the number of cells at the end. */
  readonly columns: Uint32Array;
}

/** Nodes and cells, with items over time. */
export interface Mesh {
  readonly kind: 'mesh';
  readonly crs?: Crs;
  /** x, y, z of each node. */
  readonly nodes: Float64Array;
  /** 0 inside, 1 land, 2 and more open boundaries. */
  readonly nodeCodes?: Int32Array;
  /** Numbers that the file gives its nodes and cells, where they are not 1, 2, 3 … */
  readonly nodeIds?: Int32Array;
  readonly cellIds?: Int32Array;
  /** Shape of each cell, a value of `CELL_SHAPES`. */
  readonly shapes: Uint8Array;
  /** Node numbers (from 0) of all cells, one after the other; cell c has `connectivity[offsets[c] … offsets[c + 1])`. */
  readonly connectivity: Uint32Array;
  readonly offsets: Uint32Array;
  /** Absent: a flat mesh. */
  readonly layers?: MeshLayers;
  /** Layered cells that stand in a vertical plane or in one column instead of on an area. */
  readonly section?: 'profile' | 'column';
  readonly items: readonly MeshItem[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  readonly origin?: Origin;
  /** z of all nodes at a step, where it moves; `nodes` has the reference heights. */
  heights?(step: number): Promise<Float32Array | Float64Array>;
  /** One value per node or cell, and per component (places fastest). */
  values(item: number, step: number): Promise<Samples>;
}
