import type { Item, Samples, SampleType } from '../../data/item.ts';
import { commonType, convertSamples, sampleArrays, sampleTypeOf } from '../../data/samples.ts';

/**
 * Types of joined items. If that of an item is known only after its values are read, it is the narrowest for all values
 * that were read so far, as of a single file.
 */
export class KnownTypes {
  readonly #items: readonly Item[];
  readonly #seen: SampleType[];

  constructor(items: readonly Item[]) {
    this.#items = items;
    this.#seen = items.map(({ nodata }) => (nodata === undefined ? 'UInt8' : narrowestType(nodata)));
  }

  /** Notes the values of a file, in its own type. */
  saw(item: number, samples: Samples): void {
    if (this.#items[item]!.type === undefined)
      this.#seen[item] = commonType([this.#seen[item]!, sampleTypeOf(samples)]);
  }

  convert(item: number, samples: Samples): Samples {
    return convertSamples(samples, this.#items[item]!.type ?? this.#seen[item]!);
  }
}

/** The narrowest type that holds a value. */
const narrowestType = (value: number): SampleType => {
  const types = Object.keys(sampleArrays) as SampleType[];
  return types.find((type) => Object.is(new sampleArrays[type](1).fill(value)[0], value)) ?? 'Float64';
};
