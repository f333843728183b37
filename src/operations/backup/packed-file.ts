import { createHash } from 'node:crypto';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { BlobStore } from '../../blobs/blobs.ts';
import { readWhole } from '../../blobs/steady-read.ts';
import { AppError } from '../../errors.ts';
import type { Packed } from './manifest.ts';

const NEWLINE = 10;

/** A file of a backup is missing, or has other bytes than those that were written. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Writes lines as a compressed file. */
export async function writePacked(
  store: BlobStore,
  name: string,
  lines: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Packed> {
  let rows = 0;
  const sha256 = createHash('sha256');
  async function* counted() {
    for await (const chunk of lines) {
      rows += countLines(chunk);
      yield chunk;
    }
  }
  async function* hashed(bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      sha256.update(chunk);
      yield chunk;
    }
  }
  const { size } = await store.put(
    name,
    hashed(through(counted(), createZstdCompress())),
    Number.POSITIVE_INFINITY,
    signal,
  );
  return { rows, size, sha256: sha256.digest('hex') };
}

/**
 * The lines of a compressed file, in pieces. Throws `DamagedFile`, at the latest at the end.
 * @param what names the file in errors
 */
export async function* readPacked(
  store: BlobStore,
  name: string,
  { what, expected }: { what: string; expected: Packed },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const sha256 = createHash('sha256');
  let size = 0;
  let rows = 0;
  async function* hashed() {
    for await (const chunk of readWhole(store, name, signal)) {
      sha256.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const chunk of through(hashed(), createZstdDecompress())) {
      rows += countLines(chunk);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError && error.kind === 'notFound') throw new DamagedFile(`${what} is missing.`);
    if (String((error as { code?: unknown }).code).startsWith('ZSTD_')) throw damaged(what);
    throw error;
  }
  if (size !== expected.size || rows !== expected.rows || sha256.digest('hex') !== expected.sha256) throw damaged(what);
}

const damaged = (what: string) => new DamagedFile(`${what} is damaged: its bytes are not those that were written.`);

/** Errors of the source are thrown by the result. */
const through = (source: AsyncIterable<Uint8Array>, transform: Readable & NodeJS.WritableStream): Readable =>
  pipeline(source, transform, new PassThrough(), () => {});

function countLines(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
