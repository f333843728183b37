import type { ExactIntegers, Item, Samples } from './item.ts';
import type { Mesh } from './mesh.ts';
import type { MultiArray } from './multi-array.ts';
import { PassTally } from './pass-tally.ts';
import type { Series } from './series.ts';
import type { Figures } from './value-tally.ts';

/** Of one item, over all its steps and places. */
export interface ItemFigures extends Figures {
  name?: string;
  unit?: string;
}

export interface ItemStatistics {
  kind: 'mesh' | 'series' | 'array';
  items: ItemFigures[];
}

/** Statistics of the items of a mesh, of series or of an array; where an item is pulled again, only the last pass counts. */
export class ItemTally {
  readonly #items: PassTally[];

  /** `whole`: with all that statistics tell, not only what a receipt needs. */
  constructor(items: readonly Item[], whole: boolean) {
    this.#items = items.map(() => new PassTally(whole));
  }

  /** Values that have passed, of all items. */
  get values(): number {
    return this.#items.reduce((sum, item) => sum + item.places, 0);
  }

  add(item: number, part: number, samples: Samples | ExactIntegers, { nodata = Number.NaN }: Item): void {
    const numbers =
      samples instanceof BigInt64Array || samples instanceof BigUint64Array
        ? Float64Array.from(samples, Number)
        : samples;
    this.#items[item]!.begin(part)(numbers, nodata);
  }

  of({ kind, items }: Mesh | Series | MultiArray): ItemStatistics {
    return {
      kind,
      items: items.map(({ name, unit }, n) => ({
        ...(name === undefined ? {} : { name }),
        ...(unit === undefined ? {} : { unit }),
        ...this.#items[n]!.figures(),
      })),
    };
  }
}
