import { ConversionError } from '../errors.ts';
import { eumItem, eumUnit, isEumPair, symbolOf, UNDEFINED_ITEM, UNDEFINED_UNIT } from './eum/eum.ts';
import { quantityOf } from './eum/unit-text.ts';
import type { EumQuantity, Item } from './item.ts';

/** What an item is called and measures; absent members stay. */
export interface ItemDefinition {
  readonly name?: string | undefined;
  /** Code of an EUM item. */
  readonly quantity?: number | undefined;
  /** Code of an EUM unit. */
  readonly unit?: number | undefined;
}

/** Units that a message names. */
const MOST_NAMED = 10;

/**
 * The item with another name, quantity or unit. Its values stay.
 * @throws ConversionError if the unit does not belong to the quantity
 */
export function redefinedItem<I extends Item>(item: I, { name = item.name, quantity, unit }: ItemDefinition): I {
  const named = name === undefined ? item : { ...item, name };
  if (quantity === undefined && unit === undefined) return named;
  const before = quantityOf(item);
  const eum = { item: quantity ?? before.item, unit: unit ?? before.unit };
  if (eum.item !== UNDEFINED_ITEM && !isEumPair(eum)) throw notItsUnit(named, eum);
  const { unit: text, ...rest } = named;
  // a unit that EUM does not have stays, unless another one is given
  const kept = unit === undefined && eum.unit === UNDEFINED_UNIT && text !== undefined ? { unit: text } : {};
  return { ...rest, eum, ...kept, ...symbolOf(eum) } as I;
}

function notItsUnit({ name = '' }: Item, { item, unit }: EumQuantity): ConversionError {
  const { identifier, units = [] } = eumItem(item) ?? {};
  const codes = units === 'any' ? [] : units;
  const names = codes.slice(0, MOST_NAMED).map((code) => eumUnit(code)?.identifier ?? String(code));
  const more = codes.length > MOST_NAMED ? ` and ${codes.length - MOST_NAMED} more` : '';
  const wrong = unit === UNDEFINED_UNIT ? 'It has no unit of EUM' : `${eumUnit(unit)?.identifier} is none of its units`;
  return new ConversionError(`The item '${name}' cannot be ${identifier}. ${wrong}: ${names.join(', ')}${more}.`);
}
