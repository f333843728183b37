import { isDate, isDateTime } from '../../data/date-text.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { XmlHandler } from '../io/xml.ts';
import { type CellFormat, dayText } from './cell-format.ts';
import { isTrue, TextCollector, unescaped } from './workbook.ts';

const [mostRows, mostColumns] = [1 << 20, 1 << 14];
const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i;

export interface CellSources {
  readonly texts: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly from1904: boolean;
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly format: CellFormat;
  hasFormula: boolean;
  value: string | undefined;
}

/**
 * Turns the XML of a sheet into rows of a table of text, one line each, in which texts are in quotes and numbers,
 * booleans and times are not.
 */
export class SheetRows implements XmlHandler {
  /** Rows that are whole. */
  written: string[] = [];
  #row = 0;
  #lines = 0;
  #cells: string[] = [];
  #column = 0;
  #cell: OpenCell | undefined;
  readonly #collector = new TextCollector();
  readonly #sources: CellSources;
  readonly #counts = {
    formulas: 0,
    withoutValue: 0,
    errors: 0,
    days: 0,
    merged: 0,
    hidden: 0,
    drawings: 0,
    durations: 0,
  };
  readonly #errors = new Set<string>();

  constructor(sources: CellSources) {
    this.#sources = sources;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#collector.open(name);
    const counts = this.#counts;
    if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f' && this.#cell !== undefined) this.#cell.hasFormula = true;
    else if (name === 'v' && this.#cell !== undefined) this.#cell.value = '';
    else if (name === 'mergeCell') counts.merged++;
    else if (name === 'col' && isTrue(attributes.hidden)) counts.hidden++;
    else if (name === 'drawing' || name === 'legacyDrawing') counts.drawings++;
  }

  text(text: string): void {
    const cell = this.#cell;
    this.#collector.add(text);
    if (cell?.value !== undefined && this.#collector.innermost === 'v') cell.value += text;
  }

  close(): void {
    const name = this.#collector.close();
    if (name === 'c') this.#closeCell();
    if (name === 'row') this.#closeRow();
  }

  #openRow({ r, hidden }: Readonly<Record<string, string>>): void {
    const row = r === undefined ? this.#row + 1 : Number(r);
    if (!(Number.isInteger(row) && row > this.#row && row <= mostRows))
      throw new FormatError(`The row '${String(r).slice(0, 20)}' of the sheet does not follow row ${this.#row}.`);
    this.#row = row;
    this.#column = 0;
    if (isTrue(hidden)) this.#counts.hidden++;
  }

  #openCell({ r, t = 'n', s }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (!(column >= 1 && column <= mostColumns))
      throw new FormatError(`Row ${this.#row} of the sheet has the cell '${String(r).slice(0, 20)}'.`);
    this.#column = column;
    const format = this.#sources.formats[Number(s ?? 0)] ?? 'number';
    this.#cell = { column, type: t, format, hasFormula: false, value: undefined };
    this.#collector.take();
  }

  #closeCell(): void {
    const cell = this.#cell!;
    this.#cell = undefined;
    if (cell.hasFormula) this.#counts.formulas++;
    const text = this.#cellText(cell);
    if (text === '') return;
    while (this.#cells.length < cell.column) this.#cells.push('');
    this.#cells[cell.column - 1] = text;
  }

  #cellText(cell: OpenCell): string {
    const { type, value } = cell;
    if (type === 'inlineStr') return quoted(this.#collector.take());
    if (value === undefined || value === '') {
      if (cell.hasFormula && type !== 'str') this.#counts.withoutValue++;
      return '';
    }
    switch (type) {
      case 's': {
        const text = this.#sources.texts[Number(value)];
        if (text === undefined) throw this.#wrong(cell, 'the number of a text');
        return quoted(text);
      }
      case 'str':
        return quoted(unescaped(value));
      case 'b':
        return isTrue(value) ? 'true' : 'false';
      case 'e':
        this.#counts.errors++;
        if (this.#errors.size < 8) this.#errors.add(value.slice(0, 20));
        return '';
      case 'd': {
        const time = value.trim();
        return isDate(time) || isDateTime(time) ? time : quoted(value);
      }
    }
    return this.#number(cell, value.trim());
  }

  #number(cell: OpenCell, text: string): string {
    if (!numberForm.test(text)) throw this.#wrong(cell, 'a number');
    if (cell.format === 'number') return text;
    if (cell.format === 'duration') {
      this.#counts.durations++;
      return text;
    }
    const time = dayText(Number(text), cell.format, this.#sources.from1904);
    if (time === undefined) this.#counts.days++;
    return time ?? '';
  }

  #wrong({ column, value }: OpenCell, what: string): FormatError {
    return new FormatError(
      `The cell in row ${this.#row} and column ${column} has '${value!.slice(0, 40)}' in place of ${what}.`,
    );
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return;
    // Rows without values are blank lines, so that the number of a line is that of the row.
    this.written.push(`${'\n'.repeat(this.#row - 1 - this.#lines)}${this.#cells.join(',')}\n`);
    this.#lines = this.#row;
    this.#cells = [];
  }

  report({ reportLoss, remark }: Context): void {
    const { formulas, withoutValue, errors, days, merged, hidden, drawings, durations } = this.#counts;
    if (errors > 0) reportLoss(`${errors} cells with errors (${[...this.#errors].join(', ')}) have no value.`);
    if (withoutValue > 0)
      reportLoss(
        `${withoutValue} formulas have no stored value, so their cells are empty. Open and save the file in Excel.`,
      );
    if (days > 0) reportLoss(`${days} cells hold days that do not exist; they have no value.`);
    if (formulas > withoutValue)
      reportLoss(`${formulas - withoutValue} formulas were left out; their stored values were read.`);
    if (drawings > 0) reportLoss('Drawings and comments of the sheet were left out.');
    if (merged > 0) remark(`${merged} merged areas have a value in their first cell only.`);
    if (hidden > 0) remark('Hidden rows and columns were read, too.');
    if (durations > 0) remark('Durations were read as numbers of days.');
  }
}

const quoted = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '""')}"`);

/** The number of the column in a reference such as `AB12`, from 1; 0 for another text. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})\d+$/i.exec(reference)?.[1] ?? '';
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
