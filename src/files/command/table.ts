/** Removes control characters, with which text from elsewhere could redraw the terminal. */
export const plain = (value: unknown): string =>
  (value === undefined || value === null ? '' : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, ' ');

/** Output for people: texts and tables, separated by empty lines. */
export type Shown = string | Table | readonly (string | Table)[];

/**
 * Formats output for a terminal of `width` columns; without a width, completely. `dropped`: headings of columns that do
 * not fit.
 */
export function layOut(shown: Shown, width?: number): { text: string; dropped: string[] } {
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
/** Minimum width of a shortened column of text. */
const MIN_WIDTH = 14;
/** Minimum width of a shortened first column, which is mostly an id to copy. */
const FIRST_MIN_WIDTH = 40;

interface TableColumn {
  heading: string;
  cells: string[];
  /** Width of the widest cell. */
  natural: number;
  /** Minimum width. */
  min: number;
  right: boolean;
  /** Ids that commands take by their ends: where room lacks, only those are shown. */
  shortIds: boolean;
}

export interface TableOptions {
  /** Heading of the column of ids that commands take by their ends. */
  shortIds?: string;
}

/** Rows below headings. Right-aligns columns of numbers, and leaves out columns without values. */
class Table {
  readonly #columns: readonly TableColumn[];
  readonly #rows: number;

  constructor(headings: readonly string[], rows: readonly (readonly unknown[])[], { shortIds }: TableOptions = {}) {
    this.#rows = rows.length;
    this.#columns = headings
      .map((heading, at) => ({ heading, cells: rows.map((row) => plain(row[at])) }))
      .filter(({ cells }) => cells.length === 0 || cells.some((cell) => cell !== ''))
      .map(({ heading, cells }, at) =>
        layOutColumn(heading, cells, { first: at === 0 && shortIds === undefined, shortIds: heading === shortIds }),
      );
  }

  /** Formats the table for a width: shortens columns, then leaves out columns from the right. */
  fit(width = Number.POSITIVE_INFINITY): { text: string; dropped: string[] } {
    const widths = new Map<TableColumn, number>();
    let left = width + GAP;
    for (const [at, column] of this.#columns.entries()) {
      if (at > 0 && column.min + GAP > left) continue;
      widths.set(column, column.min);
      left -= column.min + GAP;
    }
    for (const [column, min] of widths) {
      const more = Math.max(0, Math.min(column.natural - min, left));
      // times and ids are either complete or in their short form
      if ((isTimes(column) || column.shortIds) && min + more < column.natural) continue;
      widths.set(column, min + more);
      left -= more;
    }
    const kept = [...widths];
    const lines = Array.from({ length: this.#rows + 1 }, (_, row) =>
      kept
        .map(([column, wide]) => {
          const text = row === 0 ? column.heading : (column.cells[row - 1] ?? '');
          const short = row > 0 && wide < column.natural ? shortForm(column, text, wide) : shortened(text, wide);
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

export const table = (headings: readonly string[], rows: readonly (readonly unknown[])[], options?: TableOptions) =>
  new Table(headings, rows, options);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID, in any letter case. */
export const isUuid = (text: string): boolean => UUID.test(text);

const isNumber = (cell: string) => /^-?[\d.]+( (B|KiB|MiB|GiB|TiB|%))?$/.test(cell);
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\dZ)$/;
const SHORT_TIME = 10;
const isTimes = ({ cells }: Pick<TableColumn, 'cells'>) =>
  cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || MOMENT.test(cell));

/** Digits of a short id. */
const SHORT_ID = 8;

function layOutColumn(
  heading: string,
  cells: string[],
  { first, shortIds }: { first: boolean; shortIds: boolean },
): TableColumn {
  const natural = Math.max(widthOf(heading), ...cells.map(widthOf));
  if (shortIds) return { heading, cells, natural, right: false, shortIds, min: Math.min(natural, SHORT_ID) };
  const right = cells.length > 0 && cells.every(isNumber);
  const complete = right || cells.some(isUuid);
  const width = isTimes({ cells }) ? Math.max(SHORT_TIME, widthOf(heading)) : first ? FIRST_MIN_WIDTH : MIN_WIDTH;
  return {
    heading,
    cells,
    natural,
    right,
    shortIds,
    min: complete ? natural : Math.min(natural, Math.max(width, widthOf(heading))),
  };
}

const shortForm = (column: TableColumn, text: string, width: number): string =>
  column.shortIds ? text.slice(-SHORT_ID) : isTimes(column) ? shortTime(text) : shortened(text, width);

/** Clock time of today, date of other days. */
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

/** Width in terminal cells: two for East Asian characters and emoji, none for combining marks. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += /\p{Mn}|\p{Me}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Formats a record: a line per member that has a value. */
export function record(members: Record<string, unknown>): string {
  const shown = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`).join('\n');
}

/** Formats a time of the API (UTC, with or without `Z`), to the second. */
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
