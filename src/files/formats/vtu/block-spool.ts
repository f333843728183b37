import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../define.ts';

/** Bytes in memory, or in a temporary file. */
export type Piece = Uint8Array | { readonly length: number; load(): Promise<Uint8Array> };

export const loaded = async (piece: Piece): Promise<Uint8Array> =>
  piece instanceof Uint8Array ? piece : await piece.load();

/** Keeps blocks of bytes in a temporary file, which is deleted at the end of the conversion. */
export class BlockSpool {
  readonly #file: FileHandle;
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create({ scratch, onEnd }: Pick<Context, 'scratch' | 'onEnd'>): Promise<BlockSpool> {
    const path = join(scratch, randomUUID());
    const file = await open(path, 'wx+');
    onEnd(async () => {
      await file.close();
      await rm(path, { force: true });
    });
    return new BlockSpool(file);
  }

  /** May be called again before it has written. */
  async keep(bytes: Uint8Array): Promise<Piece> {
    const { length } = bytes;
    const start = this.#size;
    this.#size += length;
    await transfer(length, (at) => this.#file.write(bytes, at, length - at, start + at));
    return {
      length,
      load: async () => {
        const back = Buffer.allocUnsafeSlow(length);
        await transfer(length, (at) => this.#file.read(back, at, length - at, start + at));
        return back;
      },
    };
  }

  /** Forgets all blocks. */
  clear(): void {
    this.#size = 0;
  }
}

/** Repeats a read or write until all bytes are transferred. */
async function transfer(
  length: number,
  part: (at: number) => Promise<{ bytesRead?: number; bytesWritten?: number }>,
): Promise<void> {
  for (let at = 0; at < length; ) {
    const { bytesRead = 0, bytesWritten = bytesRead } = await part(at);
    if (bytesWritten === 0) throw new Error('A temporary file was truncated.');
    at += bytesWritten;
  }
}
