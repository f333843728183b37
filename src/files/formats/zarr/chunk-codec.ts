import { promisify } from 'node:util';
import { gunzip, gunzipSync, inflate, inflateSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { ByteSource } from '../../data/bytes.ts';
import {
  bytesOfValues,
  bytesPerValue,
  type StoredType,
  type StoredValues,
  valuesIn,
} from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown, type ZipEntry } from '../io/zip.ts';
import { readEntry } from '../io/zip-entry.ts';
import { unpackBlosc } from './blosc.ts';
import type { Codecs } from './metadata.ts';

/** Encoding of the chunks of an array. */
export interface ChunkForm {
  readonly type: StoredType;
  readonly codecs: Codecs;
  /** Number of values. */
  readonly size: number;
}

const longestPiece = 1 << 22;

const unpack = {
  now: { zstd: zstdDecompressSync, gzip: gunzipSync, zlib: inflateSync },
  inPool: { zstd: promisify(zstdDecompress), gzip: promisify(gunzip), zlib: promisify(inflate) },
} as const;

/**
 * Reads and decodes a chunk, which may keep the memory that the source gave.
 * @param how at once, or in the thread pool
 * @throws FormatError
 */
export async function decodedChunk(
  source: ByteSource,
  entry: ZipEntry,
  { type, codecs, size }: ChunkForm,
  how: keyof typeof unpack,
): Promise<StoredValues> {
  const length = size * bytesPerValue(type);
  // A codec may make bytes a little longer than they were.
  let bytes: Buffer | undefined = await readEntry(source, entry, 2 * length + (1 << 16));
  if (bytes === undefined)
    throw new FormatError(`'${shown(entry.name)}' has ${entry.size} bytes for a chunk of ${length}.`, entry.offset);
  try {
    for (const codec of codecs.packed.toReversed()) {
      const most = codec === codecs.packed[0] ? Math.max(1, length) : 2 * length + (1 << 16);
      if (codec === 'blosc') bytes = await unpackBlosc(bytes!, most);
      else
        bytes = await unpack[how][codec](bytes!, {
          maxOutputLength: most,
          // One piece: the usual ones of 16 kB each wait for a thread.
          chunkSize: Math.max(64, Math.min(length, longestPiece)),
        });
    }
  } catch {
    throw new FormatError(`'${shown(entry.name)}' cannot be decompressed to a chunk of ${length} bytes.`, entry.offset);
  }
  if (bytes!.length !== length)
    throw new FormatError(
      `'${shown(entry.name)}' holds a chunk of ${bytes!.length} bytes instead of ${length}.`,
      entry.offset,
    );
  const values = valuesIn(type, bytes!);
  if (codecs.bigEndian) swap(bytesOfValues(values), bytesPerValue(type));
  return values;
}

function swap(bytes: Uint8Array, width: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (width === 2) buffer.swap16();
  if (width === 4) buffer.swap32();
  if (width === 8) buffer.swap64();
}
