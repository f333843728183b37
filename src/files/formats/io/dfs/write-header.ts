import type { ByteSink } from '../../../data/bytes.ts';
import type { Samples, SampleType } from '../../../data/item.ts';
import { bytesOf, sampleTypeOf } from '../../../data/samples.ts';
import { ConversionError } from '../../../errors.ts';
import { axisArrays } from './axes.ts';
import { encodeCp1252 } from './cp1252.ts';
import { type DfsHeader, type DfsItem, type DfsTime, elementsOf, type UnknownBlock } from './header.ts';
import { STATISTICS } from './summary.ts';
import { ARRAY_HEAD, BLOCK_BEGIN, BLOCK_END, numberOfType, tag } from './tags.ts';
import { type DfsArray, toDfsArray } from './typed-array.ts';

/** Offsets of values that are known only after all steps are written. */
export interface Patches {
  /** Two Float64 numbers of the time axis, followed by the number of steps. */
  readonly timeNumbers: number;
  readonly steps: number;
  /** Offset per item of three Float64 numbers; `statistics`: of the Float64 statistics of each element, if present. */
  readonly summaries: readonly number[];
  readonly statistics: readonly number[];
}

const SIGNATURE = 'DHI_DFS_ MIKE Zero - this file contains binary data, do not edit  FOpenFileCreate\x1a';
/** Words between the dates, the same in all files. */
const words = [104, 206];

/** Signature, dates of creation and change, and version words of a new file. */
export function newHead(created: Date): Uint8Array {
  const head = Buffer.alloc(SIGNATURE.length + 48);
  head.write(SIGNATURE, 'latin1');
  let at = SIGNATURE.length;
  for (const extra of [words, [...words, 0, 0]]) {
    const [year, month, day] = [created.getUTCFullYear(), created.getUTCMonth() + 1, created.getUTCDate()];
    for (const part of [year, month, day, created.getUTCHours(), created.getUTCMinutes(), created.getUTCSeconds()])
      at = head.writeInt16LE(part, at);
    for (const word of extra) at = head.writeInt32LE(word, at);
  }
  return head;
}

/** Writes everything before the first time step: signature, dates, version words and blocks. */
export async function writeHeader(header: DfsHeader, sink: ByteSink): Promise<Patches> {
  const out = new HeaderWriter(sink, header.unknown);
  const { deleteValues, projection, time } = header;
  out.raw(header.head);
  await out.block(tag.header);
  await out.block(tag.fileType, Int16Array.of(time.equidistant ? 1 : 4));
  await out.block(tag.title, text(header.title));
  await out.block(tag.application, text(header.application));
  await out.block(tag.version, Int32Array.of(header.version));
  await out.block(tag.dataType, Int32Array.of(header.dataType));
  await out.block(tag.compressed, Int32Array.of(header.compressed ? 1 : 0));
  await out.block(tag.statisticsType, Int32Array.of(header.statisticsType));
  await out.block(tag.deleteFloat, Float32Array.of(deleteValues.Float32));
  await out.block(tag.deleteDouble, Float64Array.of(deleteValues.Float64));
  await out.block(tag.deleteByte, Int8Array.of(deleteValues.Int8));
  await out.block(tag.deleteInt, Int32Array.of(deleteValues.Int32));
  await out.block(tag.deleteUInt, Uint32Array.of(deleteValues.UInt32));
  if (projection !== undefined) {
    const { longitude, latitude, rotation } = projection;
    await out.block(tag.projection, text(projection.text), Float64Array.of(longitude, latitude, rotation));
  }
  await out.block(tag.timeSection);
  const { number, arrays } = timeBlock(time);
  const timeOffsets = await out.block(number, ...arrays);
  await out.block(tag.itemSection);
  await out.block(tag.itemCount, Int32Array.of(header.items.length));
  const summaries: number[] = [];
  const statistics: number[] = [];
  for (const item of header.items) {
    summaries.push((await writeItem(out, item))[4]!);
    if (header.statisticsType > 1) {
      const numbers = item.statistics ?? toDfsArray(new Float64Array(STATISTICS * elementsOf(item)));
      statistics.push((await out.block(tag.regularStatistics, numbers))[0]!);
    }
    if (item.statics !== undefined) await out.block(tag.associatedStatics, item.statics);
  }
  for (const { name, values } of header.custom) await out.block(tag.custom, text(name), values);
  if (header.statics.length > 0) await out.block(tag.staticSection);
  for (const { item, values } of header.statics) {
    await writeItem(out, item);
    await out.block(tag.staticData, values);
  }
  await out.rest();
  await out.block(tag.dynamicSection);
  await out.flush();
  return { timeNumbers: timeOffsets.at(-2)!, steps: timeOffsets.at(-1)!, summaries, statistics };
}

