import type { SampleType } from '../../../data/item.ts';
import { FormatError } from '../../../errors.ts';
import type { DfsBlock } from './blocks.ts';
import { decodeCp1252 } from './cp1252.ts';
import type { StoredArray } from './typed-array.ts';

/** Maximum length of a text. A projection has some hundred bytes. */
const maxText = 1 << 20;

/** The nth array of a block. @throws FormatError when it is missing */
export function anyArrayAt(block: DfsBlock, n: number): StoredArray {
  const array = block.arrays[n];
  if (array === undefined)
    throw new FormatError(`Block ${block.tag} has ${block.arrays.length} arrays, fewer than expected.`, block.offset);
  return array;
}

/** The nth array of a block. @throws FormatError when it is missing or of another type */
export function arrayAt(block: DfsBlock, n: number, type: SampleType): StoredArray {
  const array = anyArrayAt(block, n);
  if (array.type !== type)
    throw new FormatError(`Array ${n + 1} of block ${block.tag} holds ${array.type} instead of ${type}.`, array.offset);
  return array;
}

/**
 * The numbers of an array of exactly `count` elements.
 * @throws FormatError for another count
 */
export async function fixedNumbers(block: DfsBlock, n: number, type: SampleType, count: number): Promise<number[]> {
  const array = arrayAt(block, n, type);
  if (array.count !== count)
    throw new FormatError(
      `Array ${n + 1} of block ${block.tag} has ${array.count} numbers instead of ${count}.`,
      array.offset,
    );
  return Array.from(await array.load());
}

/** A text without its terminating NUL. */
export async function textAt(block: DfsBlock, n: number): Promise<string> {
  const array = arrayAt(block, n, 'Int8');
  if (array.count > maxText)
    throw new FormatError(
      `A text of block ${block.tag} has ${array.count} bytes. The maximum is ${maxText}.`,
      array.offset,
    );
  const { buffer, byteOffset, length } = await array.load();
  const bytes = new Uint8Array(buffer, byteOffset, length);
  const end = bytes.indexOf(0);
  if (end < 0) throw new FormatError(`A text of block ${block.tag} does not end with a NUL.`, array.offset);
  return decodeCp1252(bytes.subarray(0, end));
}
