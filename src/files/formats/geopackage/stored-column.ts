import { isDate, isDateTime } from '../../data/date-text.ts';
import type { Field, FieldType } from '../../data/feature-collection.ts';
import type { Context } from '../define.ts';
import { quoted } from './sql.ts';

const declaredTypes: Readonly<Record<FieldType, string>> = {
  string: 'TEXT',
  integer: 'MEDIUMINT',
  integer64: 'INTEGER',
  real: 'REAL',
  boolean: 'BOOLEAN',
  date: 'DATE',
  dateTime: 'DATETIME',
  json: 'TEXT',
};

type Stored = null | number | bigint | string;

/** A column of a table. Its type follows that of its field, and widens with the first value that does not fit. */
export class StoredColumn {
  readonly name: string;
  /** The value that `take` has converted. */
  stored: Stored = null;
  #type: FieldType;
  readonly #field: Field;
  #before: FieldType | undefined;
  #roundedCount = 0;
  #withoutZone = false;
  #otherZone = false;
  #cut = false;

  constructor(name: string, field: Field) {
    this.name = name;
    this.#field = field;
    this.#type = field.type;
  }

  get declared(): string {
    const { width } = this.#field;
    return this.#type === 'string' && this.#field.type === 'string' && width !== undefined && width > 0
      ? `TEXT(${width})`
      : declaredTypes[this.#type];
  }

  get isJson(): boolean {
    return this.#type === 'json';
  }

  /** Converts a value to `stored`. False if the type got wider: the table must follow, and the value come again. */
  take(value: unknown): boolean {
    if (value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value))) {
      this.stored = null;
      return true;
    }
    const converted = this.#convert(value);
    if (converted !== undefined) {
      this.stored = converted;
      return true;
    }
    this.#before = this.#type;
    this.#type = wider(this.#type, value);
    return false;
  }

  /** An expression for the values that are stored in the type before; `follow` is the name of that function in SQL. */
  converted(follow: string): string {
    const own = quoted(this.name);
    const exact = this.#before === 'integer64' ? `cast(${own} as text)` : own;
    if (this.#before === undefined) return own;
    if (this.#type === 'string' || (this.#type === 'real' && this.#before === 'integer64'))
      return `${follow}(${exact})`;
    return this.#before === 'date' ? `${own} || 'T00:00:00.000Z'` : own;
  }

  /** A value that is stored in the type before, as text or as a double. */
  follow(value: unknown): string | number | null {
    if (value === null) return null;
    if (this.#type === 'real') return this.#rounded(BigInt(value as string));
    return this.#before === 'boolean' ? (value ? 'true' : 'false') : String(value);
  }

  /** The stored values have followed the type. */
  settle(): void {
    this.#before = undefined;
  }

  #convert(value: unknown): Stored | undefined {
    switch (this.#type) {
      case 'boolean':
        return typeof value === 'boolean' ? (value ? 1 : 0) : undefined;
      case 'integer':
        return typeof value === 'number' && (value | 0) === value ? value : undefined;
      case 'integer64':
        if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
        return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? value : undefined;
      case 'real':
        if (typeof value === 'number') return value;
        return typeof value === 'bigint' ? this.#rounded(value) : undefined;
      case 'date':
        return typeof value === 'string' && isDate(value) ? value.replaceAll('/', '-') : undefined;
      case 'dateTime':
        return typeof value === 'string' ? this.#time(value) : undefined;
    }
    if (typeof value === 'string') return value.toWellFormed();
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }

  #rounded(value: bigint): number {
    const rounded = Number(value);
    if (BigInt(rounded) !== value) this.#roundedCount++;
    return rounded;
  }

  /** A time in UTC with milliseconds, as GeoPackage has it. */
  #time(text: string): string | undefined {
    const isDay = isDate(text);
    if (!isDay && !isDateTime(text)) return undefined;
    const plain = `${text.slice(0, 10).replaceAll('/', '-')}T${isDay ? '00:00:00' : text.slice(11)}`;
    const [, local, fraction = '', zone] = /^(.{16}(?::\d\d)?)(?:\.(\d+))?(Z|[+-].*)?$/i.exec(plain)!;
    if (zone === undefined) this.#withoutZone = true;
    else if (!/^(?:Z|[+-]00:?00)$/i.test(zone)) this.#otherZone = true;
    if (/[1-9]/.test(fraction.slice(3))) this.#cut = true;
    const zoned =
      zone === undefined
        ? 'Z'
        : zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
    const time = Date.parse(
      `${local}${local!.length === 16 ? ':00' : ''}.${fraction.slice(0, 3).padEnd(3, '0')}${zoned.toUpperCase()}`,
    );
    return Number.isNaN(time) ? undefined : new Date(time).toISOString();
  }

  report({ reportLoss, remark }: Pick<Context, 'reportLoss' | 'remark'>): void {
    const { name } = this;
    if (this.#roundedCount > 0)
      reportLoss(`${this.#roundedCount} integers of '${name}' were rounded to double precision.`);
    if (this.#cut) reportLoss(`Times of '${name}' were cut to milliseconds.`);
    if (this.#otherZone) remark(`Times of '${name}' in other zones were converted to UTC.`);
    if (this.#withoutZone) remark(`Times of '${name}' without a zone were written as UTC.`);
    if (this.#type === 'string' && this.#field.type !== 'string')
      reportLoss(`Values of '${name}' were written as text, because they have different types.`);
  }
}

function wider(type: FieldType, value: unknown): FieldType {
  if (type === 'date' && typeof value === 'string' && isDateTime(value)) return 'dateTime';
  if (typeof value !== 'number' && typeof value !== 'bigint') return 'string';
  if (type === 'integer') return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'integer64' : 'real';
  return type === 'integer64' ? 'real' : 'string';
}

/** A name for a column that no other has in any letter case. */
export function freeName(given: string, taken: Set<string>): string {
  const base = given.toWellFormed().replaceAll('\0', '') || 'field';
  let name = base;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base}_${n}`;
  taken.add(name.toLowerCase());
  return name;
}
