import { extname } from 'node:path';
import type { Data } from '../../data/data.ts';
import { distinctName } from '../../data/distinct-name.ts';
import type { ExactIntegers, Item, Samples } from '../../data/item.ts';
import type { TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { commonItem, isUnnamed, matchByName, placesByName, toCommonItem } from './common-item.ts';
import type { InputFiles } from './input-files.ts';
import { KnownTypes } from './known-types.ts';
import type { StackedStep } from './stacked-times.ts';

/** Kinds of data with items over time. */
export type Stackable = Extract<Data, { readonly items: unknown } | { readonly kind: 'grid' }>;

/** Where the values of a step of an item are. */
export interface Source {
  file: number;
  step: number;
  /** Index of the item among those of the file. */
  itemIn(items: readonly Item[]): number;
}

/** Which values of which file the items and steps of a stack have. */
export abstract class StackPlan<I extends Item> {
  readonly files: InputFiles;
  readonly items: readonly I[];
  readonly time: TimeAxis | undefined;
  readonly #types: KnownTypes;

  constructor(files: InputFiles, items: readonly I[], time: TimeAxis | undefined) {
    this.files = files;
    this.items = items;
    this.time = time;
    this.#types = new KnownTypes(items);
  }

  abstract find(item: number, step: number): Source;

  /** Values of an item of a file as those of an item of the stack. */
  convert(item: number, values: Samples | ExactIntegers, from: Item, file: number): Samples {
    const given = toCommonItem(values, from, this.items[item]!, (sentence) => this.files.reportLoss(file, sentence));
    this.#types.saw(item, values instanceof BigInt64Array || values instanceof BigUint64Array ? given : values);
    return this.#types.convert(item, given);
  }
}

/** The steps of all files, in the order of their times. */
export class TimeStack<I extends Item> extends StackPlan<I> {
  readonly steps: readonly StackedStep[];

  /** @param all the items of each file */
  constructor(
    files: InputFiles,
    all: readonly (readonly I[])[],
    { steps, time }: { steps: readonly StackedStep[]; time: TimeAxis },
  ) {
    const [first = []] = all;
    const columns = first.map((): I[] => []);
    for (const items of all) for (const [n, from] of sameItems(first, items).entries()) columns[n]!.push(items[from]!);
    super(
      files,
      columns.map((column) => commonItem(column as [I, ...I[]])),
      time,
    );
    this.steps = steps;
  }

  find(item: number, step: number): Source {
    const { file, step: inFile } = this.steps[step]!;
    return { file, step: inFile, itemIn: (items) => sameItems(this.items, items)[item]! };
  }
}

/** The items of all files, side by side. */
export class ItemStack<I extends Item> extends StackPlan<I> {
  readonly places: readonly { file: number; item: number }[];

  constructor(files: InputFiles, all: readonly (readonly I[])[], time: TimeAxis | undefined) {
    super(files, withDistinctNames(files, all), time);
    this.places = all.flatMap((items, file) => items.map((_, item) => ({ file, item })));
  }

  find(item: number, step: number): Source {
    const { file, item: inFile } = this.places[item]!;
    return { file, step, itemIn: () => inFile };
  }
}

/**
 * For each item of the first file the index in another one.
 * @throws ConversionError unless both have the same items
 */
export function sameItems(first: readonly Item[], given: readonly Item[]): number[] {
  if (!(isUnnamed(first) && isUnnamed(given))) placesByName(given);
  const matched = matchByName(first, given);
  const extra = given.find((_, n) => !matched.includes(n));
  const missing = first.find((_, n) => matched[n] === undefined);
  if (extra === undefined && missing === undefined) return matched as number[];
  const named = ({ name }: Item) => (name === undefined ? 'an item without name' : `an item '${name.slice(0, 80)}'`);
  throw new ConversionError(
    missing === undefined
      ? `It has ${named(extra!)}, which the first file does not have. Files with the same items are stacked by time.`
      : `It does not have ${named(missing)}, which the first file has. Files with the same items are stacked by time.`,
  );
}

/** Items with the names in their files; names that several have, and absent ones, get the name of the file. */
function withDistinctNames<I extends Item>(files: InputFiles, all: readonly (readonly I[])[]): I[] {
  const counts = new Map<string, number>();
  for (const { name } of all.flat()) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Set<string>([...counts].flatMap(([name, count]) => (count === 1 ? [name] : [])));
  return all.flatMap((items, file) => {
    const stem = files.name(file).slice(0, -extname(files.name(file)).length || undefined);
    return items.map((item) => {
      if (item.name !== undefined && counts.get(item.name) === 1) return item;
      const name = distinctName(item.name === undefined ? stem : `${item.name}, ${stem}`, used);
      if (item.name !== undefined)
        files.remark(file, `Its item '${item.name}' is called '${name}', because other files have one of this name.`);
      return { ...item, name };
    });
  });
}
