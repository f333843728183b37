import type { EdgesByRow } from './edges-by-row.ts';

/**
 * The cells of a row whose centre lies inside of polygons, as `first, end, first, end …`, by GDAL's rule: a centre on
 * the left outline is outside, on the right one inside; rings count even-odd. Spans are sorted and disjoint, and may
 * reach beyond the grid.
 */
export function centreSpans({ ends }: EdgesByRow, edges: Uint32Array, row: number): number[] {
  const y = row + 0.5;
  const crossings: number[] = [];
  const spans: number[] = [];
  for (const edge of edges) {
    const [ax, ay, bx, by] = [ends[4 * edge]!, ends[4 * edge + 1]!, ends[4 * edge + 2]!, ends[4 * edge + 3]!];
    if (ay === by) {
      // GDAL fills a horizontal edge through the centres if it runs to the left.
      if (ay === y && ax > bx) addSpan(spans, centreFrom(bx), centreFrom(ax));
      continue;
    }
    if (ay < by ? y >= ay && y < by : y >= by && y < ay)
      crossings.push(centreFrom(ay < by ? crossing(ax, ay, bx, by, y) : crossing(bx, by, ax, ay, y)));
  }
  const extra = spans.length > 0;
  crossings.sort((a, b) => a - b);
  for (let n = 0; n + 1 < crossings.length; n += 2) addSpan(spans, crossings[n]!, crossings[n + 1]!);
  return extra ? joinSpans(spans) : spans;
}

/** The first cell whose centre is right of `x`. */
const centreFrom = (x: number): number => Math.floor(x + 0.5);

const crossing = (lowX: number, lowY: number, highX: number, highY: number, y: number): number =>
  ((y - lowY) * (highX - lowX)) / (highY - lowY) + lowX;

function addSpan(spans: number[], first: number, end: number): void {
  if (first >= end) return;
  if (spans.length > 0 && spans.at(-1) === first) spans[spans.length - 1] = end;
  else spans.push(first, end);
}

/** Sorts spans and joins those that overlap or touch. */
export function joinSpans(spans: readonly number[]): number[] {
  const order = Array.from({ length: spans.length / 2 }, (_, n) => 2 * n).sort((a, b) => spans[a]! - spans[b]!);
  const joined: number[] = [];
  for (const n of order) {
    if (joined.length > 0 && spans[n]! <= joined.at(-1)!)
      joined[joined.length - 1] = Math.max(joined.at(-1)!, spans[n + 1]!);
    else joined.push(spans[n]!, spans[n + 1]!);
  }
  return joined;
}
