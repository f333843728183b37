import type { ByteSource } from '../../../data/bytes.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { type DecimalSeparator, Numbers } from './numbers.ts';
import { Rows, type TableOrigin } from './rows.ts';
import { readTextForm, type TextForm, utf8 } from './text.ts';
import { guessTimes } from './times.ts';

/** Rows by which all is guessed, and the bytes in which they must be. */
const sampledRows = 1000;
const sampledBytes = 8 << 20;

const separators: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': '|' };

/** What need not be guessed. */
export interface DialectParameters {
  readonly Separator?: string | undefined;
  readonly DecimalSeparator?: DecimalSeparator | undefined;
  readonly Encoding?: string | undefined;
  readonly Header?: boolean | undefined;
}

/** How a text is cut into cells, and its first rows. */
export interface Dialect {
  readonly form: TextForm;
  readonly origin: TableOrigin;
  readonly separator: string;
  /** Whether the line before the rows names the separator (`sep=;`), as Excel understands it. */
  readonly hasMark: boolean;
  readonly header: boolean;
  readonly numbers: Numbers;
  /** Cells of the first rows, without the header; and number of columns. */
  readonly sample: readonly (readonly string[])[];
  readonly columns: number;
  readonly names: readonly string[] | undefined;
}

/** @throws ConversionError that names the parameter of what cannot be guessed for sure */
export async function readDialect(
  source: ByteSource,
  { Separator, DecimalSeparator, Encoding, Header }: DialectParameters,
  context: Pick<Context, 'remark'>,
  origin: TableOrigin = 'text',
): Promise<Dialect> {
  if (source.size === 0) throw new FormatError('The file is empty.', 0);
  const form = await readTextForm(source, Encoding);
  const { bytes, isWhole } = await readBeginning(source, form);
  const mark = origin === 'sheet' ? undefined : /^sep=(.)\r?\n?/.exec(bytes.toString('latin1', 0, 8))?.[1];
  const given = Separator === undefined ? mark : /^(?:\\t|tab)$/i.test(Separator) ? '\t' : Separator;
  const separator = given ?? guessSeparator(bytes, isWhole);
  const all = readSample(bytes, isWhole, separator);
  if (mark !== undefined) all.shift();
  const [first] = all;
  if (first === undefined) throw new FormatError('The file has no rows.', 0);
  const header = Header ?? isHeader(first);
  const sample = header ? all.slice(1) : all;
  const columns = header ? first.length : Math.max(...sample.map(({ length }) => length));
  const names = header ? first.map((name) => name.trim()) : undefined;
  const decimal = DecimalSeparator ?? guessDecimal(sample, separator, names);
  if (Separator === undefined && separator !== ',')
    context.remark(`Cells are separated by ${shownSeparator(separator)}.`);
  if (DecimalSeparator === undefined && decimal === ',') context.remark('Numbers have a decimal comma.');
  if (Encoding === undefined && form.encoding !== 'utf-8') context.remark(`The text was read as ${form.encoding}.`);
  if (Header === undefined && !header)
    context.remark('The first row was read as data, because it has numbers or equal names. Header says otherwise.');
  return {
    form,
    origin,
    separator,
    hasMark: mark !== undefined,
    header,
    numbers: new Numbers(decimal),
    sample,
    columns,
    names,
  };
}

const shownSeparator = (separator: string) =>
  separators[separator] === undefined || separator === '|' ? `'${separator}'` : `a ${separators[separator]}`;

async function readBeginning(source: ByteSource, form: TextForm): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = [];
  let [size, lines] = [0, 0];
  for await (const piece of utf8(source, form)) {
    parts.push(piece);
    size += piece.length;
    for (let at = piece.indexOf(10); at >= 0 && lines <= sampledRows; at = piece.indexOf(10, at + 1)) lines++;
    if (lines > sampledRows || size >= sampledBytes) return { bytes: Buffer.concat(parts), isWhole: false };
  }
  return { bytes: Buffer.concat(parts), isWhole: true };
}

