/** Lines of the plot. */
const ROWS = 12;
const BLANK = ' ';
const POINT = '•';
const LABEL_WIDTH = 12;

export interface PlotPoint {
  /** Milliseconds since 1970. */
  time: number;
  value: number;
}

/**
 * Draws values over time for a terminal of `width` columns: the range of the values that fall on a column is a vertical
 * line.
 */
export function plot(points: readonly PlotPoint[], width: number): string {
  const [first] = points;
  if (first === undefined) return '';
  const columns = Math.max(10, width - LABEL_WIDTH - 2);
  let [low, high, start, end] = [first.value, first.value, first.time, first.time];
  for (const { time, value } of points) {
    [low, high] = [Math.min(low, value), Math.max(high, value)];
    [start, end] = [Math.min(start, time), Math.max(end, time)];
  }
  const grid = Array.from({ length: ROWS }, () => new Array<string>(columns).fill(BLANK));
  // halves, because the difference of two doubles may be infinite
  const share = (value: number) => (high === low ? 0.5 : (value / 2 - low / 2) / (high / 2 - low / 2));
  for (const { time, value } of points) {
    const column = end === start ? 0 : Math.round(((time - start) / (end - start)) * (columns - 1));
    const row = ROWS - 1 - Math.round(share(value) * (ROWS - 1));
    const line = grid[row];
    if (line) line[column] = POINT;
  }
  const rowLabel = (row: number) => (row === 0 ? shortNumber(high) : row === ROWS - 1 ? shortNumber(low) : '');
  const lines = grid.map((line, row) => `${rowLabel(row).padStart(LABEL_WIDTH)} │${line.join('').trimEnd()}`);
  const [from, to] = [shortTime(start), shortTime(end)];
  const gap = Math.max(1, columns - from.length - to.length);
  return [
    ...lines,
    `${BLANK.repeat(LABEL_WIDTH)} └${'─'.repeat(columns)}`,
    `${BLANK.repeat(LABEL_WIDTH + 2)}${from}${BLANK.repeat(gap)}${to}`,
  ].join('\n');
}

const shortNumber = (value: number) => String(Number(value.toPrecision(6)));
const shortTime = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ');
