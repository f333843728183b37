import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { unpackLz4 } from '../../io/lz4.ts';
import { codecs } from './constants.ts';
import { unpackSnappy } from './snappy.ts';

/** Below, a turn in another thread takes longer than the work. */
const fewBytes = 1 << 14;
/** Memory that zlib takes at a time: more only comes with more content. */
const longestPiece = 1 << 22;

const zlib = {
  [codecs.gzip]: { now: gunzipSync, later: promisify(gunzip) },
  [codecs.brotli]: { now: brotliDecompressSync, later: promisify(brotliDecompress) },
  [codecs.zstd]: { now: zstdDecompressSync, later: promisify(zstdDecompress) },
} as const;

/** Whether pages of this codec can be read. */
export const isKnownCodec = (codec: number): boolean =>
  codec >= codecs.none && codec <= codecs.lz4Raw && codec !== codecs.lzo;

/** Unpacks the content of a page. Undefined if it is damaged or has another length. */
export async function unpack(packed: Buffer, codec: number, length: number): Promise<Buffer | undefined> {
  const out = await unpacked(packed, codec, length);
  return out?.length === length ? out : undefined;
}

async function unpacked(packed: Buffer, codec: number, length: number): Promise<Buffer | undefined> {
  switch (codec) {
    case codecs.none:
      return packed;
    case codecs.snappy:
      return unpackSnappy(packed, length);
    case codecs.lz4Raw:
      return unpackLz4(packed, length);
    case codecs.lz4:
      return unpackHadoop(packed, length) ?? unpackLz4(packed, length);
  }
  const { now, later } = zlib[codec as keyof typeof zlib];
  const options = { maxOutputLength: Math.max(1, length), chunkSize: Math.min(longestPiece, Math.max(64, length)) };
  try {
    return packed.length < fewBytes ? now(packed, options) : await later(packed, options);
  } catch {
    // all that zlib says is that the content is damaged or too long
    return undefined;
  }
}

/** LZ4 as Hadoop writes it: blocks with their lengths unpacked and packed, as big-endian numbers, before them. */
function unpackHadoop(packed: Buffer, length: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let [at, sum] = [0, 0];
  while (at < packed.length) {
    if (at + 8 > packed.length) return undefined;
    const [unpackedLength, size] = [packed.readUInt32BE(at), packed.readUInt32BE(at + 4)];
    at += 8;
    if (size > packed.length - at || unpackedLength > length - sum) return undefined;
    const part = unpackLz4(packed.subarray(at, at + size), unpackedLength);
    if (part === undefined) return undefined;
    parts.push(part);
    at += size;
    sum += unpackedLength;
  }
  return Buffer.concat(parts);
}
