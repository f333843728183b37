import { isDate, isDateTime } from '../../../data/date-text.ts';
import type { Field, FieldType } from '../../../data/feature-collection.ts';

/** Types of columns: those of fields, and unsigned integers of 64 bits. */
export type OutputType = FieldType | 'unsigned64';

const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i;
const maxUnsigned = (1n << 64n) - 1n;

/** Finds the type of a column of the output: that of its field, or a wider one that holds all values. */
export class OutputField {
  readonly name: string;
  type: OutputType;
  /** Whether times have a zone, once there are some. */
  isZoned: boolean | undefined;
  /** Times have some with a zone and some without. */
  hasBothZones = false;
  /** No feature has a value. */
  isUnused = true;
  readonly #declared: FieldType;
  #hasNegative = false;

  constructor(name: string, { type }: Pick<Field, 'type'>) {
    this.name = name;
    this.type = type;
    this.#declared = type;
  }

  /** Values of a type without texts were written as texts. */
  get becameText(): boolean {
    return this.type === 'string' && this.#declared !== 'string';
  }

  take(value: unknown): void {
    this.isUnused = false;
    while (!this.#holds(value)) this.type = this.#wider(value);
    if (typeof value === 'bigint' ? value < 0n : typeof value === 'number' && value < 0) this.#hasNegative = true;
  }

  #holds(value: unknown): boolean {
    switch (this.type) {
      case 'boolean':
        return typeof value === 'boolean';
      case 'integer':
        return typeof value === 'number' && (value | 0) === value;
      case 'integer64':
        return typeof value === 'number'
          ? Number.isSafeInteger(value)
          : typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
      case 'unsigned64':
        return typeof value === 'number'
          ? Number.isSafeInteger(value) && value >= 0
          : typeof value === 'bigint' && value >= 0n && value <= maxUnsigned;
      case 'real':
        return typeof value === 'number' || typeof value === 'bigint';
      case 'date':
        return typeof value === 'string' && isDate(value);
      case 'dateTime':
        return typeof value === 'string' && this.#holdsTime(value);
    }
    return true;
  }

  #holdsTime(text: string): boolean {
    const isDay = isDate(text);
    if (!isDay && !isDateTime(text)) return false;
    const isZoned = !isDay && hasZone.test(text.slice(16));
    this.isZoned ??= isZoned;
    if (isZoned !== this.isZoned) this.hasBothZones = true;
    return !this.hasBothZones;
  }

  #wider(value: unknown): OutputType {
    if (this.type === 'date' && typeof value === 'string' && isDateTime(value)) return 'dateTime';
    if (typeof value !== 'number' && typeof value !== 'bigint') return 'string';
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
    if (this.type === 'integer') return isWhole ? 'integer64' : 'real';
    if (this.type === 'integer64')
      return typeof value === 'bigint' && value > 0n && value <= maxUnsigned && !this.#hasNegative
        ? 'unsigned64'
        : 'real';
    return this.type === 'unsigned64' ? 'real' : 'string';
  }
}
