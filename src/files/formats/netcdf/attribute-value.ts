import { isBig, newValues, type StoredType, type StoredValues } from '../../data/stored-values.ts';

/** Attributes whose values have the type of the variable. */
const ofTheType = /^(?:_FillValue|missing_value|valid_(?:min|max|range)|flag_values)$/;

/** An attribute as NetCDF stores it: a text, or numbers of a type. Undefined for one without a value. */
export function attributeValue(
  name: string,
  given: unknown,
  type: StoredType | undefined,
): string | { readonly type: StoredType; readonly values: StoredValues } | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string') return given;
  if (typeof given === 'object' && !Array.isArray(given)) return JSON.stringify(given);
  const list = (Array.isArray(given) ? given : [given]) as (number | bigint)[];
  const whole = list.every((one) => typeof one === 'number' && Number.isInteger(one) && Math.abs(one) < 2 ** 31);
  const own: StoredType =
    type !== undefined && ofTheType.test(name)
      ? type
      : whole && !/^(?:scale_factor|add_offset)$/.test(name)
        ? 'Int32'
        : 'Float64';
  const values = newValues(own, list.length);
  for (const [n, value] of list.entries()) values[n] = (isBig(own) ? BigInt(value) : Number(value)) as never;
  return { type: own, values };
}
