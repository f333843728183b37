import type { Field } from './feature-collection.ts';

export interface FieldStatistics {
  name: string;
  type: Field['type'];
  /** Number of features with and without a value. */
  values: number;
  empty: number;
  /** Extremes of numbers; for dates and times the earliest and latest, as text. */
  minimum?: number | string;
  maximum?: number | string;
  mean?: number;
  /** Population standard deviation (divided by n). */
  standardDeviation?: number;
  /** Lengths of texts in characters. */
  shortest?: number;
  longest?: number;
  /** Only for booleans. */
  trueValues?: number;
}

/** Collects statistics of the values of one field. */
export class FieldTally {
  readonly #field: Field;
  #values = 0;
  #empty = 0;
  #numbers = 0;
  #lowest = Infinity;
  #highest = -Infinity;
  /** Running mean and sum of squared differences from it (Welford 1962). */
  #mean = 0;
  #squares = 0;
  #texts = 0;
  #shortest = Infinity;
  #longest = 0;
  #moments = 0;
  #earliest = { time: Infinity, text: '' };
  #latest = { time: -Infinity, text: '' };
  #booleans = 0;
  #true = 0;

  constructor(field: Field) {
    this.#field = field;
  }

  add(value: unknown): void {
    if (value === null || value === undefined || Number.isNaN(value)) {
      this.#empty++;
      return;
    }
    this.#values++;
    if (typeof value === 'number' || typeof value === 'bigint') this.#addNumber(Number(value));
    else if (typeof value === 'boolean') {
      this.#booleans++;
      if (value) this.#true++;
    } else if (typeof value === 'string') this.#addText(value);
  }

  #addNumber(value: number): void {
    this.#numbers++;
    this.#lowest = Math.min(this.#lowest, value);
    this.#highest = Math.max(this.#highest, value);
    const difference = value - this.#mean;
    this.#mean += difference / this.#numbers;
    this.#squares += difference * (value - this.#mean);
  }

  #addText(text: string): void {
    const { type } = this.#field;
    const time = type === 'date' || type === 'dateTime' ? parseTime(text) : Number.NaN;
    if (!Number.isNaN(time)) {
      this.#moments++;
      if (time < this.#earliest.time) this.#earliest = { time, text };
      if (time > this.#latest.time) this.#latest = { time, text };
    } else if (type !== 'json') {
      this.#texts++;
      this.#shortest = Math.min(this.#shortest, text.length);
      this.#longest = Math.max(this.#longest, text.length);
    }
  }

  result(): FieldStatistics {
    const { name, type } = this.#field;
    const figures = {
      minimum: this.#lowest,
      maximum: this.#highest,
      mean: this.#mean,
      standardDeviation: Math.sqrt(this.#squares / this.#numbers),
    };
    return {
      name,
      type,
      values: this.#values,
      empty: this.#empty,
      // JSON has no infinities
      ...(this.#numbers === 0
        ? {}
        : Object.fromEntries(Object.entries(figures).filter(([, figure]) => Number.isFinite(figure)))),
      ...(this.#moments === 0 ? {} : { minimum: this.#earliest.text, maximum: this.#latest.text }),
      ...(this.#texts === 0 ? {} : { shortest: this.#shortest, longest: this.#longest }),
      ...(this.#booleans === 0 ? {} : { trueValues: this.#true }),
    };
  }
}

/** Milliseconds, for comparison; a time without a zone counts as UTC. */
const parseTime = (text: string): number =>
  Date.parse(/T/.test(text) && !/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text);
