import { type Command, InvalidArgumentError } from 'commander';

export interface RedefineOptions {
  rename?: Redefinition[];
  measures?: Redefinition[];
}

/** An item by its name or index, and what changes. */
interface Redefinition {
  originalName?: string;
  itemIndex?: number;
  newName?: string;
  newItemId?: string;
  newUnitId?: string;
}

export const redefineOptions = (command: Command): Command =>
  command
    .option('--rename <item = name>', "rename an item, as 'Item 1 = Water level'; may be repeated", renamed)
    .option(
      '--measures <item = quantity, unit>',
      "EUM quantity and unit of an item, as '0 = eumIWaterLevel, m'; values stay; may be repeated",
      measured,
    );

/** Both options may name the same item. */
export function readRedefinitions({ rename = [], measures = [] }: RedefineOptions): unknown[] {
  const byItem = new Map<unknown, Redefinition>();
  for (const one of [...rename, ...measures]) {
    const key = one.originalName ?? one.itemIndex;
    byItem.set(key, { ...byItem.get(key), ...one });
  }
  return byItem.size === 0 ? [] : [{ type: 'itemTransformation', itemRedefinitions: [...byItem.values()] }];
}

function renamed(text: string, before: readonly Redefinition[] = []): Redefinition[] {
  const { item, value } = divided(text, "'Item 1 = Water level'");
  return [...before, { ...item, newName: value }];
}

function measured(text: string, before: readonly Redefinition[] = []): Redefinition[] {
  const { item, value } = divided(text, "'0 = eumIWaterLevel, m'");
  const [newItemId, newUnitId, ...more] = value.split(',').map((one) => one.trim());
  if (!newItemId || newUnitId === '' || more.length > 0)
    throw new InvalidArgumentError("It must be an item, a quantity and a unit, such as '0 = eumIWaterLevel, m'.");
  return [...before, { ...item, newItemId, ...(newUnitId === undefined ? {} : { newUnitId }) }];
}

/** The parts of `item = value`; the item is a number from 0, or a name, in brackets if it has a `=` or is a number. */
function divided(text: string, example: string): { item: Redefinition; value: string } {
  const [, bracketed, bare, value = ''] = /^(?:\[([^\]]+)\]\s*|([^=]+))=(.*)$/su.exec(text.trim()) ?? [];
  const name = bracketed ?? bare?.trim();
  if (!name || value.trim() === '')
    throw new InvalidArgumentError(`It must be an item and its new definition, such as ${example}.`);
  const isIndex = bracketed === undefined && /^\d{1,9}$/.test(name);
  return { item: isIndex ? { itemIndex: Number(name) } : { originalName: name }, value: value.trim() };
}
