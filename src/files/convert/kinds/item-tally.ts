import type { Item } from '../../data/item.ts';
import { ItemTally } from '../../data/item-statistics.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import type { Series } from '../../data/series.ts';
import type { Tally } from './handler.ts';

/** The tally of a kind whose statistics are per item. `watch` must add the values that are read to the given tally. */
export function itemTally<D extends Mesh | Series | MultiArray>(
  items: readonly Item[],
  whole: boolean,
  watch: (tally: ItemTally) => Tally<D>['watch'],
): Tally<D> {
  const tally = new ItemTally(items, whole);
  return {
    get records() {
      return tally.values;
    },
    watch: watch(tally),
    result: (data) => tally.of(data),
  };
}
