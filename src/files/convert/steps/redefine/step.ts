import type { Data } from '../../../data/data.ts';
import { quantityOf } from '../../../data/eum/unit-text.ts';
import type { Item } from '../../../data/item.ts';
import { redefinedItem } from '../../../data/redefine-item.ts';
import { ConversionError } from '../../../errors.ts';
import type { StepContext } from '../step-context.ts';
import type { ItemRedefinition, ItemTransformation } from './transformation.ts';

/** Data whose items have other names, quantities or units; their values stay. */
export function apply(data: Data, { redefinitions }: ItemTransformation, { context }: StepContext): Data {
  switch (data.kind) {
    case 'grid':
      return { ...data, bands: redefined(data.bands, redefinitions, context.remark) };
    case 'mesh':
      return { ...data, items: redefined(data.items, redefinitions, context.remark) };
    case 'series':
      return { ...data, items: redefined(data.items, redefinitions, context.remark) };
    case 'array':
      return { ...data, items: redefined(data.items, redefinitions, context.remark) };
    default:
      throw new ConversionError('Only items can be redefined.');
  }
}

function redefined<I extends Item>(
  items: readonly I[],
  redefinitions: readonly ItemRedefinition[],
  remark: (sentence: string) => void,
): I[] {
  const made = [...items];
  const seen = new Set<number>();
  for (const { item, ...definition } of redefinitions) {
    const n = indexOf(items, item);
    if (seen.has(n)) throw new ConversionError(`The item ${shown(item)} is redefined twice.`);
    seen.add(n);
    const before = items[n]!;
    const after = redefinedItem(before, definition);
    made[n] = after;
    if (before.unit !== undefined && quantityOf(after).unit !== quantityOf(before).unit)
      remark(
        `The unit of '${after.name ?? n}' is ${after.unit ?? 'undefined'} instead of ${before.unit}. Values were not converted.`,
      );
  }
  return made;
}

const shown = (item: string | number) => (typeof item === 'number' ? String(item) : `'${item}'`);

function indexOf(items: readonly Item[], wanted: string | number): number {
  const found = items.flatMap(({ name }, n) => (wanted === n || (name !== undefined && wanted === name) ? [n] : []));
  const [n, another] = found;
  if (n !== undefined && another === undefined) return n;
  if (n !== undefined)
    throw new ConversionError(`${found.length} items are named ${shown(wanted)}. Use itemIndex: ${found.join(', ')}.`);
  const all = items.slice(0, 50).map(({ name = '' }, index) => `${index} '${name}'`);
  throw new ConversionError(`There is no item ${shown(wanted)}. The data have ${all.join(', ') || 'no items'}.`);
}
