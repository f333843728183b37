import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { ReadWindow } from '../io/read-window.ts';
import { hasMeasure, InvalidRecord, isKnownType } from './shapes.ts';

export interface ShpHeader {
  type: number;
  /** Offset of the end of the last record. */
  end: number;
  /** Range of M as declared by the header. */
  measures: readonly [number, number];
}

export async function readShpHeader(source: ByteSource, { remark }: Context): Promise<ShpHeader> {
  const header = Buffer.from(await source.read(0, 100));
  if (header.length < 100) throw new FormatError(`The .shp file has ${source.size} bytes. Its header takes 100.`, 0);
  if (header.readInt32BE(0) !== 9994)
    throw new FormatError('The .shp file is not a shapefile: it does not begin with 9994.', 0);
  const type = header.readInt32LE(32);
  if (type === 31)
    throw new FormatError('The shapefile contains MultiPatches (3D surfaces), which are not supported.', 32);
  if (!isKnownType(type)) throw new FormatError(`The shapefile has the unknown shape type ${type}.`, 32);
  const declared = 2 * header.readUInt32BE(24);
  if (declared !== source.size) remark(`The .shp file has ${source.size} bytes, but its header declares ${declared}.`);
  const end = declared >= 100 && declared < source.size ? declared : source.size;
  return { type, end, measures: [header.readDoubleLE(84), header.readDoubleLE(92)] };
}

/** Reads records of a .shp file by number through its index (.shx), or one after the other without an index. */
export class Records {
  readonly header: ShpHeader;
  readonly #shp: ReadWindow;
  readonly #shx: ReadWindow | undefined;
  /** Undefined without an index: `record` then returns undefined after the last one. */
  readonly count: number | undefined;
  #next = 100;

  private constructor(header: ShpHeader, shp: ByteSource, shx: ByteSource | undefined) {
    this.header = header;
    this.#shp = new ReadWindow(shp);
    this.#shx = shx === undefined ? undefined : new ReadWindow(shx);
    this.count = shx === undefined ? undefined : (shx.size - 100) / 8;
  }

  static async open(shp: ByteSource, shx: ByteSource | undefined, context: Context): Promise<Records> {
    const header = await readShpHeader(shp, context);
    const usable = shx !== undefined && (await isUsable(shx, shp.size));
    if (!usable) {
      const reason = shx === undefined ? 'There is no .shx file' : 'The .shx file is broken';
      context.remark(`${reason}, so records are read in the order of the .shp file.`);
    }
    return new Records(header, shp, usable ? shx : undefined);
  }

  rewind(): void {
    this.#next = 100;
  }

  /**
   * Reads record `n` (from 0) and its offset; undefined after the last one. Without an index, records must be read in order.
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
    } else if (offset + 12 > this.header.end) return undefined;
    const shp = this.#shp;
    if (!shp.has(offset, 12)) await shp.move(offset, 12);
    const length = 2 * shp.bytes.readUInt32BE(offset + 4 - shp.start);
    const end = offset + 8 + length;
    if (length < 4 || end > shp.source.size) {
      // Without an index, the offset of the next record is unknown.
      this.#next = this.header.end;
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

async function isUsable(shx: ByteSource, shpSize: number): Promise<boolean> {
  if (shx.size < 100 || (shx.size - 100) % 8 !== 0) return false;
  const header = Buffer.from(await shx.read(0, 108));
  if (header.readInt32BE(0) !== 9994) return false;
  return header.length === 108
    ? header.readUInt32BE(100) === 50 || 2 * header.readUInt32BE(100) < shpSize
    : shpSize < 112;
}
