import type { Crs } from '../../data/crs-reference.ts';
import type { Affine, RandomGrid, Slice } from '../../data/grid.ts';
import { FormatError } from '../../errors.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { extentOf, type GeographicExtent, nearestTurn, runOn, toGeographic } from '../../geo/crs/geographic-extent.ts';
import { type Transformer, transformer } from '../../geo/crs/transform.ts';
import {
  type ApproximateTransform,
  approximateTransform,
  intsPerSquare,
  largestSquare,
  pixelRange,
} from '../../geo/warp/approximate-transformer.ts';
import type { GridGeometry } from '../../geo/warp/image-transformer.ts';
import { bilinear, type Kernel, nearest } from '../../geo/warp/resample.ts';
import { type PixelTransformer, type SourcePart, WarpRows } from '../../geo/warp/warp-rows.ts';
import type { WarpThreads } from '../../geo/warp/warp-threads.ts';
import { type Box, HALF_WORLD, type Lattice } from '../matrices.ts';
import { MERCATOR_LATITUDE, mercatorX, mercatorY } from '../web-mercator.ts';
import type { ValueRows } from './pyramid.ts';

/** Web Mercator. */
export const mercator: Crs = { authority: 'EPSG', code: 3857 };

/** Bytes of source rows in memory. */
const memory = 256 << 20;
/** Rows that are read at once. */
const rowsAtOnce = 64;
/** Points per side of the net that locates a grid. */
const net = 96;

/** Values of cells as Float32 or Float64; NaN is no data. */
export type ValueGrid = RandomGrid;

const at = ([x, a, b, y, c, d]: Affine, column: number, row: number): [number, number] => [
  x + column * a + row * b,
  y + column * c + row * d,
];

/** The bounding box of a grid in its own coordinate system. */
export function boxOfGrid({ affine, width, height }: GridGeometry): Box {
  const corners = [at(affine, 0, 0), at(affine, width, 0), at(affine, 0, height), at(affine, width, height)];
  const [x, y] = [corners.map(([one]) => one), corners.map(([, one]) => one)];
  return { west: Math.min(...x), south: Math.min(...y), east: Math.max(...x), north: Math.max(...y) };
}

/** Where a grid lies on the earth, and the side of its cells in Web Mercator at its middle. */
export interface GridPlace {
  readonly extent: GeographicExtent;
  readonly mercatorCell: number;
}

export async function placeOfGrid(grid: GridGeometry, crs: KnownCrs): Promise<GridPlace> {
  const { affine, width, height } = grid;
  const [x, y] = [new Float64Array((net + 1) ** 2), new Float64Array((net + 1) ** 2)];
  for (let row = 0, n = 0; row <= net; row++)
    for (let column = 0; column <= net; column++, n++)
      [x[n], y[n]] = at(affine, (column / net) * width, (row / net) * height);
  await toGeographic(crs, x, y);
  runOn(x, net + 1);
  const extent = extentOf(x, y);
  if (extent === undefined) throw new FormatError(`No cell of the grid has a place on the earth in '${crs.name}'.`);
  const pole = crs.geographic ? undefined : await poleInside(grid, crs);
  return {
    extent:
      pole === undefined
        ? extent
        : { west: -180, east: 180, south: Math.min(extent.south, pole), north: Math.max(extent.north, pole) },
    mercatorCell: await mercatorCell(grid, crs, extent),
  };
}

/** 90 or −90 if the pole lies inside of the grid. */
async function poleInside(grid: GridGeometry, crs: KnownCrs): Promise<number | undefined> {
  using change = await transformer({ authority: 'EPSG', code: 4326 }, crs);
  for (const pole of [90, -90]) {
    const [x, y] = [Float64Array.of(0), Float64Array.of(pole)];
    if (change.forward(x, y) > 0) continue;
    const [column, row] = pixelOf(grid.affine, x[0]!, y[0]!);
    if (column > 0 && row > 0 && column < grid.width && row < grid.height) return pole;
  }
  return undefined;
}

