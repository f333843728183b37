import type { Affine, Grid, RandomGrid, RowBlock, RowRange, TypedBand, TypedGrid } from '../../data/grid.ts';
import type { Samples } from '../../data/item.ts';
import { clampedTo, isFloat, sampleArrays } from '../../data/samples.ts';
import { type AreaMethod, AreaRow, coveredBy, shareOf } from './areas.ts';
import { blocksOf, HeldRows } from './held-rows.ts';
import { bilinear, cubic, type Nodata, nearest, reachOf, type Sampler, stretched } from './kernels.ts';
import { type PixelMap, pixelMap, scaleOf } from './pixel-map.ts';
import { addTurnedCell } from './turned-areas.ts';

export type ResampleMethod = 'nearest' | 'bilinear' | 'cubic' | AreaMethod;

/** The cells that a grid is resampled to. */
export interface TargetCells {
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
}

/** A band of the output, whose type and method are known. It has a nodata value unless all of its cells get values. */
export interface ResampledBand {
  readonly band: TypedBand;
  readonly method: ResampleMethod;
}

/** Greatest side of a tile of a turned target: its source rows are few. */
const TILE = 128;
/** Most cells of rows of tiles, unless a row has more. */
const TILED_CELLS = 1 << 22;
/** The least positive number of single precision. */
const LEAST = 2 ** -149;
/** A smaller ratio of target to source cells stretches the kernel: GDAL's limit. */
const STRETCHED = 0.95;

/**
 * Resamples a grid as GDAL's warper does. Rows are computed when they are pulled.
 * @param randomAccess gives the same source with random access, if earlier rows are needed again
 */
export function resampleGrid(
  source: TypedGrid,
  target: TargetCells,
  bands: readonly ResampledBand[],
  randomAccess: () => Promise<RandomGrid>,
): Grid {
  const { read: _, rows: __, places: ___, ...rest } = source;
  const map = pixelMap(source, target);
  return {
    ...rest,
    ...target,
    bands: bands.map(({ band }) => band),
    async *rows(slice, range = { first: 0, end: target.height }) {
      const { type, nodata, scale = 1, offset = 0 } = source.bands[slice.band]!;
      const { band, method } = bands[slice.band]!;
      const held = new HeldRows(source, slice, type, randomAccess);
      const shift = method === 'sum' ? offset / scale : 0;
      const work = { held, map, target, method, nodata: nodataOfSource(type, nodata), shift };
      const values = map.aligned ? alignedRows(work, range) : turnedRows(work, range);
      try {
        for await (const { samples, ...rows } of values) yield { ...rows, samples: inType(samples, band, nodata) };
        await held.drain();
      } finally {
        await held.close();
      }
    },
  };
}

interface Work {
  readonly held: HeldRows;
  readonly map: PixelMap;
  readonly target: TargetCells;
  readonly method: ResampleMethod;
  readonly nodata: Nodata;
  /** Added to each value of a sum, whose band has no offset. */
  readonly shift: number;
}

type Values = Omit<RowBlock, 'samples'> & { readonly samples: Float64Array };

/** As in GDAL, Float32 values that differ from nodata only in their last bits count as nodata. */
function nodataOfSource(type: TypedBand['type'], nodata: number | undefined): Nodata {
  if (nodata === undefined || Number.isNaN(nodata)) return { low: Infinity, high: -Infinity };
  const value = type === 'Float32' ? Math.fround(nodata) : nodata;
  const slack = type === 'Float32' && Number.isFinite(value) ? Math.abs(value) * 2 ** -21 : 0;
  return { low: value - slack, high: value + slack };
}

/**
 * Values of the type of a band; integers are rounded. No value becomes the nodata value of the source.
 * @param declared the nodata value of the source
 */
function inType(
  values: Float64Array,
  { type, nodata = Number.NaN, integer64 }: ResampledBand['band'],
  declared: number | undefined,
): Samples {
  if (isFloat(type) && integer64 === undefined) {
    const samples = type === 'Float32' ? new Float32Array(values) : values;
    if (Number.isNaN(nodata)) return samples;
    const empty = type === 'Float32' ? Math.fround(nodata) : nodata;
    for (let n = 0; n < samples.length; n++)
      if (Number.isNaN(values[n])) samples[n] = nodata;
      else if (samples[n] === empty) samples[n] = empty === 0 ? LEAST : empty * (1 + 2 ** -20);
    return samples;
  }
  const samples = new sampleArrays[type](values.length);
  const clamp = clampedTo(integer64 ?? type);
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    if (Number.isNaN(value)) samples[n] = nodata;
    else {
      const rounded = clamp(Math.floor(value + 0.5));
      samples[n] = rounded === declared ? beside(rounded, value, clamp) : rounded;
    }
  }
  return samples;
}

/** The integer beside one, on the side of the value unless the type ends there. */
function beside(rounded: number, value: number, clamp: (value: number) => number): number {
  const [near, far] = value < rounded ? [rounded - 1, rounded + 1] : [rounded + 1, rounded - 1];
  return clamp(near) === near ? near : far;
}

const isArea = (method: ResampleMethod): method is AreaMethod =>
  method !== 'nearest' && method !== 'bilinear' && method !== 'cubic';

