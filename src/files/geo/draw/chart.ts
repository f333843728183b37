import { Canvas, type Colour, type Frame } from './canvas.ts';
import {
  drawAxes,
  faint,
  figureWidth,
  type Heading,
  headHeight,
  ink,
  labelSize,
  newFigure,
  type PlacedTick,
} from './figure.ts';
import { textWidth, truncated } from './text/lettering.ts';
import { type Tick, ticksBetween } from './ticks.ts';

/** Okabe and Ito (2008): colours that colour-blind people can tell apart. */
const lineColours: readonly Colour[] = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [230, 159, 0],
  [90, 70, 160],
  [80, 80, 80],
];
/** Maximum number of lines per panel (one per colour), and of panels per picture. */
export const maxLines = lineColours.length;
export const maxPanels = 6;
/** Width of the plot area in pixels, for which curves are thinned out. */
export const chartColumns = 1080;

export interface ChartLine {
  readonly name: string;
  /** x and y of points, in the units of the axes. */
  readonly pieces: readonly (readonly number[])[];
}

/** Lines with one unit. */
export interface Panel {
  /** With the quantity before it, where all lines have the same. */
  readonly unit?: string | undefined;
  readonly low: number;
  readonly high: number;
  readonly lines: readonly ChartLine[];
}

export interface Chart extends Heading {
  readonly x: {
    readonly low: number;
    readonly high: number;
    readonly name?: string | undefined;
    ticks(most: number): Tick[];
  };
  readonly panels: readonly Panel[];
}

/** Width of lines in pixels. */
const lineWidth = 1.8;
const panelHead = 34;
const right = 32;
/** Height of a panel by the number of panels. */
const heights = [440, 300, 220, 190, 170, 150];

/** Draws lines over a common axis, one panel below the other. */
export function chartPng(chart: Chart): Uint8Array<ArrayBuffer> {
  return chart.side === undefined ? framedChart(chart) : bareChart(chart, chart.side);
}

/** Panels of a thumbnail, its width by its height, its space around each panel and the width of lines in pixels. */
const [mostBarePanels, bareRatio, bareMargin, bareLine] = [3, 1.6, 6, 3.2];

function bareChart({ x, panels }: Chart, side: number): Uint8Array<ArrayBuffer> {
  const canvas = new Canvas(side, Math.round(side / bareRatio), undefined);
  const shown = panels.slice(0, mostBarePanels);
  const [low, high] = x.high > x.low ? [x.low, x.high] : [x.low - 1, x.high + 1];
  const toX = (value: number) => bareMargin + ((value - low) / (high - low)) * (side - 2 * bareMargin);
  for (const [n, panel] of shown.entries()) {
    const height = canvas.height / shown.length - 2 * bareMargin;
    const top = n * (canvas.height / shown.length) + bareMargin;
    const { low: bottom, high: upper } = rangeOf(panel);
    const toY = (value: number) => top + ((upper - value) / (upper - bottom)) * height;
    for (const [k, { pieces }] of panel.lines.entries())
      for (const piece of pieces) drawPiece(canvas, piece, toX, toY, { colour: lineColours[k]!, width: bareLine });
  }
  return canvas.png();
}

