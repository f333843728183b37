import { isUuid } from './uuid.ts';

/** What a terminal shows of text that came from elsewhere: no control characters, which could redraw the screen. */
export const plain = (value: unknown): string =>
  (value === undefined || value === null ? '' : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, ' ');

/** What a command shows to people: text and tables, an empty line between two of them. */
export type Shown = string | Table | readonly (string | Table)[];

/** As text of at most `width` columns, where that is possible; without one whole. `dropped`: headings of the columns that had no room. */
export function laidOut(shown: Shown, width?: number): { text: string; dropped: string[] } {
  const parts = (shown instanceof Table || typeof shown === 'string' ? [shown] : shown).map((part) =>
    typeof part === 'string' ? { text: part, dropped: [] } : part.fit(width),
  );
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    dropped: parts.flatMap(({ dropped }) => dropped),
  };
}

const GAP = 2;
/** A column of text may be shortened to this. */
const NARROW = 14;
/** The first column tells what a row is of, mostly by an id to be copied: it stays whole up to this. */
const FIRST = 40;

interface Column {
  heading: string;
  cells: string[];
  /** Of its widest cell. */
  natural: number;
  /** Below this it is of no use. */
  least: number;
  right: boolean;
}

/** Rows below their headings. A column of numbers stands right, one without any value is left out. */
class Table {
  readonly #columns: readonly Column[];
  readonly #rows: number;

  constructor(headings: readonly string[], rows: readonly (readonly unknown[])[]) {
    this.#rows = rows.length;
    this.#columns = headings
      .map((heading, at) => ({ heading, cells: rows.map((row) => plain(row[at])) }))
      .filter(({ cells }) => cells.length === 0 || cells.some((cell) => cell !== ''))
      .map(({ heading, cells }, at) => columnOf(heading, cells, at === 0));
  }

  /** The columns that have room, from the left, the others shortened or left out. */
  fit(width = Number.POSITIVE_INFINITY): { text: string; dropped: string[] } {
    const widths = new Map<Column, number>();
    let left = width + GAP;
    for (const [at, column] of this.#columns.entries()) {
      if (at > 0 && column.least + GAP > left) continue;
      widths.set(column, column.least);
      left -= column.least + GAP;
    }
    for (const [column, least] of widths) {
      const more = Math.max(0, Math.min(column.natural - least, left));
      // a time that is not whole is short
      if (isTimes(column) && least + more < column.natural) continue;
      widths.set(column, least + more);
      left -= more;
    }
    const kept = [...widths];
    const lines = Array.from({ length: this.#rows + 1 }, (_, row) =>
      kept
        .map(([column, wide]) => {
          const text = row === 0 ? column.heading : (column.cells[row - 1] ?? '');
          const short = row > 0 && isTimes(column) && wide < column.natural ? shortTime(text) : shortened(text, wide);
          const blanks = ' '.repeat(Math.max(0, wide - widthOf(short)));
          return column.right ? blanks + short : short + blanks;
        })
        .join(' '.repeat(GAP))
        .trimEnd(),
    );
    return {
      text: lines.join('\n'),
      dropped: this.#columns.filter((column) => !widths.has(column)).map(({ heading }) => heading),
    };
  }
}

export type { Table };

export const table = (headings: readonly string[], rows: readonly (readonly unknown[])[]) => new Table(headings, rows);

const isNumber = (cell: string) => /^-?[\d.]+( (B|KiB|MiB|GiB|TiB|%))?$/.test(cell);
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\dZ)$/;
const SHORT_TIME = 10;
const isTimes = ({ cells }: Pick<Column, 'cells'>) =>
  cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || MOMENT.test(cell));

function columnOf(heading: string, cells: string[], first: boolean): Column {
  const natural = Math.max(widthOf(heading), ...cells.map(widthOf));
  const right = cells.length > 0 && cells.every(isNumber);
  const whole = right || cells.some(isUuid);
  const most = isTimes({ cells }) ? Math.max(SHORT_TIME, widthOf(heading)) : first ? FIRST : NARROW;
  return {
    heading,
    cells,
    natural,
    right,
    least: whole ? natural : Math.min(natural, Math.max(most, widthOf(heading))),
  };
}

/** The time of today, the day of another one. */
function shortTime(text: string): string {
  const [, day = '', clock = ''] = MOMENT.exec(text) ?? [];
  return day === new Date().toISOString().slice(0, 10) ? clock : day;
}

function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let short = '';
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Cells of a terminal: two for each character of East Asian scripts, none for a mark that stands on another character. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{Mn}|\p{Me}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** One record: a line for each member that has a value. */
export function record(members: Record<string, unknown>): string {
  const shown = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`).join('\n');
}

/** A time of the API (UTC without zone, or with `Z`) to the second. */
export const moment = (time: string | undefined): string =>
  time === undefined ? '' : `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;

export function bytes(count: number | undefined): string {
  if (count === undefined) return '';
  let value = count;
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (value < 1024) return `${unit === 'B' ? value : value.toFixed(1)} ${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(1)} TiB`;
}
