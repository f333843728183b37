import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../../io/buffers.ts';
import type { Field } from '../field.ts';
import { Octets } from '../octets.ts';
import { Bits } from './bits.ts';
import { unpackCcsds } from './ccsds.ts';
import { unpackComplex } from './complex.ts';
import { unpackImageNumbers } from './images.ts';
import { scaled, scalingOf } from './scaling.ts';

/**
 * The values of a field in the order of its message, NaN where the bit map has none.
 * @throws FormatError for a packing that is not supported, and for values that do not fit in the message
 */
export async function unpackField(source: ByteSource, field: Field): Promise<Float64Array> {
  const { data } = field;
  const packed = await readBuffer(source, data.at, data.length);
  const bitmap = data.bitmap && (await readBuffer(source, data.bitmap.at, data.bitmap.length));
  if (bitmap !== undefined && 8 * bitmap.length < data.points)
    throw new FormatError(`A bit map of ${bitmap.length} bytes is too short for ${data.points} points.`, data.at);
  const present = bitmap === undefined ? data.points : countBits(bitmap, data.points);
  const values = await located(data.at, () =>
    field.edition === 1
      ? unpack1(packed, present, data.decimal ?? 0)
      : unpack2(data.template, new Octets(data.representation), packed, present),
  );
  if (bitmap === undefined) return values;
  const all = new Float64Array(data.points).fill(Number.NaN);
  for (let n = 0, from = 0; n < all.length; n++)
    if ((bitmap[n >> 3]! & (0x80 >> (n & 7))) !== 0) all[n] = values[from++]!;
  return all;
}

function countBits(bytes: Buffer, bits: number): number {
  let count = 0;
  for (let n = 0; n < bits; n++) if ((bytes[n >> 3]! & (0x80 >> (n & 7))) !== 0) count++;
  return count;
}

async function located<T>(offset: number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError && error.offset === undefined) throw new FormatError(error.message, offset);
    if (error instanceof RangeError)
      throw new FormatError('The description of packed values is too short for its template.', offset);
    throw error;
  }
}

/** Section 4 of GRIB 1. */
function unpack1(section: Buffer, count: number, decimal: number): Float64Array {
  const octets = new Octets(section);
  const flags = octets.unsigned(4, 1) >> 4;
  if ((flags & 8) !== 0)
    throw new FormatError('The values are spherical harmonic coefficients, which are not supported.');
  if ((flags & 4) !== 0) throw new FormatError('The values are in second-order packing, which is not supported.');
  if ((flags & 1) !== 0) throw new FormatError('The values have flags of their own, which are not supported.');
  const width = octets.unsigned(11, 1);
  checkWidth(width);
  return scaled(new Bits(octets.from(12)).numbers(count, width), {
    reference: octets.ibm(7),
    binary: octets.signed(5, 2),
    decimal,
  });
}

function checkWidth(width: number): void {
  if (width > 32) throw new FormatError(`Values of ${width} bits are not supported.`);
}

/** Names of packings (table 5.0) that are not read, for a sentence. */
const others: Readonly<Record<number, string>> = {
  1: 'matrix values',
  50: 'spectral data, simple packing',
  51: 'spectral data, complex packing',
  53: 'spectral data of a limited area',
  61: 'simple packing with logarithm',
  200: 'run length packing',
};

/** Values of section 7 of GRIB 2. @param octets section 5 */
function unpack2(template: number, octets: Octets, data: Buffer, count: number): Float64Array | Promise<Float64Array> {
  const stored = octets.unsigned(6, 4);
  if (stored !== count)
    throw new FormatError(`A message has ${stored} packed values, but its bit map and grid have ${count}.`);
  switch (template) {
    case 0: {
      const width = octets.unsigned(20, 1);
      checkWidth(width);
      return scaled(new Bits(data).numbers(count, width), scalingOf(octets));
    }
    case 2:
    case 3:
      return unpackComplex(octets, template, count, data);
    case 4:
      return unpackFloats(octets.unsigned(12, 1), count, data);
    case 40:
    case 41: {
      const width = octets.unsigned(20, 1);
      const numbers = width === 0 ? new Uint32Array(count) : unpackImageNumbers(template, data, count, width);
      return Promise.resolve(numbers).then((all) => scaled(all, scalingOf(octets)));
    }
    case 42: {
      const options = {
        width: octets.unsigned(20, 1),
        flags: octets.unsigned(22, 1),
        block: octets.unsigned(23, 1),
        interval: octets.unsigned(24, 2),
      };
      const numbers = options.width === 0 ? new Uint32Array(count) : unpackCcsds(data, count, options);
      return scaled(numbers, scalingOf(octets));
    }
    default:
      throw new FormatError(
        `The values are packed by the template 5.${template}${others[template] === undefined ? '' : ` (${others[template]})`}, which is not supported.`,
      );
  }
}

/** IEEE 754: precision 1 is single, 2 double. */
function unpackFloats(precision: number, count: number, data: Buffer): Float64Array {
  const bytes = precision === 1 ? 4 : 8;
  if (precision !== 1 && precision !== 2)
    throw new FormatError(`Values of the precision ${precision} are not supported.`);
  if (data.length < count * bytes)
    throw new FormatError(`${count} values of ${bytes} bytes do not fit in ${data.length} bytes.`);
  const at = precision === 1 ? (n: number) => data.readFloatBE(4 * n) : (n: number) => data.readDoubleBE(8 * n);
  return Float64Array.from({ length: count }, (_, n) => at(n));
}
