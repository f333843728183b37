import type { Crs } from '../../data/crs-reference.ts';
import { clockText } from '../../data/date-text.ts';
import type { LayerAxis } from '../../data/grid.ts';
import { offsetOf, stepCount, type TimeAxis, timeOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { crsName, sameCrs } from '../../geo/crs/crs.ts';

/** Milliseconds within which times are equal: times of equidistant steps are products with rounding errors. */
export const TIME_TOLERANCE = 1e-3;
/** Relative difference of heights of layers that is rounding. */
const ROUNDING = 1e-6;

interface Placed {
  readonly crs?: Crs;
}

/** @throws ConversionError if two files have different coordinate systems */
export async function checkCrs({ crs: first }: Placed, { crs: other }: Placed): Promise<void> {
  if (first === undefined || other === undefined ? first === other : await isSame(first, other)) return;
  const [one, two] = [first, other].map((crs) => (crs === undefined ? 'unknown' : crsName(crs)));
  throw new ConversionError(
    `Its coordinate system is ${two}, and that of the first file ${one}. Files are not reprojected when they are joined; reproject it first (crsTransformation).`,
  );
}

/** Texts that are the same need no PROJ, which would parse each of ten thousand. */
const isSame = async (one: Crs, other: Crs): Promise<boolean> =>
  (one.authority === other.authority && one.code === other.code && one.wkt === other.wkt) || sameCrs(one, other);

export function checkLayers(first: LayerAxis | undefined, other: LayerAxis | undefined): void {
  const [one, two] = [first, other].map((axis) => axis ?? { count: 1, first: undefined, spacing: undefined });
  const near = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? a === b : Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a));
  if (one!.count === two!.count && near(one!.first, two!.first) && near(one!.spacing, two!.spacing)) return;
  const text = (axis: LayerAxis | undefined) =>
    axis === undefined ? 'no layers' : `${axis.count} layers from ${axis.first}, ${axis.spacing} apart`;
  throw new ConversionError(`It has ${text(other)}, and the first file ${text(first)}.`);
}

/** @throws ConversionError if two files have different steps */
export function checkSteps(first: TimeAxis | undefined, other: TimeAxis | undefined): void {
  if (first === undefined && other === undefined) return;
  if (first !== undefined && other !== undefined) {
    const count = stepCount(first);
    let step = 0;
    const comparable = (first.start === undefined) === (other.start === undefined) && count === stepCount(other);
    while (comparable && step < count && Math.abs(timeOf(first, step) - timeOf(other, step)) <= TIME_TOLERANCE) step++;
    if (comparable && step === count) return;
  }
  throw new ConversionError(`It has ${describe(other)}, and the first file ${describe(first)}.`);
}

function describe(axis: TimeAxis | undefined): string {
  if (axis === undefined) return 'no time axis';
  const count = stepCount(axis);
  const steps = count === 1 ? '1 step' : `${count} steps`;
  if (count === 0) return steps;
  const text = (step: number) =>
    axis.start === undefined ? `${offsetOf(axis, step)} ${axis.unit}s` : clockText(timeOf(axis, step));
  return count === 1 ? `${steps} at ${text(0)}` : `${steps} from ${text(0)} to ${text(count - 1)}`;
}
