import type { ExactIntegers, Item, Samples } from './item.ts';
import type { Mesh } from './mesh.ts';
import type { MultiArray } from './multi-array.ts';
import { PassTally } from './pass-tally.ts';
import type { Series } from './series.ts';
import { asSamples } from './stored-values.ts';
import type { Figures } from './value-tally.ts';

/** Statistics of one item over all steps and locations. */
export interface ItemFigures extends Figures {
  name?: string;
  unit?: string;
}

export interface ItemStatistics {
  kind: 'mesh' | 'series' | 'array';
  items: ItemFigures[];
}

/** Collects statistics per item of a mesh, series or array. If an item is read again, only the last pass counts. */
export class ItemTally {
  readonly #items: PassTally[];

  /** `whole`: all statistics of CalculateStatistics, not only those of a receipt. */
  constructor(items: readonly Item[], whole: boolean) {
    this.#items = items.map(() => new PassTally(whole));
  }

  /** Number of values read, of all items. */
  get values(): number {
    return this.#items.reduce((sum, item) => sum + item.samples, 0);
  }

  add(item: number, part: number, samples: Samples | ExactIntegers, { nodata = Number.NaN }: Item): void {
    this.#items[item]!.begin(part)(asSamples(samples), nodata);
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
