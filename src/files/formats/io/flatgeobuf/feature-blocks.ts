import type { ByteSource } from '../../../data/bytes.ts';
import { FormatError } from '../../../errors.ts';
import { ReadWindow } from '../read-window.ts';
import type { Header } from './header-reader.ts';
import type { Found } from './index-search.ts';
import { maxFeature } from './schema.ts';

const usualBlock = 512;
/** Unneeded bytes between two features that are read to save a request. */
const maxGap = 1 << 14;
const maxRead = 1 << 20;
/** Requests of one search that run at the same time. */
const readsAtOnce = 4;

/** A feature in the bytes of a block. */
export interface Placed {
  /** Number of the feature in the file, from 0. */
  readonly number: number;
  /** Position of the feature, without its size, in the bytes of the block. */
  readonly at: number;
  readonly size: number;
  /** Offset of the feature in the file, in a block that was put together of several ranges. */
  readonly offset?: number;
}

/** Some features, not parsed. */
export interface FeatureBlock {
  /** Valid until the next block is asked for. */
  readonly bytes: Buffer;
  /** Offset of `bytes[0]` in the file. */
  readonly offset: number;
  readonly features: readonly Placed[];
  /** Features that are larger than the caller takes. They are not in the bytes. */
  readonly tooLarge: readonly { readonly number: number; readonly size: number }[];
}

/** A feature of a file: its number, from 0, and the offset of its size prefix. */
export interface Position {
  readonly number: number;
  readonly offset: number;
}

/** Size of the feature whose size prefix is at `at`, checked against the size of the file. */
function sizeAt(bytes: Buffer, at: number, offset: number, { size: end }: ByteSource): number {
  const size = bytes.readUInt32LE(at);
  if (size > maxFeature || offset + 4 + size > end)
    throw new FormatError(`A feature claims ${size} bytes; the file has ${end}.`, offset);
  return size;
}

/** All features from a position on, in the order of the file. */
export async function* scanBlocks(
  source: ByteSource,
  header: Pick<Header, 'count' | 'start'>,
  from: Position = { number: 0, offset: header.start },
  { maxSize = maxFeature, perBlock = usualBlock } = {},
): AsyncGenerator<FeatureBlock> {
  const { count } = header;
  const window = new ReadWindow(source);
  let { number, offset } = from;
  const atEnd = () => (count === 0 ? offset >= source.size : number >= count);
  while (!atEnd()) {
    const features: Placed[] = [];
    const tooLarge: { number: number; size: number }[] = [];
    while (!atEnd() && features.length < perBlock) {
      if (offset + 4 > source.size)
        throw new FormatError(`The file ends after ${number} of ${count || 'its'} features.`, offset);
      if (!window.has(offset, 4)) {
        if (features.length > 0) break;
        await window.move(offset, 4);
      }
      const size = sizeAt(window.bytes, offset - window.start, offset, source);
      if (size > maxSize) tooLarge.push({ number, size });
      else {
        if (!window.has(offset, 4 + size)) {
          if (features.length > 0) break;
          await window.move(offset, 4 + size);
        }
        features.push({ number, at: offset + 4 - window.start, size });
      }
      offset += 4 + size;
      number++;
    }
    yield { bytes: window.bytes, offset: window.start, features, tooLarge };
  }
}

/** The features that were found in the index, in their order. Near ones are read with one request. */
export async function* foundBlocks(
  source: ByteSource,
  found: readonly Found[],
  maxSize = maxFeature,
): AsyncGenerator<FeatureBlock> {
  const groups: (readonly Found[])[] = [];
  for (let n = 0; n < found.length; n += groups.at(-1)!.length) groups.push(groupAt(found, n, source.size));
  const lengthOf = (group: readonly Found[]): number => {
    const end = group.reduce((most, one) => Math.max(most, endOf(one, source.size)), 0);
    return Math.min(end - group[0]!.offset, Math.max(maxSize + 4, maxRead));
  };
  const readGroup = (group: readonly Found[]): Promise<Buffer> => {
    const bytes = read(source, group[0]!.offset, lengthOf(group));
    // thrown where it is awaited, unless the caller has enough before
    bytes.catch(() => {});
    return bytes;
  };
  const ahead: Promise<Buffer>[] = [];
  for (const [n, group] of groups.entries()) {
    while (ahead.length < readsAtOnce && n + ahead.length < groups.length) {
      const next = groups[n + ahead.length]!;
      // a large feature is read when its turn comes
      if (ahead.length > 0 && lengthOf(next) > maxRead) break;
      ahead.push(readGroup(next));
    }
    const bytes = await ahead.shift()!;
    const start = group[0]!.offset;
    let features: Placed[] = [];
    let tooLarge: { number: number; size: number }[] = [];
    for (const { number, offset } of group) {
      const at = offset - start + 4;
      const size = sizeAt(bytes, at - 4, offset, source);
      if (size > maxSize) tooLarge.push({ number, size });
      else if (at + size <= bytes.length) features.push({ number, at, size });
      else {
        // the index did not tell where it ends
        if (features.length + tooLarge.length > 0) yield { bytes, offset: start, features, tooLarge };
        const own = await read(source, offset + 4, size);
        yield { bytes: own, offset: offset + 4, features: [{ number, at: 0, size }], tooLarge: [] };
        [features, tooLarge] = [[], []];
      }
    }
    if (features.length + tooLarge.length > 0) yield { bytes, offset: start, features, tooLarge };
  }
}

/** Where a feature ends according to the index, or a guess. Its size, of four bytes, lies before it. */
const endOf = ({ offset, end }: Found, size: number): number =>
  end === 0 ? Math.min(offset + maxGap, size) : Math.max(end, offset + 4);

/** The found features from `n` on that are read with one request. */
function groupAt(found: readonly Found[], n: number, size: number): readonly Found[] {
  const start = found[n]!.offset;
  let end = endOf(found[n]!, size);
  let to = n + 1;
  for (; to < found.length && to - n < usualBlock; to++) {
    const next = found[to]!;
    const last = endOf(next, size);
    if (next.offset < start || next.offset > end + maxGap || last > start + maxRead) break;
    end = Math.max(end, last);
  }
  return found.slice(n, to);
}

async function read(source: ByteSource, offset: number, length: number): Promise<Buffer> {
  const bytes = await source.read(offset, length);
  if (bytes.length < length) throw new FormatError(`The file ends at byte ${offset + bytes.length}.`, offset);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
