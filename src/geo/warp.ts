import { isDeepStrictEqual } from 'node:util';
import { FormatError } from '../errors.ts';
import type { Band, RandomGrid, RowBlock, RowRange, Samples, SampleType } from '../formats/types.ts';
import { positionsOf, stripe } from './control.ts';
import type { Crs, KnownCrs } from './crs.ts';
import { describeCrs, sameCrs, sridOf } from './crs.ts';
import type { Lattice } from './lattice.ts';
import { PixelFinder } from './lattice.ts';
import type { Operation } from './operation.ts';
import type { Kernel, Piece } from './resample.ts';
import { bilinear, nearest, upperRows, wideBilinear } from './resample.ts';
import { RowWindow } from './row-window.ts';
import { isFloat, nodataOf, sampleArrays } from './samples.ts';
import { spareSamples } from './spare-memory.ts';
import { gdal, guarded } from './wasm.ts';

export interface Warped {
  /** In the target system. Nothing is computed before its rows are pulled. */
  readonly grid: RandomGrid;
  readonly from: KnownCrs;
  readonly to: KnownCrs;
  /** What was done to coordinates; complete when all rows were pulled. */
  operation(): Operation;
  /** Frees what WebAssembly holds; the rows cannot be pulled any more. */
  close(): void;
}

export interface WarpOptions {
  /** Instead of the grid's own system. */
  from?: Crs;
  /** Bytes that may be held of the source at a time. */
  memory?: number;
}

/** Bytes of a block of target rows where the source has to be read in several pieces. */
const blockBytes = 64 << 20;

/**
 * Brings a grid into another coordinate system: the lattice is the one `gdalwarp -t_srs` would write; floats are
 * interpolated bilinearly, integers are taken from the nearest cell, and positions are exact to a ten-thousandth of a source
 * cell. Cells outside the source hold the nodata value: the source's, else NaN for floats, else −9999 or, where the type
 * has no such number, its lowest.
 *
 * Any number of bands and steps. A grid that is in the target system already, north up and of square cells, comes back
 * with its lattice and cells as they are.
 * @throws FormatError when a system is missing or unknown, or the grid has no place in the target
 */
export async function warpGrid(source: RandomGrid, target: Crs, options: WarpOptions = {}): Promise<Warped> {
  const given = options.from ?? source.crs;
  if (given === undefined) throw new FormatError('The grid does not say in which coordinate system it is.');
  const [from, to] = await Promise.all([describeCrs(given), describeCrs(target)]);
  for (const crs of [from, to]) {
    if (!['projected', 'geographic', 'geographic3D', 'compound'].includes(crs.kind)) {
      throw new FormatError(`A grid cannot be transformed from or to '${crs.name}', which is ${crs.kind}.`);
    }
  }
  const module = await gdal();
  const finder = guarded(() => new PixelFinder(module, source, sridOf(from) ?? from.wkt, sridOf(to) ?? to.wkt));
  const same = (await sameCrs(from, to)) && isDeepStrictEqual(finder.lattice, latticeOf(source));
  const grid = same ? { ...source, crs: to } : new Warp(source, to, finder, options.memory ?? 128 << 20).grid();
  return { grid, from, to, operation: () => finder.operation(), close: () => finder.close() };
}

const latticeOf = ({ width, height, affine }: RandomGrid): Lattice => ({ width, height, affine: [...affine] as const });

type TypedBand = Band & { readonly type: SampleType };

class Warp {
  readonly #source: RandomGrid;
  readonly #target: KnownCrs;
  readonly #finder: PixelFinder;
  readonly #memory: number;
  readonly #bands: readonly (TypedBand & { readonly nodata: number })[];

  constructor(source: RandomGrid, target: KnownCrs, finder: PixelFinder, memory: number) {
    this.#source = source;
    this.#target = target;
    this.#finder = finder;
    this.#memory = memory;
    const bands: readonly TypedBand[] = source.bands;
    this.#bands = bands.map((band) => ({ ...band, nodata: nodataOf(band.integer64 ?? band.type, band.nodata) }));
  }

