import type { Samples } from './item.ts';
import { type Figures, ValueTally } from './value-tally.ts';

/** Collects statistics of one item over its parts (steps, layers), which are read in ascending order. */
export class PassTally {
  readonly #whole: boolean;
  /** Statistics of all parts before the last one. */
  #before: ValueTally;
  #last: ValueTally;
  #part = -1;

  constructor(whole: boolean) {
    this.#whole = whole;
    this.#before = new ValueTally(whole);
    this.#last = new ValueTally(whole);
  }

  get samples(): number {
    return this.#before.samples + this.#last.samples;
  }

  /** Starts a part. The same part again replaces its statistics; an earlier part starts a new pass. */
  begin(part: number): (samples: Samples, nodata: number) => void {
    if (part < this.#part) this.#before = new ValueTally(this.#whole);
    else if (part > this.#part) this.#before = this.#before.with(this.#last);
    const last = new ValueTally(this.#whole);
    this.#last = last;
    this.#part = part;
    return (samples, nodata) => last.add(samples, nodata);
  }

  figures(): Figures {
    return this.#before.with(this.#last).figures();
  }
}