/** The cells of the first rows; a row that the bytes cut, or of too many columns, ends them. */
function readSample(bytes: Buffer, isWhole: boolean, separator: string): string[][] {
  const rows = new Rows(separator);
  rows.load(bytes, isWhole);
  const all: string[][] = [];
  try {
    while (all.length <= sampledRows && rows.next()) {
      if (all.length === 0) rows.check();
      all.push(Array.from({ length: rows.count }, (_, n) => rows.text(n)));
    }
  } catch (error) {
    if (!(error instanceof FormatError) || all.length === 0) throw error;
  }
  return all;
}

/** Numbers of columns of the first rows, up to one that cannot be read. */
function countColumns(bytes: Buffer, isWhole: boolean, separator: string): { counts: number[]; error?: FormatError } {
  const rows = new Rows(separator);
  rows.load(bytes, isWhole);
  const counts: number[] = [];
  try {
    while (counts.length <= sampledRows && rows.next()) counts.push(rows.count);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { counts, error };
  }
  return { counts };
}

function guessSeparator(bytes: Buffer, isWhole: boolean): string {
  const all = Object.keys(separators).map((separator) => ({
    separator,
    ...countColumns(bytes, isWhole, separator),
  }));
  const even = all.filter(({ counts }) => counts[0]! > 1 && counts.every((count) => count === counts[0]));
  if (even.length > 1)
    throw new ConversionError(
      `Cells may be separated by ${even.map(({ separator }) => shownSeparator(separator)).join(' or ')}. Give the parameter Separator.`,
    );
  if (even[0] !== undefined) return even[0].separator;
  const failed = all.find(({ error }) => error !== undefined)?.error;
  if (failed !== undefined) throw failed;
  const present = all.filter(({ counts }) => counts.some((count) => count > 1));
  // A table of one column, or one in which only one separator occurs.
  if (present.length === 0) return ',';
  const inHeader = present.filter(({ counts }) => counts[0]! > 1);
  if (inHeader.length === 1 && inHeader[0]!.counts.every((count) => count <= inHeader[0]!.counts[0]!))
    return inHeader[0]!.separator;
  if (present.length === 1 && inHeader.length === 1) return present[0]!.separator;
  throw new ConversionError(
    'No separator gives the same number of cells in all rows. Give the parameter Separator, such as ;.',
  );
}

const numberForm = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?$/;

function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (new Set(names).size !== names.length || names.every((name) => name === '')) return false;
  return !names.some((name) => name !== '' && (numberForm.test(name) || guessTimes([name]) !== undefined));
}

/** Unless cells are separated by commas, numbers may have them. */
function guessDecimal(
  sample: readonly (readonly string[])[],
  separator: string,
  names: readonly string[] | undefined,
): DecimalSeparator {
  if (separator === ',') return '.';
  let withPoint = false;
  let withComma = false;
  /** Column whose numbers with a comma may have it between thousands. */
  let unsure: number | undefined;
  for (const cells of sample)
    for (const [n, given] of cells.entries()) {
      const cell = given.trim();
      if (!/^[+-]?\d*[.,]\d*(?:[eE][+-]?\d+)?$/.test(cell) || !/\d/.test(cell)) continue;
      if (cell.includes('.')) withPoint = true;
      else if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(cell)) unsure ??= n;
      else withComma = true;
    }
  if (withComma && withPoint)
    throw new ConversionError(
      'Some numbers have a decimal point and others a decimal comma. Give the parameter DecimalSeparator.',
    );
  if (withComma) return ',';
  if (unsure === undefined) return '.';
  throw new ConversionError(
    `Numbers such as '${sample.find((cells) => cells[unsure])?.[unsure]?.trim()}' of the column '${names?.[unsure] ?? unsure + 1}' may have a decimal comma or thousands. Give the parameter DecimalSeparator.`,
  );
}
