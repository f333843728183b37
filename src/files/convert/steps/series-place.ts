import type { Series } from '../../data/series.ts';
import { ConversionError, FormatError, RequestError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import { PreparedGeometry } from '../../geo/vector/prepared-geometry.ts';
import { reprojectedBy } from './input-crs.ts';
import { chainsFor } from './spatial-filter.ts';
import type { StepContext } from './step-context.ts';
import type { SpatialFilter } from './transformation-shapes.ts';

/** The series with only these items, in this order. */
export const withItems = (series: Series, chosen: readonly number[]): Series => ({
  ...series,
  items: chosen.map((item) => series.items[item]!),
  async *chunks() {
    for await (const { values, ...chunk } of series.chunks())
      yield { ...chunk, values: chosen.map((item) => values[item]!) };
  },
});

/**
 * Keeps the series whose position lies inside the filter's geometry or on its boundary.
 * @throws ConversionError if a series has no position, or none is left
 */
export async function seriesWithin(series: Series, filter: SpatialFilter): Promise<Series> {
  const placeless = series.items.find(({ position }) => position === undefined);
  if (placeless !== undefined)
    throw new RequestError(
      `The series '${placeless.name ?? ''}' has no position, so a spatial filter cannot be applied.`,
    );
  const prepared = new PreparedGeometry((await chainsFor(series.crs, filter)).flat());
  const chosen = [...series.items.keys()].filter((n) => {
    const [x, y] = series.items[n]!.position!;
    return prepared.covers(x!, y!);
  });
  if (chosen.length === 0)
    throw new ConversionError(`None of the ${series.items.length} series lies inside the spatial filter.`);
  return withItems(series, chosen);
}

/** Reprojects the positions of the series. */
export const reprojectedSeries = (series: Series, outputSrid: string, shared: StepContext): Promise<Series> =>
  reprojectedBy<Series>(series, outputSrid, shared, async (known, target) => {
    using change = await transformer(known, target);
    const items = series.items.map(({ position, reference: _, ...item }) => {
      if (position === undefined) return item;
      const [x, y, z] = [0, 1, 2].map((axis) => Float64Array.of(position[axis] ?? 0));
      if (change.forward(x!, y!, z) > 0)
        throw new FormatError(`The series '${item.name ?? ''}' cannot be transformed to ${crsName(target)}.`);
      return { ...item, position: [x![0]!, y![0]!, ...(position.length > 2 ? [z![0]!] : [])] };
    });
    const operation = change.operation();
    return { data: { ...series, crs: target, items }, operation: () => operation };
  });
