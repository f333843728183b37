import type { Canvas, Colour } from './canvas.ts';
import type { Scale } from './colours.ts';
import { ink, labelSize, rule } from './figure.ts';
import { truncated } from './text/lettering.ts';
import { numberText, ticksBetween } from './ticks.ts';

/** Width of the legend to the right of a map. */
export const legendWidth = 150;
const barWidth = 20;
export const minLegend = 150;
const maxLegend = 420;

/** Draws a colour bar with numbers beside it and the unit above. */
export interface Legend {
  readonly scale: Scale;
  readonly unit?: string | undefined;
}

export function drawLegend(canvas: Canvas, { scale, unit }: Legend, left: number, top: number, room: number): void {
  const head = unit === undefined ? 0 : 24;
  if (unit !== undefined)
    canvas.text(truncated(unit, legendWidth - 30, labelSize + 1, 'bold'), left, top + 14, {
      size: labelSize + 1,
      weight: 'bold',
      colour: ink,
    });
  const height = Math.min(maxLegend, Math.max(minLegend, room)) - head;
  const { low, high, below, above, colour } = scale;
  const tip = 12;
  const first = top + head + (above ? tip : 0);
  const last = top + head + height - (below ? tip : 0);
  const right = left + barWidth;
  const at = (value: number) =>
    high === low ? (first + last) / 2 : last - ((value - low) / (high - low)) * (last - first);
  for (let row = Math.round(first); row < Math.round(last); row++) {
    const value = high === low ? low : high - ((row + 0.5 - first) / (last - first)) * (high - low);
    canvas.rectangle({ left, top: row, right, bottom: row + 1 }, colour(value));
  }
  if (above) arrow(canvas, left, right, first, first - tip, colour(high));
  if (below) arrow(canvas, left, right, last, last + tip, colour(low));
  canvas.stroke(border(left, right, first, last, above ? tip : 0, below ? tip : 0), 1, rule, { closed: true });
  const ticks =
    high === low ? [{ value: low, label: numberText(low) }] : ticksBetween(low, high, Math.max(2, height / 42));
  for (const { value, label } of ticks) {
    canvas.stroke([right, at(value), right + 5, at(value)], 1, rule);
    canvas.text(label, right + 9, at(value) + 5, { size: labelSize, colour: ink });
  }
}

/** Draws an arrow at an end of the bar: some values are beyond it. */
function arrow(canvas: Canvas, left: number, right: number, base: number, tip: number, colour: Colour): void {
  canvas.fill([[left, base, right, base, (left + right) / 2, tip]], colour);
}

const border = (left: number, right: number, top: number, bottom: number, above: number, below: number): number[] => {
  const middle = (left + right) / 2;
  return [
    ...[left, top, ...(above > 0 ? [middle, top - above] : []), right, top],
    ...[right, bottom, ...(below > 0 ? [middle, bottom + below] : []), left, bottom],
  ];
};
