import { promisify } from 'node:util';
import { crc32, zstdCompress } from 'node:zlib';
import { markOwned, pooledBytes, releaseBuffer } from '../../../data/buffer-pool.ts';
import { encodings, pageTypes } from '../parquet/constants.ts';
import { encodeStruct, i32, struct, type ThriftStruct, type ThriftValue } from '../parquet/thrift-writer.ts';

const zstd = promisify(zstdCompress);

export interface PackedPage {
  readonly head: Buffer;
  readonly body: Buffer;
  readonly unpacked: number;
}

/** Packs the parts of a page, which are copied at once. */
export async function packedPage(
  parts: readonly Uint8Array[],
  header: (sizes: { 2: ThriftValue; 3: ThriftValue }) => ThriftStruct,
): Promise<PackedPage> {
  const unpacked = parts.reduce((sum, { length }) => sum + length, 0);
  const draft = header({ 2: i32(unpacked), 3: i32(0) });
  const content = pooledBytes(unpacked);
  for (let n = 0, at = 0; n < parts.length; at += parts[n++]!.length) content.set(parts[n]!, at);
  // in one piece: each further one is a turn of the event loop
  const chunkSize = unpacked + (unpacked >> 8) + 1024;
  const packed = await zstd(content, { chunkSize });
  releaseBuffer(content);
  // a page waits for its row group, its buffer need not
  const body = Buffer.from(packed);
  // a small piece lies in the buffer that all small buffers of Node share
  if (packed.buffer.byteLength === chunkSize) markOwned(packed);
  releaseBuffer(packed);
  return { head: encodeStruct({ ...draft, 3: i32(body.length), 4: i32(crc32(body) | 0) }), body, unpacked };
}

export function dictionaryPage(values: readonly Buffer[]): Promise<PackedPage> {
  const parts = values.flatMap((value) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(value.length);
    return [length, value];
  });
  return packedPage(parts, (sizes) => ({
    1: i32(pageTypes.dictionary),
    ...sizes,
    7: struct({ 1: i32(values.length), 2: i32(encodings.plain) }),
  }));
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

/** Levels of 0 and 1 with their length before them: one run if they are alike, else packed bits. */
export function levelBytes(levels: Uint8Array, nulls: number): Buffer[] {
  const count = levels.length;
  const length = Buffer.alloc(4);
  if (nulls === 0 || nulls === count) {
    const run = Buffer.from([...varint(2 * count), nulls === 0 ? 1 : 0]);
    length.writeUInt32LE(run.length);
    return [length, run];
  }
  const bits = packedBits(levels, 1);
  length.writeUInt32LE(bits.length);
  return [length, bits];
}

/** Numbers of `width` bits as one packed run. */
function packedBits(values: ArrayLike<number>, width: number): Buffer {
  const groups = Math.ceil(values.length / 8);
  const head = varint(2 * groups + 1);
  const bytes = Buffer.alloc(head.length + groups * width);
  bytes.set(head);
  for (let n = 0, bit = 8 * head.length; n < values.length; n++, bit += width) {
    let rest = values[n]! * 2 ** (bit & 7);
    for (let at = bit >> 3; rest > 0; at++, rest = Math.floor(rest / 256)) bytes[at]! |= rest & 255;
  }
  return bytes;
}

export function indexBytes(indices: readonly number[], length: number): Buffer {
  if (indices.length === 0) return Buffer.alloc(0);
  const width = Math.max(1, 32 - Math.clz32(length - 1));
  return Buffer.concat([Buffer.of(width), packedBits(indices, width)]);
}

export function bitBytes(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [n, value] of values.entries()) bytes[n >> 3]! |= value << (n & 7);
  return bytes;
}
