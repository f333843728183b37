import type { ByteSink } from '../../../data/bytes.ts';
import type { Axis } from '../../../data/item.ts';
import type { ArrayItem, MultiArray } from '../../../data/multi-array.ts';
import { sameNumbers } from '../../../data/number-arrays.ts';
import { stepsOf } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context, Write } from '../../define.ts';
import { gridOfArray, isPlaced } from '../grid-of-array.ts';
import { axisTag, type DfsAxis, equidistantAxis, METRE } from './axes.ts';
import { copyDfs } from './copy.ts';
import { DfsWriter } from './dfs-writer.ts';
import type { GridFormat } from './grid-layout.ts';
import { writeGrid } from './grid-writer.ts';
import { newItems } from './items.ts';
import { newDeleteValues, newHeader } from './new-header.ts';
import {
  contentOf,
  type DfsContent,
  factsOf,
  hasNaNAsValue,
  projectionOf,
  storedAxisOf,
  unchangedFile,
} from './origin.ts';
import type { WriterOptions, writeParameters } from './parameters.ts';
import { newTime } from './time.ts';
import { toDfsArray } from './typed-array.ts';

/** Number of values per block. */
const blockValues = 1 << 18;

/** Writes grids, and arrays with the number of dimensions of the format. */
export const writerOf =
  (format: GridFormat): Write<typeof writeParameters, 'grid' | 'array'> =>
  (data, parameters, sink, context) =>
    data.kind === 'grid'
      ? writeGrid(data, format, parameters, sink, context)
      : writeArray(data, format, parameters, sink, context);

/**
 * Writes an array with the number of dimensions of the format. An unchanged array is written as a copy of its file's
 * bytes.
 */
async function writeArray(
  array: MultiArray,
  format: GridFormat,
  options: WriterOptions,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const same = unchangedFile(array, format, options);
  if (same !== undefined) {
    for (let step = 0; step < stepsOf(array); step++)
      for (const item of array.items.keys())
        for await (const _ of blocksOf(array, item, step)) context.signal.throwIfAborted();
    return copyDfs(same, sink, context.signal);
  }
  if (format !== 'dfs1' && isPlaced(array))
    return writeGrid(gridOfArray(array, format === 'dfs3', context), format, options, sink, context);
  const from = contentOf(array);
  const { time, offsets } = newTime(array.time);
  const deleteValues = newDeleteValues(array.items, from?.file.header);
  const { items, encoders } = newItems(
    array.items,
    { ...options, deleteValues, keepNaN: hasNaNAsValue(array), axisOf: (item) => axisOf(array, item, format, from) },
    context,
  );
  const header = newHeader(
    { ...factsOf(array), items, time, deleteValues, projection: await projectionOf(array) },
    from?.file.header,
  );
  const writer = await DfsWriter.begin(header, sink);
  for (let step = 0; step < stepsOf(array); step++) {
    writer.beginStep(time.equidistant ? 0 : offsets[step]!);
    for (const item of array.items.keys())
      for await (const values of blocksOf(array, item, step)) {
        context.signal.throwIfAborted();
        await writer.add(encoders[item]!.encode(values));
      }
  }
  await writer.end();
  for (const encoder of encoders) encoder.report(context);
}

/** All values of an item at a step, in blocks over its slowest dimension. */
async function* blocksOf(array: MultiArray, item: number, step: number) {
  if (array.items[item]!.axes.length === 0) {
    yield await array.read(item, step, [], []);
    return;
  }
  const [slowest = 1, ...rest] = array.items[item]!.axes.map((axis) => array.axes[axis]!.values.length);
  const most = Math.max(1, Math.floor(blockValues / rest.reduce((product, length) => product * length, 1)));
  for (let first = 0; first < slowest; first += most)
    yield await array.read(item, step, [first, ...rest.map(() => 0)], [Math.min(most, slowest - first), ...rest]);
}

