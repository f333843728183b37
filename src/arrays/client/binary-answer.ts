import { type TimeAxis, timeOf } from 'hydrofiles/data';
import { AppError, invalidMember } from '../../errors.ts';
import type { Elements } from './elements.ts';
import type { BinaryOptions } from './query-input.ts';
import type { Chosen, LayerValues } from './read-blocks.ts';

/** Tags of sections, of spatial sections, and of the indices of a block, as clients of the platform's SDK read them. */
const TAG = { spatial: 10, temporal: 20, block: 99, end: 255 } as const;
const SPATIAL = { gridIndices: 10, meshPages: 30 } as const;
const INDEX = { item: 10, element: 20, time: 30, layer: 40 } as const;
const VERSION = [1, 1, 0, 0];
/** A corner is named by a byte. */
const CORNERS_PER_PAGE = 256;
/** Seconds from 0001-01-01 to 1970-01-01. */
const YEAR_1 = 62_135_596_800;

/** Bytes that grow. */
class Bytes {
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;

  #room(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#length, 2 * this.#bytes.length));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    return at;
  }

  byte(...values: number[]): void {
    for (const value of values) {
      const at = this.#room(1);
      this.#bytes[at] = value;
    }
  }

  /** Seven bits a byte, the lowest first; of 64 bits for negative numbers, as protocol buffers have them. */
  varint(value: number): void {
    let left = BigInt.asUintN(64, BigInt(value));
    while (left >= 128n) {
      this.byte(Number(left & 127n) | 128);
      left >>= 7n;
    }
    this.byte(Number(left));
  }

  /** Negative numbers are odd ones. */
  zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    const at = this.#room(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  int32s(values: ArrayLike<number>): void {
    const at = this.#room(4 * values.length);
    for (let n = 0; n < values.length; n++) this.#bytes.writeInt32LE(values[n]!, at + 4 * n);
  }

  floats(count: number, valueAt: (n: number) => number): void {
    const at = this.#room(4 * count);
    for (let n = 0; n < count; n++) this.#bytes.writeFloatLE(valueAt(n), at + 4 * n);
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Parts of an answer. */
export interface AnswerParts {
  /** Code of the coordinate system of outlines; 0: none is known. */
  readonly srid: number;
  readonly chosen: Chosen;
  /** Absent: without outlines. */
  readonly outlines: { corner(key: number): readonly [x: number, y: number] } | undefined;
  readonly options: BinaryOptions;
  readonly blocks: readonly LayerValues[];
}

/** A block for each item, step and layer, with the values of all elements. */
export function binaryTimesteps(parts: AnswerParts): Buffer {
  const bytes = begun(parts);
  const { elements, steps } = parts.chosen;
  for (const block of parts.blocks)
    for (const [n, step] of steps.entries()) {
      bytes.byte(TAG.block, INDEX.item);
      bytes.varint(block.item);
      bytes.byte(INDEX.time);
      bytes.varint(step);
      addValues(bytes, block, elements.positions.length, (element) => block.value(n, element));
    }
  bytes.byte(TAG.end);
  return bytes.done();
}

/** A block for each item, element and layer, with the values of all steps. */
export function binaryTimeseries(parts: AnswerParts, time: TimeAxis | undefined): Buffer {
  const bytes = begun(parts);
  const { elements, steps } = parts.chosen;
  if (time !== undefined && steps.length > 0) addTimes(bytes, time, steps);
  for (const block of parts.blocks)
    for (let element = 0; element < elements.positions.length; element++) {
      bytes.byte(TAG.block, INDEX.item);
      bytes.varint(block.item);
      bytes.byte(INDEX.element);
      bytes.varint(elements.number(element));
      addValues(bytes, block, steps.length, (n) => block.value(n, element));
    }
  bytes.byte(TAG.end);
  return bytes.done();
}

function addValues(bytes: Bytes, { layer, noData }: LayerValues, count: number, valueAt: (n: number) => number): void {
  bytes.byte(INDEX.layer);
  bytes.varint(layer);
  bytes.varint(4 * count);
  bytes.floats(count, (n) => {
    const value = valueAt(n);
    return Number.isNaN(value) ? noData : value;
  });
}

function begun({ srid, chosen: { elements }, outlines, options }: AnswerParts): Bytes {
  const bytes = new Bytes();
  bytes.byte(...VERSION);
  bytes.varint(srid);
  if (outlines === undefined) return bytes;
  bytes.byte(TAG.spatial);
  if (elements.kind === 'grid') {
    bytes.byte(SPATIAL.gridIndices);
    bytes.varint(4 * elements.positions.length);
    bytes.int32s(elements.positions);
    return bytes;
  }
  bytes.byte(SPATIAL.meshPages);
  const pages = pagesOf(elements, outlines, options);
  bytes.varint(pages.length);
  for (const page of pages) addPage(bytes, elements, page, options);
  return bytes;
}

/** Elements with their corners, which stand in the page once. */
interface Page {
  readonly corners: [x: number, y: number][];
  readonly elements: { readonly n: number; readonly corners: readonly number[] }[];
}

function pagesOf(
  elements: Elements,
  { corner }: NonNullable<AnswerParts['outlines']>,
  { coordinatePrecision }: BinaryOptions,
): Page[] {
  const ratio = coordinatePrecision === undefined ? undefined : 10 ** coordinatePrecision;
  const pages: Page[] = [];
  let page: Page | undefined;
  let known = new Map<number, number>();
  for (let n = 0; n < elements.positions.length; n++) {
    const keys = elements.corners(n);
    const fresh = keys.filter((key) => !known.has(key));
    if (page !== undefined && !fits(page, fresh.map(corner), ratio)) page = undefined;
    if (page === undefined) {
      page = { corners: [], elements: [] };
      known = new Map();
      pages.push(page);
      if (!fits(page, keys.map(corner), ratio))
        throw invalidMember(
          'options',
          `The element ${elements.number(n)} is too large for coordinates with ${coordinatePrecision} decimals. Send a smaller coordinatePrecision.`,
        );
    }
    for (const key of keys) {
      if (known.has(key)) continue;
      known.set(key, page.corners.length);
      page.corners.push([...corner(key)]);
    }
    page.elements.push({ n, corners: keys.map((key) => known.get(key)!) });
  }
  return pages;
}

/** Whether corners can follow those of a page: their differences have 32 bits. */
function fits(page: Page, corners: readonly (readonly [number, number])[], ratio: number | undefined): boolean {
  if (page.corners.length + corners.length > CORNERS_PER_PAGE) return false;
  if (ratio === undefined) return true;
  let last = page.corners.at(-1) ?? corners[0];
  for (const corner of corners) {
    for (const axis of [0, 1] as const) if (Math.abs(corner[axis] - last![axis]) * ratio >= 2 ** 30) return false;
    last = corner;
  }
  return true;
}

function addPage(
  bytes: Bytes,
  elements: Elements,
  page: Page,
  { coordinatePrecision, includeMeshElementId }: BinaryOptions,
): void {
  const [first] = page.elements;
  const count = first!.corners.length;
  const fixed = page.elements.every(({ corners }) => corners.length === count) ? count : 0;
  bytes.byte(fixed);
  bytes.varint(page.corners.length);
  if (coordinatePrecision === undefined)
    for (const [x, y] of page.corners) {
      bytes.double(x);
      bytes.double(y);
    }
  else addRounded(bytes, page.corners, 10 ** coordinatePrecision);
  bytes.varint(page.elements.length);
  let before = 0;
  for (const { n, corners } of page.elements) {
    if (includeMeshElementId === true) {
      bytes.zigzag(elements.number(n) - before);
      before = elements.number(n);
    }
    if (fixed === 0) bytes.byte(corners.length);
    bytes.byte(...corners);
  }
}

/** The first corner as doubles, then differences of whole numbers; a reader cuts the first one off, too. */
function addRounded(bytes: Bytes, corners: readonly (readonly [number, number])[], ratio: number): void {
  const last = [0, 0];
  for (const [n, corner] of corners.entries())
    for (const axis of [0, 1] as const) {
      if (n === 0) {
        bytes.double(corner[axis]);
        last[axis] = Math.trunc(corner[axis] * ratio);
        continue;
      }
      const next = Math.round(corner[axis] * ratio);
      bytes.zigzag(next - last[axis]!);
      last[axis] = next;
    }
}

/** Whole seconds since the year 1, as runs of equal differences. */
function addTimes(bytes: Bytes, time: TimeAxis, steps: readonly number[]): void {
  const seconds = steps.map((step) => Math.round(timeOf(time, step) / 1000) + YEAR_1);
  bytes.byte(TAG.temporal);
  bytes.varint(seconds[0]!);
  for (let n = 1; n < seconds.length; ) {
    const difference = seconds[n]! - seconds[n - 1]!;
    if (difference <= 0)
      throw new AppError(
        'unprocessable',
        `Steps ${steps[n - 1]} and ${steps[n]} are not at least a second apart, as binary answers need. Use query-timeseries.`,
      );
    let count = 1;
    while (seconds[n + count] !== undefined && seconds[n + count]! - seconds[n + count - 1]! === difference) count++;
    bytes.varint(difference);
    bytes.varint(count);
    n += count;
  }
  bytes.varint(0);
}
