import type { Samples } from './item.ts';
import type { Figures } from './value-tally.ts';
import { ValueTally } from './value-tally.ts';

/** Counts the values of one item over its parts (steps, layers), which come in ascending order. */
export class PassTally {
  readonly #whole: boolean;
  /** Of the parts before the last one. */
  #before: ValueTally;
  #last: ValueTally;
  #part = -1;

  constructor(whole: boolean) {
    this.#whole = whole;
    this.#before = new ValueTally(whole);
    this.#last = new ValueTally(whole);
  }

  get places(): number {
    return this.#before.places + this.#last.places;
  }

  /** A part that comes again is counted anew; an earlier one begins a new pass. */
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
