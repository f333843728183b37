import { CELL_SHAPES, cellCentres, cellCount, footprints, layerCount, layersOfCells, type Mesh } from 'hydrofiles/data';
import { isWithin } from './cell-grid.ts';

const solids: readonly number[] = [
  CELL_SHAPES.tetrahedron,
  CELL_SHAPES.hexahedron,
  CELL_SHAPES.wedge,
  CELL_SHAPES.pyramid,
];

/** The places of a mesh as queries need them, made when they are first asked for. */
export class MeshPlaces {
  readonly mesh: Mesh;
  #centres: Float64Array | undefined;
  #flat: Pick<Mesh, 'connectivity' | 'offsets'> | undefined;
  #layers: { count: number; of: Int32Array } | undefined;

  /** Positions need a height: the mesh has layers, is a vertical section or consists of volumes. */
  readonly hasHeights: boolean;

  constructor(mesh: Mesh) {
    this.mesh = mesh;
    this.hasHeights = mesh.layers !== undefined || mesh.section !== undefined || this.hasVolumes;
  }

  get hasVolumes(): boolean {
    return this.mesh.shapes.some((shape) => solids.includes(shape));
  }

  /** x, y, z of each node or of the centre of each cell. */
  at(location: 'node' | 'cell'): Float64Array {
    if (location === 'node') return this.mesh.nodes;
    this.#centres ??= cellCentres(this.mesh);
    return this.#centres;
  }

  /** Number of layers, and the layer of each cell from 0, the lowest. */
  get layers(): { count: number; of: Int32Array } | undefined {
    const { layers } = this.mesh;
    if (layers === undefined) return undefined;
    this.#layers ??= { count: layerCount(layers), of: layersOfCells(layers) };
    return this.#layers;
  }

  /** Number of a node or cell in the file. */
  number(location: 'node' | 'cell', index: number): number {
    const ids = location === 'node' ? this.mesh.nodeIds : this.mesh.cellIds;
    return ids?.[index] ?? index + 1;
  }

  /** The inverse of `number`. */
  findIndex(location: 'node' | 'cell', number: number): number | undefined {
    const ids = location === 'node' ? this.mesh.nodeIds : this.mesh.cellIds;
    const index = ids === undefined ? number - 1 : ids.indexOf(number);
    return index >= 0 && index < this.at(location).length / 3 ? index : undefined;
  }

  /**
   * The first cell of the column that contains a place, or of all cells of a flat mesh. In a mesh without areas, such
   * as a vertical profile, the one with the nearest centre.
   */
  find(x: number, y: number): number | undefined {
    const { nodes } = this.mesh;
    this.#flat ??= footprints(this.mesh);
    const { connectivity, offsets } = this.#flat;
    const ring = { x: [] as number[], y: [] as number[] };
    let hasAreas = false;
    for (const cell of this.#firstCells()) {
      const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
      if (end - first < 3) continue;
      hasAreas = true;
      if (this.#isBeyond(first, end, x, y)) continue;
      ring.x.length = 0;
      ring.y.length = 0;
      for (let n = first; n < end; n++) {
        ring.x.push(nodes[3 * connectivity[n]!]!);
        ring.y.push(nodes[3 * connectivity[n]! + 1]!);
      }
      if (isWithin(ring.x, ring.y, end - first, x, y)) return cell;
    }
    return hasAreas && this.mesh.section === undefined ? undefined : this.#nearest(x, y);
  }

  /** Whether all nodes of a cell lie on one side of a place. */
  #isBeyond(first: number, end: number, x: number, y: number): boolean {
    const { connectivity } = this.#flat!;
    const { nodes } = this.mesh;
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = first; n < end; n++) {
      const [nodeX, nodeY] = [nodes[3 * connectivity[n]!]!, nodes[3 * connectivity[n]! + 1]!];
      if (nodeX < west) west = nodeX;
      if (nodeX > east) east = nodeX;
      if (nodeY < south) south = nodeY;
      if (nodeY > north) north = nodeY;
    }
    return x < west || x > east || y < south || y > north;
  }

  *#firstCells(): Generator<number> {
    const { layers } = this.mesh;
    if (layers !== undefined) yield* layers.columns.subarray(0, -1);
    else for (let cell = 0; cell < cellCount(this.mesh); cell++) yield cell;
  }

  #nearest(x: number, y: number): number | undefined {
    const centres = this.at('cell');
    let nearest: number | undefined;
    let least = Infinity;
    for (const cell of this.#firstCells()) {
      const distance = Math.hypot(centres[3 * cell]! - x, centres[3 * cell + 1]! - y);
      if (distance < least) [nearest, least] = [cell, distance];
    }
    return nearest;
  }

  /** Indices of the cells of a column by its first one; of a flat mesh the cell alone. */
  column(first: number): { first: number; length: number } {
    const { layers } = this.mesh;
    if (layers === undefined) return { first, length: 1 };
    const n = layers.columns.indexOf(first);
    return { first, length: layers.columns[n + 1]! - first };
  }

  /** The nodes of the column nearest to a position, from the lowest. */
  nearestNodes(first: number, x: number, y: number): Uint32Array {
    const { nodes, connectivity, offsets } = this.mesh;
    const column = this.column(first);
    const own = new Set(connectivity.subarray(offsets[first]!, offsets[first + column.length]!));
    const distance = (node: number) => Math.hypot(nodes[3 * node]! - x, nodes[3 * node + 1]! - y);
    const least = Math.min(...[...own].map(distance));
    const [nearest] = [...own].filter((node) => distance(node) === least).sort((a, b) => a - b);
    if (nearest === undefined) return new Uint32Array();
    const above = [...own].filter(
      (node) => nodes[3 * node] === nodes[3 * nearest] && nodes[3 * node + 1] === nodes[3 * nearest + 1],
    );
    return Uint32Array.from(this.mesh.layers === undefined ? [nearest] : above).sort();
  }
}
