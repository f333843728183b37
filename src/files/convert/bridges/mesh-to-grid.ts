import { Box } from '../../data/box.ts';
import type { Grid } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { areaShapes, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { cellCentres, nodeCoordinates, nodeMeans } from '../../data/mesh-cells.ts';
import { sampleArrays } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import { reportMeshParts } from '../../formats/io/left-out.ts';
import { delaunayTriangles } from '../../geo/mesh/constrained-delaunay.ts';
import { cellBox, cellHolds, medianArea } from '../../geo/mesh/flat-cells.ts';
import type { BridgeWork } from './bridge.ts';

/** Maximum number of cells of a grid: memory holds two numbers for each. */
const maxCells = 40_000_000;
const NONE = 0xffffffff;
const rowsPerBlock = 64;

/** Square cells, row 0 in the north. */
interface Lattice {
  readonly west: number;
  readonly north: number;
  readonly size: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Interpolates a mesh to a grid, linearly between the centres of the elements around a cell. Near the boundary and next
 * to elements without a value, a cell gets the value of the element that contains its centre. Cells outside the mesh,
 * and in elements without a value, get no data.
 */
export function meshToGrid(mesh: Mesh, { parameters, context }: Pick<BridgeWork, 'parameters' | 'context'>): Grid {
  const grid = gridOfMesh(mesh, parameters.CellSize as number | undefined);
  const { width, height, affine } = grid;
  context.reportLoss(
    `Values were interpolated between elements to ${width} × ${height} cells of ${Number(affine[1].toPrecision(6))}; outside of the mesh are none.`,
  );
  reportMeshParts(mesh, 'Grids', {}, context);
  return grid;
}

/** Whether the mesh has triangles or quadrilaterals. */
export const coversArea = ({ shapes }: Mesh): boolean => shapes.some((shape) => areaShapes.has(shape));

/** @param cellSize side of the cells; default: square root of the median area of the elements */
function gridOfMesh(mesh: Mesh, cellSize: number | undefined): Grid {
  if (mesh.layers !== undefined)
    throw new ConversionError(
      'The mesh has several layers, and a grid is made of a single one. Choose it with a vertical filter.',
    );
  if (mesh.items.some(({ components }) => components !== undefined))
    throw new ConversionError('Items with several values per element, such as spectra, cannot be stored in a grid.');
  if (!coversArea(mesh))
    throw new ConversionError('The mesh has no triangles or quadrilaterals, so it covers no cells of a grid.');
  const lattice = latticeOf(mesh, cellSize);
  const { west, north, size, width, height } = lattice;
  const centres = cellCentres(mesh);
  const holders = cellsInside(lattice, mesh);
  const triangles = trianglesBetween(mesh, centres);
  const around = trianglesInside(lattice, triangles, centres, holders);
  return {
    kind: 'grid',
    width,
    height,
    affine: [west, size, 0, north, 0, -size],
    ...(mesh.crs === undefined ? {} : { crs: mesh.crs }),
    ...(mesh.time === undefined ? {} : { time: mesh.time }),
    bands: mesh.items.map((item) => bandOf(item)),
    async *rows({ band, step }, { first, end } = { first: 0, end: height }) {
      const item = mesh.items[band]!;
      const { type, nodata } = bandOf(item);
      const given = await mesh.values(band, step);
      const values = item.location === 'node' ? nodeMeans(mesh, given, item) : given;
      const interpolate = interpolation(lattice, { centres, holders, triangles, around }, values, item);
      for (let firstRow = first; firstRow < end; firstRow += rowsPerBlock) {
        const rowCount = Math.min(rowsPerBlock, end - firstRow);
        const samples = new sampleArrays[type](rowCount * width).fill(nodata);
        for (let n = 0; n < samples.length; n++) {
          const value = interpolate(firstRow * width + n);
          if (value !== undefined) samples[n] = value;
        }
        yield { firstRow, rowCount, samples };
      }
    },
  };
}

/** Interpolated values are floats, of double precision if the item's type does not fit into single precision. */
function bandOf({ location: _, type, nodata = Number.NaN, ...item }: MeshItem) {
  return { ...item, type: type === 'Float32' ? ('Float32' as const) : ('Float64' as const), nodata };
}

function latticeOf(mesh: Mesh, wanted: number | undefined): Lattice {
  const { west, south, east, north } = Box.of(mesh.nodes, 3);
  const size = wanted ?? Math.sqrt(medianArea(mesh));
  const [width, height] = [
    Math.max(1, Math.ceil((east - west) / size)),
    Math.max(1, Math.ceil((north - south) / size)),
  ];
  if (!(width * height <= maxCells))
    throw new ConversionError(
      `Cells of ${size} make a grid of ${width} × ${height} cells; at most ${maxCells} are possible. Give a larger CellSize.`,
    );
  return { west, north: south + height * size, size, width, height };
}

/** Calls `visit` for the cells of a lattice whose centre lies in a bounding box. */
function visitBox(
  { west, north, size, width, height }: Lattice,
  [left, bottom, right, top]: readonly [number, number, number, number],
  visit: (cell: number, x: number, y: number) => void,
): void {
  const firstColumn = Math.max(0, Math.floor((left - west) / size - 0.5));
  const lastColumn = Math.min(width - 1, Math.ceil((right - west) / size - 0.5));
  const firstRow = Math.max(0, Math.floor((north - top) / size - 0.5));
  const lastRow = Math.min(height - 1, Math.ceil((north - bottom) / size - 0.5));
  for (let row = firstRow; row <= lastRow; row++)
    for (let column = firstColumn; column <= lastColumn; column++)
      visit(row * width + column, west + (column + 0.5) * size, north - (row + 0.5) * size);
}

/** For each cell the first element that contains its centre. */
function cellsInside(lattice: Lattice, mesh: Mesh): Uint32Array {
  const holders = new Uint32Array(lattice.width * lattice.height).fill(NONE);
  for (let element = 0; element < mesh.shapes.length; element++)
    if (areaShapes.has(mesh.shapes[element]!))
      visitBox(lattice, cellBox(mesh, element), (cell, x, y) => {
        if (holders[cell] === NONE && cellHolds(mesh, element, x, y)) holders[cell] = element;
      });
  return holders;
}

/** Delaunay triangles between centres of elements that share a node. Other triangles would reach across land. */
function trianglesBetween(mesh: Mesh, centres: Float64Array): Uint32Array {
  const { triangles } = delaunayTriangles(nodeCoordinates(centres, 0), nodeCoordinates(centres, 1));
  const { connectivity, offsets } = mesh;
  const has = (element: number, node: number) =>
    connectivity.subarray(offsets[element]!, offsets[element + 1]!).includes(node);
  const kept: number[] = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = triangles.subarray(at, at + 3) as unknown as [number, number, number];
    if (connectivity.subarray(offsets[a]!, offsets[a + 1]!).some((node) => has(b, node) && has(c, node)))
      kept.push(a, b, c);
  }
  return Uint32Array.from(kept);
}

/** For each cell inside the mesh the triangle between element centres that contains the cell's centre. */
function trianglesInside(
  lattice: Lattice,
  triangles: Uint32Array,
  centres: Float64Array,
  holders: Uint32Array,
): Uint32Array {
  const around = new Uint32Array(holders.length).fill(NONE);
  const count = triangles.length / 3;
  const cells = {
    nodes: centres,
    connectivity: triangles,
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => 3 * n),
  };
  for (let triangle = 0; triangle < count; triangle++)
    visitBox(lattice, cellBox(cells, triangle), (cell, x, y) => {
      if (holders[cell] !== NONE && around[cell] === NONE && cellHolds(cells, triangle, x, y)) around[cell] = triangle;
    });
  return around;
}