/** The axis of the source file if the array still has its coordinates; otherwise a new axis. */
function axisOf(array: MultiArray, item: ArrayItem, format: GridFormat, from: DfsContent | undefined): DfsAxis {
  const dimensions = Number(format[3]);
  if (item.axes.length !== dimensions)
    throw new ConversionError(
      `The item '${item.name ?? ''}' has ${item.axes.length} dimensions. A DFS${dimensions} file holds items with ${dimensions}.`,
    );
  const read = from?.readAxes;
  const own = read?.axes === array.axes ? read.known.find(({ numbers }) => sameNumbers(numbers, item.axes)) : undefined;
  if (own !== undefined) return own.axis;
  const stored = storedAxisOf(array, item.axes);
  if (stored?.spacing.length === 2 * dimensions) {
    const counts = item.axes.map((axis) => array.axes[axis]!.values.length).reverse();
    return equidistantAxis(counts, stored.spacing.slice(0, dimensions), stored.spacing.slice(dimensions), stored.unit);
  }
  const unit = stored?.unit ?? METRE;
  const { placement } = array;
  if (placement?.by === 'nodes') {
    const { x, y, nodeX, nodeY, space } = placement;
    const numbers = space === undefined ? [x, y] : [x, y, space.z];
    if (sameNumbers(item.axes, numbers.toReversed()))
      return {
        tag: space === undefined ? axisTag.curvilinear2 : axisTag.curvilinear3,
        unit,
        counts: numbers.map((axis) => array.axes[axis]!.values.length),
        spacing: [],
        coordinates: [nodeX, nodeY, ...(space === undefined ? [] : [space.nodeZ])].map(toDfsArray),
      };
  }
  return axisOfCoordinates(item.axes.map((axis) => array.axes[axis]!).reverse(), unit);
}

/** @param axes from x on */
function axisOfCoordinates(axes: readonly Axis[], unit: number): DfsAxis {
  const counts = axes.map(({ values }) => values.length);
  const steps = axes.map(({ values }) => evenStep(values));
  const falling = axes.find((_, n) => steps[n] !== undefined && steps[n] < 0);
  if (falling !== undefined)
    throw new ConversionError(
      `The coordinates of '${falling.name}' fall, and a DFS file stores coordinates that rise.`,
    );
  if (steps.every((step) => step !== undefined))
    return equidistantAxis(
      counts,
      axes.map(({ values }) => values[0] ?? 0),
      steps,
      unit,
    );
  const edges = axes.map((axis) => axis.edges);
  const unequal = [undefined, undefined, axisTag.nonEquidistant2, axisTag.nonEquidistant3][axes.length];
  if (unequal !== undefined && edges.every((one) => one !== undefined))
    return { tag: unequal, unit, counts, spacing: [], coordinates: edges.map(toDfsArray) };
  const [line] = axes;
  if (axes.length === 1 && line !== undefined)
    return { tag: axisTag.nonEquidistant1, unit, counts, spacing: [], coordinates: [toDfsArray(placesOnLine(line))] };
  const uneven = axes.find((_, n) => steps[n] === undefined)!;
  throw new ConversionError(
    `The coordinates of '${uneven.name}' are not evenly spaced and have no edges, so a DFS file cannot store them.`,
  );
}

/** x, y and z of each place, of which only x is known. */
function placesOnLine({ values }: Axis): Float32Array {
  const places = new Float32Array(3 * values.length);
  for (const [n, x] of values.entries()) places[3 * n] = x;
  return places;
}

/** Undefined for coordinates that are not evenly spaced. */
function evenStep(values: Float64Array): number | undefined {
  if (values.length < 2) return 1;
  const step = (values.at(-1)! - values[0]!) / (values.length - 1);
  return values.every((value, n) => Math.abs(value - values[0]! - n * step) <= 1e-6 * Math.abs(step))
    ? step
    : undefined;
}
