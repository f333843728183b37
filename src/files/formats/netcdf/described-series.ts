import type { Crs } from '../../data/crs-reference.ts';
import { defined } from '../../data/defined.ts';
import type { Series, SeriesChunk, SeriesItem } from '../../data/series.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import { offsetOf, stepCount } from '../../data/time-axis.ts';
import type { SeriesDescription } from '../io/store/description.ts';
import { itemOfDescription } from '../io/store/items.ts';
import type { ArrayStore } from '../io/store/opened.ts';
import { checkShape } from '../io/store/read-grid.ts';
import { originOf } from '../io/store/read-origin.ts';
import { TIME, timeOfDescription } from '../io/store/time.ts';

const chunkSteps = 1 << 14;

/** Series that the writer has described. */
export async function readDescribedSeries(description: SeriesDescription, store: ArrayStore): Promise<Series> {
  const time = await timeOfDescription(description.time, () => store.array(TIME));
  const count = stepCount(time);
  const arrays = description.items.map(({ array }) => store.array(array));
  for (const array of arrays) checkShape(array, [count]);
  const items = description.items.map(
    ({ position, ...item }, n) =>
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
        for (const array of arrays) values.push(await array.read([firstStep], [length]));
        const offsets = Float64Array.from({ length }, (_, n) => offsetOf(time, firstStep + n));
        yield { firstStep, offsets, values };
      }
    },
  }) as Series;
}
