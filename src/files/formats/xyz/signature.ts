import { type Detected, type FileFormat, isNumber, latin1 } from '../file-format.ts';
import { cellCount } from '../io/cell-count.ts';

const maxHeaderLines = 5;

/** Ctrl-Z, which ended texts of MS-DOS. */
const endMark = '\x1a';

/** Whether the columns of a line begin with x, y and z; in cells of their own, z may be missing. */
const startsWithPoint = (given: string) => {
  const line = given.replaceAll('"', '');
  const cells = line.split(/[,;\t]/, 3).map((cell) => cell.trim());
  if (cells.length === 3 && [cells[0]!, cells[1]!, cells[2] || '0'].every(isNumber)) return true;
  const words = line.split(/[\s,;]+/, 3);
  return words.length === 3 && words.every(isNumber);
};

/** Lines of three numbers or more, perhaps after comments and a few lines of header. */
function points(head: Buffer): Detected | undefined {
  const [text = ''] = latin1(head).split(endMark, 1);
  const lines = text.split(/\r?\n/);
  // The last line may be cut off.
  if (lines.length > 1) lines.pop();
  const texts = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const first = texts.findIndex((line) => startsWithPoint(line));
  if (first < 0 || first > maxHeaderLines || !texts.slice(first).every((line) => startsWithPoint(line)))
    return undefined;
  if (first > 0 && isTableHeader(texts[first - 1]!, texts[first]!)) return undefined;
  return { format: 'xyz', name: 'a file of points (XYZ)' };
}

/**
 * Whether names in cells of their own, other than x and y, stand over all cells of a point: a table, which the reader
 * of CSV understands.
 */
const isTableHeader = (names: string, point: string): boolean =>
  !/^"?x[^,;\t]*[,;\t]\s*"?y/i.test(names) &&
  [',', ';', '\t'].some((separator) => {
    const count = cellCount(names, separator);
    return count > 2 && count === cellCount(point, separator);
  });

export const xyzFormat: FileFormat = { format: 'xyz', extensions: ['.xyz'], recognise: points };
