import type { ByteSink } from '../../data/bytes.ts';

const size = 1 << 18;
/** Bytes that `flush` copies instead of giving its memory away. */
const small = 1 << 12;

/**
 * Buffers bytes and text for a sink. Code that writes to `bytes` directly must call `reserve` first and advance `at`.
 */
export class BufferedWriter {
  bytes = Buffer.allocUnsafeSlow(size);
  at = 0;
  readonly #sink: Pick<ByteSink, 'append'>;
  #written: Promise<void> = Promise.resolve();

  constructor(sink: Pick<ByteSink, 'append'>) {
    this.#sink = sink;
  }

  /** Makes room for `length` bytes at `at`. May replace `bytes` and reset `at`. */
  reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    if (this.at > 0) this.#flush();
    this.bytes = Buffer.allocUnsafeSlow(Math.max(size, length));
  }

  /** Waits until the sink has accepted all flushed bytes; it waits while too many are unwritten. */
  drain(): Promise<void> {
    return this.#written;
  }

  async end(): Promise<void> {
    this.#flush();
    await this.#written;
  }

  /** Hands all bytes to the sink; more may follow. */
  async flush(): Promise<void> {
    if (this.at <= small) {
      const bytes = Buffer.from(this.bytes.subarray(0, this.at));
      this.at = 0;
      await Promise.all([this.#written, this.#sink.append(bytes)]);
    } else {
      this.#flush();
      this.bytes = Buffer.allocUnsafeSlow(size);
      await this.#written;
    }
  }

  #flush(): void {
    const written = this.#sink.append(this.bytes.subarray(0, this.at));
    // A failure is thrown by the next `drain` or `end`. Several appends may be pending.
    this.#written = Promise.all([this.#written, written]).then(() => {});
    this.#written.catch(() => {});
    this.at = 0;
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    const { length } = bytes;
    if (length > 48) this.bytes.set(bytes, this.at);
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = bytes[i]!;
    this.at += length;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  /** Writes text without quotes and returns its length in bytes. Three bytes per character must be reserved. */
  utf8(text: string): number {
    const { bytes, at } = this;
    const { length } = text;
    let i = 0;
    for (; i < length && length < 100; i++) {
      const c = text.charCodeAt(i);
      if (c > 126) break;
      bytes[at + i] = c;
    }
    const written = i === length ? length : bytes.write(text, at, 'utf8');
    this.at = at + written;
    return written;
  }

  /** Writes a JSON string with its quotes. */
  string(text: string): void {
    const { length } = text;
    if (length < 100) {
      this.reserve(length + 2);
      const { bytes } = this;
      let at = this.at;
      bytes[at++] = 34;
      let i = 0;
      for (; i < length; i++) {
        const c = text.charCodeAt(i);
        if (c < 32 || c > 126 || c === 34 || c === 92) break;
        bytes[at++] = c;
      }
      if (i === length) {
        bytes[at++] = 34;
        this.at = at;
        return;
      }
    }
    this.text(JSON.stringify(text));
  }
}
