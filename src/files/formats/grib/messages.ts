import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import { gridOfDescription, productOf } from './edition1.ts';
import { fieldOfSection, type Identification, identification } from './edition2.ts';
import { gridOfSection } from './edition2-grid.ts';
import type { Field, FieldGrid } from './field.ts';
import { NearbyReads } from './nearby.ts';
import { Octets } from './octets.ts';

/** A message that is whole, but of a kind that is not read. */
export interface UnreadMessage {
  readonly reason: string;
}

/** Sections that describe a field are shorter; longer ones are no such sections. */
const longestSection = 1 << 24;
const END = Buffer.from('7777');
const START = Buffer.from('GRIB');
const searched = 1 << 16;

/**
 * All fields of a file, in its order. Bytes between messages, such as headings of telecommunication, are skipped.
 * Reads the sections that describe them, not the values.
 * @throws FormatError for a message that is broken or cut
 */
export async function* readMessages(file: ByteSource, signal: AbortSignal): AsyncGenerator<Field | UnreadMessage> {
  const source = new NearbyReads(file);
  for (let offset = await nextMessage(source, 0); offset !== undefined; ) {
    signal.throwIfAborted();
    const head = await readBuffer(source, offset, 16);
    if (head.length < 8) throw cut(offset);
    const edition = head[7]!;
    const message = edition === 1 ? readEdition1 : edition === 2 ? readEdition2 : undefined;
    if (message === undefined) throw new FormatError(`A message is of GRIB ${edition}; 1 and 2 are supported.`, offset);
    const end = yield* message(source, offset, head);
    offset = await nextMessage(source, end);
  }
}

/** Bytes of sections that every message has. */
const shortest = 40;

const cut = (offset: number) => new FormatError('The file ends within a message.', offset);

async function nextMessage(source: ByteSource, from: number): Promise<number | undefined> {
  // mostly at once
  if ((await readBuffer(source, from, START.length)).equals(START)) return from;
  for (let at = from; at < source.size; at += searched - START.length + 1) {
    const found = (await readBuffer(source, at, searched)).indexOf(START);
    if (found >= 0) return at + found;
  }
  return undefined;
}

/** @throws FormatError at the end of the file */
async function lengthAt(source: ByteSource, at: number, octets: 3 | 4): Promise<number> {
  const bytes = await readBuffer(source, at, octets);
  if (bytes.length < octets) throw cut(at);
  return bytes.readUIntBE(0, octets);
}

async function checkEnd(source: ByteSource, offset: number, end: number): Promise<void> {
  if (end > source.size) throw cut(offset);
  if (end - offset < shortest) throw new FormatError(`A message claims ${end - offset} bytes.`, offset);
  if (!(await readBuffer(source, end - 4, 4)).equals(END))
    throw new FormatError(`A message of ${end - offset} bytes does not end in 7777.`, offset);
}

async function* readEdition2(
  source: ByteSource,
  offset: number,
  head: Buffer,
): AsyncGenerator<Field | UnreadMessage, number> {
  if (head.length < 16) throw cut(offset);
  const end = offset + Number(head.readBigUInt64BE(8));
  await checkEnd(source, offset, end);
  let first: Identification | FormatError | undefined;
  let grid: FieldGrid | FormatError | undefined;
  let points = 0;
  let product: Buffer | undefined;
  let representation: Buffer | undefined;
  let bitmap: { at: number; length: number } | undefined;
  for (let at = offset + 16; at < end - 4; ) {
    const length = await lengthAt(source, at, 4);
    const number = (await readBuffer(source, at + 4, 1))[0]!;
    if (length < 5 || at + length > end - 4)
      throw new FormatError(`Section ${number} of a message claims ${length} bytes.`, at);
    const section = await wholeSection(source, at, number, length);
    if (number === 1) first = attempt(() => identification(head[6]!, section, at));
    else if (number === 3) {
      points = section.readUInt32BE(6);
      grid = attempt(() => gridOfSection(new Octets(section), at));
    } else if (number === 4) product = section;
    else if (number === 5) representation = section;
    else if (number === 6) {
      const indicator = section[5]!;
      // 254: that of the field before; others but 0 and 255 are defined by a centre
      if (indicator === 0) bitmap = { at: at + 6, length: length - 6 };
      else if (indicator === 255) bitmap = undefined;
      else if (indicator !== 254 || bitmap === undefined)
        throw new FormatError(`A message names bit map ${indicator}, which it does not have.`, at);
    } else if (number === 7) {
      if (first === undefined || grid === undefined || product === undefined || representation === undefined)
        throw new FormatError('A message has values before the sections that describe them.', at);
      const data = {
        template: representation.readUInt16BE(9),
        representation,
        at: at + 5,
        length: length - 5,
        points,
        ...(bitmap === undefined ? {} : { bitmap }),
      };
      const known = [first, grid, product] as const;
      yield described(() => {
        if (known[0] instanceof FormatError) throw known[0];
        if (known[1] instanceof FormatError) throw known[1];
        return fieldOfSection(known[2], known[0], { grid: known[1], data, offset });
      });
    }
    at += length;
  }
  return end;
}

