import type { RandomGrid, Samples } from '../formats/types.ts';
import { giveBack } from './spare-memory.ts';

/** A run of source rows in memory, moved along as the target advances. Rows already held are kept, not read again. */
export class RowWindow {
  /** Rows that may be asked for at once. */
  readonly capacity: number;
  readonly #grid: RandomGrid;
  readonly #band: number;
  readonly #step: number | undefined;
  /** Reads begin and end at multiples of this many rows, a power of two, so that a tile or strip of a file is unpacked once. */
  readonly #align: number;
  #samples: Samples | undefined;
  #first = 0;
  #last = 0;

  /** `bytes` bounds what is held, but `least` rows always fit. */
  constructor(grid: RandomGrid, band: number, step: number | undefined, bytes: number, least: number) {
    this.#grid = grid;
    this.#band = band;
    this.#step = step;
    const rows = Math.floor(bytes / (grid.width * (grid.bands[band]!.type === 'Float64' ? 8 : 4)));
    let align = 256;
    while (align > 1 && align * 8 > rows) align /= 2;
    this.#align = align;
    this.capacity = Math.max(least, rows - 2 * align);
  }

  /** First row of `samples`. */
  get first(): number {
    return this.#first;
  }

  get samples(): Samples {
    return this.#samples!;
  }

  /** Makes rows `first … last - 1` part of the window. */
  async load(first: number, last: number): Promise<void> {
    if (this.#samples !== undefined && first >= this.#first && last <= this.#last) return;
    const { width, height } = this.#grid;
    const from = Math.floor(first / this.#align) * this.#align;
    const to = Math.min(height, Math.ceil(last / this.#align) * this.#align);
    const kept = { from: Math.max(from, this.#first), to: Math.min(to, this.#last) };
    if (this.#samples === undefined || kept.from >= kept.to) {
      await this.#fill(from, to, from, to - from);
    } else {
      const start = (kept.from - this.#first) * width;
      const end = (kept.to - this.#first) * width;
      if ((to - from) * width > this.#samples.length)
        this.#samples = this.#grown((to - from) * width, start, end, kept.from - from);
      else this.#samples.copyWithin((kept.from - from) * width, start, end);
      if (from < kept.from) await this.#fill(from, kept.from, from, to - from);
      if (kept.to < to) await this.#fill(kept.to, to, from, to - from);
    }
    this.#first = from;
    this.#last = to;
  }

  /** The kept samples in a larger array, at the place of row `at`. */
  #grown(length: number, start: number, end: number, at: number): Samples {
    const array = this.#samples!.constructor as new (length: number) => Samples;
    const grown = new array(length);
    grown.set(this.#samples!.subarray(start, end), at * this.#grid.width);
    return grown;
  }

  /** Reads rows `from … to - 1` into a window of `rows` rows that begins with row `origin`. */
  async #fill(from: number, to: number, origin: number, rows: number): Promise<void> {
    const { width } = this.#grid;
    for (let row = from; row < to; row += this.#align) {
      const count = Math.min(this.#align, to - row);
      const samples = await this.#grid.read(this.#band, row, count, this.#step);
      if (this.#samples === undefined || this.#samples.length < rows * width) {
        this.#samples = new (samples.constructor as new (length: number) => Samples)(rows * width);
      }
      this.#samples.set(samples, (row - origin) * width);
      giveBack(samples);
    }
  }
}