/** At the middle of the grid, or at a quarter of it if the middle is at the pole or nowhere. */
async function mercatorCell(grid: GridGeometry, crs: KnownCrs, extent: GeographicExtent): Promise<number> {
  for (const share of [1 / 2, 1 / 4, 3 / 4]) {
    const [column, row] = [grid.width * share, grid.height * share];
    const points = [at(grid.affine, column, row), at(grid.affine, column + 1, row), at(grid.affine, column, row + 1)];
    const [x, y] = [Float64Array.from(points, ([one]) => one), Float64Array.from(points, ([, one]) => one)];
    await toGeographic(crs, x, y);
    const side = (n: number) =>
      Math.hypot(mercatorX(nearestTurn(x[n]!, x[0]!) - x[0]!), mercatorY(y[n]!) - mercatorY(y[0]!));
    const cell = Math.min(side(1), side(2));
    if (cell > 0 && Math.abs(y[0]!) < MERCATOR_LATITUDE) return cell;
  }
  return mercatorX(extent.east - extent.west) / Math.max(grid.width, grid.height);
}

function pixelOf([x0, a, b, y0, c, d]: Affine, x: number, y: number): [number, number] {
  const determinant = a * d - b * c;
  return [((x - x0) * d - (y - y0) * b) / determinant, ((y - y0) * a - (x - x0) * c) / determinant];
}

/** A window of a grid in cells, corner based. */
export interface SourceCells {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boundsOf({ squares, positions }: ApproximateTransform): SourceCells {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let n = 0; n < squares.length; n += intsPerSquare) {
    const [size, at] = [squares[n + 2]!, squares[n + 3]!];
    const [x, y] = [pixelRange(positions, at, size, 'x'), pixelRange(positions, at, size, 'y')];
    [left, right] = [Math.min(left, x[0]), Math.max(right, x[1])];
    [top, bottom] = [Math.min(top, y[0]), Math.max(bottom, y[1])];
  }
  return { left, right, top, bottom };
}

export interface GridPixelOptions {
  /** The coordinate system of the lattices; absent: that of the grid. */
  readonly to?: Crs;
  readonly crs: KnownCrs;
  /** Whole numbers are classes, which have no values in between. */
  readonly whole: boolean;
  readonly threads: WarpThreads;
}

/** Values of a grid at the pixels of lattices. Holds WebAssembly memory until `close`. */
export class GridPixels implements Disposable {
  readonly #grid: ValueGrid;
  readonly #options: GridPixelOptions;
  readonly #change: Transformer | undefined;
  /** The lattice of the last call of `cellsOf`, and where its pixels lie in the grid. */
  #known: { readonly lattice: Lattice; readonly transform: ApproximateTransform } | undefined;

  private constructor(grid: ValueGrid, options: GridPixelOptions, change: Transformer | undefined) {
    this.#grid = grid;
    this.#options = options;
    this.#change = change;
  }

  static async create(grid: ValueGrid, options: GridPixelOptions): Promise<GridPixels> {
    const change = options.to === undefined ? undefined : await transformer(options.to, options.crs);
    return new GridPixels(grid, options, change);
  }

  /**
   * All rows of a lattice. Pixels that are cells of the grid have their values; others the nearest, or bilinear between
   * four cells.
   * @param part the columns of `cellsOf`
   */
  rows(lattice: Lattice, slice: Slice, part?: SourcePart): AsyncIterable<ValueRows> {
    return this.#isOwn(lattice) ? this.#ownRows(slice) : this.#resampled(lattice, slice, part);
  }

  /** The cells that the pixels of a lattice are made of, rounded outwards. */
  cellsOf(lattice: Lattice): SourceCells {
    const { target, toPixels } = this.#transformer(lattice);
    const transform = approximateTransform(target.affine, 0, lattice.height, lattice.width, toPixels);
    this.#known = { lattice, transform };
    const cells = boundsOf(transform);
    return { left: cells.left - 2, right: cells.right + 2, top: cells.top - 2, bottom: cells.bottom + 2 };
  }

