import { copyBlock, indicesOf, product } from '../../../data/hyperslab.ts';
import { newValues, type StoredType, type StoredValues } from '../../../data/stored-values.ts';
import type { ArraySpec, ArrayWriter } from './array-spec.ts';

/**
 * Cuts the values of an item, which come step by step with the last dimension varying fastest, into chunks. Holds the
 * steps of a chunk, or of chunks of one step their rows.
 */
export class ItemWriter {
  readonly #store: ArrayWriter;
  readonly #spec: ArraySpec;
  readonly #buffer: StoredValues;
  /** Lengths and chunk lengths besides time, from the first dimension with chunks of several values. */
  readonly #lengths: readonly number[];
  readonly #chunks: readonly number[];
  /** Numbers of values in the dimensions before, whose chunks have one value. */
  readonly #before: readonly number[];
  readonly #deep: number;
  readonly #timed: boolean;
  readonly #stepSize: number;
  #step = 0;
  /** Values of the step that have come, and how many of them are no longer in the buffer. */
  #come = 0;
  #gone = 0;

  constructor(store: ArrayWriter, spec: ArraySpec, timed: boolean) {
    this.#store = store;
    this.#spec = spec;
    this.#timed = timed;
    const lengths = timed ? spec.shape.slice(1) : spec.shape;
    const chunks = timed ? spec.chunks.slice(1) : spec.chunks;
    this.#deep = timed ? spec.chunks[0]! : 1;
    this.#stepSize = product(lengths);
    const several = chunks.findIndex((length) => length > 1);
    const from = several < 0 ? Math.max(0, chunks.length - 1) : several;
    // Several steps in memory are whole.
    const first = this.#deep > 1 ? 0 : from;
    this.#before = lengths.slice(0, first);
    this.#lengths = lengths.slice(first);
    this.#chunks = chunks.slice(first);
    this.#buffer = newValues(spec.type, this.#deep * this.#stripSize(0));
  }

  get type(): StoredType {
    return this.#spec.type;
  }

  /** Values between two writes of chunks: of a whole step, or of a row of chunks. */
  #stripSize(at: number): number {
    if (this.#deep > 1) return this.#stepSize;
    const [length = 1, ...rest] = this.#lengths;
    const row = product(rest);
    const done = row === 0 ? 0 : (at / row) % length;
    return Math.min(this.#chunks[0] ?? 1, length - done) * row;
  }

  async add(values: StoredValues): Promise<void> {
    for (let at = 0; at < values.length; ) {
      const strip = this.#stripSize(this.#gone);
      const held = this.#come - this.#gone;
      const count = Math.min(values.length - at, strip - held);
      const offset = this.#deep > 1 ? (this.#step % this.#deep) * this.#stepSize : 0;
      this.#buffer.set(values.subarray(at, at + count) as never, offset + held);
      at += count;
      this.#come += count;
      if (held + count === strip && this.#deep === 1) await this.#flush(1);
      if (this.#come === this.#stepSize) await this.#endStep();
    }
  }

  async #endStep(): Promise<void> {
    this.#step++;
    this.#come = 0;
    this.#gone = 0;
    if (this.#deep > 1 && this.#step % this.#deep === 0) await this.#flush(this.#deep);
  }

  async end(): Promise<void> {
    const left = this.#step % this.#deep;
    if (this.#deep > 1 && left > 0) await this.#flush(left);
  }

  async #flush(steps: number): Promise<void> {
    const strip = this.#stripSize(this.#gone);
    const [, ...rest] = this.#lengths;
    const row = product(rest);
    const rows = strip / row;
    const shape = [steps, ...(this.#lengths.length === 0 ? [] : [rows, ...rest])];
    const first = this.#gone / row;
    const before = digitsOf(Math.floor(first / (this.#lengths[0] ?? 1)), this.#before);
    const skipped = this.#deep > 1 || this.#chunks.length === 0 ? 0 : (first % this.#lengths[0]!) / this.#chunks[0]!;
    const time = this.#deep > 1 ? (this.#step - steps) / this.#deep : this.#step;
    const chunk = [this.#deep, ...this.#chunks];
    for (const index of indicesOf(shape.slice(1).map((length, d) => Math.ceil(length / this.#chunks[d]!)))) {
      const start = [0, ...index.map((n, d) => n * this.#chunks[d]!)];
      const extent = shape.map((length, d) => Math.min(chunk[d]!, length - start[d]!));
      const values = newValues(this.#spec.type, product(chunk)).fill(this.#spec.fill as never);
      const part = { values, shape: chunk, start: chunk.map(() => 0) };
      copyBlock({ values: this.#buffer, shape, start }, part, extent);
      const inStep = index.map((n, d) => (d === 0 ? n + skipped : n));
      const key = [...(this.#timed ? [time] : []), ...before, ...inStep];
      await this.#store.chunk(this.#spec.name, key, values, this.#spec.fill);
    }
    if (this.#deep === 1) this.#gone += strip;
  }
}

/** Indices of a place in an array with these lengths. */
function digitsOf(place: number, lengths: readonly number[]): number[] {
  const digits: number[] = [];
  let left = place;
  for (const length of lengths.toReversed()) {
    digits.unshift(left % length);
    left = Math.floor(left / length);
  }
  return digits;
}
