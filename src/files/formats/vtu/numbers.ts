import type { Samples, SampleType } from '../../data/item.ts';
import { isFloat, sampleArrays } from '../../data/samples.ts';
import { valuesIn } from '../../data/stored-values.ts';
import { readBuffer, swapBytes } from '../io/buffers.ts';
import { decimalNumber } from '../io/decimal.ts';
import { shownWord } from '../io/line-words.ts';
import { parseNumber } from '../io/number-word.ts';
import { decodeBytes, wrong } from './decode.ts';
import type { ArrayElement, VtuDocument } from './document.ts';

/** Types of 64-bit integers, whose values become doubles. */
const wide = new Set(['Int64', 'UInt64']);
const sizeOf = (type: string): number | undefined =>
  wide.has(type) ? 8 : sampleArrays[type as SampleType]?.BYTES_PER_ELEMENT;

/** The type of the numbers of an array, once read. */
export const typeOf = (array: ArrayElement): SampleType => {
  if (sizeOf(array.type) === undefined)
    throw wrong(array, `has the type '${array.type.slice(0, 20)}', which holds no numbers.`, array.at);
  return wide.has(array.type) ? 'Float64' : (array.type as SampleType);
};

/**
 * Reads the numbers of an array; 64-bit integers become doubles.
 * @param expected required number of elements; absent: any
 */
export async function readNumbers(document: VtuDocument, array: ArrayElement, expected?: number): Promise<Samples> {
  const type = typeOf(array);
  if (array.format === 'ascii') return asciiNumbers(document, array, type, expected);
  const size = sizeOf(array.type)!;
  const bytes = await decodeBytes(document, array, expected === undefined ? undefined : expected * size);
  if (bytes.length % size !== 0) throw wrong(array, `has ${bytes.length} bytes, no multiple of ${size}.`, array.at);
  if (!document.littleEndian) swapBytes(bytes, size);
  if (wide.has(array.type)) return wideNumbers(bytes, array.type === 'Int64');
  return valuesIn(type, bytes) as Samples;
}

/** Any array as integers from 0 to `most`, such as node numbers. */
export async function readCounts(
  document: VtuDocument,
  array: ArrayElement,
  { expected, most }: { expected: number | undefined; most: number },
): Promise<Uint32Array> {
  const numbers = await readNumbers(document, array, expected);
  const counts = new Uint32Array(numbers.length);
  for (let n = 0; n < counts.length; n++) {
    const value = numbers[n]!;
    if (!(value >= 0 && value <= most && Number.isInteger(value)))
      throw wrong(array, `has ${value} at place ${n}; integers from 0 to ${most} are expected.`, array.at);
    counts[n] = value;
  }
  return counts;
}

function wideNumbers(bytes: Buffer, signed: boolean): Float64Array {
  const numbers = new Float64Array(bytes.length / 8);
  for (let n = 0; n < numbers.length; n++) {
    const high = signed ? bytes.readInt32LE(8 * n + 4) : bytes.readUInt32LE(8 * n + 4);
    numbers[n] = high * 2 ** 32 + bytes.readUInt32LE(8 * n);
  }
  return numbers;
}

/** Words separated by white space. */
async function asciiNumbers(
  { source }: VtuDocument,
  array: ArrayElement,
  type: SampleType,
  expected: number | undefined,
): Promise<Samples> {
  const { start, end } = array.text;
  if (expected !== undefined && 2 * expected - 1 > end - start)
    throw wrong(array, `has ${end - start} bytes of text, too few for ${expected} numbers.`, start);
  const text = await readBuffer(source, start, end - start);
  const numbers = new sampleArrays[type](expected ?? countWords(text));
  const integers = !isFloat(type);
  let count = 0;
  for (let at = 0; ; ) {
    while (at < text.length && text[at]! <= 32) at++;
    if (at === text.length) break;
    const first = at;
    while (at < text.length && text[at]! > 32) at++;
    const value = decimalNumber(text, first, at) ?? parseNumber(text.toString('latin1', first, at));
    if (value === undefined)
      throw wrong(array, `has '${shownWord(text, first, at)}' among its numbers.`, start + first);
    if (count === numbers.length) throw wrong(array, `has more than ${count} numbers.`, start + first);
    numbers[count] = value;
    if (integers && numbers[count] !== value)
      throw wrong(array, `has ${value} among its numbers of type ${type}.`, start + first);
    count++;
  }
  if (count < numbers.length) throw wrong(array, `has ${count} numbers in place of ${numbers.length}.`, start);
  return numbers;
}

function countWords(text: Buffer): number {
  let words = 0;
  for (let n = 0; n < text.length; n++) if (text[n]! > 32 && (n === 0 || text[n - 1]! <= 32)) words++;
  return words;
}

/** A text of a `String` array, or of one with the codes of its characters, up to the first zero. */
export async function readText(document: VtuDocument, array: ArrayElement): Promise<string> {
  const codes =
    array.format === 'ascii'
      ? await asciiNumbers(document, array, 'UInt8', undefined)
      : await decodeBytes(document, array);
  const end = codes.indexOf(0);
  return Buffer.from(end < 0 ? codes : codes.subarray(0, end)).toString('utf8');
}
