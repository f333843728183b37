import type { TimeAxis } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';

/** Steps whose times are held in memory; evenly spaced ones are not. */
const maxTimes = 1 << 26;

/** Collects times in milliseconds; a list of them only where they are not evenly spaced. */
export class Times {
  isSorted = true;
  #count = 0;
  #first = 0;
  #last = -Infinity;
  #interval = 0;
  /** Seconds since the first time, once they are not evenly spaced. */
  #offsets: Float64Array | undefined;

  get start(): number {
    return this.#first;
  }

  add(time: number): undefined {
    if (this.#count === 0) this.#first = time;
    else if (this.#count === 1) this.#interval = time - this.#first;
    if (time < this.#last) this.isSorted = false;
    const isEven = this.#count < 2 ? time !== this.#last : time === this.#first + this.#count * this.#interval;
    if (!isEven) this.#offsets ??= this.#evenOffsets();
    if (this.#offsets !== undefined) this.#push((time - this.#first) / 1000);
    this.#last = time;
    this.#count++;
  }

  #evenOffsets(): Float64Array {
    const offsets = new Float64Array(Math.max(1024, 2 * this.#count));
    for (let n = 0; n < this.#count; n++) offsets[n] = (n * this.#interval) / 1000;
    return offsets;
  }

  #push(offset: number): void {
    if (this.#count >= maxTimes) throw new ConversionError(`The file has more than ${maxTimes} times.`);
    if (this.#count === this.#offsets!.length) {
      const more = new Float64Array(2 * this.#count);
      more.set(this.#offsets!);
      this.#offsets = more;
    }
    this.#offsets![this.#count] = offset;
  }

  axis(): TimeAxis {
    const clock = { unit: 'second', start: this.#first } as const;
    if (this.#offsets !== undefined)
      return { ...clock, spacing: 'nonEquidistant', offsets: this.#offsets.slice(0, this.#count) };
    return { ...clock, spacing: 'equidistant', count: this.#count, offset: 0, interval: this.#interval / 1000 };
  }
}