  /** The cells of the whole area of a tile of Web Mercator, rounded outwards. Undefined if its sides bend too much. */
  cellsOfTile(level: number, column: number, row: number): SourceCells | undefined {
    const size = (2 * HALF_WORLD) / (2 ** level * largestSquare);
    const [left, top] = [-HALF_WORLD, HALF_WORLD];
    const pixels = { column: column * largestSquare, row: row * largestSquare };
    const lattice = { left, top, size, ...pixels, width: largestSquare, height: largestSquare };
    const { target, toPixels } = this.#transformer(lattice);
    const transform = approximateTransform(target.affine, 0, largestSquare, largestSquare, toPixels);
    if (transform.squares.length !== intsPerSquare) return undefined;
    const cells = boundsOf(transform);
    // The centres of the outermost pixels are half a pixel inside of the tile.
    const margin = (low: number, high: number) => (high - low) / (largestSquare - 1) + 1;
    const [across, down] = [margin(cells.left, cells.right), margin(cells.top, cells.bottom)];
    return {
      left: cells.left - across,
      right: cells.right + across,
      top: cells.top - down,
      bottom: cells.bottom + down,
    };
  }

  /** Whether the pixels are the cells, from the same corner. */
  #isOwn({ left, top, size, column, row }: Lattice): boolean {
    if (this.#change !== undefined || column !== 0 || row !== 0) return false;
    const { affine } = this.#grid;
    const [, a, b, , c, d] = affine;
    const { west, north } = boxOfGrid(this.#grid);
    const near = (one: number, other: number) => Math.abs(one - other) <= 1e-6 * size;
    return (
      b === 0 && c === 0 && a > 0 && near(a, size) && near(Math.abs(d), size) && near(west, left) && near(north, top)
    );
  }

  async *#ownRows(slice: Slice): AsyncGenerator<ValueRows> {
    const { width, height, affine } = this.#grid;
    const southUp = affine[5] > 0;
    for (let firstRow = 0; firstRow < height; firstRow += rowsAtOnce) {
      const rowCount = Math.min(rowsAtOnce, height - firstRow);
      const samples = await this.#grid.read(slice, southUp ? height - firstRow - rowCount : firstRow, rowCount);
      const values = new Float64Array(samples.length);
      for (let row = 0; row < rowCount; row++) {
        const from = (southUp ? rowCount - 1 - row : row) * width;
        values.set(samples.subarray(from, from + width), row * width);
      }
      yield { firstRow, rowCount, values };
    }
  }

  async *#resampled(lattice: Lattice, slice: Slice, part: SourcePart | undefined): AsyncGenerator<ValueRows> {
    const { height } = lattice;
    const kernel: Kernel = this.#options.whole ? nearest : bilinear({ low: Number.NaN, high: Number.NaN });
    const transformer = this.#transformer(lattice);
    const known = this.#known?.lattice === lattice ? this.#known.transform : undefined;
    const grid = this.#grid;
    const rows = new WarpRows(
      {
        transformer,
        source: grid,
        slice,
        ...(part && { part }),
        ...(known && { known }),
        randomAccess: async () => grid,
      },
      { type: 'Float64', nodata: Number.NaN, kernel, memory, threads: this.#options.threads },
    );
    for await (const { firstRow, rowCount, samples } of rows.blocks(0, height))
      yield { firstRow, rowCount, values: samples as Float64Array };
  }

  /** Target coordinates are numbers of pixels, which are exact: windows of the same matrices get the same bits. */
  #transformer({ left, top, size, column, row, width, height }: Lattice): PixelTransformer {
    return {
      target: { width, height, affine: [column, 1, 0, row, 0, 1] },
      toPixels: (x, y, count) => {
        for (let n = 0; n < count; n++) {
          x[n] = left + x[n]! * size;
          y[n] = top - y[n]! * size;
        }
        this.#toPixels(x, y, count);
      },
    };
  }

  #toPixels(x: Float64Array, y: Float64Array, count: number): void {
    this.#change?.forward(x.subarray(0, count), y.subarray(0, count));
    const { crs } = this.#options;
    const { affine, width, height } = this.#grid;
    const turn = crs.geographic && this.#change !== undefined ? (2 * Math.PI) / crs.unit.factor : undefined;
    const [middle] = at(affine, width / 2, height / 2);
    for (let n = 0; n < count; n++) {
      const own = turn === undefined ? x[n]! : x[n]! - turn * Math.round((x[n]! - middle) / turn);
      [x[n], y[n]] = pixelOf(affine, own, y[n]!);
    }
  }

  close(): void {
    this.#change?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
