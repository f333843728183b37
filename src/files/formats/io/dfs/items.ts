import { isEumPair, symbolOf, UNDEFINED_ITEM, UNDEFINED_UNIT } from '../../../data/eum/eum.ts';
import { quantityOf } from '../../../data/eum/unit-text.ts';
import { type Item, type SampleType, VALUE_KINDS } from '../../../data/item.ts';
import type { Context } from '../../define.ts';
import { reportDoubles } from '../left-out.ts';
import type { DfsAxis } from './axes.ts';
import { decodeCp1252, encodeCp1252 } from './cp1252.ts';
import { ValueEncoder, writtenType } from './encode.ts';
import { type DeleteValues, type DfsItem, deleteValueOf, unsetReference } from './header.ts';
import type { WriterOptions } from './parameters.ts';
import { emptySummary } from './summary.ts';

/** Converts the description of an item in a DFS file to the data model. */
export function itemOf(item: DfsItem, deleteValues: DeleteValues): Item & { type: SampleType } {
  const { name, type, reference, eumItem, eumUnit } = item;
  const eum = { item: eumItem, unit: eumUnit };
  const kind = VALUE_KINDS[item.valueKind];
  const nodata = deleteValueOf(deleteValues, type);
  return {
    name,
    type,
    eum,
    ...symbolOf(eum),
    ...(kind === undefined || item.valueKind === 0 ? {} : { valueKind: kind }),
    ...(nodata === undefined ? {} : { nodata }),
    ...(reference.every((value, n) => value === unsetReference[n]) ? {} : { reference }),
  };
}

/**
 * The item of a new file. An item without an EUM quantity gets the EUM item "undefined"; an item without a name is
 * called `otherwise`.
 */
export function newItem(
  item: Item,
  { type, axis, otherwise }: { type: SampleType; axis: DfsAxis; otherwise: string },
  { reportLoss }: Pick<Context, 'reportLoss'>,
): DfsItem {
  const { name, unit, valueKind = 'instantaneous', reference } = item;
  const called = name ?? otherwise;
  const written = decodeCp1252(encodeCp1252(called)).replaceAll('\0', '?');
  if (written !== called)
    reportLoss(`DFS files have names in Windows-1252: '${called.slice(0, 80)}' became '${written.slice(0, 80)}'.`);
  const eum = quantityOf(item);
  if (unit !== undefined && eum.unit === UNDEFINED_UNIT)
    reportLoss(`DFS files have units of EUM; '${unit.slice(0, 80)}' is none of them and was left out.`, 'units');
  const pair = isEumPair(eum);
  if (!pair)
    reportLoss(
      `The EUM unit ${eum.unit} does not belong to the EUM quantity ${eum.item}. Item '${written}' was written with an undefined quantity.`,
    );
  return {
    name: written,
    eumItem: pair ? eum.item : UNDEFINED_ITEM,
    eumUnit: eum.unit,
    type,
    summary: emptySummary,
    reference: reference?.length === 6 ? reference : unsetReference,
    valueKind: VALUE_KINDS.indexOf(valueKind),
    axis,
  };
}

interface NewItems<I> extends WriterOptions {
  readonly deleteValues: DeleteValues;
  /** NaN is a value, as in DFS files. */
  readonly keepNaN: boolean;
  axisOf(item: I): DfsAxis;
  /** Name of an item without a name; a number follows. */
  readonly noun?: string;
}

/** The items of a new file, and the encoders of their values. */
export function newItems<I extends Item>(
  given: readonly I[],
  { WriteAsFloat = true, deleteValues, keepNaN, axisOf, noun = 'Item' }: NewItems<I>,
  context: Pick<Context, 'reportLoss'>,
): { items: DfsItem[]; encoders: ValueEncoder[] } {
  reportDoubles(given, context);
  const encoders = given.map((item) => {
    const type = writtenType(item, WriteAsFloat);
    return new ValueEncoder(item, type, deleteValues[type], keepNaN);
  });
  const items = given.map((item, n) =>
    newItem(item, { type: encoders[n]!.type, axis: axisOf(item), otherwise: `${noun} ${n + 1}` }, context),
  );
  return { items, encoders };
}