function framedChart({ x, panels, ...heading }: Chart): Uint8Array<ArrayBuffer> {
  const height = heights[panels.length - 1]!;
  const scales = panels.map(rangeOf);
  const yTicks = scales.map(({ low, high }) => ticksBetween(low, high, height / 45));
  const left = Math.ceil(Math.max(...yTicks.flat().map(({ label }) => textWidth(label, labelSize)))) + 40;
  const total = headHeight + panels.length * (height + panelHead) + 44 + (x.name === undefined ? 0 : 24);
  const canvas = newFigure(figureWidth, total, heading);
  const [low, high] = x.high > x.low ? [x.low, x.high] : [x.low - 1, x.high + 1];
  const toX = (value: number) => left + ((value - low) / (high - low)) * (figureWidth - right - left);
  const xTicks = ticksWithRoom(x, figureWidth - right - left).map((tick) => ({ ...tick, at: toX(tick.value) }));
  for (const [n, panel] of panels.entries()) {
    const top = headHeight + n * (height + panelHead) + panelHead;
    const frame = { left, top, right: figureWidth - right, bottom: top + height };
    const { low: bottom, high: upper } = scales[n]!;
    const toY = (value: number) => top + ((upper - value) / (upper - bottom)) * height;
    const y = yTicks[n]!.map((tick) => ({ ...tick, at: toY(tick.value) }));
    drawGrid(canvas, frame, xTicks, y);
    drawNames(canvas, frame, panel);
    canvas.clip = frame;
    for (const [k, { pieces }] of panel.lines.entries())
      for (const piece of pieces) drawPiece(canvas, piece, toX, toY, { colour: lineColours[k]!, width: lineWidth });
    canvas.clip = canvas.whole;
    const isLast = n === panels.length - 1;
    drawAxes(canvas, frame, isLast ? xTicks : xTicks.map((tick) => ({ ...tick, label: '' })), y);
  }
  if (x.name !== undefined)
    canvas.text(x.name, (left + figureWidth - right) / 2, total - 14, {
      size: labelSize,
      colour: ink,
      align: 'middle',
    });
  return canvas.png();
}

/** Range of the values, with a margin above and below the lines. */
function rangeOf({ low, high }: Panel): { low: number; high: number } {
  if (!(low <= high)) return { low: 0, high: 1 };
  const margin = high > low ? 0.06 * (high - low) : Math.abs(low) * 0.1 || 1;
  return { low: low - margin, high: high + margin };
}

function ticksWithRoom(x: Chart['x'], width: number): Tick[] {
  for (let most = 12; most > 1; most--) {
    const ticks = x.ticks(most);
    const widest = Math.max(0, ...ticks.map(({ label }) => textWidth(label, labelSize)));
    if (ticks.length * (widest + 24) <= width) return ticks;
  }
  return x.ticks(1).slice(0, 1);
}

function drawGrid(canvas: Canvas, frame: Frame, x: readonly PlacedTick[], y: readonly PlacedTick[]): void {
  const { left, top, right, bottom } = frame;
  for (const { at } of x) canvas.stroke([Math.round(at) + 0.5, top, Math.round(at) + 0.5, bottom], 1, faint);
  for (const { at } of y) canvas.stroke([left, Math.round(at) + 0.5, right, Math.round(at) + 0.5], 1, faint);
}

/** Draws the unit and a legend of the lines, with as many names as there is room for. */
function drawNames(canvas: Canvas, { left, top, right }: Frame, { unit, lines }: Panel): void {
  const y = top - 11;
  let x = left;
  if (unit !== undefined) {
    canvas.text(unit, x, y, { size: labelSize + 1, weight: 'bold', colour: ink });
    x += textWidth(unit, labelSize + 1, 'bold') + 24;
  }
  const each = (right - x) / lines.length - 44;
  for (const [n, { name }] of lines.entries()) {
    const label = truncated(name, Math.max(60, each), labelSize);
    canvas.stroke([x, y - 5, x + 20, y - 5], 3, lineColours[n]!);
    canvas.text(label, x + 27, y, { size: labelSize, colour: ink });
    x += 27 + textWidth(label, labelSize) + 22;
  }
}

function drawPiece(
  canvas: Canvas,
  piece: readonly number[],
  toX: (value: number) => number,
  toY: (value: number) => number,
  { colour, width }: { colour: Colour; width: number },
): void {
  const points = piece.map((value, n) => (n % 2 === 0 ? toX(value) : toY(value)));
  const isDot = points.every((one, n) => Math.abs(one - points[n % 2]!) < 2);
  if (isDot) canvas.disc(points[0]!, points[1]!, width / 2 + 1.6, colour);
  else canvas.stroke(points, width, colour);
}
