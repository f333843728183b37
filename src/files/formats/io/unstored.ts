import { UNDEFINED_ITEM } from '../../data/eum/eum.ts';
import type { Item } from '../../data/item.ts';
import type { Context } from '../define.ts';

/** Parts of the description of an item that a format may lack. */
type Part = 'unit' | 'quantity' | 'valueKind';

/** At most this number of items is listed. */
const MOST_LISTED = 10;

/**
 * Reports what a format does not store of the descriptions of items.
 * @param format subject of the sentence, such as `A GeoTIFF`
 */
export function reportUnstored(
  items: readonly Item[],
  format: string,
  parts: readonly Part[],
  { reportLoss }: Pick<Context, 'reportLoss'>,
): void {
  if (parts.includes('unit')) {
    const units = items.flatMap(({ name = '', unit }) =>
      unit === undefined ? [] : [`'${shortened(name)}' is in ${unit}`],
    );
    const more = units.length > MOST_LISTED ? ', …' : '';
    if (units.length > 0)
      reportLoss(`${format} does not store units: ${units.slice(0, MOST_LISTED).join(', ')}${more}.`, 'units');
  }
  if (parts.includes('quantity') && items.some(({ eum }) => eum !== undefined && eum.item !== UNDEFINED_ITEM))
    reportLoss(`${format} does not store the EUM quantities of items.`, 'quantities');
  if (parts.includes('valueKind') && items.some(({ valueKind = 'instantaneous' }) => valueKind !== 'instantaneous'))
    reportLoss(`${format} does not store whether values are instantaneous, accumulated or means.`, 'valueKinds');
}

const shortened = (text: string): string => text.slice(0, 80);
