/** How a column of values is stored. Times are `i64`, flags `i32`: the position in the list of flags. */
export type Kind = 'f32' | 'f64' | 'i16' | 'i32' | 'i64' | 'text';
/** A stored value. Null: no value. */
export type Cell = number | bigint | string | null;

/** Values with their times in microseconds since 1970, in columns: the value of the item, then the data fields. */
export interface Rows {
  times: bigint[];
  columns: Cell[][];
}

export const emptyRows = (columns: number): Rows => ({ times: [], columns: Array.from({ length: columns }, () => []) });

export function append(to: Rows, rows: Rows): void {
  for (const time of rows.times) to.times.push(time);
  for (const [at, column] of to.columns.entries()) for (const cell of rows.columns[at] ?? []) column.push(cell);
}
