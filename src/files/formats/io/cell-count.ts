/** Number of cells of a line; one in double quotes may hold separators. */
export function cellCount(line: string, separator: string): number {
  let count = 1;
  let quoted = false;
  for (const letter of line) {
    if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) count++;
  }
  return count;
}
