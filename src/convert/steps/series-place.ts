import type { Series } from '../../data/series.ts';
import { AppError, FormatError } from '../../errors.ts';
import { crsName, parseSrid, sameCrs } from '../../geo/crs/crs.ts';
import { operationSentence } from '../../geo/crs/operation.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import type { StepContext } from '../kinds/handler.ts';
import { knownInputCrs } from './input-crs.ts';
import { chainsFor } from './spatial-filter.ts';
import type { SpatialFilter } from './transformation-shapes.ts';

/** Some of the items, in that order. */
export const withItems = (series: Series, chosen: readonly number[]): Series => ({
  ...series,
  items: chosen.map((item) => series.items[item]!),
  async *chunks() {
    for await (const { values, ...chunk } of series.chunks())
      yield { ...chunk, values: chosen.map((item) => values[item]!) };
  },
});

/**
 * The series whose position lies in the filter's geometry or on its border.
 * @throws AppError when a series has no position, or none is left
 */
export async function seriesWithin(series: Series, filter: SpatialFilter): Promise<Series> {
  const placeless = series.items.find(({ position }) => position === undefined);
  if (placeless !== undefined)
    throw new AppError('invalid', `The series '${placeless.name ?? ''}' has no position, so no place can be chosen.`);
  const prepared = new PreparedGeometry((await chainsFor(series.crs, filter)).flat());
  const chosen = [...series.items.keys()].filter((n) => {
    const [x, y] = series.items[n]!.position!;
    return prepared.covers(x!, y!);
  });
  if (chosen.length === 0)
    throw new AppError(
      'unprocessable',
      `The geometry of the spatial filter holds the position of none of the ${series.items.length} series.`,
    );
  return withItems(series, chosen);
}

/** The series with their positions in another coordinate system. */
export async function reprojectedSeries(series: Series, outputSrid: string, shared: StepContext): Promise<Series> {
  const known = knownInputCrs(series, outputSrid);
  const target = parseSrid(outputSrid);
  if (await sameCrs(known, target)) return { ...series, crs: target };
  using change = await transformer(known, target);
  const items = series.items.map(({ position, reference: _, ...item }) => {
    if (position === undefined) return item;
    const [x, y, z] = [0, 1, 2].map((axis) => Float64Array.of(position[axis] ?? 0)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    if (change.forward(x, y, z) > 0)
      throw new FormatError(`The series '${item.name ?? ''}' has no place in ${crsName(target)}.`);
    return { ...item, position: [x[0]!, y[0]!, ...(position.length > 2 ? [z[0]!] : [])] };
  });
  const sentence = operationSentence(change.operation());
  shared.operations.push(() => sentence);
  shared.to = target;
  return { ...series, crs: target, items };
}
