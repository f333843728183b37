import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFully } from '../../data/write-fully.ts';
import type { Context } from '../define.ts';
import { readFully } from '../io/bytes.ts';

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
    await writeFully(this.#file, start, bytes);
    return {
      length,
      load: async () => {
        const back = await readFully(this.#file, start, length);
        if (back.length < length) throw new Error('A temporary file was truncated.');
        return back;
      },
    };
  }

  /** Forgets all blocks. */
  clear(): void {
    this.#size = 0;
  }
}