/** The sections with bit maps and values are read when the values are. */
async function wholeSection(source: ByteSource, at: number, number: number, length: number): Promise<Buffer> {
  if (number === 6 || number === 7) return readBuffer(source, at, 6);
  if (length > longestSection)
    throw new FormatError(`Section ${number} of a message claims ${length} bytes, more than ${longestSection}.`, at);
  const section = await readBuffer(source, at, length);
  // The fixed part of each; templates are checked by reading beyond the end.
  const least = [0, 21, 5, 14, 9, 11][number] ?? 5;
  if (length < least) throw new FormatError(`Section ${number} of a message has ${length} bytes.`, at);
  return section;
}

/** Bit 24 marks lengths of more than 8 MB, which ECMWF counts in units of 120 bytes. */
const LARGE = 0x800000;

async function* readEdition1(
  source: ByteSource,
  offset: number,
  head: Buffer,
): AsyncGenerator<Field | UnreadMessage, number> {
  let total = head.readUIntBE(4, 3);
  let at = offset + 8;
  const next = async (name: string): Promise<{ at: number; section: Buffer }> => {
    const start = at;
    const length = await lengthAt(source, at, 3);
    if (length < 12 - (name === 'bit map' ? 6 : 0) || start + length > source.size)
      throw new FormatError(`The section of the ${name} of a message claims ${length} bytes.`, start);
    at += length;
    return { at: start, section: await readBuffer(source, start, length) };
  };
  const product = await next('product');
  const flags = product.section[7]!;
  const grid = (flags & 0x80) === 0 ? undefined : await next('grid');
  const bitmap = (flags & 0x40) === 0 ? undefined : await next('bit map');
  const length = await lengthAt(source, at, 3);
  if ((total & LARGE) !== 0 && length < 120) total = (total & (LARGE - 1)) * 120 - length + 4;
  const end = offset + total;
  await checkEnd(source, offset, end);
  if (at + 11 > end - 4) throw new FormatError(`A message of ${total} bytes has no room for values.`, offset);
  const representation = await readBuffer(source, at, 14);
  yield described(() => {
    if (grid === undefined)
      throw new FormatError(`A message has grid ${product.section[6]} of a catalogue, which is not supported.`, offset);
    const cells = gridOfDescription(new Octets(grid.section), grid.at);
    const data = {
      template: 0,
      representation,
      decimal: new Octets(product.section).signed(27, 2),
      at,
      length: end - 4 - at,
      points: cells.rowLengths?.reduce((sum, one) => sum + one, 0) ?? cells.width * cells.height,
      ...(bitmap === undefined ? {} : { bitmap: bitmapOf(bitmap.section, bitmap.at) }),
    };
    return { offset, edition: 1, grid: cells, data, ...productOf(new Octets(product.section), product.at) };
  });
  return end;
}

function bitmapOf(section: Buffer, at: number): { at: number; length: number } {
  const number = section.readUInt16BE(4);
  if (number !== 0)
    throw new FormatError(`A message has bit map ${number} of a catalogue, which is not supported.`, at);
  return { at: at + 6, length: section.length - 6 };
}

/** Points that any message may have, and for each of its bytes: equal values take no bytes at all. */
const [mostOfAnyMessage, mostPerByte] = [30_000_000, 64];

/** @throws FormatError if the grid has other points, or more than the message can have */
function withPoints(field: Field): Field {
  const { grid, data } = field;
  const { width, height, rowLengths } = grid;
  const points = rowLengths?.reduce((sum, length) => sum + length, 0) ?? width * height;
  if (data.points !== points)
    throw new FormatError(`A message has ${data.points} points, but its grid has ${points}.`, data.at);
  if (width * height > Math.max(mostOfAnyMessage, mostPerByte * data.length))
    throw new FormatError(`A message of ${data.length} bytes claims a grid of ${width} × ${height} cells.`, data.at);
  return field;
}

/** A field, or why it is not read. @throws FormatError for sections that are too short */
function described(field: () => Field): Field | UnreadMessage {
  const found = attempt(() => withPoints(field()));
  return found instanceof FormatError ? { reason: found.message } : found;
}

function attempt<T>(work: () => T): T | FormatError {
  try {
    return work();
  } catch (error) {
    if (error instanceof FormatError) return error;
    if (error instanceof RangeError) return new FormatError('A section of a message is too short for its template.');
    throw error;
  }
}
