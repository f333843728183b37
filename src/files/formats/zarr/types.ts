import { isFloat } from '../../data/samples.ts';
import { bytesPerValue, isBig, newValues, type StoredType, storedTypes, valuesIn } from '../../data/stored-values.ts';
import { numberText, textNumber } from '../io/store/json-number.ts';

const byName = new Map(storedTypes.map((type) => [type.toLowerCase(), type]));

/** Types have their names in lower case. */
export const zarrName = (type: StoredType): string => type.toLowerCase();

/** Undefined for a type that is not supported, such as text or complex numbers. A bool is a byte. */
export const typeOfName = (name: string): StoredType | undefined => (name === 'bool' ? 'UInt8' : byName.get(name));

/** A fill value in the form of Zarr metadata: 64-bit integers as digits. */
export const fillText = (fill: number | bigint): unknown =>
  typeof fill === 'bigint' ? json.rawJSON(String(fill)) : numberText(fill);

/** Newer than TypeScript's library. */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Members that hold values of the array's type. */
const ofTheType = ['fill_value', '_FillValue', 'missing_value', 'valid_min', 'valid_max', 'valid_range'];

/**
 * Parses JSON, in which numbers may be the words NaN and Infinity; integers that a double cannot hold become bigints.
 */
export const parseMetadata = (text: string): unknown =>
  JSON.parse(withoutWords(text), ((key: string, value: unknown, context: { source?: string } | undefined) => {
    if (Array.isArray(value) && !ofTheType.includes(key))
      return value.map((one) => (typeof one === 'bigint' ? Number(one) : one));
    const source = context?.source ?? '';
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    // An index: the list decides when its turn comes.
    return isLarge && (ofTheType.includes(key) || /^\d+$/.test(key)) ? BigInt(source) : value;
  }) as (key: string, value: unknown) => unknown);

/** Words that programs in Python write for numbers, as texts; those in texts stay. */
const withoutWords = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );

/**
 * The fill value of an array by its metadata: also the bits of a float in hexadecimal. Undefined if it is not valid.
 */
export function fillOf(type: StoredType, given: unknown): number | bigint | undefined {
  if (typeof given === 'boolean') return Number(given);
  if (isBig(type)) {
    const whole = typeof given === 'bigint' || Number.isSafeInteger(given);
    if (!whole) return undefined;
    const value = BigInt(given as number | bigint);
    return (type === 'Int64' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)) === value ? value : undefined;
  }
  if (typeof given === 'bigint') return isFloat(type) ? Number(given) : undefined;
  if (typeof given === 'string' && /^0x[0-9a-f]+$/i.test(given) && isFloat(type)) {
    const bits = Buffer.from(given.slice(2).padStart(2 * bytesPerValue(type), '0'), 'hex').reverse();
    return bits.length === bytesPerValue(type) ? Number(valuesIn(type, bits)[0]) : undefined;
  }
  const value = textNumber(given);
  if (value === undefined) return undefined;
  const stored = newValues(type, 1);
  stored[0] = value;
  return isFloat(type) || stored[0] === value ? Number(stored[0]) : undefined;
}
