import { FormatError } from '../../../errors.ts';
import type { Octets } from '../octets.ts';
import { Bits } from './bits.ts';
import { scaled, scalingOf } from './scaling.ts';

/** Values that mean that there are none are as large as a number of the group can be. */
const MISSING = Number.NaN;

/**
 * Values of templates 5.2 (complex packing) and 5.3 (with spatial differences): groups of numbers with a reference,
 * width and length of their own.
 * @param octets section 5
 */
export function unpackComplex(octets: Octets, template: 2 | 3, count: number, data: Buffer): Float64Array {
  const bits = new Bits(data);
  const referenceBits = octets.unsigned(20, 1);
  const groups = octets.unsigned(32, 4);
  const missing = octets.unsigned(23, 1);
  const [order, extra] = template === 3 ? [octets.unsigned(48, 1), octets.unsigned(49, 1)] : [0, 0];
  if (groups > count || referenceBits > 32 || missing > 2 || order > 2 || extra > 4)
    throw new FormatError(`${groups} groups of ${referenceBits} bits for ${count} values are not valid.`);
  // all values are the reference
  if (groups === 0) return scaled(new Float64Array(count), scalingOf(octets));
  const starts: number[] = [];
  let least = 0;
  if (order > 0) {
    const signed = () => {
      const value = bits.next(8 * extra);
      const sign = 2 ** (8 * extra - 1);
      return value >= sign ? sign - value : value;
    };
    for (let n = 0; n < order; n++) starts.push(signed());
    least = signed();
  }
  const references = bits.numbers(groups, referenceBits);
  bits.align();
  const widthBits = octets.unsigned(37, 1);
  const widths = bits.numbers(groups, widthBits).map((width) => width + octets.unsigned(36, 1));
  bits.align();
  const lengthBits = octets.unsigned(47, 1);
  const [shortest, increment] = [octets.unsigned(38, 4), octets.unsigned(42, 1)];
  const lengths = Array.from(bits.numbers(groups, lengthBits), (length) => shortest + length * increment);
  bits.align();
  lengths[groups - 1] = octets.unsigned(43, 4);
  if (lengths.reduce((sum, length) => sum + length, 0) !== count || widths.some((width) => width > 32))
    throw new FormatError(`The groups of a message do not have ${count} values.`);
  const numbers = new Float64Array(count);
  let to = 0;
  for (const [group, length] of lengths.entries()) {
    const [width, reference] = [widths[group]!, references[group]!];
    if (width === 0) {
      const none = missing > 0 && isMissing(reference, referenceBits, missing);
      numbers.fill(none ? MISSING : reference, to, to + length);
      to += length;
      continue;
    }
    for (const number of bits.numbers(length, width))
      numbers[to++] = missing > 0 && isMissing(number, width, missing) ? MISSING : reference + number;
  }
  if (order > 0) addDifferences(numbers, starts, least);
  return scaled(numbers, scalingOf(octets));
}

/** The largest number means a missing value, and with two kinds of missing values also the one below. */
const isMissing = (number: number, width: number, kinds: number): boolean =>
  number === 2 ** width - 1 || (kinds === 2 && number === 2 ** width - 2);

/** Replaces differences by numbers, in place; missing values are no part of the chain. */
function addDifferences(numbers: Float64Array, starts: readonly number[], least: number): void {
  let seen = 0;
  let [last, before] = [0, 0];
  for (let n = 0; n < numbers.length; n++) {
    if (Number.isNaN(numbers[n])) continue;
    const start = starts[seen++];
    const difference = numbers[n]! + least;
    const value = start ?? (starts.length === 1 ? last + difference : difference + 2 * last - before);
    [before, last] = [last, value];
    numbers[n] = value;
  }
}
