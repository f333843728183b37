/** A table of text: lines of cells, the first of which may be names. */
export interface TextTable {
  readonly separator: ',' | ';' | '\t' | '|';
  readonly columns: readonly string[];
  /** Whether all values of each column are numbers. */
  readonly numeric: readonly boolean[];
}

const separators = [';', '\t', ',', '|'] as const;
const number = /^[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eEdD][-+]?\d+)?$/;
/** Number of lines that are looked at, and of columns that a sentence names. */
const [sampled, named] = [50, 8];

/**
 * The table that lines are if a separator gives as many cells, two or more, in all of them; undefined for other texts.
 */
export function textTable(lines: readonly string[]): TextTable | undefined {
  const rows = lines.filter((line) => line.trim() !== '').slice(0, sampled);
  if (rows.length < 2 || rows.some((line) => /[^\t\x20-\x7e\x80-\uffff]/.test(line))) return undefined;
  for (const separator of separators) {
    const [first, ...rest] = rows.map((line) => splitCells(line, separator));
    if (first!.length < 2 || rest.some((cells) => cells.length !== first!.length)) continue;
    const isNumber = (cell: string) => number.test(cell);
    const header = !first!.some(isNumber);
    const body = header ? rest : [first!, ...rest];
    return {
      separator,
      columns: first!.map((name, n) => (header && name !== '' ? name : `column ${n + 1}`)),
      numeric: first!.map((_, n) => body.every((cells) => cells[n] === '' || isNumber(cells[n]!))),
    };
  }
  return undefined;
}

/** The cells of a line; one in double quotes may hold separators. */
function splitCells(line: string, separator: string): string[] {
  const cells = [''];
  let quoted = false;
  for (const letter of line) {
    if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) cells.push('');
    else cells.push(cells.pop()! + letter);
  }
  return cells.map((cell) => cell.trim());
}

/** Why a table cannot be read as points, and how to read it. */
export function adviceOn({ columns, numeric }: TextTable): string {
  const list = columns.slice(0, named).join(', ') + (columns.length > named ? ', …' : '');
  if (numeric.length > 2 && numeric.slice(0, 3).every(Boolean))
    return `Columns: ${list}. XyzReader (--reader XyzReader) may read it as points, with x, y and z in the first three columns.`;
  const wrong = [0, 1].filter((n) => !numeric[n]);
  const missing =
    wrong.length > 0
      ? `${wrong.map((n) => `'${columns[n]}'`).join(' and ')} ${wrong.length === 1 ? 'holds' : 'hold'} texts: move x and y to the first two columns`
      : columns.length < 3
        ? 'a third column with numbers for z is missing: add one, such as 0'
        : `'${columns[2]}' holds texts: give the column of z with --param ZColumnIndex=N, counted from 0, or add one`;
  return `Columns: ${list}. XyzReader (--reader XyzReader) reads points, with x, y and z as numbers in the first three columns; here ${missing}.`;
}
