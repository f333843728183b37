import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { BufferedWriter } from './buffered-writer.ts';
import { readBuffer } from './buffers.ts';
import { ScratchFile } from './scratch-file.ts';

/** Bytes of records that are sorted in memory at a time. */
const batchBytes = 32 << 20;
/** Unneeded bytes between two records that are read to save a request. */
const maxGap = 1 << 16;
const maxRead = 4 << 20;

/**
 * Records in a temporary file, in the order of the input, to be read in another one. In memory are only their places.
 */
export class OrderedSpool {
  length = 0;
  readonly out: BufferedWriter;
  readonly #file: ScratchFile;
  #positions = new Float64Array(1024);
  #sizes = new Uint32Array(1024);
  #end = 0;

  private constructor(file: ScratchFile) {
    this.#file = file;
    this.out = new BufferedWriter(file.sink);
  }

  static async create(context: Pick<Context, 'scratch' | 'onEnd'>): Promise<OrderedSpool> {
    const file = await ScratchFile.create(context.scratch);
    context.onEnd(() => file[Symbol.asyncDispose]());
    return new OrderedSpool(file);
  }

  /** Notes that a record of this size was written to `out`. */
  add(size: number): void {
    const n = this.length++;
    if (n === this.#sizes.length) {
      const [positions, sizes] = [new Float64Array(2 * n), new Uint32Array(2 * n)];
      positions.set(this.#positions);
      sizes.set(this.#sizes);
      [this.#positions, this.#sizes] = [positions, sizes];
    }
    this.#positions[n] = this.#end;
    this.#sizes[n] = size;
    this.#end += size;
  }

  /** Where each record begins in the file. */
  get positions(): Float64Array {
    return this.#positions.subarray(0, this.length);
  }

  get sizes(): Uint32Array {
    return this.#sizes.subarray(0, this.length);
  }

  /** Ends the writing. Returns the path of the file, which has all records. */
  async end(): Promise<string> {
    await this.out.end();
    await this.#file.sink.flush();
    return this.#file.path;
  }

  /** The records in this order, many at a time. */
  async *ordered(order: Uint32Array): AsyncGenerator<{ bytes: Buffer; first: number; count: number }> {
    await this.end();
    await using source = await this.#file.open();
    const targets = new Uint32Array(this.length);
    for (let first = 0; first < order.length; ) {
      let size = 0;
      let end = first;
      while (end < order.length && (end === first || size + this.#sizes[order[end]!]! <= batchBytes))
        size += this.#sizes[order[end++]!]!;
      yield { bytes: await this.#batch(source, order.subarray(first, end), targets, size), first, count: end - first };
      first = end;
    }
  }

  /** @param targets memory for where each record begins in the batch */
  async #batch(source: ByteSource, order: Uint32Array, targets: Uint32Array, size: number): Promise<Buffer> {
    const batch = Buffer.allocUnsafeSlow(size);
    let to = 0;
    for (const record of order) {
      targets[record] = to;
      to += this.#sizes[record]!;
    }
    // Positions ascend with the number of the record.
    const records = order.toSorted();
    for (let n = 0; n < records.length; ) {
      const start = this.#positions[records[n]!]!;
      let [last, stop] = [n, start];
      for (; last < records.length; last++) {
        const position = this.#positions[records[last]!]!;
        const next = position + this.#sizes[records[last]!]!;
        if (last > n && (position > stop + maxGap || next > start + maxRead)) break;
        stop = next;
      }
      const bytes = await readBuffer(source, start, stop - start);
      for (; n < last; n++) {
        const record = records[n]!;
        const from = this.#positions[record]! - start;
        bytes.copy(batch, targets[record]!, from, from + this.#sizes[record]!);
      }
    }
    return batch;
  }
}
