import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';

const chunk = 1 << 19;
/** Maximum size of a feature or other member, which is held in memory. */
const maxValue = 256 << 20;

/**
 * Thrown at the end of the buffer if a value continues in the file. The value is then scanned again with more bytes.
 */
const needMore = Symbol('needMore');

/** A buffer over a text that is read in pieces, with the current position `at`. */
export class ScanBuffer {
  bytes: Buffer = Buffer.alloc(1);
  at = 0;
  /** `bytes[end]` is 0, a sentinel that is not valid in JSON: loops over digits and white space need no other bound. */
  end = 0;
  /** Offset of `bytes[0]` in the file. */
  base = 0;
  readonly #source: ByteSource;
  #ahead: Promise<Uint8Array> | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get offset(): number {
    return this.base + this.at;
  }

  /** Call this at the end of the buffer. Returns only if it is the end of the file. */
  needMore(): void {
    if (this.base + this.end < this.#source.size) throw needMore;
  }

  /** Runs `parse`. If it reaches the end of the buffer, reads more and runs it again from the same position. */
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

  /** Like `run`, for up to `limit` values, until `parse` returns false. Returns whether there may be more values. */
  async runMany(parse: () => boolean, limit: number): Promise<boolean> {
    for (let n = 0; n < limit; ) {
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
    if (rest >= maxValue) throw new FormatError(`A feature or member has more than ${maxValue} bytes.`, this.offset);
    const from = this.base + this.end;
    // Doubles each time, so that a large feature is not scanned again too often.
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

  /** Throws a FormatError, unless more bytes are needed to know. */
  fail(sentence: string): never {
    if (this.at >= this.end) {
      this.needMore();
      throw new FormatError('The GeoJSON is incomplete.', this.offset);
    }
    throw new FormatError(sentence, this.offset);
  }
}
