import { parseSrid, transformInThread } from 'hydrofiles/crs';
import { footprints, type Grid, type MultiArray } from 'hydrofiles/data';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import { chainsFor, PreparedGeometry } from 'hydrofiles/geometry';
import { invalid, invalidMember } from '../../errors.ts';
import type { Bounds, CellGrid } from '../cell-grid.ts';
import { mostRead, tooManyRead } from '../limits.ts';
import type { MeshPlaces } from '../mesh-places.ts';
import type { OpenDataset } from '../stores.ts';
import type { Filters } from './query-input.ts';

/** Chosen elements: cells of a grid, or elements of a mesh; of a layered mesh its columns. */
export interface Elements {
  readonly kind: 'grid' | 'mesh';
  /** Positions among all elements, rising. */
  readonly positions: Uint32Array;
  /** The number that answers give an element: its position in a grid, of a mesh as files count, from 1. */
  number(n: number): number;
  /** Keys of its corners: elements that share a corner share its key. */
  corners(n: number): readonly number[];
  /** x and y of a corner, in the coordinate system of the data. */
  corner(key: number): readonly [x: number, y: number];
}

/** Number of x and y of the corners of all elements. */
export function countCoordinates({ kind, positions, corners }: Elements): number {
  if (kind === 'grid') return 8 * positions.length;
  let count = 0;
  for (let n = 0; n < positions.length; n++) count += 2 * corners(n).length;
  return count;
}

/** @throws AppError `invalid` for data without elements, or a filter that meets none */
export async function chooseElements(dataset: OpenDataset, space: Filters['space']): Promise<Elements> {
  const { data, cells, places } = dataset;
  const choice = space === undefined ? undefined : await choiceOf(dataset, space);
  if (places !== undefined) return meshElements(places, choice);
  if (cells === undefined || data.kind === 'mesh')
    throw invalid('The dataset has no cells that lie on a map. Read its values under /values.');
  return gridElements(data, cells, choice);
}

/** Elements by points in them, or by their centre. */
type Choice =
  | { readonly points: readonly (readonly [x: number, y: number])[] }
  | { readonly bounds: Bounds; covers(x: number, y: number): boolean };

async function choiceOf({ data: { crs } }: OpenDataset, space: NonNullable<Filters['space']>): Promise<Choice> {
  const { geometry, srid } = space;
  try {
    if (geometry.type === 'Point' || geometry.type === 'MultiPoint') {
      // a point has all its coordinates, several points have two each
      const stride = geometry.type === 'Point' ? geometry.coordinates.length : 2;
      const count = geometry.coordinates.length / stride;
      const along = (axis: number) =>
        Float64Array.from({ length: count }, (_, n) => geometry.coordinates[n * stride + axis]!);
      const given = { x: along(0), y: along(1) };
      const { x, y } =
        srid === undefined || crs === undefined
          ? given
          : await transformInThread({ from: parseSrid(srid), to: crs, ...given });
      return { points: Array.from(x, (one, n) => [one, y[n]!] as const) };
    }
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')
      throw invalidMember(
        'spatialFilter.geometry',
        'The geometry must be a POINT, MULTIPOINT, POLYGON or MULTIPOLYGON.',
      );
    const chains = (await chainsFor(crs, space)).flat();
    const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
    for (const { xy } of chains)
      for (let n = 0; n < xy.length; n += 2) {
        bounds.west = Math.min(bounds.west, xy[n]!);
        bounds.east = Math.max(bounds.east, xy[n]!);
        bounds.south = Math.min(bounds.south, xy[n + 1]!);
        bounds.north = Math.max(bounds.north, xy[n + 1]!);
      }
    const prepared = new PreparedGeometry(chains);
    return { bounds, covers: (x, y) => prepared.covers(x, y) };
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
    throw invalidMember('spatialFilter', error.message);
  }
}

function gridElements(data: Grid | MultiArray, cells: CellGrid, choice: Choice | undefined): Elements {
  const { width, height } = cells;
  const positions = Uint32Array.from(cellsWithin(cells, choice)).sort();
  if (positions.length === 0) throw noneFound();
  const nodes = data.kind === 'array' && data.placement?.by === 'nodes' ? data.placement : undefined;
  const affine =
    data.kind === 'grid' ? data.affine : data.placement?.by === 'affine' ? data.placement.affine : undefined;
  return {
    kind: 'grid',
    positions,
    number: (n) => positions[n]!,
    corners(n) {
      const [row, column] = [Math.floor(positions[n]! / width), positions[n]! % width];
      const first = row * (width + 1) + column;
      return [first, first + 1, first + width + 2, first + width + 1];
    },
    corner(key) {
      if (nodes !== undefined) return [nodes.nodeX[key]!, nodes.nodeY[key]!];
      const [x0, a, b, y0, c, d] = affine ?? [0, 1, 0, height, 0, -1];
      const [row, column] = [Math.floor(key / (width + 1)), key % (width + 1)];
      return [x0 + column * a + row * b, y0 + column * c + row * d];
    },
  };
}

function* cellsWithin(cells: CellGrid, choice: Choice | undefined): Generator<number> {
  const { width, height } = cells;
  if (choice !== undefined && 'points' in choice) {
    const found = choice.points.map(([x, y]) => cells.find(x, y));
    yield* new Set(found.flatMap((cell) => (cell === undefined ? [] : [cell.row * width + cell.column])));
    return;
  }
  const [rows, columns] =
    choice === undefined
      ? [
          { first: 0, length: height },
          { first: 0, length: width },
        ]
      : cells.window(choice.bounds);
  if (rows.length * columns.length > mostRead) throw tooManyRead(rows.length * columns.length);
  for (let row = rows.first; row < rows.first + rows.length; row++)
    for (let column = columns.first; column < columns.first + columns.length; column++)
      if (choice === undefined || choice.covers(cells.x(column, row), cells.y(column, row))) yield row * width + column;
}

const noneFound = () =>
  invalidMember(
    'spatialFilter',
    'No element lies within the spatial filter. The description of the dataset says where they lie.',
  );

function meshElements(places: MeshPlaces, choice: Choice | undefined): Elements {
  const { mesh, layers } = places;
  const firstCells = layers === undefined ? undefined : mesh.layers!.columns.subarray(0, -1);
  const count = firstCells?.length ?? mesh.shapes.length;
  const cellOf = (position: number) => firstCells?.[position] ?? position;
  const centres = places.at('cell');
  const found = new Set<number>();
  if (choice === undefined) for (let n = 0; n < count; n++) found.add(n);
  else if ('points' in choice)
    for (const [x, y] of choice.points) {
      const cell = places.find(x, y);
      if (cell !== undefined) found.add(firstCells === undefined ? cell : firstCells.indexOf(cell));
    }
  else
    for (let n = 0; n < count; n++) {
      const at = 3 * cellOf(n);
      if (choice.covers(centres[at]!, centres[at + 1]!)) found.add(n);
    }
  if (found.size === 0) throw noneFound();
  const positions = Uint32Array.from(found).sort();
  const flat = footprints(mesh);
  return {
    kind: 'mesh',
    positions,
    number: (n) => (layers === undefined ? places.number('cell', positions[n]!) : positions[n]! + 1),
    corners(n) {
      const cell = cellOf(positions[n]!);
      return [...flat.connectivity.subarray(flat.offsets[cell]!, flat.offsets[cell + 1]!)];
    },
    corner: (key) => [mesh.nodes[3 * key]!, mesh.nodes[3 * key + 1]!],
  };
}
