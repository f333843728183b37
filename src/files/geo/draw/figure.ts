import { Canvas, type Colour, type Frame } from './canvas.ts';
import { truncated } from './text/lettering.ts';
import type { Tick } from './ticks.ts';

export const paper: Colour = [255, 255, 255];
export const ink: Colour = [38, 42, 48];
export const grey: Colour = [110, 116, 124];
export const rule: Colour = [150, 155, 162];
export const faint: Colour = [232, 234, 237];

/** Width of a picture in pixels. */
export const figureWidth = 1200;
export const labelSize = 15;
const titleSize = 24;
const subtitleSize = 16;
/** Title, above the plot area. */
export const headHeight = 84;
const edge = 24;

export interface Heading {
  readonly title: string;
  /** Time, step, layer, coordinate system. */
  readonly subtitle: string;
  /** Makes a thumbnail, at most this many pixels wide and high: only the data, on a transparent ground. */
  readonly side?: number | undefined;
}

export function newFigure(width: number, height: number, { title, subtitle }: Heading): Canvas {
  const canvas = new Canvas(width, height, paper);
  const room = width - 2 * edge;
  canvas.text(truncated(title, room, titleSize, 'bold'), edge, 38, { size: titleSize, weight: 'bold', colour: ink });
  canvas.text(truncated(subtitle, room, subtitleSize), edge, 64, { size: subtitleSize, colour: grey });
  return canvas;
}

/** A tick and its position in pixels. */
export interface PlacedTick extends Tick {
  readonly at: number;
}

/** Ticks and labels below and left of a frame, and the frame itself. */
export function drawAxes(canvas: Canvas, frame: Frame, x: readonly PlacedTick[], y: readonly PlacedTick[]): void {
  const { left, top, right, bottom } = frame;
  for (const { at, label } of x) {
    canvas.stroke([at, bottom, at, bottom + 5], 1, rule);
    canvas.text(label, at, bottom + 22, { size: labelSize, colour: ink, align: 'middle' });
  }
  for (const { at, label } of y) {
    canvas.stroke([left - 5, at, left, at], 1, rule);
    canvas.text(label, left - 10, at + 5, { size: labelSize, colour: ink, align: 'right' });
  }
  canvas.stroke(
    [left, top, right, top, right, bottom, left, bottom].map((one) => one - 0.5),
    1,
    rule,
    { closed: true },
  );
}
