import type { Field } from '../../data/feature-collection.ts';
import type { Context } from '../define.ts';
import { scaled } from '../io/number-text.ts';
import { shortNames } from '../short-names.ts';

/** Maximum length of a text in a dBase field, in bytes. */
export const longestText = 254;
/** As in GDAL: enough for a sign, 15 digits before and 8 after the point, and for any double. */
const widestNumber = 24;
const maxDecimals = 15;
/** Maximum size of a header and of a row, in bytes. */
const maxHeader = 0xffff;

/** Statistics of the values of a column, from which `layout` computes type and width of its field. */
export class ColumnStatistics {
  readonly field: Field;
  text = 0;
  numbers = false;
  booleans = false;
  texts = false;
  dates = true;
  cut = 0;
  emptyTexts = 0;
  #largest = 0;
  #negative = 0;
  #decimals = 0;
  #digits = 0;
  /** Length of the longest number that no fixed number of decimals represents exactly. */
  #longestFloat = 0;

  /** The field is left out if it has no values. */
  readonly #optional: boolean;
  /**
   * The field exists in the dataset to which data are appended: its type stays, its width and decimals may only grow.
   */
  readonly #existing: boolean;

  constructor(field: Field, { optional = false, existing = false } = {}) {
    this.field = field;
    this.#optional = optional;
    this.#existing = existing;
  }

  /** Whether the field is left out. */
  get isUnused(): boolean {
    return this.#optional && !this.texts && !this.numbers;
  }

  addText(bytes: number): void {
    this.texts = true;
    if (bytes > this.text) this.text = bytes;
  }

  /** Counts an integer above 2^53 with as many characters. */
  addDigits(characters: number): void {
    this.numbers = true;
    if (characters > this.#digits) this.#digits = characters;
  }

  addNumber(value: number): void {
    this.numbers = true;
    const size = Math.abs(value);
    if (value < 0) this.#negative = 1;
    if (Number.isInteger(value) && size < 1e15) {
      if (size > this.#largest) this.#largest = size;
      return;
    }
    for (let d = this.#decimals; d <= maxDecimals; d++) {
      if (scaled(size, d) < 0) continue;
      this.#decimals = d;
      if (size > this.#largest) this.#largest = size;
      return;
    }
    const { length } = String(value);
    if (length > this.#longestFloat) this.#longestFloat = length;
  }

  /** Type, width and decimals of the field. */
  layout(): Layout {
    const needed = this.#needed();
    const { width = 0, decimals = 0 } = this.field;
    if (!this.#existing || needed.type === 'L' || needed.type === 'D') return needed;
    if (needed.type === 'C') return { ...needed, width: Math.max(needed.width, Math.min(width, longestText)) };
    const point = (places: number) => (places > 0 ? places + 1 : 0);
    const most = Math.max(decimals, needed.decimals);
    const whole = Math.max(width - point(decimals), needed.width - point(needed.decimals));
    const kept = Math.max(0, Math.min(most, widestNumber - whole - 1));
    return { ...needed, width: Math.min(widestNumber, whole + point(kept)), decimals: kept };
  }

  #needed(): Layout {
    const { type } = this.field;
    const kinds = [this.texts, this.numbers, this.booleans].filter(Boolean).length;
    if (kinds > 1) return { type: 'C', width: Math.max(this.text, this.#numberWidth(), 5), decimals: 0 };
    if (this.booleans || (type === 'boolean' && kinds === 0)) return { type: 'L', width: 1, decimals: 0 };
    if (type === 'date' && this.dates) return { type: 'D', width: 8, decimals: 0 };
    if (this.texts || (kinds === 0 && !['integer', 'integer64', 'real'].includes(type)))
      return { type: 'C', width: Math.max(1, this.text), decimals: 0 };
    const whole = type !== 'real' && this.#decimals === 0 && this.#longestFloat === 0;
    if (whole) return { type: 'N', width: Math.max(type === 'integer64' ? 10 : 1, this.#numberWidth()), decimals: 0 };
    const decimals = Math.max(1, Math.min(maxDecimals, this.#decimals || (this.#longestFloat > 0 ? maxDecimals : 1)));
    const width = Math.max(this.#numberWidth() + (this.#decimals === 0 ? 2 : 0), this.#longestFloat, decimals + 2);
    return { type: 'N', width: Math.min(widestNumber, width), decimals: Math.min(decimals, widestNumber - 3) };
  }

  #numberWidth(): number {
    const digits = this.#largest < 1 ? 1 : String(Math.floor(this.#largest)).length;
    return Math.max(
      this.#longestFloat,
      this.#digits,
      this.#negative + digits + (this.#decimals > 0 ? 1 + this.#decimals : 0),
    );
  }
}

interface Layout {
  type: 'C' | 'N' | 'L' | 'D';
  width: number;
  decimals: number;
}

export interface DbfField extends Layout {
  /** At most ten bytes of UTF-8. */
  name: string;
  column: number;
}

/** Names of the fields of a .dbf file. Reports those that differ, and types that the file does not have. */
export function dbfNames(columns: readonly Pick<ColumnStatistics, 'field'>[], { reportLoss }: Context): string[] {
  const names = shortNames(columns.map(({ field }) => field.name));
  const renamed = columns.flatMap(({ field: { name } }, n) =>
    names[n] === name ? [] : [`'${name}' became '${names[n]}'`],
  );
  if (renamed.length > 0) reportLoss(`Field names of a shapefile have at most ten bytes: ${listed(renamed)}.`);
  for (const { name, type } of columns.map(({ field }) => field))
    if (type === 'json') reportLoss(`Nested values of '${name}' were written as JSON text.`);
    else if (type === 'dateTime')
      reportLoss(`Times of '${name}' were written as text, because a .dbf file has no type for them.`);
  return names;
}

/**
 * The fields of a .dbf file for these columns, as far as they fit. Reports dropped and changed fields as losses.
 * @param names from `dbfNames`
 */
export function dbfFields(
  columns: readonly ColumnStatistics[],
  names: readonly string[],
  context: Context,
): DbfField[] {
  const { reportLoss } = context;
  const fields: DbfField[] = [];
  const dropped: string[] = [];
  let row = 1;
  for (const [n, column] of columns.entries()) {
    if (column.isUnused) continue;
    const layout = column.layout();
    if (33 + 32 * (fields.length + 1) > maxHeader || row + layout.width > maxHeader) {
      dropped.push(column.field.name);
      continue;
    }
    row += layout.width;
    fields.push({ name: names[n]!, ...layout, column: n });
    reportType(column, layout.type, context);
  }
  if (dropped.length > 0) reportLoss(`Fields that do not fit into a .dbf file were dropped: ${listed(dropped)}.`);
  return fields;
}

function reportType({ field, cut, emptyTexts }: ColumnStatistics, type: string, { reportLoss, remark }: Context): void {
  if (emptyTexts > 0)
    remark(`${emptyTexts} empty texts of '${field.name}' read back as null: a .dbf file does not tell them apart.`);
  if (cut > 0) reportLoss(`${cut} values of '${field.name}' were cut to ${longestText} bytes.`);
  if (type === 'C' && !['string', 'json', 'dateTime'].includes(field.type))
    reportLoss(`Values of '${field.name}' were written as text, because they have different types.`);
}

const listed = (all: string[]): string =>
  all.length > 20 ? `${all.slice(0, 20).join(', ')} and ${all.length - 20} more` : all.join(', ');
