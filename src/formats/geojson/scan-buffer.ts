import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';

const chunk = 1 << 19;
/** One feature, or one other member of the file, is held in memory. */
const largest = 256 << 20;

/** Thrown when a value goes on behind the bytes that are in memory; it is then begun anew with more of them. */
const needMore = Symbol('needMore');

/** A text in memory piece by piece, and a place in it. */
export class TextPieces {
  bytes: Buffer = Buffer.alloc(1);
  at = 0;
  /** `bytes[end]` is 0, which stands nowhere in JSON: loops over digits and blanks need no other bound. */
  end = 0;
  /** Place of `bytes[0]` in the file. */
  base = 0;
  readonly #source: ByteSource;
  #ahead: Promise<Uint8Array> | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get place(): number {
    return this.base + this.at;
  }

  /** To be called when the end of what is in memory is met: returns only when it is that of the file. */
  needMore(): void {
    if (this.base + this.end < this.#source.size) throw needMore;
  }

  /** Runs `parse`; when it meets the end of what is in memory, again from where it began, with more. */
  async run<T>(parse: () => T): Promise<T> {
    for (;;) {
      const start = this.at;
      try {
        return parse();
      } catch (error) {
        if (error !== needMore) throw error;
        this.at = start;
        await this.#fill();
      }
    }
  }

  /** The same for up to `most` values in a row, until `parse` says that it was the last. Returns whether there may be more. */
  async runMany(parse: () => boolean, most: number): Promise<boolean> {
    for (let n = 0; n < most; ) {
      const start = this.at;
      try {
        if (!parse()) return false;
        n++;
      } catch (error) {
        if (error !== needMore) throw error;
        this.at = start;
        await this.#fill();
      }
    }
    return true;
  }

  async #fill(): Promise<void> {
    const rest = this.end - this.at;
    if (rest >= largest) throw new FormatError(`A feature or member has more than ${largest} bytes.`, this.place);
    const from = this.base + this.end;
    // Twice as much each time, so that a large feature is not begun anew too often.
    const wanted = Math.max(chunk, rest);
    const ahead = await this.#ahead;
    const more = ahead !== undefined && wanted === chunk ? ahead : await this.#source.read(from, wanted);
    if (more.length === 0) throw new Error(`The input ended at byte ${from} of ${this.#source.size}.`);
    const length = rest + more.length;
    const bytes =
      this.bytes.length > length && this.bytes.length < 4 * chunk ? this.bytes : Buffer.allocUnsafeSlow(length + chunk);
    this.bytes.copy(bytes, 0, this.at, this.end);
    bytes.set(more, rest);
    bytes[length] = 0;
    this.bytes = bytes;
    this.base += this.at;
    this.at = 0;
    this.end = length;
    const next = this.base + length;
    this.#ahead = next < this.#source.size ? this.#source.read(next, chunk) : undefined;
    this.#ahead?.catch(() => {});
  }

  fail(sentence: string): never {
    if (this.at >= this.end) {
      this.needMore();
      throw new FormatError('The GeoJSON ends too early.', this.place);
    }
    throw new FormatError(sentence, this.place);
  }
}