interface Places {
  readonly centres: Float64Array;
  readonly holders: Uint32Array;
  readonly triangles: Uint32Array;
  readonly around: Uint32Array;
}

/** The value of a cell of the lattice; undefined for no data. */
function interpolation(
  { west, north, size, width }: Lattice,
  { centres, holders, triangles, around }: Places,
  values: Samples,
  { nodata = Number.NaN }: MeshItem,
): (cell: number) => number | undefined {
  const empty = values instanceof Float32Array ? Math.fround(nodata) : nodata;
  const valueIn = (element: number) => {
    const value = values[element]!;
    return value === empty || Number.isNaN(value) ? undefined : value;
  };
  return (cell) => {
    if (holders[cell] === NONE) return undefined;
    const own = valueIn(holders[cell]!);
    if (own === undefined || around[cell] === NONE) return own;
    const at = 3 * around[cell]!;
    const [a, b, c] = [triangles[at]!, triangles[at + 1]!, triangles[at + 2]!];
    const [va, vb, vc] = [valueIn(a), valueIn(b), valueIn(c)];
    if (va === undefined || vb === undefined || vc === undefined) return own;
    const x = west + ((cell % width) + 0.5) * size - centres[3 * a]!;
    const y = north - (Math.floor(cell / width) + 0.5) * size - centres[3 * a + 1]!;
    const [bx, by] = [centres[3 * b]! - centres[3 * a]!, centres[3 * b + 1]! - centres[3 * a + 1]!];
    const [cx, cy] = [centres[3 * c]! - centres[3 * a]!, centres[3 * c + 1]! - centres[3 * a + 1]!];
    const double = bx * cy - cx * by;
    const [wb, wc] = [(x * cy - cx * y) / double, (bx * y - x * by) / double];
    return va + wb * (vb - va) + wc * (vc - va);
  };
}
