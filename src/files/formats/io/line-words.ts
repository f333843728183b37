import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';

const chunk = 1 << 20;
/** Maximum length of a line in bytes. It also limits the bytes that are carried over from one chunk to the next. */
export const longestLine = 1 << 16;
const [lineFeed, quote, endMark] = [10, 34, 26];

export interface WholeLines {
  /** `bytes[0…end)` are whole lines, each with its line feed. */
  readonly bytes: Buffer;
  readonly end: number;
  /** Offset of `bytes[0]` in the source. */
  readonly base: number;
}

/**
 * Reads a text from an offset in chunks that end at the end of a line; the last line gets a line feed where it has
 * none.
 */
export async function* wholeLines(source: ByteSource, from: number): AsyncGenerator<WholeLines> {
  let base = from;
  let next = source.read(base, chunk);
  while (base < source.size) {
    const read = await next;
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.length);
    if (base + bytes.length >= source.size) {
      const text = withoutEndMark(bytes);
      const whole = text.at(-1) === lineFeed ? text : Buffer.concat([text, Buffer.of(lineFeed)]);
      yield { bytes: whole, end: whole.length, base };
      return;
    }
    if (bytes.length < chunk) throw new Error(`The input ended at byte ${base + bytes.length} of ${source.size}.`);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (bytes.length - end > longestLine)
      throw new FormatError(
        `A line has more than ${longestLine} bytes. The file is not a text of numbers.`,
        base + end,
      );
    next = source.read(base + end, chunk);
    // If parsing this chunk throws, nobody awaits the next read: do not report its failure as unhandled.
    next.catch(() => undefined);
    yield { bytes, end, base };
    base += end;
  }
}

/**
 * The text up to the end mark of CP/M and MS-DOS (Ctrl-Z), behind which there may be more of them, zero bytes and
 * blanks.
 */
function withoutEndMark(bytes: Buffer): Buffer {
  let end = bytes.length;
  let mark = -1;
  for (; end > 0 && bytes[end - 1]! <= 32; end--) if (bytes[end - 1] === endMark) mark = end - 1;
  return mark < 0 ? bytes : bytes.subarray(0, mark);
}

/** Finds the words of a line without making strings. */
export class LineWords {
  /** Number of words in the line; only the first `capacity` words have their positions stored. */
  count = 0;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #separates = new Uint8Array(256);

  constructor(separators: string, capacity: number) {
    for (const separator of separators) this.#separates[separator.charCodeAt(0)] = 1;
    this.#separates[lineFeed] = 2;
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
  }

  /**
   * Reads the line that begins at `from` and returns the beginning of the next one. A word in double quotes may contain
   * separators; its position is that of the text between the quotes. The line must have a line feed.
   */
  read(bytes: Uint8Array, from: number): number {
    const separates = this.#separates;
    const { starts, ends } = this;
    const capacity = starts.length;
    let count = 0;
    let at = from;
    for (;;) {
      let kind = separates[bytes[at]!]!;
      while (kind === 1) kind = separates[bytes[++at]!]!;
      if (kind === 2) break;
      let start = at;
      let end: number;
      if (bytes[at] === quote) {
        start++;
        do at++;
        while (bytes[at] !== quote && bytes[at] !== lineFeed);
        end = at;
        if (bytes[at] === quote) at++;
      } else {
        do at++;
        while (separates[bytes[at]!] === 0);
        end = at;
      }
      if (count < capacity) {
        starts[count] = start;
        ends[count] = end;
      }
      count++;
    }
    this.count = count;
    return at + 1;
  }
}

/** A word of a file for use in a sentence. */
export const shownWord = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('latin1', start, Math.min(end, start + 40)).replace(/[^\x20-\x7e]/g, '?');
