import { isDeepStrictEqual } from 'node:util';
import type { Crs } from '../../data/crs-reference.ts';
import type { RandomGrid, RowBlock, RowRange, Slice, TypedBand, TypedGrid } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { isFloat, nodataOf, sampleArrays } from '../../data/samples.ts';
import { FormatError } from '../../errors.ts';
import { describeCrs, type KnownCrs, sameCrs, sridOf } from '../crs/crs.ts';
import type { Operation } from '../crs/operation.ts';
import { gdal, guarded } from '../wasm.ts';
import { type GridGeometry, ImageTransformer } from './image-transformer.ts';
import { bilinear, type Kernel, nearest, wideBilinear } from './resample.ts';
import { WarpRows } from './warp-rows.ts';
import { currentThread, startWarpThreads, type WarpThreads } from './warp-threads.ts';

export interface Warped {
  /** In the target CRS. Rows are computed when they are pulled. */
  readonly grid: TypedGrid;
  readonly from: KnownCrs;
  readonly to: KnownCrs;
  /** The coordinate operations used; complete when all rows were pulled. */
  operation(): Operation;
  /** Terminates the threads and frees WebAssembly memory. Rows cannot be pulled afterwards. */
  close(): Promise<void>;
}

export interface WarpOptions {
  /** Overrides the CRS of the grid. */
  from?: Crs;
  /** Maximum number of bytes of source rows in memory. */
  memory?: number;
  /** Maximum number of threads, this one included. The values are the same for any number. */
  threads?: number;
  /**
   * Returns the same source with random access; called when an earlier row is needed again. Not needed if the source
   * has `read`.
   */
  randomAccess?(): Promise<RandomGrid>;
}

/** Smaller targets are computed on this thread: starting threads takes longer than they save. */
const minThreadedCells = 1 << 21;
/** One thread plans, reads and writes as fast as about three threads resample. */
const maxWorkers = 3;

/**
 * Reprojects a grid. The target has the size and geotransform that `gdalwarp -t_srs` chooses. Floats are resampled
 * bilinearly, integers take the nearest cell; pixel positions are exact to 1/10,000 of a source cell. Cells outside the
 * source get the nodata value of the band, else NaN for floats, else −9999, or the lowest value of types that cannot
 * hold it.
 *
 * Handles any number of bands, steps and layers. A grid that is already in the target CRS, north up with square cells,
 * is returned unchanged.
 * @throws FormatError when a CRS is missing or unknown, or the grid cannot be projected to the target
 */
export async function warpGrid(source: TypedGrid, target: Crs, options: WarpOptions = {}): Promise<Warped> {
  const given = options.from ?? source.crs;
  if (given === undefined) throw new FormatError('The grid has no coordinate system. Give SRID to the reader.');
  const [from, to] = await Promise.all([describeCrs(given), describeCrs(target)]);
  for (const crs of [from, to]) {
    if (!['projected', 'geographic', 'geographic3D', 'compound'].includes(crs.kind)) {
      throw new FormatError(
        `'${crs.name}' is a ${crs.kind} coordinate system. Grids are reprojected between projected, geographic and compound ones.`,
      );
    }
  }
  const module = await gdal();
  const transformer = guarded(
    module,
    () => new ImageTransformer(module, source, sridOf(from) ?? from.wkt, sridOf(to) ?? to.wkt),
  );
  const same = (await sameCrs(from, to)) && isDeepStrictEqual(transformer.target, geometryOf(source));
  const warp = new Warp(source, to, transformer, options);
  return {
    grid: same ? { ...source, crs: to } : warp.grid(),
    from,
    to,
    operation: () => transformer.operation(),
    async close() {
      await warp.close();
      transformer.close();
    },
  };
}

const geometryOf = ({ width, height, affine }: TypedGrid): GridGeometry => ({
  width,
  height,
  affine: [...affine] as const,
});

class Warp {
  /** A sequential grid until an earlier row is needed again, then one with random access. */
  #source: TypedGrid;
  readonly #target: KnownCrs;
  readonly #transformer: ImageTransformer;
  readonly #options: WarpOptions;
  readonly #bands: readonly (TypedBand & { readonly nodata: number })[];
  #threads: WarpThreads | undefined;

  constructor(source: TypedGrid, target: KnownCrs, transformer: ImageTransformer, options: WarpOptions) {
    this.#source = source;
    this.#target = target;
    this.#transformer = transformer;
    this.#options = options;
    const bands: readonly TypedBand[] = source.bands;
    this.#bands = bands.map((band) => ({ ...band, nodata: nodataOf(band.integer64 ?? band.type, band.nodata) }));
  }

  grid(): TypedGrid {
    const { width, height, affine } = this.#transformer.target;
    const rows = (slice: Slice, range?: RowRange) => this.#rows(slice, range?.first ?? 0, range?.end ?? height);
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
    await this.#threads?.close();
  }

  /** Starts the threads at the first call. The current thread counts as one of them: it plans, reads and writes. */
  #startThreads(): WarpThreads {
    const { width, height } = this.#transformer.target;
    const { threads = 1 } = this.#options;
    const workers = width * height < minThreadedCells ? 0 : Math.min(threads - 1, maxWorkers);
    this.#threads ??= workers > 0 ? startWarpThreads(workers) : currentThread;
    return this.#threads;
  }

  #rows(slice: Slice, first: number, last: number): AsyncGenerator<RowBlock> {
    const { type, nodata } = this.#bands[slice.band]!;
    const { integer64, nodata: sourceNodata } = this.#source.bands[slice.band]!;
    // 64-bit integers travel as Float64, but must not be interpolated.
    const kernel = integer64 === undefined ? this.#kernel(type, sourceNodata) : nearest;
    const { memory = 128 << 20 } = this.#options;
    const rows = new WarpRows(
      { transformer: this.#transformer, source: this.#source, slice, randomAccess: () => this.#randomAccess() },
      { type, nodata, kernel, memory, threads: this.#startThreads() },
    );
    return rows.blocks(first, last);
  }

  /** Replaces the source by one with random access, for this slice and all later ones. */
  async #randomAccess(): Promise<RandomGrid> {
    const { randomAccess } = this.#options;
    if (randomAccess === undefined) throw new Error('An earlier row is needed again, but the source is sequential.');
    const source = await randomAccess();
    this.#source = source;
    return source;
  }

  #kernel(type: SampleType, nodata: number | undefined): Kernel {
    if (!isFloat(type)) return nearest;
    // As in GDAL, Float32 values that differ from nodata only in their last bits count as nodata: it is often stored as
    // rounded text.
    const value = nodata !== undefined && type === 'Float32' ? Math.fround(nodata) : nodata;
    const slack = type === 'Float32' && Number.isFinite(value) ? Math.abs(value!) * 2 ** -21 : 0;
    const range = value === undefined ? undefined : { low: value - slack, high: value + slack };
    const { target } = this.#transformer;
    const xScale = scaleRatio(target.width, this.#source.width);
    const yScale = scaleRatio(target.height, this.#source.height);
    // GDAL's limit.
    if (xScale < 0.95 || yScale < 0.95) return wideBilinear(Math.min(1, xScale), Math.min(1, yScale), range);
    return bilinear(range);
  }
}

/** Target cells per source cell along an axis. As in GDAL, a ratio close to 1/2, 1/3 … is rounded to it. */
function scaleRatio(target: number, source: number): number {
  const whole = Math.round(source / target);
  return target < source && Math.abs(source / target - whole) < 0.05 ? 1 / whole : target / source;
}