  grid(): RandomGrid {
    const { width, height, affine } = this.#finder.lattice;
    const rows = (band: number, step?: number, wanted?: RowRange) =>
      this.#rows(band, step, wanted?.first ?? 0, wanted?.end ?? height);
    const read = async (band: number, firstRow: number, rowCount: number, step?: number) => {
      const samples = new sampleArrays[this.#bands[band]!.type](rowCount * width);
      for await (const block of this.#rows(band, step, firstRow, firstRow + rowCount)) {
        const skipped = Math.max(0, firstRow - block.firstRow);
        const end = Math.min(block.rowCount, firstRow + rowCount - block.firstRow);
        samples.set(
          block.samples.subarray(skipped * width, end * width),
          (block.firstRow + skipped - firstRow) * width,
        );
      }
      return samples;
    };
    const crs = this.#target;
    const { times } = this.#source;
    return { kind: 'grid', width, height, affine, crs, bands: this.#bands, ...(times ? { times } : {}), rows, read };
  }

  /** Blocks that cover rows `first … last - 1`; stripes always begin at the same rows, so that a cell has one value however it is read. */
  async *#rows(band: number, step: number | undefined, first: number, last: number): AsyncGenerator<RowBlock> {
    const { width, height } = this.#finder.lattice;
    const { type, nodata } = this.#bands[band]!;
    const { integer64, nodata: nothing } = this.#source.bands[band]!;
    // Numbers that stand for integers of 64 bits are not to be mixed.
    const kernel = integer64 === undefined ? this.#kernel(type, nothing) : nearest;
    const window = new RowWindow(this.#source, band, step, this.#memory, 2 * kernel.reach + 1);
    const positions = { px: new Float64Array(stripe * width), py: new Float64Array(stripe * width) };
    const tall = Math.max(1, Math.floor(blockBytes / (width * stripe * 8))) * stripe;
    for (let row = Math.floor(first / stripe) * stripe; row < last; ) {
      let rowCount = Math.min(stripe, height - row);
      const upper = this.#stripe(row, rowCount, positions);
      const apart = upper === undefined ? 0 : upper.to - upper.from + 2 * kernel.reach;
      // Where the source lies too far askew for one window, a taller block makes the reading of it in pieces worth the while.
      if (apart > window.capacity) rowCount = Math.min(tall, Math.ceil((last - row) / stripe) * stripe, height - row);
      const samples = spareSamples(type, rowCount * width).fill(nodata);
      if (apart > window.capacity) await this.#inPieces(row, rowCount, window, kernel, samples);
      else if (upper !== undefined) {
        const piece = await this.#piece(window, upper.from, upper.to, kernel);
        kernel.run(piece, { ...positions, count: rowCount * width, out: samples, at: 0 });
      }
      yield { firstRow: row, rowCount, samples };
      row += rowCount;
    }
  }

  /** A block whose source rows do not fit the window together: they pass through it piece by piece. */
  async #inPieces(first: number, count: number, window: RowWindow, kernel: Kernel, out: Samples): Promise<void> {
    const { width } = this.#finder.lattice;
    const positions = { px: new Float64Array(stripe * width), py: new Float64Array(stripe * width) };
    const stripes: { row: number; rows: number; from: number; to: number }[] = [];
    for (let row = first; row < first + count; row += stripe) {
      const rows = Math.min(stripe, first + count - row);
      const upper = this.#stripe(row, rows, positions);
      if (upper !== undefined) stripes.push({ row, rows, ...upper });
    }
    const end = Math.max(...stripes.map(({ to }) => to));
    const height = window.capacity - 2 * kernel.reach;
    for (let from = Math.min(...stripes.map((one) => one.from)); from < end; from += height) {
      const to = Math.min(from + height, end);
      const touched = stripes.filter((one) => one.from < to && one.to > from);
      if (touched.length === 0) continue;
      const piece = await this.#piece(window, from, to, kernel);
      for (const { row, rows } of touched) {
        this.#stripe(row, rows, positions);
        kernel.run(piece, { ...positions, count: rows * width, out, at: (row - first) * width });
      }
    }
  }

  /** Positions of a stripe of target rows, and the source rows that they wait for. */
  #stripe(row: number, rows: number, { px, py }: { px: Float64Array; py: Float64Array }) {
    const { width, affine } = this.#finder.lattice;
    positionsOf(affine, row, rows, width, (x, y, count) => this.#finder.find(x, y, count), px, py);
    return upperRows({ px, py, count: rows * width }, this.#source.width, this.#source.height);
  }

  async #piece(window: RowWindow, from: number, to: number, { reach }: Kernel): Promise<Piece> {
    const { width, height } = this.#source;
    await window.load(Math.max(0, from - reach + 1), Math.min(height, to + reach));
    return { samples: window.samples, first: window.first, from, to, width, height };
  }

  #kernel(type: SampleType, nodata: number | undefined): Kernel {
    if (!isFloat(type)) return nearest;
    // As GDAL, which takes floats that differ in the last bits for the same: the value often went through a text.
    const value = nodata !== undefined && type === 'Float32' ? Math.fround(nodata) : nodata;
    const slack = type === 'Float32' && Number.isFinite(value) ? Math.abs(value!) * 2 ** -21 : 0;
    const nothing = value === undefined ? undefined : { low: value - slack, high: value + slack };
    const { lattice } = this.#finder;
    const xScale = shrinkage(lattice.width, this.#source.width);
    const yScale = shrinkage(lattice.height, this.#source.height);
    // GDAL's limit.
    if (xScale < 0.95 || yScale < 0.95) return wideBilinear(Math.min(1, xScale), Math.min(1, yScale), nothing);
    return bilinear(nothing);
  }
}

/** Target cells per source cell along an axis, as GDAL counts them: close to one half, one third … it takes just that. */
function shrinkage(target: number, source: number): number {
  const whole = Math.round(source / target);
  return target < source && Math.abs(source / target - whole) < 0.05 ? 1 / whole : target / source;
}
