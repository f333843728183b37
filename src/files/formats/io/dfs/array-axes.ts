import { eumUnit } from '../../../data/eum/eum.ts';
import type { Axis } from '../../../data/item.ts';
import type { Context } from '../../define.ts';
import { axisTag, type DfsAxis } from './axes.ts';
import type { DfsFile } from './dfs-file.ts';

/** EUM items of wave spectra over frequency and direction. */
const spectra = [110047, 100258];

/**
 * Whether the items of a two-dimensional file are wave spectra: x is the frequency and y the direction, without a
 * position.
 */
export const areSpectra = ({ header }: DfsFile, items: readonly number[]): boolean =>
  items.every((n) => header.items[n]!.axis.tag === axisTag.equidistant2 && spectra.includes(header.items[n]!.eumItem));

/** Whether the values of an axis are cells of equal size. */
export const isEquidistant = ({ spacing }: DfsAxis): boolean => spacing.length > 0;

/** Coordinates of the corners of curvilinear cells; z only in space. */
interface CornerNodes {
  nodeX: Float64Array;
  nodeY: Float64Array;
  nodeZ?: Float64Array;
}

/** The dimensions of a spatial axis, from the slowest, and where its cells lie when they are curvilinear. */
export async function dimensionsOf(
  axis: DfsAxis,
  spectral: boolean,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): Promise<{ axes: Axis[]; nodes?: CornerNodes }> {
  if (spectral) return { axes: spectralAxes(axis) };
  const named = axis.counts.map((_, d) => ({ name: 'xyz'[d]!, ...unitOf(axis) }));
  if (isEquidistant(axis)) {
    const { length } = axis.counts;
    const values = axis.counts.map((count, d) =>
      Float64Array.from({ length: count }, (_, n) => axis.spacing[d]! + n * axis.spacing[length + d]!),
    );
    return { axes: named.map((one, d) => ({ ...one, values: values[d]! })).reverse() };
  }
  if (axis.tag === axisTag.nonEquidistant1) {
    reportLoss('Of the coordinates along the line only x was kept.');
    const places = await axis.coordinates[0]!.load();
    const values = Float64Array.from({ length: axis.counts[0]! }, (_, n) => places[3 * n]!);
    return { axes: [{ ...named[0]!, values }] };
  }
  if (axis.tag === axisTag.curvilinear2 || axis.tag === axisTag.curvilinear3) return curvilinear(axis, named);
  const edges = await Promise.all(axis.coordinates.map(async (one) => Float64Array.from(await one.load())));
  return {
    axes: named
      .map((one, d) => ({
        ...one,
        values: Float64Array.from({ length: axis.counts[d]! }, (_, n) => (edges[d]![n]! + edges[d]![n + 1]!) / 2),
        edges: edges[d]!,
      }))
      .reverse(),
  };
}

async function curvilinear(
  axis: DfsAxis,
  named: readonly Omit<Axis, 'values'>[],
): Promise<{ axes: Axis[]; nodes: CornerNodes }> {
  const axes = named.map(({ name }, d) => ({
    name,
    values: Float64Array.from({ length: axis.counts[d]! }, (_, n) => n),
  }));
  const [nodeX, nodeY, nodeZ] = await Promise.all(
    axis.coordinates.map(async (one) => Float64Array.from(await one.load())),
  );
  const nodes = { nodeX: nodeX!, nodeY: nodeY!, ...(nodeZ === undefined ? {} : { nodeZ }) };
  return { axes: axes.reverse(), nodes };
}

/** A frequency step above 1 is a factor (logarithmic axis): no spectrum has frequencies more than 1 Hz apart. */
function spectralAxes({ counts, spacing }: DfsAxis): Axis[] {
  const [nx, ny] = counts as [number, number];
  const [x0, y0, dx, dy] = spacing as [number, number, number, number];
  const frequency = Float64Array.from({ length: nx }, (_, n) => (dx > 1 ? x0 * dx ** n : x0 + n * dx));
  return [
    { name: 'direction', unit: 'degree', values: Float64Array.from({ length: ny }, (_, n) => y0 + n * dy) },
    { name: 'frequency', unit: 'Hz', values: frequency },
  ];
}

function unitOf({ unit }: DfsAxis): Pick<Axis, 'unit'> {
  const known = unit === 0 ? undefined : eumUnit(unit);
  return known === undefined ? {} : { unit: known.symbol };
}
