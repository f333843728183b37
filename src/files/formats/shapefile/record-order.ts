import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { ReadWindow } from '../io/read-window.ts';
import { isKnownType } from './shapes.ts';
import type { ShpHeader } from './shp-header.ts';

/** A .shp file of at most this size is always compared with its index. Of a larger one the index must have gaps. */
const COMPARED = 1 << 25;
/** A larger index is not compared: its offsets would take more memory than a conversion has. */
const LARGEST_INDEX = 50_000_000;

interface Shp {
  readonly shp: ByteSource;
  readonly header: ShpHeader;
}

/** Numbers and positions of records by the other files of a shapefile. */
export interface Beside {
  readonly shx: ByteSource | undefined;
  /** Number of rows of the .dbf file, if there is one. */
  readonly rows: number | undefined;
}

/** Order of the records of a .shp file: by its index, or by their offsets. */
export interface RecordOrder {
  readonly index?: ByteSource;
  /** Undefined if it is not known before the last record is read. */
  readonly count?: number;
  /** Offset of the end of the last record. */
  readonly end: number;
}

/**
 * Decides whether the index of a .shp file can be believed. An index may give another order than that of the records,
 * and leave out records that an editor replaced. But where it has lost its end, or belongs to another file, while the
 * .shp file is sound, the records are read in their order: nothing that is there may be left out in silence.
 */
export async function recordOrder(file: Shp, { shx, rows }: Beside, context: Context): Promise<RecordOrder> {
  const { shp, header } = file;
  const asTheyStand = async (why: string): Promise<RecordOrder> => {
    context.remark(`${why}, so records are read in the order of the .shp file.`);
    if (header.declared === shp.size) return { end: header.end };
    const { sound, count, end } = await walk(file, new Uint32Array(), context);
    return sound ? { count, end } : { end: header.end };
  };
  if (shx === undefined) return asTheyStand('There is no .shx file');
  if (!(await isIndex(shx))) return asTheyStand('The .shx file is broken');
  const listed = (shx.size - 100) / 8;
  const byIndex = { index: shx, count: listed, end: header.end };
  if (shp.size > COMPARED && (await isGapless(file, shx))) return byIndex;
  if (listed > LARGEST_INDEX) return asTheyStand('The .shx file has gaps');
  const { count, end, sound, numbered, matches } = await walk(file, await sortedOffsets(shx, context), context);
  if (!sound) return byIndex;
  const misses = matches < listed;
  if (misses || numbered || rows === count) {
    if (!misses && listed === count) return byIndex;
    const why =
      listed === count
        ? 'The .shx file does not fit the .shp file'
        : `The .shx file lists ${listed} records and the .shp file has ${count}`;
    context.remark(`${why}, so records are read in the order of the .shp file.`);
    return { count, end };
  }
  if (listed < count)
    context.reportLoss(
      `${count - listed} records of the .shp file are not in the .shx file; they were left out, because others have their numbers.`,
    );
  return byIndex;
}

async function isIndex(shx: ByteSource): Promise<boolean> {
  if (shx.size < 100 || (shx.size - 100) % 8 !== 0) return false;
  return Buffer.from(await shx.read(0, 4)).readInt32BE(0) === 9994;
}

/** Whether each record begins where the one before it ends, and the last one ends with the file. */
async function isGapless({ shp, header }: Shp, shx: ByteSource): Promise<boolean> {
  let next = 100;
  for await (const entry of readEntries(shx)) {
    if (entry.offset !== next) return false;
    next += 8 + entry.length;
  }
  return next === header.end || next === shp.size;
}

async function* readEntries(shx: ByteSource) {
  const window = new ReadWindow(shx);
  for (let at = 100; at < shx.size; at += 8) {
    if (!window.has(at, 8)) await window.move(at, 8);
    const { bytes, start } = window;
    yield { offset: 2 * bytes.readUInt32BE(at - start), length: 2 * bytes.readUInt32BE(at - start + 4) };
  }
}

/** Offsets in words of 16 bits. */
async function sortedOffsets(shx: ByteSource, { signal }: Context): Promise<Uint32Array> {
  const offsets = new Uint32Array((shx.size - 100) / 8);
  let n = 0;
  for await (const { offset } of readEntries(shx)) {
    if (n % 65_536 === 0) signal.throwIfAborted();
    offsets[n++] = offset / 2;
  }
  return offsets.sort();
}

interface Walked {
  count: number;
  end: number;
  /** The records end where the file ends, or where its header says. */
  sound: boolean;
  /** Records have the numbers from 1 on. */
  numbered: boolean;
  /** How many records begin at one of the offsets. */
  matches: number;
}

/** Goes from record to record of a .shp file. Behind the declared end, a record must have the next number. */
async function walk({ shp, header }: Shp, offsets: Uint32Array, { signal }: Context): Promise<Walked> {
  const window = new ReadWindow(shp);
  const walked = { count: 0, end: 100, sound: false, numbered: true, matches: 0 };
  for (let at = 100; at + 12 <= shp.size; at = walked.end) {
    if (walked.count % 65_536 === 0) signal.throwIfAborted();
    if (!window.has(at, 12)) await window.move(at, 12);
    const { bytes, start } = window;
    const isNext = bytes.readUInt32BE(at - start) === walked.count + 1;
    const length = 2 * bytes.readUInt32BE(at - start + 4);
    const type = bytes.readInt32LE(at - start + 8);
    if (length < 4 || at + 8 + length > shp.size || !(isKnownType(type) || type === 31)) break;
    if (at >= header.declared && !isNext) break;
    walked.numbered &&= isNext;
    if (offsets[walked.matches] === at / 2) walked.matches++;
    walked.count++;
    walked.end = at + 8 + length;
  }
  walked.sound = header.declared <= shp.size && (walked.end >= header.end || walked.end === shp.size);
  return walked;
}