/** The sampler of a method, and how many rows around a position it needs. */
function samplerOf(
  { map, nodata, target, held }: Work,
  method: 'nearest' | 'bilinear' | 'cubic',
): { sampler: Sampler; reach: number } {
  const xScale = scaleOf(map.x, target.width, held.width);
  const yScale = scaleOf(map.y, target.height, held.height);
  if (method === 'nearest') return { sampler: nearest(nodata), reach: 1 };
  if (xScale >= STRETCHED && yScale >= STRETCHED)
    return { sampler: (method === 'cubic' ? cubic : bilinear)(nodata), reach: reachOf(method, 1) };
  const scales = { xScale: Math.min(1, xScale), yScale: Math.min(1, yScale) };
  return { sampler: stretched(method, nodata, scales), reach: reachOf(method, scales.yScale) };
}

/** Rows of a target whose rows and columns are those of the source, in other sizes. */
async function* alignedRows(work: Work, { first, end }: RowRange): AsyncGenerator<Values> {
  const { map, target, held, method, nodata, shift } = work;
  const { width } = target;
  if (isArea(method)) {
    const across = coveredBy(map.x[0], map.x[1], width, held.width);
    const down = coveredBy(map.y[0], map.y[2], target.height, held.height);
    const sums = new AreaRow(method, across, nodata, shift);
    const atOnce = Math.max(1, Math.min(held.most, Math.floor((1 << 18) / held.width)));
    for (const block of blocksOf(width, first, end)) {
      const samples = new Float64Array(width * block.rowCount);
      for (let n = 0; n < block.rowCount; n++) {
        const row = block.firstRow + n;
        for (let from = down.first[row]!; from < down.end[row]!; from += atOnce) {
          const to = Math.min(down.end[row]!, from + atOnce);
          await held.hold(from, to);
          for (let k = from; k < to; k++) sums.add(held.samples, (k - held.first) * held.width, shareOf(down, row, k));
        }
        samples.set(sums.take(), n * width);
      }
      yield { ...block, samples };
    }
    return;
  }
  const { sampler, reach } = samplerOf(work, method);
  for (const block of blocksOf(width, first, end)) {
    const samples = new Float64Array(width * block.rowCount).fill(Number.NaN);
    for (let n = 0; n < block.rowCount; n++) {
      const y = map.y[0] + (block.firstRow + n + 0.5) * map.y[2];
      if (!(y >= 0 && y <= held.height)) continue;
      await holdAround(held, y, y, reach);
      for (let c = 0; c < width; c++) samples[n * width + c] = sampler(held, map.x[0] + (c + 0.5) * map.x[1], y);
    }
    yield { ...block, samples };
  }
}

const holdAround = (held: HeldRows, low: number, high: number, reach: number) =>
  held.hold(
    Math.max(0, Math.min(held.height - 1, Math.floor(low - 0.5) + 1 - reach)),
    Math.min(held.height, Math.max(1, Math.floor(high - 0.5) + reach + 1)),
  );

/** Rows of a target that is turned against the source, tile by tile. */
async function* turnedRows(work: Work, { first, end }: RowRange): AsyncGenerator<Values> {
  const { map, target, held, method, nodata, shift } = work;
  const { width } = target;
  const at = (c: number, r: number) =>
    [map.x[0] + c * map.x[1] + r * map.x[2], map.y[0] + c * map.y[1] + r * map.y[2]] as const;
  const sampling = isArea(method) ? undefined : samplerOf(work, method);
  const sums = isArea(method) ? new AreaRow(method, coveredBy(0, 0, TILE, 0), nodata, shift) : undefined;
  const reach = sampling?.reach ?? 1;
  const perCell = Math.abs(map.y[1]) + Math.abs(map.y[2]);
  const tile = Math.max(1, Math.min(TILE, Math.floor((held.most / 4 - 2 * reach - 2) / perCell)));
  const rows = Math.max(1, Math.min(tile, Math.floor(TILED_CELLS / width)));
  const tiles = Array.from({ length: Math.ceil(width / tile) }, (_, n) => n * tile);
  await held.holdAll();
  for (let firstRow = first; firstRow < end; firstRow += rows) {
    const rowCount = Math.min(rows, end - firstRow);
    const samples = new Float64Array(width * rowCount).fill(Number.NaN);
    for (const left of tiles) {
      const right = Math.min(width, left + tile);
      const ys = [left, right].flatMap((c) => [firstRow, firstRow + rowCount].map((r) => at(c, r)[1]));
      const [low, high] = [Math.min(...ys), Math.max(...ys)];
      if (!(high >= 0 && low <= held.height)) continue;
      await holdAround(held, Math.max(0, low), Math.min(held.height, high), reach);
      for (let n = 0; n < rowCount; n++) {
        for (let c = left; c < right; c++) {
          const r = firstRow + n;
          if (sampling !== undefined) {
            const [x, y] = at(c + 0.5, r + 0.5);
            samples[n * width + c] = sampling.sampler(held, x, y);
          } else {
            const corners = [...at(c, r), ...at(c + 1, r), ...at(c + 1, r + 1), ...at(c, r + 1)];
            addTurnedCell(sums!, c - left, corners, held, nodata);
          }
        }
        if (sums !== undefined) samples.set(sums.take().subarray(0, right - left), n * width + left);
      }
    }
    yield { firstRow, rowCount, samples };
    // the next row of tiles begins where this one ended: its source rows are still held
    tiles.reverse();
  }
}
