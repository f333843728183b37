import type { TimeAxis } from '../../../data/time-axis.ts';
import { coordinateOf } from './coordinates.ts';
import { hasTimeUnits, timesOf } from './time.ts';
import type { CfContext, CfFile, CfVariable } from './variable.ts';

export interface Clock {
  /** Undefined: a scalar coordinate gives the time of all variables. */
  readonly dimension: string | undefined;
  /** Undefined: a dimension without coordinates. */
  readonly variable: CfVariable | undefined;
  readonly time: TimeAxis;
  readonly order: Uint32Array | undefined;
}

/** The time axis: the dimension of time that most variables have, else a scalar coordinate. */
export async function clockOf(
  file: CfFile,
  chosen: readonly CfVariable[],
  scalars: readonly CfVariable[],
  context: CfContext,
): Promise<Clock | undefined> {
  const counts = new Map<string, number>();
  for (const { metadata } of chosen)
    for (const dimension of new Set(metadata.dimensions)) {
      const coordinate = coordinateOf(file, dimension);
      if (coordinate !== undefined && isTime(coordinate)) counts.set(dimension!, (counts.get(dimension!) ?? 0) + 1);
    }
  for (const [dimension] of [...counts].toSorted(([, one], [, other]) => other - one)) {
    const variable = coordinateOf(file, dimension)!;
    const times = await timesOf(variable, context);
    if (times !== undefined) return { dimension, variable, time: times.time, order: times.order };
  }
  if (counts.size > 0) return undefined;
  const [scalar] = scalars
    .filter((one) => isTime(one) && one.metadata.attributes.standard_name !== 'forecast_reference_time')
    .toSorted((one, other) => Number(isNamedTime(other)) - Number(isNamedTime(one)));
  const times = scalar && (await timesOf(scalar, context));
  if (times !== undefined) return { dimension: undefined, variable: scalar, time: times.time, order: undefined };
  return withoutTimes(file, chosen, context);
}

/** The steps of a dimension that is called time and has no coordinates: one second apart, from no date on. */
function withoutTimes(file: CfFile, chosen: readonly CfVariable[], { remark }: CfContext): Clock | undefined {
  if (file.variables.has(TIME)) return undefined;
  for (const { metadata } of chosen) {
    const count = metadata.shape[metadata.dimensions.indexOf(TIME)];
    if (count === undefined) continue;
    remark(`The dimension '${TIME}' has no coordinates; its steps were taken as one second apart.`);
    const time = { spacing: 'equidistant', unit: 'second', count, offset: 0, interval: 1 } as const;
    return { dimension: TIME, variable: undefined, time, order: undefined };
  }
  return undefined;
}

const TIME = 'time';

const isNamedTime = ({ metadata: { name, attributes } }: CfVariable): boolean =>
  name === 'time' || attributes.standard_name === 'time' || attributes.axis === 'T';

const isTime = (variable: CfVariable): boolean => isNamedTime(variable) || hasTimeUnits(variable);
