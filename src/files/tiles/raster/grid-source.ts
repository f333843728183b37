import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import { cellSize, type Grid, layersOf, type RowBlock } from '../../data/grid.ts';
import type { SampleType } from '../../data/item.ts';
import { realValues } from '../../data/real-values.ts';
import { isFloat, sampleTypeOf } from '../../data/samples.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { spill } from '../../formats/io/spill.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import { currentThread, startWarpThreads, type WarpThreads } from '../../geo/warp/warp-threads.ts';
import { colourPlanes, type Plane } from './colour-planes.ts';
import { boxOfGrid, GridPixels, mercator, placeOfGrid } from './grid-pixels.ts';
import { type OpenItem, type TileSource, ValueRange } from './tile-source.ts';
import { GridValues } from './values/grid-values.ts';
import type { ValuesDescription } from './values/item-values.ts';

const mostThreads = 3;
/** Types whose values Float32 holds. */
const exactInSingle: readonly SampleType[] = ['Int8', 'UInt8', 'Int16', 'UInt16', 'Float32'];

/** Tiles of a grid. Values are spilled to the scratch folder as they are asked for. */
export async function gridSource(grid: Grid, context: Context): Promise<TileSource> {
  if (grid.located === false)
    throw new ConversionError('The raster is not georeferenced, so no tiles can be drawn of it.');
  if (grid.crs === undefined) throw new ConversionError('The grid has no coordinate system. Give SRID to the reader.');
  const crs = await describeCrs(grid.crs);
  const { layers, time } = grid;
  const threads = warpThreads(context);
  const colours = colourPlanes(grid.bands);
  return {
    crs,
    items: grid.bands.map(({ name, unit }, n) => ({
      name: name === undefined || name === '' ? `Band ${n + 1}` : name,
      ...(unit === undefined ? {} : { unit }),
    })),
    ...(time && { time }),
    steps: stepsOf(grid),
    layers: layersOf(grid),
    ...(layers && {
      layerHeights: Array.from({ length: layers.count }, (_, k) => layers.first + k * layers.spacing),
    }),
    box: boxOfGrid(grid),
    cell: cellSize(grid),
    ...(await placeOfGrid(grid, crs)),
    hasColours: colours !== undefined,
    shape: {
      kind: 'grid',
      width: grid.width,
      height: grid.height,
      affine: grid.affine,
      ...(layers && { layers: { count: layers.count, first: layers.first, spacing: layers.spacing } }),
    },
    open: (item, like) =>
      openPlanes(grid, planesLike(grid, item === 'colours' ? colours! : [{ band: item }], like), {
        crs,
        threads,
        context,
      }),
  };
}

/** The planes of an item whose other steps are kept already. */
function planesLike(grid: Grid, planes: readonly Plane[], like: ValuesDescription | undefined): readonly Plane[] {
  if (like === undefined) return planes;
  const count = like.kind === 'grid' ? like.planes.length : 0;
  if (like.kind !== 'grid' || count !== planes.length)
    throw new ConversionError(
      `The colours of the dataset have ${count} channels, and those of the input ${planes.length}.`,
    );
  return planes.map((plane, n) => {
    const { type, whole } = like.planes[n]!;
    const item = grid.bands[plane.band]!;
    const fraction = item.type !== undefined && isFloat(item.type) && item.integer64 === undefined;
    const isScaled = (item.scale ?? 1) !== 1 || (item.offset ?? 0) !== 0;
    if (whole && plane.whole !== true && (fraction || isScaled))
      throw new ConversionError(
        `The item '${item.name || `Band ${plane.band + 1}`}' has whole numbers in the dataset, and others in the input.`,
      );
    return { ...plane, type, whole };
  });
}

/** The threads start when they are first needed. */
function warpThreads({ threads = 1, onEnd }: Context): WarpThreads {
  const count = Math.min(threads - 1, mostThreads);
  if (count < 1) return currentThread;
  let started: WarpThreads | undefined;
  onEnd(async () => started?.close());
  return {
    maxPending: 2 * count,
    run(task) {
      started ??= startWarpThreads(count);
      return started.run(task);
    },
    close: async () => {},
  };
}

interface Opening {
  readonly crs: TileSource['crs'];
  readonly threads: WarpThreads;
  readonly context: Context;
}

async function openPlanes(grid: Grid, planes: readonly Plane[], { crs, threads, context }: Opening): Promise<OpenItem> {
  const values = new ValueRange();
  const opened = await Promise.all(
    planes.map(async (plane) => {
      const { spilled, whole } = await spillPlane(grid, plane, values, context);
      const pixels = async (to: typeof mercator | undefined) => {
        const made = await GridPixels.create(spilled, { crs, whole, threads, ...(to && { to }) });
        context.onEnd(async () => made.close());
        return made;
      };
      return { grid: spilled, whole, own: await pixels(undefined), mercator: await pixels(mercator) };
    }),
  );
  return {
    ...values.range(),
    values: new GridValues(
      opened.map(({ grid: spilled, whole, mercator: pixels }) => ({ grid: spilled, whole, pixels })),
    ),
    planes: (lattice, inMercator, slice) =>
      opened.map((one) => (inMercator ? one.mercator : one.own).rows(lattice, { band: 0, ...slice })),
  };
}

/** One band as floating point numbers in a temporary file; NaN is no data. */
async function spillPlane(grid: Grid, { band, change, whole, type }: Plane, range: ValueRange, context: Context) {
  const item = grid.bands[band]!;
  const scaled = (item.scale ?? 1) !== 1 || (item.offset ?? 0) !== 0;
  let integers = !scaled;
  const { palette: _palette, scale: _scale, offset: _offset, integer64: _integer64, exactNodata: _, ...kept } = item;
  const exact = item.type !== undefined && exactInSingle.includes(item.type) && !scaled;
  const single = type === undefined ? exact : type === 'Float32';
  const spilled = await spill(
    {
      ...grid,
      bands: [{ ...kept, type: single ? 'Float32' : 'Float64', nodata: Number.NaN }],
      async *rows({ step, layer }, wanted): AsyncGenerator<RowBlock> {
        for await (const { firstRow, rowCount, samples, exact: integer } of grid.rows({ band, step, layer }, wanted)) {
          context.signal.throwIfAborted();
          if (isFloat(sampleTypeOf(samples)) && integer === undefined && item.integer64 === undefined) integers = false;
          const real =
            single && change === undefined && samples instanceof Float32Array
              ? withGaps(samples, item.nodata)
              : changed(realValues(samples, item), change, single);
          releaseBuffer(samples);
          range.add(real);
          yield { firstRow, rowCount, samples: real };
        }
      },
    },
    context.scratch,
  );
  context.onEnd(() => spilled[Symbol.asyncDispose]());
  return { spilled: spilled.grid, whole: whole ?? integers };
}

/** NaN instead of what means no data, and of infinite values. */
function withGaps(samples: Float32Array, nodata: number | undefined): Float32Array {
  const values = pooledSamples('Float32', samples.length) as Float32Array;
  const empty = Math.fround(nodata ?? Number.NaN);
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]!;
    values[i] = value === empty || !Number.isFinite(value) ? Number.NaN : value;
  }
  return values;
}

function changed(values: Float64Array, change: Plane['change'], single: boolean): Float32Array | Float64Array {
  const all = change === undefined ? values : values.map(change);
  return single ? new Float32Array(all) : all;
}