function timeBlock({ start, equidistant, unit, numbers, steps, firstStep }: DfsTime) {
  const axis = [Int32Array.of(unit), Float64Array.from(numbers), Int32Array.of(steps, firstStep)];
  if (start === undefined)
    return { number: equidistant ? tag.relativeEquidistant : tag.relativeNonEquidistant, arrays: axis };
  const number = equidistant ? tag.calendarEquidistant : tag.calendarNonEquidistant;
  return { number, arrays: [text(start.date), text(start.time), ...axis] };
}

async function writeItem(out: HeaderWriter, item: DfsItem): Promise<number[]> {
  const { maximum, minimum, deleted } = item.summary;
  const offsets = await out.block(
    tag.item,
    Int32Array.of(item.eumItem),
    text(item.name),
    Int32Array.of(item.eumUnit),
    Int32Array.of(numberOfType(item.type)),
    Float64Array.of(maximum, minimum, deleted),
    Float32Array.from(item.reference.slice(0, 3)),
    Float32Array.from(item.reference.slice(3)),
  );
  await out.block(tag.valueKind, Int32Array.of(item.valueKind));
  await out.block(item.axis.tag, ...axisArrays(item.axis));
  return offsets;
}

/** Windows-1252 with a terminating NUL. */
function text(characters: string): Int8Array {
  const bytes = encodeCp1252(characters);
  const terminated = new Int8Array(bytes.length + 1);
  terminated.set(bytes);
  return terminated;
}

/** The count of a typed array is a signed 32-bit number. */
const maxCount = 0x7fffffff;

/**
 * Checks, before anything is written, that a typed array can hold the values of a step.
 * @param owner begins the sentence
 * @throws ConversionError if it cannot
 */
export function checkCount(count: number, owner: string): void {
  if (count > maxCount)
    throw new ConversionError(
      `${owner} has ${count} values per step. A DFS file holds at most ${maxCount}. Choose fewer with a spatialFilter or a verticalFilter.`,
    );
}

/** Type and count of a typed array. */
export function arrayHead(type: SampleType, count: number): Uint8Array {
  const head = new Uint8Array(ARRAY_HEAD);
  head[0] = numberOfType(type);
  new DataView(head.buffer).setInt32(1, count, true);
  return head;
}

const blockBegin = (number: number): Uint8Array => Uint8Array.of(BLOCK_BEGIN, number & 0xff, number >> 8);

/** Mark of a time step; `time` only on a non-equidistant axis. */
export function stepMark(time: number | undefined): Uint8Array {
  const parts = [blockBegin(tag.step)];
  if (time !== undefined) parts.push(arrayHead('Float64', 1), bytesOf(Float64Array.of(time)));
  return Buffer.concat([...parts, Uint8Array.of(BLOCK_END)]);
}

const placeOf = (after: number, nth: number): string => `${after} ${nth}`;

class HeaderWriter {
  readonly #sink: ByteSink;
  /** Unknown blocks by the block that they follow. */
  readonly #unknown: Map<string, UnknownBlock[]>;
  readonly #written = new Map<number, number>();
  #pending: Uint8Array[] = [];
  #length = 0;

  constructor(sink: ByteSink, unknown: readonly UnknownBlock[]) {
    this.#sink = sink;
    this.#unknown = Map.groupBy(unknown, ({ after, nth }) => placeOf(after, nth));
  }

  raw(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#length += bytes.length;
  }

  /**
   * Writes a block, and the unknown blocks that followed it. Returns the offsets of the first elements of its arrays.
   */
  async block(number: number, ...arrays: (Samples | DfsArray)[]): Promise<number[]> {
    const offsets = await this.#write(number, arrays);
    const nth = this.#written.get(number) ?? 0;
    this.#written.set(number, nth + 1);
    await this.#writeUnknown(placeOf(number, nth));
    return offsets;
  }

  /** Writes the unknown blocks whose preceding block no longer exists. */
  async rest(): Promise<void> {
    for (const place of this.#unknown.keys()) await this.#writeUnknown(place);
  }

  async #writeUnknown(place: string): Promise<void> {
    const blocks = this.#unknown.get(place) ?? [];
    this.#unknown.delete(place);
    for (const { tag: number, arrays } of blocks) await this.#write(number, arrays);
  }

  async #write(number: number, arrays: readonly (Samples | DfsArray)[]): Promise<number[]> {
    const offsets: number[] = [];
    this.raw(blockBegin(number));
    for (const array of arrays) {
      const samples = 'load' in array ? await array.load() : array;
      this.raw(arrayHead(sampleTypeOf(samples), samples.length));
      offsets.push(this.#sink.position + this.#length);
      this.raw(bytesOf(samples));
      if (this.#length > 1 << 18) await this.flush();
    }
    this.raw(Uint8Array.of(BLOCK_END));
    return offsets;
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#length = 0;
    await this.#sink.append(bytes);
  }
}
