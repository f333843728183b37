import { readFileSync } from 'node:fs';
import type { EumQuantity, Item } from '../item.ts';

/** A physical quantity of EUM. */
export interface EumItem {
  readonly code: number;
  /** Such as `eumIWaterLevel`. */
  readonly identifier: string;
  readonly name: string;
  /** Codes of the allowed units, the default first; `any`: all units. */
  readonly units: readonly number[] | 'any';
}

export interface EumUnit {
  readonly code: number;
  /** Such as `eumUmeter`. */
  readonly identifier: string;
  readonly name: string;
  /** Such as `m^3/s`. */
  readonly symbol: string;
}

/** EUM item and unit of data without an EUM quantity. */
export const UNDEFINED_ITEM = 999;
export const UNDEFINED_UNIT = 0;

let items: Map<number, EumItem> | undefined;
let units: Map<number, EumUnit> | undefined;
let itemsByName: Map<string, EumItem> | undefined;
let unitsByName: Map<string, EumUnit> | undefined;

/**
 * The lines of a table of EUM (Engineering Unit Management, `EUM.xml` as it comes with MIKE Zero and with mikecore).
 * `items.txt`: code, identifier without `eumI`, name, codes of the allowed units with the default first (`*`: any
 * unit). `units.txt`: code, identifier without `eumU`, name, symbol.
 */
function readTable(table: 'items.txt' | 'units.txt'): string[][] {
  const lines = readFileSync(new URL(table, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.split('|').map((word) => word.trim()));
}

/** All items, in the order of their codes. */
export function eumItems(): readonly EumItem[] {
  eumItem(UNDEFINED_ITEM);
  return [...(items?.values() ?? [])];
}

/** All units, in the order of their codes. */
export function eumUnits(): readonly EumUnit[] {
  eumUnit(UNDEFINED_UNIT);
  return [...(units?.values() ?? [])];
}

/** The item with this code; undefined if the table does not have it. */
export function eumItem(code: number): EumItem | undefined {
  items ??= new Map(
    readTable('items.txt').map(([number, identifier, name, allowed]) => [
      Number(number),
      {
        code: Number(number),
        identifier: `eumI${identifier}`,
        name: name!,
        units: allowed === '*' ? 'any' : allowed!.split(',').map(Number),
      },
    ]),
  );
  return items.get(code);
}

/** The unit with this code; undefined if the table does not have it. */
export function eumUnit(code: number): EumUnit | undefined {
  units ??= new Map(
    readTable('units.txt').map(([number, identifier, name, symbol]) => [
      Number(number),
      { code: Number(number), identifier: `eumU${identifier}`, name: name!, symbol: symbol! },
    ]),
  );
  return units.get(code);
}

/** The item with this identifier, such as `eumIWaterLevel`; undefined if the table does not have it. */
export function eumItemNamed(identifier: string): EumItem | undefined {
  itemsByName ??= new Map(eumItems().map((item) => [item.identifier, item]));
  return itemsByName.get(identifier);
}

/** The unit with this identifier, such as `eumUmeter`; undefined if the table does not have it. */
export function eumUnitNamed(identifier: string): EumUnit | undefined {
  unitsByName ??= new Map(eumUnits().map((unit) => [unit.identifier, unit]));
  return unitsByName.get(identifier);
}

/** Whether DHI's libraries accept the unit for the item. Codes that are newer than the table are accepted. */
export function isEumPair({ item, unit }: EumQuantity): boolean {
  const known = eumItem(item);
  return known === undefined || known.units === 'any' || eumUnit(unit) === undefined || known.units.includes(unit);
}

/** The unit's symbol as an item carries it; none for an undefined unit. */
export function symbolOf({ unit }: EumQuantity): Pick<Item, 'unit'> {
  const known = unit === UNDEFINED_UNIT ? undefined : eumUnit(unit);
  return known === undefined ? {} : { unit: known.symbol };
}
