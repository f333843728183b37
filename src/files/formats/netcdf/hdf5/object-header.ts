import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../../io/buffers.ts';

/** Numbers of messages of an object header (HDF5 File Format Specification 3.0, IV.A.2). */
export const MESSAGE = { layout: 0x08, filters: 0x0b, continuation: 0x10 } as const;

export interface Message {
  readonly type: number;
  readonly bytes: Buffer;
  /** Offset of the bytes in the file. */
  readonly offset: number;
}

const longestBlock = 1 << 20;
/** Bytes of all blocks of a header, each of at least a page: continuations may lead back to each other. */
const longestHeader = 1 << 24;
const pageBytes = 1 << 12;
const superblocks = [0, 512, 1024, 2048, 4096];
const signature = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1');

/**
 * The offset in the file that addresses count from.
 * @throws FormatError for a file whose addresses or lengths do not have eight bytes
 */
export async function baseAddress(source: ByteSource): Promise<number> {
  for (const base of superblocks) {
    const head = await readBuffer(source, base, 16);
    if (head.length < 16 || !head.subarray(0, 8).equals(signature)) continue;
    const [offsets, lengths] = head[8]! < 2 ? [head[13], head[14]] : [head[9], head[10]];
    if (offsets === 8 && lengths === 8) return base;
    throw new FormatError(`Addresses of the HDF5 file have ${offsets} bytes. Only those of 8 bytes can be read.`, base);
  }
  throw new FormatError('The HDF5 file has no superblock.');
}

/** An address or length, undefined where all bits are set. */
export function addressAt(bytes: Buffer, at: number): number | undefined {
  const value = bytes.readBigUInt64LE(at);
  if (value === 0xffff_ffff_ffff_ffffn) return undefined;
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FormatError(`The HDF5 file has the address ${value}.`);
  return Number(value);
}

/**
 * The messages of layout and filters in an object header, of version 1 or 2, and in its continuation blocks.
 * @param address relative to `base`
 */
export async function objectMessages(source: ByteSource, base: number, address: number): Promise<Message[]> {
  const at = base + address;
  const head = await readBuffer(source, at, 64);
  if (head.length < 16) throw new FormatError('The HDF5 file ends within an object header.', at);
  const isNew = head.toString('latin1', 0, 4) === 'OHDR';
  if (!isNew && head[0] !== 1) throw new FormatError('An object header of the HDF5 file is not valid.', at);
  const found: Message[] = [];
  const waiting = [isNew ? blockOfNew(head, at) : { offset: at + 16, length: head.readUInt32LE(8) }];
  const ordered = isNew && (head[5]! & 4) !== 0;
  let left = longestHeader;
  // the length of the array grows with continuations
  for (let n = 0; n < waiting.length; n++) {
    const { offset, length } = waiting[n]!;
    if (length > longestBlock) throw new FormatError(`A block of an object header has ${length} bytes.`, offset);
    left -= Math.max(length, pageBytes);
    if (left < 0) throw new FormatError(`An object header has more than ${longestHeader} bytes.`, at);
    const bytes = await readBuffer(source, offset, length);
    if (bytes.length < length) throw new FormatError('The HDF5 file ends within an object header.', offset);
    for (const message of isNew ? newMessages(bytes, offset, ordered) : oldMessages(bytes, offset)) {
      if (message.type === MESSAGE.layout || message.type === MESSAGE.filters) found.push(message);
      if (message.type !== MESSAGE.continuation) continue;
      if (message.bytes.length < 16)
        throw new FormatError('A continuation of an object header is cut.', message.offset);
      const [next, size] = [addressAt(message.bytes, 0), addressAt(message.bytes, 8)];
      if (next === undefined || size === undefined || size > longestBlock)
        throw new FormatError('A continuation of an object header is not valid.', message.offset);
      // A block of version 2 begins with a signature and ends with a checksum.
      waiting.push(
        isNew ? { offset: base + next + 4, length: Math.max(0, size - 8) } : { offset: base + next, length: size },
      );
    }
  }
  return found;
}

/** The first block of a header of version 2. */
function blockOfNew(head: Buffer, at: number): { offset: number; length: number } {
  const flags = head[5]!;
  const sizeAt = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const sizeBytes = 1 << (flags & 3);
  const length = sizeBytes === 8 ? (addressAt(head, sizeAt) ?? Infinity) : head.readUIntLE(sizeAt, sizeBytes);
  return { offset: at + sizeAt + sizeBytes, length };
}

function* newMessages(bytes: Buffer, offset: number, ordered: boolean): Generator<Message> {
  const head = ordered ? 6 : 4;
  for (let at = 0; at + head <= bytes.length; ) {
    const type = bytes[at]!;
    const length = bytes.readUInt16LE(at + 1);
    yield messageAt(bytes, offset, { type, at: at + head, length });
    at += head + length;
  }
}

function* oldMessages(bytes: Buffer, offset: number): Generator<Message> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + 2);
    yield messageAt(bytes, offset, { type: bytes.readUInt16LE(at), at: at + 8, length });
    at += 8 + length;
  }
}

function messageAt(
  bytes: Buffer,
  offset: number,
  { type, at, length }: { type: number; at: number; length: number },
): Message {
  if (at + length > bytes.length) throw new FormatError('A message of an object header is cut.', offset + at);
  return { type, bytes: bytes.subarray(at, at + length), offset: offset + at };
}
