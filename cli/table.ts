/** What a terminal shows of text that came from elsewhere: no control characters, which could redraw the screen. */
export const plain = (value: unknown): string =>
  (value === undefined || value === null ? '' : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, ' ');

const isNumber = (cell: string) => /^-?[\d.]+( (B|KiB|MiB|GiB|TiB|%))?$/.test(cell);

/** Columns of even width below their headings; a column of numbers stands right, one without any value is left out. */
export function table(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const columns = headings
    .map((heading, column) => [heading, ...rows.map((row) => plain(row[column]))])
    .filter(([, ...cells]) => cells.length === 0 || cells.some((cell) => cell !== ''))
    .map(([heading = '', ...cells]) => {
      const width = Math.max(heading.length, ...cells.map((cell) => cell.length));
      const right = cells.length > 0 && cells.every((cell) => isNumber(cell));
      return [heading, ...cells].map((cell) => (right ? cell.padStart(width) : cell.padEnd(width)));
    });
  return Array.from({ length: rows.length + 1 }, (_, row) =>
    columns
      .map((column) => column[row])
      .join('  ')
      .trimEnd(),
  ).join('\n');
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
