import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileSink, FileSource } from './bytes.ts';
import { piecesOf } from './pieces.ts';

/** A temporary file that is written, then read. Closed and deleted when it is disposed of. */
export class ScratchFile implements AsyncDisposable {
  readonly path: string;
  readonly sink: FileSink;

  private constructor(path: string, sink: FileSink) {
    this.path = path;
    this.sink = sink;
  }

  static async create(scratch: string): Promise<ScratchFile> {
    const path = join(scratch, randomUUID());
    return new ScratchFile(path, await FileSink.create(path, { checksum: false }));
  }

  /** The content so far. */
  async open(): Promise<FileSource> {
    await this.sink.flush();
    return FileSource.open(this.path, { checksum: false });
  }

  /** The content so far, in pieces of up to `size` bytes. */
  async *pieces(size?: number): AsyncGenerator<Uint8Array> {
    await using source = await this.open();
    yield* piecesOf(source, { size });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sink.close();
    await rm(this.path, { force: true });
  }
}
