import type { Crs } from './crs-reference.ts';
import type { Axis, Item, Samples } from './item.ts';
import type { Origin } from './origin.ts';
import type { TimeAxis } from './time-axis.ts';

/** VTK cell types. Nodes of a cell are in VTK's order. */
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

/** Cells of the plane, which cover an area. */
export const areaShapes: ReadonlySet<number> = new Set([CELL_SHAPES.triangle, CELL_SHAPES.quad, CELL_SHAPES.polygon]);

/** An item with values at nodes or in cells. */
export interface MeshItem extends Item {
  readonly location: 'node' | 'cell';
}

/** Layers of cells. The cells of a column are consecutive, from the bottom up. */
export interface MeshLayers {
  /** Maximum number of layers of a column according to the file; it may exceed the real one. */
  readonly maximum: number;
  /**
   * Number of terrain-following layers at the top. If it is less than `maximum`, the others have fixed heights
   * (sigma-z).
   */
  readonly sigma: number;
  /** Index of the first cell of each column, then the number of cells. */
  readonly columns: Uint32Array;
}

/**
 * The cells of a mesh in blocks, in the order of its arrays, for a mesh that is too large to be held: all cells have
 * the same shape.
 */
export interface MeshBlocks {
  readonly cells: number;
  readonly shape: number;
  readonly nodesPerCell: number;
  nodes(): Iterable<Float64Array>;
  connectivity(): Iterable<Uint32Array>;
  /** Like `Mesh.values`. */
  values(item: number, step: number): AsyncIterable<Samples>;
}

/** An unstructured mesh with items over time. */
export interface Mesh {
  readonly kind: 'mesh';
  /** Base name of the files in a collection of steps (PVD). */
  readonly name?: string;
  readonly crs?: Crs;
  /**
   * The nodes are no places on the earth: the mesh of a point spectrum lies in a plane of frequencies and directions.
   */
  readonly located?: false;
  /**
   * Directions and frequencies of a point spectrum, as far as it has them: cells are pairs, frequencies vary fastest.
   */
  readonly spectrum?: readonly Axis[];
  /** x, y, z of each node. */
  readonly nodes: Float64Array;
  /** Boundary codes: 0 interior, 1 land, 2 and above open boundaries. */
  readonly nodeCodes?: Int32Array;
  /** Ids of nodes and cells in the file, unless they are 1, 2, 3 … */
  readonly nodeIds?: Int32Array;
  readonly cellIds?: Int32Array;
  /** Cell types, values of `CELL_SHAPES`. */
  readonly shapes: Uint8Array;
  /** Node indices (from 0) of all cells; cell c has `connectivity[offsets[c] … offsets[c + 1])`. */
  readonly connectivity: Uint32Array;
  readonly offsets: Uint32Array;
  /** Absent: a flat mesh. */
  readonly layers?: MeshLayers;
  /** The layered cells form a vertical profile or a single column instead of covering an area. */
  readonly section?: 'profile' | 'column';
  readonly items: readonly MeshItem[];
  /** Absent: one step without a time. */
  readonly time?: TimeAxis;
  readonly origin?: Origin;
  /** z of all nodes at a step, if it varies over time; `nodes` has the reference heights. */
  heights?(step: number): Promise<Float32Array | Float64Array>;
  /** Cells of a mesh made of a grid. Reading them saves the memory for the arrays. */
  readonly blocks?: MeshBlocks;
  /** One value per node or cell and component; nodes or cells vary fastest. */
  values(item: number, step: number): Promise<Samples>;
}
