import type { Crs } from '../../data/crs-reference.ts';
import { defined } from '../../data/defined.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import { offsetOf, stepCount } from '../../data/time-axis.ts';
import { FormatError } from '../../errors.ts';
import type { SeriesDescription } from '../io/store/description.ts';
import { itemOfDescription } from '../io/store/items.ts';
import { stationNames } from '../io/store/naming.ts';
import type { ArrayStore, StoreArray } from '../io/store/opened.ts';
import { checkShape } from '../io/store/read-grid.ts';
import { originOf } from '../io/store/read-origin.ts';
import { TIME, timeOfDescription } from '../io/store/time.ts';

const chunkSteps = 1 << 14;

/** Series that the writer has described. */
export async function readDescribedSeries(description: SeriesDescription, store: ArrayStore): Promise<Series> {
  const isRagged = description.items.some(({ station }) => station !== undefined);
  const counts = isRagged ? await store.array(stationNames.counts).all() : undefined;
  const stations = counts?.length ?? 1;
  const time = await timeOfDescription(description.time, () => firstOf(store.array(TIME), counts));
  const count = stepCount(time);
  if (counts?.some((one: number | bigint) => Number(one) !== count))
    throw new FormatError(`A station has not ${count} observations, as the description says.`);
  const arrays = description.items.map(({ array }) => store.array(array));
  for (const array of arrays) checkShape(array, [stations * count]);
  const starts = description.items.map(({ station = 0 }) => {
    if (station >= stations) throw new FormatError(`There is no station ${station + 1} of ${stations}.`);
    return station * count;
  });
  const items = description.items.map(
    ({ position, station: _, ...item }, n) =>
      defined({ ...itemOfDescription(item, arrays[n]!.metadata.type), position }) as SeriesItem,
  );
  const crs = description.crs as Crs | undefined;
  return defined({
    kind: 'series',
    crs,
    items,
    time,
    origin: originOf(description, crs),
    async *chunks(): AsyncGenerator<SeriesChunk> {
      for (let firstStep = 0; firstStep < count; firstStep += chunkSteps) {
        const length = Math.min(chunkSteps, count - firstStep);
        const values: StoredValues[] = [];
        for (const [n, array] of arrays.entries()) values.push(await array.read([starts[n]! + firstStep], [length]));
        const offsets = Float64Array.from({ length }, (_, n) => offsetOf(time, firstStep + n));
        yield { firstStep, offsets, values };
      }
    },
  }) as Series;
}

/** The times of the first station, which are those of all. */
function firstOf(times: StoreArray, counts: StoredValues | undefined): Pick<StoreArray, 'metadata' | 'all'> {
  if (counts === undefined) return times;
  const length = Math.min(Number(counts[0] ?? 0), times.metadata.shape[0] ?? 0);
  return {
    metadata: { ...times.metadata, shape: [length] },
    all: () => times.read([0], [length]),
  };
}
