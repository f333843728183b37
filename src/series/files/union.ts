import type { MergedRows } from 'hydrofiles/series';
import type { TableCell } from 'hydrofiles/tables';
import { type FileColumn, tableCell } from './columns.ts';
import { MOST_TEXT, tooMuchText } from './limits.ts';

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

/** The windows, as long as their texts fit into a file. */
export async function* boundedTexts(
  windows: AsyncIterable<MergedRows> | Iterable<MergedRows>,
  columns: readonly FileColumn[],
) {
  const texts = columns.filter(({ source }) => source.kind === 'text');
  let count = 0;
  for await (const window of windows) {
    for (const { series, column } of texts)
      for (const cell of window.parts[series]!.columns[column] ?? []) count += (cell as string | null)?.length ?? 0;
    if (count > MOST_TEXT) throw tooMuchText();
    yield window;
  }
}
