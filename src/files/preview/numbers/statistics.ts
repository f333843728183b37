import { releaseBuffer } from '../../data/buffer-pool.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { FieldTally } from '../../data/field-statistics.ts';
import { realValues } from '../../data/real-values.ts';
import { ValueTally } from '../../data/value-tally.ts';
import { partsOf } from './array-parts.ts';
import {
  type Choice,
  checkSingle,
  type ItemName,
  itemName,
  itemNumber,
  itemsOf,
  layerNumber,
  layersOfMesh,
  type PreviewData,
  stepNumber,
} from './choose.ts';
import { type FrequentValue, frequentValues } from './frequent-values.ts';

export interface Histogram {
  /** Least and greatest value: the outer sides of the first and the last bin. */
  readonly from: number;
  readonly to: number;
  /** 64 bins of the same width; a value on the side of two is in the upper one. */
  readonly counts: number[];
}

/** Of a grid, a mesh or an array: values of a step and a layer; of series and features: all values. */
export interface StatisticsAnswer {
  readonly item: ItemName;
  readonly step?: number;
  readonly layer?: number;
  /** Number of values, and of places without one. */
  readonly count: number;
  readonly empty: number;
  /** Absent without a number. Of dates: the earliest and the latest. */
  readonly min?: number | string;
  readonly max?: number | string;
  readonly mean?: number;
  /** Of the population (divided by n). */
  readonly standardDeviation?: number;
  readonly histogram?: Histogram;
  /** The most frequent values of a field of texts or booleans. */
  readonly frequent?: readonly FrequentValue[];
}

const bins = 64;

type Blocks = () => AsyncIterable<Float64Array>;

/**
 * Statistics of an item, by two passes over its values.
 * @throws RequestError for a wrong item, step or layer
 */
export async function statistics(
  data: PreviewData,
  choice: Choice,
  throwIfCancelled: () => void,
): Promise<StatisticsAnswer> {
  const items = itemsOf(data);
  const item = itemNumber(items, choice.item);
  if (data.kind === 'features') return fieldStatistics(data, item, throwIfCancelled);
  const over = data.kind !== 'series';
  const step = stepNumber(data, choice.step);
  const layer = layerNumber(data, item, choice.layer);
  const blocks = blocksOf(data, item, step, layer);
  const tally = new ValueTally(true);
  for await (const block of blocks()) {
    throwIfCancelled();
    tally.add(block, Number.NaN);
  }
  const { values: count, empty, minimum, maximum, mean, standardDeviation } = tally.figures();
  const found = { ...range(minimum, maximum), ...(mean === undefined ? {} : { mean }) };
  const described = { item: itemName(items, item), ...(over ? { step, layer } : {}), count, empty, ...found };
  if (minimum === undefined || maximum === undefined) return described;
  return {
    ...described,
    ...(standardDeviation === undefined ? {} : { standardDeviation }),
    histogram: await histogramOf(blocks, minimum, maximum, throwIfCancelled),
  };
}

const range = (min: number | undefined, max: number | undefined) =>
  min === undefined || max === undefined ? {} : { min, max };

/** Values of an item, NaN without one; of a mesh those of a layer. */
function blocksOf(data: Exclude<PreviewData, FeatureCollection>, item: number, step: number, layer: number): Blocks {
  switch (data.kind) {
    case 'grid':
      return async function* () {
        for await (const { samples, exact } of data.rows({ band: item, step, layer })) {
          yield realValues(exact ?? samples, data.bands[item]!);
          releaseBuffer(samples);
        }
      };
    case 'mesh':
      return async function* () {
        const described = data.items[item]!;
        checkSingle(data.items, item);
        const all = realValues(await data.values(item, step), described);
        const { count, layerOf } = data.section === undefined ? layersOfMesh(data) : { count: 1 };
        if (count === 1 || layerOf === undefined) yield all;
        else {
          const { cells, flat } = layerOf(layer);
          const places = described.location === 'cell' ? cells : new Set(flat.connectivity);
          yield Float64Array.from(places, (place) => all[place]!);
        }
      };
    case 'series':
      return async function* () {
        for await (const { values } of data.chunks()) yield realValues(values[item]!, data.items[item]!);
      };
    case 'array':
      return async function* () {
        const described = data.items[item]!;
        const shape = described.axes.map((axis) => data.axes[axis]!.values.length);
        const solid = shape.length === 3;
        for (const [start, size] of partsOf(solid ? shape.slice(1) : shape))
          yield realValues(
            await data.read(item, step, solid ? [layer, ...start] : start, solid ? [1, ...size] : size),
            described,
          );
      };
  }
}

async function histogramOf(blocks: Blocks, from: number, to: number, throwIfCancelled: () => void): Promise<Histogram> {
  const counts = new Float64Array(bins);
  for await (const block of blocks()) {
    throwIfCancelled();
    countInto(counts, block, from, to);
  }
  return { from, to, counts: Array.from(counts) };
}

function countInto(counts: Float64Array, values: Float64Array, from: number, to: number): void {
  const width = to - from;
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    // The quotient first: the product of a small difference may be 0.
    if (!Number.isNaN(value))
      counts[width > 0 ? Math.min(bins - 1, Math.floor(((value - from) / width) * bins)) : 0]!++;
  }
}

async function fieldStatistics(
  data: FeatureCollection,
  field: number,
  throwIfCancelled: () => void,
): Promise<StatisticsAnswer> {
  const described = data.fields[field]!;
  const tally = new FieldTally(described);
  for await (const chunk of data.chunks()) {
    throwIfCancelled();
    for (const { values } of chunk) tally.add(values[field]);
  }
  const { values: count, empty, minimum, maximum, mean, standardDeviation } = tally.result();
  const answer = {
    item: itemName(data.fields, field),
    count,
    empty,
    ...(minimum === undefined || maximum === undefined ? {} : { min: minimum, max: maximum }),
    ...(mean === undefined ? {} : { mean }),
    ...(standardDeviation === undefined ? {} : { standardDeviation }),
  };
  if (typeof minimum !== 'number' || typeof maximum !== 'number')
    return { ...answer, frequent: await frequentValues(data, field, throwIfCancelled) };
  const numbers: Blocks = async function* () {
    for await (const chunk of data.chunks())
      yield Float64Array.from(chunk, ({ values }) => {
        const value = values[field];
        return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
      });
  };
  return { ...answer, histogram: await histogramOf(numbers, minimum, maximum, throwIfCancelled) };
}
