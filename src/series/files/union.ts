import type { MergedRows } from 'hydrofiles/series';
import type { TableCell } from 'hydrofiles/tables';
import { type FileColumn, tableCell } from './columns.ts';

/** The rows of several series at the union of their times. */
export interface Union {
  readonly columns: readonly FileColumn[];
  /** Microseconds since 1970 from which times count. */
  readonly base: bigint;
  rows(): AsyncGenerator<MergedRows>;
}

/** The cell of each column at each time; null: the series has no row or no value. */
export function cellsOf({ times, parts }: MergedRows, columns: readonly FileColumn[]): ((row: number) => TableCell)[] {
  const positions = parts.map((part) => {
    const own = new Int32Array(times.length).fill(-1);
    let step = 0;
    for (let row = 0; row < part.times.length; row++) {
      while (times[step] !== part.times[row]) step++;
      own[step] = row;
    }
    return own;
  });
  return columns.map((one) => {
    const [at, cells] = [positions[one.series]!, parts[one.series]!.columns[one.column] ?? []];
    return (row) => (at[row]! < 0 ? null : tableCell(cells[at[row]!] ?? null, one));
  });
}
