import type { ExactIntegers, Samples, SampleType } from '../../data/item.ts';
import { CELL_SHAPES, type Mesh } from '../../data/mesh.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { Series, SeriesItem } from '../../data/series.ts';
import { joined } from '../../data/stored-values.ts';
import { clockOf, type TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { BridgeWork } from './bridge.ts';

/** Maximum number of values, which are held in memory: series are read from front to back, a mesh step by step. */
const maxValues = 1 << 27;

/**
 * Converts time series to a mesh of one vertex, at the position of the first item that has one, else at the origin. All
 * series become items at this node.
 */
export async function seriesToMesh(
  series: Series,
  { stem, context }: Partial<Pick<BridgeWork, 'stem' | 'context'>> = {},
): Promise<Mesh> {
  const { crs, items } = series;
  let read: ReturnType<typeof collected> | undefined;
  const all = () => (read ??= collected(series));
  const [x = 0, y = 0, z = 0] = items.find(({ position }) => position !== undefined)?.position ?? [];
  if (new Set(items.map(({ position = [] }) => position.join())).size > 1)
    context?.reportLoss('All series stand at one point; the positions of the others were left out.');
  return {
    kind: 'mesh',
    ...(stem === undefined ? {} : { name: stem }),
    ...(crs === undefined ? {} : { crs }),
    time: series.time.spacing === 'pulled' ? (await all()).time : series.time,
    nodes: Float64Array.of(x, y, z),
    shapes: Uint8Array.of(CELL_SHAPES.vertex),
    connectivity: Uint32Array.of(0),
    offsets: Uint32Array.of(0, 1),
    items: items.map(({ position: _, ...item }) => ({ ...item, type: typeOf(item), location: 'node' })),
    values: async (item, step) => (await all()).values[item]!.slice(step, step + 1),
  };
}

/** A copy, because chunks may reuse their memory. */
function samplesOf(values: Samples | ExactIntegers, type: SampleType): Samples {
  const samples = new sampleArrays[type](values.length);
  for (let n = 0; n < values.length; n++) samples[n] = Number(values[n]);
  return samples;
}

const typeOf = ({ type }: SeriesItem) => type ?? 'Float64';

async function collected(series: Series): Promise<{ time: TimeAxis; values: Samples[] }> {
  const offsets: Float64Array[] = [];
  const parts: Samples[][] = series.items.map(() => []);
  let steps = 0;
  for await (const chunk of series.chunks()) {
    steps += chunk.offsets.length;
    if (steps * series.items.length > maxValues)
      throw new ConversionError(
        `The series have more than ${maxValues} values, too many for a mesh. Choose fewer items or steps.`,
      );
    offsets.push(chunk.offsets.slice());
    for (const [n, values] of chunk.values.entries()) parts[n]!.push(samplesOf(values, typeOf(series.items[n]!)));
  }
  const { time } = series;
  return {
    time:
      time.spacing === 'pulled'
        ? { ...clockOf(time), spacing: 'nonEquidistant', offsets: joined(Float64Array, offsets) }
        : time,
    values: parts.map((all, n) => joined(sampleArrays[typeOf(series.items[n]!)], all)),
  };
}
