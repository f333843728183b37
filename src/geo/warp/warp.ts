import { isDeepStrictEqual } from 'node:util';
import type { Crs } from '../../data/crs-reference.ts';
import type { RandomGrid, RowBlock, RowRange, Slice, TypedBand, TypedGrid } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { isFloat, nodataOf, sampleArrays } from '../../data/samples.ts';
import { FormatError } from '../../errors.ts';
import type { KnownCrs } from '../crs/crs.ts';
import { describeCrs, sameCrs, sridOf } from '../crs/crs.ts';
import type { Operation } from '../crs/operation.ts';
import { gdal, guarded } from '../wasm.ts';
import type { Lattice } from './image-transformer.ts';
import { PixelFinder } from './image-transformer.ts';
import type { Kernel } from './resample.ts';
import { bilinear, nearest, wideBilinear } from './resample.ts';
import { WarpRows } from './warp-rows.ts';
import type { Crew } from './warp-threads.ts';
import { alone, startCrew } from './warp-threads.ts';

export interface Warped {
  /** In the target system. Nothing is computed before its rows are pulled. */
  readonly grid: TypedGrid;
  readonly from: KnownCrs;
  readonly to: KnownCrs;
  /** What was done to coordinates; complete when all rows were pulled. */
  operation(): Operation;
  /** Ends the threads and frees what WebAssembly holds; the rows cannot be pulled any more. */
  close(): Promise<void>;
}

export interface WarpOptions {
  /** Instead of the grid's own system. */
  from?: Crs;
  /** Bytes that may be held of the source at a time. */
  memory?: number;
  /** Threads that may compute, this one included; the values are the same for any number. */
  threads?: number;
  /** Gives the same source with rows in any order; called when a row is wanted again that has passed. Absent: the source can read. */
  keep?(): Promise<RandomGrid>;
}

/** Cells from which on it is worth while to start threads. */
const manyCells = 1 << 21;
/** Other threads that one can feed: planning, reading and writing are about as much work as the cells. */
const mostOthers = 3;

/**
 * Brings a grid into another coordinate system: the lattice is the one `gdalwarp -t_srs` would write; floats are
 * interpolated bilinearly, integers are taken from the nearest cell, and positions are exact to a ten-thousandth of a source
 * cell. Cells outside the source hold the nodata value: the source's, else NaN for floats, else −9999 or, where the type
 * has no such number, its lowest.
 *
 * Any number of bands, steps and layers. A grid that is in the target system already, north up and of square cells, comes back
 * with its lattice and cells as they are.
 * @throws FormatError when a system is missing or unknown, or the grid has no place in the target
 */
export async function warpGrid(source: TypedGrid, target: Crs, options: WarpOptions = {}): Promise<Warped> {
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
  const warp = new Warp(source, to, finder, options);
  return {
    grid: same ? { ...source, crs: to } : warp.grid(),
    from,
    to,
    operation: () => finder.operation(),
    async close() {
      await warp.close();
      finder.close();
    },
  };
}

const latticeOf = ({ width, height, affine }: TypedGrid): Lattice => ({ width, height, affine: [...affine] as const });

class Warp {
  /** Rows in the file's order, or in any. */
  #source: TypedGrid;
  readonly #target: KnownCrs;
  readonly #finder: PixelFinder;
  readonly #options: WarpOptions;
  readonly #bands: readonly (TypedBand & { readonly nodata: number })[];
  #crew: Crew | undefined;

  constructor(source: TypedGrid, target: KnownCrs, finder: PixelFinder, options: WarpOptions) {
    this.#source = source;
    this.#target = target;
    this.#finder = finder;
    this.#options = options;
    const bands: readonly TypedBand[] = source.bands;
    this.#bands = bands.map((band) => ({ ...band, nodata: nodataOf(band.integer64 ?? band.type, band.nodata) }));
  }

  grid(): TypedGrid {
    const { width, height, affine } = this.#finder.lattice;
    const rows = (slice: Slice, wanted?: RowRange) => this.#rows(slice, wanted?.first ?? 0, wanted?.end ?? height);
    const read = async (slice: Slice, firstRow: number, rowCount: number) => {
      const samples = new sampleArrays[this.#bands[slice.band]!.type](rowCount * width);
      for await (const block of this.#rows(slice, firstRow, firstRow + rowCount)) {
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
    const { time, layers } = this.#source;
    const axes = { ...(time && { time }), ...(layers && { layers }) };
    const random = this.#source.read === undefined ? {} : { read };
    return { kind: 'grid', width, height, affine, crs, bands: this.#bands, ...axes, rows, ...random };
  }

  async close(): Promise<void> {
    await this.#crew?.close();
  }

  /** Threads are started for the first rows. This one plans, reads and writes, which is as much work as another's. */
  #workers(): Crew {
    const { width, height } = this.#finder.lattice;
    const { threads = 1 } = this.#options;
    this.#crew ??= threads > 1 && width * height >= manyCells ? startCrew(Math.min(threads - 1, mostOthers)) : alone;
    return this.#crew;
  }

  #rows(slice: Slice, first: number, last: number): AsyncGenerator<RowBlock> {
    const { type, nodata } = this.#bands[slice.band]!;
    const { integer64, nodata: nothing } = this.#source.bands[slice.band]!;
    // Numbers that stand for integers of 64 bits are not to be mixed.
    const kernel = integer64 === undefined ? this.#kernel(type, nothing) : nearest;
    const { memory = 128 << 20 } = this.#options;
    const rows = new WarpRows(
      { finder: this.#finder, source: this.#source, slice, keep: () => this.#keep() },
      { type, nodata, kernel, memory, crew: this.#workers() },
    );
    return rows.blocks(first, last);
  }

  /** The source once more, its rows in any order; from now on it stays so. */
  async #keep(): Promise<RandomGrid> {
    const { keep } = this.#options;
    if (keep === undefined) throw new Error('A row was wanted again that cannot be read again.');
    const kept = await keep();
    this.#source = kept;
    return kept;
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
