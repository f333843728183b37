import type { StoredValues } from '../../../data/stored-values.ts';
import type { Context } from '../../define.ts';
import type { ValueArray } from '../value-array.ts';

/** Attributes as JSON has them: a number, a text, or a list of numbers. Integers beyond 2^53 are bigints. */
export type CfAttributes = Readonly<Record<string, unknown>>;

/** A variable of a file that follows the conventions of CF, whatever the format that stores it. */
export interface CfVariable extends ValueArray {
  readonly metadata: ValueArray['metadata'] & { readonly attributes: CfAttributes };
  /**
   * All values, of an array that is held in memory.
   * @throws FormatError for more values than the file can hold
   */
  all(): Promise<StoredValues>;
}

/** A file, or a group of it, whose variables share their dimensions by name. */
export interface CfFile {
  readonly attributes: CfAttributes;
  readonly variables: ReadonlyMap<string, CfVariable>;
}

/** Members of a conversion that reading needs. */
export type CfContext = Pick<Context, 'log' | 'reportLoss' | 'remark'>;

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** The numbers of an attribute: one, or a list. Texts `NaN`, `Infinity` and `-Infinity` are numbers. */
export function numbersOf(value: unknown): (number | bigint)[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((one): (number | bigint)[] => {
    if (typeof one === 'number' || typeof one === 'bigint') return [one];
    const word = typeof one === 'string' ? /^([+-]?)(nan|inf(?:inity)?)$/i.exec(one.trim()) : null;
    if (word === null) return [];
    if (word[2]!.toLowerCase() === 'nan') return [Number.NaN];
    return [word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY];
  });
}

/** The first number of an attribute. */
export function numberOf(value: unknown): number | undefined {
  const [first] = numbersOf(value);
  return first === undefined ? undefined : Number(first);
}

/** A name or text of a file in a sentence. */
export const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
