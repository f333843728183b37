import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { ReadWindow } from '../io/read-window.ts';
import { hasMeasure, InvalidRecord, isKnownType } from './shapes.ts';

export interface ShpHeader {
  type: number;
  /** Where records end. */
  end: number;
  /** Low and high, as the file says. */
  measures: readonly [number, number];
}

export async function readShpHeader(source: ByteSource, { log }: Context): Promise<ShpHeader> {
  const header = Buffer.from(await source.read(0, 100));
  if (header.length < 100)
    throw new FormatError(`The .shp file has ${source.size} bytes; its header alone takes 100.`, 0);
  if (header.readInt32BE(0) !== 9994)
    throw new FormatError('The .shp file does not begin with 9994; it is no shapefile.', 0);
  const type = header.readInt32LE(32);
  if (type === 31)
    throw new FormatError('The shapefile holds MultiPatches (surfaces in space), which cannot be read.', 32);
  if (!isKnownType(type)) throw new FormatError(`The shapefile's type is ${type}; there is no such type of shape.`, 32);
  const told = 2 * header.readUInt32BE(24);
  if (told !== source.size) log('warning', `The .shp file has ${source.size} bytes; its header says ${told}.`);
  const end = told >= 100 && told < source.size ? told : source.size;
  return { type, end, measures: [header.readDoubleLE(84), header.readDoubleLE(92)] };
}

/** Records of a .shp file by number, from its index or, without one, in the order in which they lie. */
export class Records {
  readonly header: ShpHeader;
  readonly #shp: ReadWindow;
  readonly #shx: ReadWindow | undefined;
  /** Undefined without an index: then `next` says when there are no more. */
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
      const why = shx === undefined ? 'There is no .shx file' : 'The .shx file is broken';
      context.log('warning', `${why}; records are found by going through the .shp file.`);
    }
    return new Records(header, shp, usable ? shx : undefined);
  }

  rewind(): void {
    this.#next = 100;
  }

  /**
   * The content of record `n` (from 0; without an index records must be asked for in order) and its place; undefined after the last.
   * @throws InvalidRecord for one that does not fit
   */
  async record(n: number): Promise<{ content: Buffer; place: number } | undefined> {
    let offset = this.#next;
    if (this.#shx !== undefined) {
      if (n >= this.count!) return undefined;
      const at = 100 + 8 * n;
      if (!this.#shx.has(at, 8)) await this.#shx.move(at, 8);
      offset = 2 * this.#shx.bytes.readUInt32BE(at - this.#shx.start);
      if (offset < 100 || offset + 12 > this.#shp.source.size)
        throw new InvalidRecord(`The .shx file says record ${n + 1} is at byte ${offset}; there is nothing.`, at);
    } else if (offset + 12 > this.header.end) return undefined;
    const shp = this.#shp;
    if (!shp.has(offset, 12)) await shp.move(offset, 12);
    const length = 2 * shp.bytes.readUInt32BE(offset + 4 - shp.start);
    const end = offset + 8 + length;
    if (length < 4 || end > shp.source.size) {
      // Without an index there is no telling where the next one begins.
      this.#next = this.header.end;
      throw new InvalidRecord(
        `Record ${n + 1} says it has ${length} bytes; ${shp.source.size - offset - 8} are left.`,
        offset,
      );
    }
    this.#next = end;
    if (!shp.has(offset, 8 + length)) await shp.move(offset, 8 + length);
    return { content: shp.bytes.subarray(offset + 8 - shp.start, end - shp.start), place: offset };
  }

  /** Whether any vertex has a measure; of types with heights it is left open. */
  async measured(signal: AbortSignal): Promise<boolean> {
    const { type } = this.header;
    if (type < 10) return false;
    if (type > 20) return true;
    for (let n = 0; ; n++) {
      if (n % 4096 === 0) signal.throwIfAborted();
      try {
        const record = await this.record(n);
        if (record === undefined) break;
        if (hasMeasure(record.content, record.place)) return true;
      } catch (error) {
        // It is told when the record's turn comes.
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
