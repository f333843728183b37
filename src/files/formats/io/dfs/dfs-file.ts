import type { ByteSource } from '../../../data/bytes.ts';
import type { Samples } from '../../../data/item.ts';
import { sampleArrays } from '../../../data/samples.ts';
import type { TimeAxis } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { type DfsHeader, type DfsItem, storedCount } from './header.ts';
import { readHeader } from './read-header.ts';
import { ARRAY_HEAD, BLOCK_BEGIN, BLOCK_END, numberOfType, tag, typeOfNumber } from './tags.ts';
import { timeAxisOf } from './time.ts';
import { elementsOf as elementsOfBytes, readElements } from './typed-array.ts';

/** Maximum size in bytes of a record that is read together with its head. */
const smallRecord = 1 << 16;
/** Number of bytes that one read fetches if steps are short. */
const windowBytes = 1 << 20;
/** Maximum number of steps of a file: their times are held in memory. */
const maxSteps = 100_000_000;

/**
 * A DFS file with random access to the values of an item at a step: all steps have equal size, so that offsets are
 * computed. `readItem` reads the bytes of that record alone.
 */
export class DfsFile {
  readonly source: ByteSource;
  readonly header: DfsHeader;
  readonly dataStart: number;
  /** Bytes of a step, and of the mark before its records. */
  readonly stepBytes: number;
  readonly markBytes: number;
  /** Number of complete steps. */
  readonly steps: number;
  readonly time: TimeAxis;
  /** A sentence for each thing that the header declares and the file lacks. */
  readonly defects: readonly string[];
  /** Offset of each item's record in a step. */
  readonly #records: readonly number[];
  #checked = -1;

  private constructor(source: ByteSource, layout: Layout, steps: number, time: TimeAxis, defects: readonly string[]) {
    this.source = source;
    this.header = layout.header;
    this.dataStart = layout.dataStart;
    this.stepBytes = layout.stepBytes;
    this.markBytes = layout.markBytes;
    this.#records = layout.records;
    this.steps = steps;
    this.time = time;
    this.defects = defects;
  }

  /** @throws FormatError with an offset when the header is broken */
  static async open(source: ByteSource): Promise<DfsFile> {
    const { dataStart, ...header } = await readHeader(source);
    const layout = layoutOf(header, dataStart);
    const { steps, defects } = await countSteps(source, layout);
    const times = header.time.equidistant ? new Float64Array() : await readTimes(source, layout, steps);
    return new DfsFile(source, layout, steps, timeAxisOf(header.time, steps, times), defects);
  }

  /** Number of values of an item that each step stores: fewer than its elements in a compressed file. */
  storedCount(item: number): number {
    return storedCount(this.header, this.header.items[item]!);
  }

  /** Offset of the first value of an item at a step. */
  offsetOf(item: number, step: number): number {
    return this.dataStart + step * this.stepBytes + this.#records[item]! + ARRAY_HEAD;
  }

  /** Stored values `first … first + count - 1` of an item at a step. The memory belongs to the caller. */
  async readItem(item: number, step: number, first = 0, count = this.storedCount(item) - first): Promise<Samples> {
    const { type } = this.header.items[item]!;
    const size = sampleArrays[type].BYTES_PER_ELEMENT;
    const at = this.offsetOf(item, step);
    if (first === 0 && count * size <= smallRecord) {
      const bytes = await this.source.read(at - ARRAY_HEAD, ARRAY_HEAD + count * size);
      this.#check(item, step, bytes);
      if (bytes.length < ARRAY_HEAD + count * size) throw new FormatError('The file ends within a time step.', at);
      const copy = Uint8Array.prototype.slice.call(bytes, ARRAY_HEAD, ARRAY_HEAD + count * size);
      return this.oneDeleteValue(item, elementsOfBytes(copy, type, count));
    }
    const record = step * this.header.items.length + item;
    if (this.#checked !== record) {
      this.#check(item, step, await this.source.read(at - ARRAY_HEAD, ARRAY_HEAD));
      this.#checked = record;
    }
    return this.oneDeleteValue(item, await readElements(this.source, { type, offset: at + first * size, count }));
  }

  /**
   * Reads complete steps from `first` on, up to about a megabyte. Returns their bytes and their number. Checks marks
   * and heads.
   */
  async readSteps(first: number, most = this.steps - first): Promise<{ bytes: DataView; count: number }> {
    const count = Math.min(most, Math.max(1, Math.floor(windowBytes / this.stepBytes)));
    const at = this.dataStart + first * this.stepBytes;
    const bytes = await this.source.read(at, count * this.stepBytes);
    if (bytes.length < count * this.stepBytes) throw new FormatError('The file ends within a time step.', at);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let n = 0; n < count; n++) {
      if (!isMark(view, n * this.stepBytes, this.markBytes)) throw noMark(at + n * this.stepBytes);
      for (let item = 0; item < this.#records.length; item++)
        this.#checkHead(item, view, n * this.stepBytes + this.#records[item]!, at);
    }
    return { bytes: view, count };
  }

  /** Offset of an item's first value within a step. */
  valueOffset(item: number): number {
    return this.#records[item]! + ARRAY_HEAD;
  }

