import type { Series, SeriesChunk, SeriesItem } from '../../../data/series.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { Times } from './time-list.ts';

const perChunk = 8192;
/** Values that are held in memory, of 24 bytes each with their order. */
const maxValues = 20_000_000;

/** Values of items at times in any order, which are sorted by time in memory. */
export class GatheredValues {
  #times = new Float64Array(1024);
  #items = new Uint16Array(1024);
  #values = new Float64Array(1024);
  #count = 0;

  add(time: number, item: number, value: number): void {
    const n = this.#count++;
    if (n >= maxValues)
      throw new ConversionError(
        `The file has more than ${maxValues} values that are not in the order of time. Sort the rows by time, with a column per item.`,
      );
    if (n === this.#times.length) this.#grow();
    this.#times[n] = time;
    this.#items[n] = item;
    this.#values[n] = value;
  }

  #grow(): void {
    const length = 2 * this.#times.length;
    const [times, items, values] = [new Float64Array(length), new Uint16Array(length), new Float64Array(length)];
    times.set(this.#times);
    items.set(this.#items);
    values.set(this.#values);
    [this.#times, this.#items, this.#values] = [times, items, values];
  }

  /** The items over the union of all times. Of several values of an item at one time the last one counts. */
  series(items: readonly SeriesItem[], { remark }: Pick<Context, 'remark'>): Series {
    const order = this.#order();
    const times = new Times();
    let [last, repeated] = [Number.NaN, 0];
    const seen = new Int32Array(items.length).fill(-1);
    let step = -1;
    for (const n of order) {
      const time = this.#times[n]!;
      if (time !== last) {
        times.add(time);
        last = time;
        step++;
      }
      if (seen[this.#items[n]!] === step) repeated++;
      seen[this.#items[n]!] = step;
    }
    if (repeated > 0) remark(`${repeated} values have the item and time of an earlier one; the last one counts.`);
    return { kind: 'series', items, time: times.axis(), chunks: () => this.#chunks(order, items.length, times.start) };
  }

  /** Numbers of the values by time; those of equal times in their order. */
  #order(): Uint32Array {
    const times = this.#times;
    const order = Uint32Array.from({ length: this.#count }, (_, n) => n);
    for (let n = 1; n < this.#count; n++)
      if (times[n]! < times[n - 1]!) return order.sort((a, b) => times[a]! - times[b]! || a - b);
    return order;
  }

  async *#chunks(order: Uint32Array, items: number, start: number): AsyncGenerator<SeriesChunk> {
    let firstStep = 0;
    for (let at = 0; at < order.length; ) {
      const offsets = new Float64Array(perChunk);
      const values = Array.from({ length: items }, () => new Float64Array(perChunk).fill(Number.NaN));
      let count = 0;
      for (; at < order.length && count < perChunk; count++) {
        const time = this.#times[order[at]!]!;
        offsets[count] = (time - start) / 1000;
        for (; at < order.length && this.#times[order[at]!] === time; at++) {
          const n = order[at]!;
          values[this.#items[n]!]![count] = this.#values[n]!;
        }
      }
      yield {
        firstStep,
        offsets: offsets.subarray(0, count),
        values: values.map((column) => column.subarray(0, count)),
      };
      firstStep += count;
    }
  }
}
