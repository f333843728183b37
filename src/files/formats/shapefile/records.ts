import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { ReadWindow } from '../io/read-window.ts';
import { type Beside, type RecordOrder, recordOrder } from './record-order.ts';
import { hasMeasure, InvalidRecord } from './shapes.ts';
import { readShpHeader, type ShpHeader } from './shp-header.ts';

/** Reads records of a .shp file by number through its index (.shx), or one after the other. */
export class Records {
  readonly header: ShpHeader;
  readonly #shp: ReadWindow;
  readonly #shx: ReadWindow | undefined;
  /** Undefined if it is not known before the last record is read: `record` then returns undefined. */
  readonly count: number | undefined;
  /** Offset of the end of the last record. */
  readonly #end: number;
  #next = 100;

  private constructor(header: ShpHeader, shp: ByteSource, { index, count, end }: RecordOrder) {
    this.header = header;
    this.#shp = new ReadWindow(shp);
    this.#shx = index && new ReadWindow(index);
    this.count = count;
    this.#end = end;
  }

  static async open(shp: ByteSource, beside: Beside, context: Context): Promise<Records> {
    const header = await readShpHeader(shp, context);
    return new Records(header, shp, await recordOrder({ shp, header }, beside, context));
  }

  rewind(): void {
    this.#next = 100;
  }

  /**
   * Reads record `n` (from 0) and its offset; undefined after the last one. Without an index, records must be read in
   * order.
   * @throws InvalidRecord if the record does not fit into the file
   */
  async record(n: number): Promise<{ content: Buffer; offset: number } | undefined> {
    let offset = this.#next;
    if (this.#shx !== undefined) {
      if (n >= this.count!) return undefined;
      const at = 100 + 8 * n;
      if (!this.#shx.has(at, 8)) await this.#shx.move(at, 8);
      offset = 2 * this.#shx.bytes.readUInt32BE(at - this.#shx.start);
      if (offset < 100 || offset + 12 > this.#shp.source.size)
        throw new InvalidRecord(`Record ${n + 1} is missing: the .shx file places it at byte ${offset}.`, at);
    } else if (offset + 12 > this.#end) return undefined;
    const shp = this.#shp;
    if (!shp.has(offset, 12)) await shp.move(offset, 12);
    const length = 2 * shp.bytes.readUInt32BE(offset + 4 - shp.start);
    const end = offset + 8 + length;
    if (length < 4 || end > shp.source.size) {
      // Without an index, the offset of the next record is unknown.
      this.#next = this.#end;
      throw new InvalidRecord(
        `Record ${n + 1} declares ${length} bytes. The file has only ${shp.source.size - offset - 8} more.`,
        offset,
      );
    }
    this.#next = end;
    if (!shp.has(offset, 8 + length)) await shp.move(offset, 8 + length);
    return { content: shp.bytes.subarray(offset + 8 - shp.start, end - shp.start), offset };
  }

  /** Whether any vertex has a measure (M), which is optional for shape types with Z. */
  async hasMeasures(signal: AbortSignal): Promise<boolean> {
    const { type } = this.header;
    if (type < 10) return false;
    if (type > 20) return true;
    for (let n = 0; ; n++) {
      if (n % 4096 === 0) signal.throwIfAborted();
      try {
        const record = await this.record(n);
        if (record === undefined) break;
        if (hasMeasure(record.content, record.offset)) return true;
      } catch (error) {
        // Reported when that record is read.
        if (!(error instanceof InvalidRecord)) throw error;
      }
    }
    return false;
  }
}
