import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { shown } from '../io/zip.ts';
import type { Hdf5Values } from './hdf5-values.ts';

export const GEOMETRY = '/Geometry/2D Flow Areas';

/** A 2D flow area, whose cells have a place in the mesh. */
export interface FlowArea {
  readonly name: string;
  /** Number of cells in the file. */
  readonly count: number;
  /** Cell of the mesh for each cell of the file; −1 for those that are left out. */
  readonly cells: Int32Array;
  /** Lowest elevation of each cell of the file; NaN if unknown. */
  readonly beds: Float32Array;
  /** Two cells of the file beside each face. */
  readonly faceCells: Int32Array | undefined;
}

export type Geometry = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/** The most points that a cell has. */
const mostCorners = 64;
const mostAreas = 10_000;

/** The cells of all 2D flow areas. */
export function readAreas(file: Hdf5Values, context: Context): { areas: FlowArea[]; geometry: Geometry } {
  // Names stand in a table since version 5.0.5.
  const names = file.texts(`${GEOMETRY}/Attributes`) ?? file.texts(`${GEOMETRY}/Names`);
  if (names === undefined || names.length === 0)
    throw new FormatError('The file has no 2D flow areas. Results of reaches (1D) are not read.');
  if (names.length > mostAreas) throw new FormatError(`The file has ${names.length} flow areas.`);
  const builder = new CellBuilder();
  const areas: FlowArea[] = [];
  for (const name of names) {
    context.signal.throwIfAborted();
    if (file.has(`${GEOMETRY}/${name}/FacePoints Coordinate`)) areas.push(readArea(file, name, builder));
    else context.reportLoss(`The flow area '${shown(name)}' has no cells and was left out.`);
  }
  if (builder.count === 0) throw new FormatError('The 2D flow areas of the file have no cells.');
  if (builder.leftOut > 0)
    context.remark(`${builder.leftOut} cells of fewer than three points, at the rim of flow areas, were left out.`);
  return { areas, geometry: builder.geometry(areas) };
}

function readArea(file: Hdf5Values, name: string, builder: CellBuilder): FlowArea {
  const path = `${GEOMETRY}/${name}`;
  const points = file.table(`${path}/FacePoints Coordinate`, 2);
  const corners = file.table(`${path}/Cells FacePoint Indexes`, 0);
  if (corners.columns > mostCorners)
    throw new FormatError(`The cells of the flow area '${shown(name)}' have ${corners.columns} points.`);
  const first = builder.addPoints(points.values, points.rows);
  const cells = Int32Array.from({ length: corners.rows }, (_, cell) => {
    const row = corners.values.subarray(cell * corners.columns, (cell + 1) * corners.columns);
    const end = row.findIndex((point) => point < 0);
    const own = end < 0 ? row : row.subarray(0, end);
    const wrong = own.find((point) => !(point < points.rows));
    if (wrong !== undefined)
      throw new FormatError(`Cell ${cell} of the flow area '${shown(name)}' has the point ${wrong} of ${points.rows}.`);
    return builder.addCell(own, first);
  });
  const elevations = `${path}/Cells Minimum Elevation`;
  const beds = new Float32Array(corners.rows).fill(Number.NaN);
  if (file.has(elevations)) {
    const { values, rows } = file.table(elevations, 1);
    if (rows > corners.rows)
      throw new FormatError(`'${shown(elevations)}' has ${rows} values for ${corners.rows} cells.`);
    beds.set(values);
  }
  return { name, count: corners.rows, cells, beds, faceCells: faceCellsOf(file, path, corners.rows) };
}

function faceCellsOf(file: Hdf5Values, path: string, cells: number): Int32Array | undefined {
  const name = `${path}/Faces Cell Indexes`;
  if (!file.has(name)) return undefined;
  const { values } = file.table(name, 2);
  const wrong = values.find((cell) => !(cell >= -1 && cell < cells));
  if (wrong !== undefined) throw new FormatError(`'${shown(name)}' has the cell ${wrong} of ${cells}.`);
  return Int32Array.from(values);
}

class CellBuilder {
  count = 0;
  leftOut = 0;
  readonly #points: ArrayLike<number>[] = [];
  #pointCount = 0;
  readonly #connectivity: number[] = [];
  readonly #offsets: number[] = [0];
  readonly #shapes: number[] = [];

  addPoints(xy: ArrayLike<number>, rows: number): number {
    this.#points.push(xy);
    this.#pointCount += rows;
    return this.#pointCount - rows;
  }

  /** The number of the new cell; −1 for one without an area. */
  addCell(points: ArrayLike<number>, first: number): number {
    const { length } = points;
    if (length < 3) {
      this.leftOut++;
      return -1;
    }
    for (let n = 0; n < length; n++) this.#connectivity.push(first + points[n]!);
    this.#offsets.push(this.#connectivity.length);
    this.#shapes.push(length === 3 ? CELL_SHAPES.triangle : length === 4 ? CELL_SHAPES.quad : CELL_SHAPES.polygon);
    return this.count++;
  }

  geometry(areas: readonly FlowArea[]): Geometry {
    const nodes = new Float64Array(3 * this.#pointCount);
    let at = 0;
    for (const xy of this.#points)
      for (let n = 0; n < xy.length; n += 2, at += 3) {
        nodes[at] = xy[n]!;
        nodes[at + 1] = xy[n + 1]!;
      }
    const geometry = {
      nodes,
      shapes: Uint8Array.from(this.#shapes),
      connectivity: Uint32Array.from(this.#connectivity),
      offsets: Uint32Array.from(this.#offsets),
    };
    setHeights(geometry, areas);
    return geometry;
  }
}

/** The z of a node: the mean of the lowest elevations of the cells around it, since the file has no other. */
function setHeights({ nodes, connectivity, offsets }: Geometry, areas: readonly FlowArea[]): void {
  const counts = new Uint32Array(nodes.length / 3);
  for (const { cells, beds } of areas)
    for (const [n, cell] of cells.entries()) {
      if (cell < 0 || Number.isNaN(beds[n]!)) continue;
      for (let at = offsets[cell]!; at < offsets[cell + 1]!; at++) {
        const node = connectivity[at]!;
        nodes[3 * node + 2]! += beds[n]!;
        counts[node]!++;
      }
    }
  for (const [node, count] of counts.entries()) if (count > 0) nodes[3 * node + 2]! /= count;
}
