import { open } from 'node:fs/promises';
import { xxh3 } from '@node-rs/xxhash';

/** Bytes of a file that are read at once. */
const CHUNK = 1 << 20;

/**
 * Size and digest (XXH3, 64 bits) of a stream of bytes. Finds accidents, such as changed bits and exchanged files, at
 * the speed of memory; it is no proof against somebody who forges bytes.
 */
export class Digest {
  readonly #hash = xxh3.Xxh3.withSeed();
  #size = 0;

  update(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#hash.update(chunk);
  }

  get size(): number {
    return this.#size;
  }

  /** 16 hex digits. */
  get hex(): string {
    return this.#hash.digest().toString(16).padStart(16, '0');
  }

  /** The same stream, whose chunks are added. */
  async *through(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.update(chunk);
      yield chunk;
    }
  }

  /** Whether the added bytes match this digest. */
  equals(known: KnownDigest): boolean {
    return this.#size === known.size && this.hex === known.digest;
  }
}

export interface KnownDigest {
  size: number;
  digest: string;
}

/** Throws the reason of `signal`. */
export async function digestOfFile(path: string, signal?: AbortSignal): Promise<Digest> {
  const digest = new Digest();
  await using file = await open(path, 'r');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, CHUNK);
    if (bytesRead === 0) return digest;
    digest.update(chunk.subarray(0, bytesRead));
  }
}
