import { cellCount } from '../io/cell-count.ts';

const separators = [';', '\t', ',', '|'] as const;
/** Number of lines that are looked at. */
const sampled = 50;

/** Whether lines are rows of a table: a separator gives as many cells, two or more, in all of them. */
export function isTextTable(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => line.trim() !== '').slice(0, sampled);
  if (rows.length < 2 || rows.some((line) => /[^\t\x20-\x7e\x80-\uffff]/.test(line))) return false;
  return separators.some((separator) => {
    const counts = rows.map((line) => cellCount(line, separator));
    return counts[0]! > 1 && counts.every((count) => count === counts[0]);
  });
}
