import { UNDEFINED_ITEM } from '../../../data/eum/eum.ts';
import { findEumUnit } from '../../../data/eum/unit-text.ts';
import type { SeriesItem } from '../../../data/series.ts';
import type { Context } from '../../define.ts';

const inBrackets = /^(.*\S)\s*(?:\[([^[\]]{1,60})\]|\(([^()]{1,60})\))$/s;
const behindComma = /^(.*\S)\s*,\s*([^,]{1,60})$/s;

/**
 * The item of a column: `Level [m]`, `Level (m)` and `Level, m` have a unit. One that is not known stays in the name.
 */
export function seriesItem(header: string, { remark }: Pick<Context, 'remark'>): SeriesItem {
  const values = { type: 'Float64', nodata: Number.NaN } as const;
  const bracketed = inBrackets.exec(header);
  const [, name, ...texts] = bracketed ?? behindComma.exec(header) ?? [];
  const text = texts.find((one) => one !== undefined)?.trim();
  if (name === undefined || text === undefined) return { name: header, ...values };
  const unit = findEumUnit(text);
  if (unit !== undefined) return { name, unit: unit.symbol, eum: { item: UNDEFINED_ITEM, unit: unit.code }, ...values };
  if (bracketed !== null && /[a-z%°]/i.test(text))
    remark(`The unit '${text}' of '${name.slice(0, 80)}' is not known, so it stays in the name.`);
  return { name: header, ...values };
}