  /**
   * Some programs write the Float32 delete value into Float64 items: replaces it, in place, by the Float64 delete
   * value.
   */
  oneDeleteValue(item: number, samples: Samples): Samples {
    if (!(samples instanceof Float64Array)) return samples;
    const { Float32, Float64 } = this.header.deleteValues;
    if (this.header.items[item]!.type === 'Float64' && Float32 !== Float64)
      for (let i = 0; i < samples.length; i++) if (samples[i] === Float32) samples[i] = Float64;
    return samples;
  }

  #check(item: number, step: number, bytes: Uint8Array): void {
    const at = this.offsetOf(item, step) - ARRAY_HEAD;
    if (bytes.length < ARRAY_HEAD) throw new FormatError('The file ends within a time step.', at);
    this.#checkHead(item, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, at);
  }

  #checkHead(item: number, view: DataView, at: number, base: number): void {
    const { type, name } = this.header.items[item]!;
    const count = this.storedCount(item);
    if (view.getUint8(at) === numberOfType(type) && view.getInt32(at + 1, true) === count) return;
    const found = typeOfNumber(view.getUint8(at)) ?? `type ${view.getUint8(at)}`;
    throw new FormatError(
      `A record of item '${name}' holds ${view.getInt32(at + 1, true)} values of ${found} instead of ${count} of ${type}.`,
      base + at,
    );
  }
}

interface Layout {
  header: DfsHeader;
  dataStart: number;
  stepBytes: number;
  markBytes: number;
  records: readonly number[];
}

function layoutOf(header: DfsHeader, dataStart: number): Layout {
  const markBytes = markBytesOf(header.time.equidistant);
  const records: number[] = [];
  let at = markBytes;
  for (const item of header.items) {
    records.push(at);
    at += recordBytes(header, item);
  }
  if (!Number.isSafeInteger(at)) throw new FormatError(`A time step would have ${at} bytes.`, dataStart);
  return { header, dataStart, stepBytes: at, markBytes, records };
}

/** Bytes of a mark: a block that is empty, or has the step's time. */
export const markBytesOf = (equidistant: boolean): number => (equidistant ? 4 : 4 + ARRAY_HEAD + 8);

const recordBytes = (header: DfsHeader, item: DfsItem): number =>
  ARRAY_HEAD + storedCount(header, item) * sampleArrays[item.type].BYTES_PER_ELEMENT;

/** The mark at an offset of a view: `FE`, the tag, perhaps one Float64, `FF`. */
function isMark(view: DataView, at: number, length: number): boolean {
  return (
    view.getUint8(at) === BLOCK_BEGIN &&
    view.getUint16(at + 1, true) === tag.step &&
    view.getUint8(at + length - 1) === BLOCK_END &&
    (length === markBytesOf(true) ||
      (view.getUint8(at + 3) === numberOfType('Float64') && view.getInt32(at + 4, true) === 1))
  );
}

const noMark = (at: number): FormatError => new FormatError('A time step should begin here.', at);

async function hasMark(source: ByteSource, { dataStart, stepBytes, markBytes }: Layout, step: number) {
  const bytes = await source.read(dataStart + step * stepBytes, markBytes);
  return bytes.length === markBytes && isMark(new DataView(bytes.buffer, bytes.byteOffset, markBytes), 0, markBytes);
}

/** Number of complete steps in the file. The header may declare more or fewer. */
async function countSteps(source: ByteSource, layout: Layout): Promise<{ steps: number; defects: string[] }> {
  const { header, dataStart, stepBytes } = layout;
  const declared = header.time.steps;
  const whole = Math.floor((source.size - dataStart) / stepBytes);
  if (whole > maxSteps)
    throw new FormatError(`The file has ${whole} time steps. The maximum is ${maxSteps}.`, dataStart);
  if (declared > whole) {
    const cut = `The header declares ${declared} time steps, but the file ends at byte ${source.size}, in step ${whole + 1}.`;
    return {
      steps: whole,
      defects: [`${cut} ${whole === 1 ? 'One whole step was' : `${whole} whole steps were`} read.`],
    };
  }
  if (declared >= 0 && declared === whole) return { steps: whole, defects: [] };
  // Bytes after the last step are ignored, unless they are steps.
  const more =
    whole > Math.max(0, declared) &&
    (await hasMark(source, layout, Math.max(0, declared))) &&
    (await hasMark(source, layout, whole - 1));
  if (!more) return { steps: Math.max(0, declared), defects: [] };
  return {
    steps: whole,
    defects: [`The header declares ${declared} time steps, but the file has ${whole}; all were read.`],
  };
}

/** Reads the times of the steps from their marks. */
async function readTimes(source: ByteSource, { dataStart, stepBytes, markBytes }: Layout, steps: number) {
  const times = new Float64Array(steps);
  const together = stepBytes < 4096 ? Math.floor(windowBytes / stepBytes) : 1;
  for (let first = 0; first < steps; first += together) {
    const count = Math.min(together, steps - first);
    const at = dataStart + first * stepBytes;
    const bytes = await source.read(at, (count - 1) * stepBytes + markBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let n = 0; n < count; n++) {
      if (!isMark(view, n * stepBytes, markBytes)) throw noMark(at + n * stepBytes);
      times[first + n] = view.getFloat64(n * stepBytes + 3 + ARRAY_HEAD, true);
    }
  }
  return times;
}
