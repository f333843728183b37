import type { Crs } from '../../data/crs-reference.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { type Band, type Grid, type RowBlock, slicesPerBand } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { nodataOf } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import { toPixels } from '../../geo/raster/pixel-coordinates.ts';
import { type CellWindow, RasterizedGeometry } from '../../geo/raster/rasterize.ts';
import type { Chain } from '../../geo/vector/edge-tree.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { chainsOf, transformChains } from '../../geo/vector/transform-chains.ts';
import type { SpatialFilter } from './transformation-shapes.ts';

/** The features that intersect the filter's geometry, unclipped. */
export async function featuresWithin(
  data: FeatureCollection,
  filter: SpatialFilter,
  context: Context,
): Promise<FeatureCollection> {
  const prepared = new PreparedGeometry((await chainsFor(data.crs, filter)).flat());
  const stride = strideOf(data);
  return {
    ...data,
    async *chunks() {
      let kept = 0;
      let seen = 0;
      for await (const chunk of data.chunks()) {
        const within = chunk.filter(({ geometry }) => geometry !== undefined && prepared.intersects(geometry, stride));
        seen += chunk.length;
        kept += within.length;
        if (within.length > 0) yield within;
      }
      if (seen > 0 && kept === 0)
        throw new ConversionError(`None of the ${seen} features intersects the spatial filter.`);
      context.log('info', `${kept} of ${seen} features intersect the spatial filter.`);
    },
  };
}

/** The geometry of a filter in the coordinate system of the data. */
export async function chainsFor(
  crs: Crs | undefined,
  { geometry, srid }: SpatialFilter,
): Promise<readonly (readonly Chain[])[]> {
  if (crs === undefined && srid !== undefined)
    throw new ConversionError(
      `The coordinate system of the input is not known, so a filter in ${srid} cannot be applied. Give SRID to the reader, or omit the SRID of the filter.`,
    );
  return transformChains(chainsOf(geometry), srid === undefined ? undefined : parseSrid(srid), crs);
}

/** Crops the grid to the filter's geometry. A cell whose centre is outside the geometry becomes nodata. */
export async function gridWithin(grid: Grid, filter: SpatialFilter, context: Context): Promise<Grid> {
  const groups = (await chainsFor(grid.crs, filter)).map((chains) =>
    chains.map(({ xy, polygon }) => ({ xy: toPixels(xy, grid.affine), polygon })),
  );
  const rasterized = new RasterizedGeometry(groups, grid.width, grid.height);
  const { window } = rasterized;
  if (window === undefined) throw new ConversionError('The spatial filter does not intersect the grid.');
  const coverage = coverageOf(rasterized, window);
  if (coverage === 'none')
    throw new ConversionError('None of the cell centres of the grid lies inside the spatial filter.');
  const { left, top, right, bottom } = window;
  const [x, a, b, y, c, d] = grid.affine;
  const bands = coverage === 'all' ? grid.bands : grid.bands.map(withNodata);
  const { read: _, ...rest } = grid;
  const several = slicesPerBand(grid) > 1;
  const cropper = new BlockCropper(grid.width, window, coverage === 'all' ? undefined : rasterized);
  return {
    ...rest,
    width: right - left,
    height: bottom - top,
    affine: [x + left * a + top * b, a, b, y + left * c + top * d, c, d],
    bands,
    async *rows(slice) {
      const { band } = slice;
      const clashes = grid.bands[band]!.nodata === undefined ? bands[band]!.nodata : undefined;
      let clashing = 0;
      for await (const block of grid.rows(slice, { first: top, end: bottom })) {
        if (block.firstRow >= bottom) break;
        if (block.firstRow + block.rowCount <= top) continue;
        const { counted, ...cut } = cropper.crop(block, bands[band]!, clashes);
        clashing += counted;
        yield cut;
      }
      if (clashing > 0)
        context.reportLoss(
          `Band ${band + 1} had no nodata value and got ${clashes}. ${several ? 'Some' : clashing} of its cells inside the filter have this value and became nodata.`,
        );
    },
  };
}

/** Which cells of the window have their centre inside the geometry. */
function coverageOf(rasterized: RasterizedGeometry, { left, top, right, bottom }: CellWindow): 'all' | 'some' | 'none' {
  let all = true;
  let none = true;
  for (let row = top; row < bottom && (all || none); row++) {
    const spans = rasterized.spans(row);
    none &&= spans.length === 0;
    all &&= spans[0] === left && spans[1] === right;
  }
  return all ? 'all' : none ? 'none' : 'some';
}

/** Text formats have no sample type before all values are read; any type that they end up with can hold −9999. */
function withNodata(band: Band): Band {
  if (band.nodata !== undefined) return band;
  const type = band.integer64 ?? band.type;
  return { ...band, nodata: type === undefined ? -9999 : nodataOf(type, undefined) };
}

/** Crops blocks of rows to the window, and sets cells outside the geometry to nodata. */
class BlockCropper {
  readonly #width: number;
  readonly #window: CellWindow;
  readonly #rasterized: RasterizedGeometry | undefined;

  /** @param rasterized absent: keeps all cells of the window */
  constructor(width: number, window: CellWindow, rasterized: RasterizedGeometry | undefined) {
    this.#width = width;
    this.#window = window;
    this.#rasterized = rasterized;
  }

  /** `counted`: number of cells inside the geometry whose value is `clashes`. */
  crop(block: RowBlock, band: Band, clashes: number | undefined): RowBlock & { counted: number } {
    const { left, top, right, bottom } = this.#window;
    const first = Math.max(block.firstRow, top);
    const end = Math.min(block.firstRow + block.rowCount, bottom);
    const width = right - left;
    const cells = (end - first) * width;
    const samples = new (block.samples.constructor as new (length: number) => Samples)(cells);
    const exact =
      block.exact && new (block.exact.constructor as new (length: number) => BigInt64Array | BigUint64Array)(cells);
    if (this.#rasterized !== undefined) {
      samples.fill(band.nodata!);
      exact?.fill(band.exactNodata ?? BigInt(band.nodata!));
    }
    let counted = 0;
    for (let row = first; row < end; row++) {
      const spans = this.#rasterized?.spans(row) ?? [left, right];
      const from = (row - block.firstRow) * this.#width;
      const to = (row - first) * width - left;
      for (let n = 0; n < spans.length; n += 2) {
        const run = block.samples.subarray(from + spans[n]!, from + spans[n + 1]!);
        samples.set(run, to + spans[n]!);
        (exact as BigInt64Array | undefined)?.set(
          block.exact!.subarray(from + spans[n]!, from + spans[n + 1]!) as BigInt64Array,
          to + spans[n]!,
        );
        if (clashes !== undefined) for (let i = 0; i < run.length; i++) if (run[i] === clashes) counted++;
      }
    }
    return { firstRow: first - top, rowCount: end - first, samples, ...(exact ? { exact } : {}), counted };
  }
}
