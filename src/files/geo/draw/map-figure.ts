import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { kindOf } from '../crs/crs.ts';
import { Canvas, type Frame } from './canvas.ts';
import { drawAxes, figureWidth, type Heading, headHeight, ink, labelSize, newFigure } from './figure.ts';
import { drawLegend, type Legend, legendWidth, minLegend } from './legend.ts';
import { textWidth } from './text/lettering.ts';
import { type Tick, ticksBetween } from './ticks.ts';

/** Bounding box in the coordinates of the data. */
export type Box = readonly [west: number, south: number, east: number, north: number];

export interface MapPlan extends Heading {
  readonly box: Box;
  readonly crs?: Crs | undefined;
  readonly legend?: Legend | undefined;
  /**
   * Names of axes that have different scales, such as the distance and the height of a vertical section; an empty name
   * means an axis without numbers.
   */
  readonly axes?: readonly [x: string, y: string];
}

/** A map with its axes, legend and title; data are drawn between `mapFigure` and `png`. */
export interface MapFigure {
  readonly canvas: Canvas;
  /** Rectangle of the map in the picture. */
  readonly frame: Frame;
  x(easting: number): number;
  y(northing: number): number;
  /** Coordinates of a position in the picture. */
  easting(x: number): number;
  northing(y: number): number;
  png(): Uint8Array<ArrayBuffer>;
}

/** Maximum height of a map, and height of a section, in pixels. */
const maxHeight = 1000;
const sectionHeight = 480;
/** Width of a thumbnail of a section by its height. */
const sectionRatio = 2;
const least = 60;
const minWidth = 560;

/** North is up. The ratio of a degree of longitude to one of latitude is that at the centre of the map. */
export function mapFigure(plan: MapPlan): MapFigure {
  return plan.side === undefined ? framedFigure(plan) : bareFigure(plan, plan.side);
}

/** Width of a thumbnail by its height, and the reverse, of data that are longer than this. */
const mostSlender = 4;

function bareFigure(plan: MapPlan, side: number): MapFigure {
  const [west, south, east, north] = padded(plan);
  const wide = plan.axes === undefined ? ((east - west) * shorterBy(plan)) / (north - south) : sectionRatio;
  const ratio = Math.min(mostSlender, Math.max(1 / mostSlender, wide));
  const width = Math.round(ratio >= 1 ? side : side * ratio);
  const height = Math.round(ratio >= 1 ? side / ratio : side);
  const canvas = new Canvas(width, height, undefined);
  const scale = [width / (east - west), height / (north - south)] as const;
  return {
    canvas,
    frame: canvas.whole,
    x: (easting) => (easting - west) * scale[0],
    y: (northing) => (north - northing) * scale[1],
    easting: (x) => west + x / scale[0],
    northing: (y) => north - y / scale[1],
    png: () => canvas.png(),
  };
}

/** Ratio of a degree of longitude to one of latitude at the centre of the map; 1 for projected coordinates. */
function shorterBy({ box: [, south, , north], crs }: MapPlan): number {
  return isGeographic(crs) ? Math.cos((Math.min(85, Math.abs(south + north) / 2) * Math.PI) / 180) : 1;
}

function framedFigure(plan: MapPlan): MapFigure {
  const [west, south, east, north] = padded(plan);
  const geographic = isGeographic(plan.crs);
  const y = labelled(ticksBetween(south, north, 8), geographic, 'N', 'S');
  const left = Math.ceil(Math.max(...y.map(({ label }) => textWidth(label, labelSize)))) + 28 + (plan.axes ? 24 : 0);
  const right = plan.legend === undefined ? 28 : legendWidth;
  const size = sizeOf(plan, [(east - west) * shorterBy(plan), north - south], figureWidth - left - right);
  const [mapWidth, mapHeight] = size.map(Math.round) as [number, number];
  const frame = { left, top: headHeight, right: left + mapWidth, bottom: headHeight + mapHeight };
  const legendHeight = plan.legend === undefined ? 0 : minLegend;
  const height = headHeight + Math.max(mapHeight + (plan.axes ? 62 : 40), legendHeight + 20);
  const canvas = newFigure(Math.max(minWidth, frame.right + right), height, plan);
  const scale = [mapWidth / (east - west), mapHeight / (north - south)] as const;
  const toX = (easting: number) => left + (easting - west) * scale[0];
  const toY = (northing: number) => headHeight + (north - northing) * scale[1];
  if (plan.legend !== undefined) drawLegend(canvas, plan.legend, frame.right + 26, headHeight, mapHeight);
  if (plan.axes !== undefined) nameAxes(canvas, frame, plan.axes);
  return {
    canvas,
    frame,
    x: toX,
    y: toY,
    easting: (x) => west + (x - left) / scale[0],
    northing: (y) => north - (y - headHeight) / scale[1],
    png() {
      canvas.clip = canvas.whole;
      const x = plan.axes?.[0] === '' ? [] : labelled(roomFor(west, east, mapWidth), geographic, 'E', 'W');
      const placedX = x.map((tick) => ({ ...tick, at: toX(tick.value) }));
      const apart = y.filter((_, n) => n % Math.ceil((20 * y.length) / mapHeight) === 0);
      drawAxes(
        canvas,
        frame,
        placedX,
        apart.map((tick) => ({ ...tick, at: toY(tick.value) })),
      );
      return canvas.png();
    },
  };
}

/** An unknown coordinate system counts as projected. */
function isGeographic(crs: Crs | undefined): boolean {
  try {
    return crs !== undefined && kindOf(crs).startsWith('geographic');
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** Width and height of the map in pixels. */
function sizeOf({ axes }: MapPlan, [across, up]: readonly [number, number], room: number): [number, number] {
  if (axes !== undefined) return [room, sectionHeight];
  const scale = Math.min(room / across, maxHeight / up);
  return [Math.max(least, across * scale), Math.max(least, up * scale)];
}

/** Adds a margin, so that data do not touch the frame and a single point has an extent. */
function padded({ box: [west, south, east, north], axes }: MapPlan): Box {
  const sides = [east - west, north - south];
  const [x, y] = (axes === undefined ? sides.map(() => Math.max(...sides)) : sides).map(
    (side) => 0.02 * side || Math.max(0.5, Math.abs(west) * 1e-6),
  ) as [number, number];
  return [west - x, south - y, east + x, north + y];
}

/** As many ticks as their labels have room for. */
function roomFor(low: number, high: number, width: number): Tick[] {
  for (let most = 10; most > 1; most--) {
    const ticks = ticksBetween(low, high, most);
    const widest = Math.max(...ticks.map(({ label }) => textWidth(label, labelSize)));
    if (ticks.length * (widest + 34) <= width) return ticks;
  }
  return ticksBetween(low, high, 1).slice(0, 1);
}

const labelled = (ticks: Tick[], geographic: boolean, positive: string, negative: string): Tick[] =>
  geographic
    ? ticks.map(({ value, label }) => ({
        value,
        label: `${label.replace('\u2212', '')}°${value > 0 ? positive : value < 0 ? negative : ''}`,
      }))
    : ticks;

function nameAxes(canvas: Canvas, { left, top, right, bottom }: Frame, [x, y]: readonly [string, string]): void {
  const style = { size: labelSize, colour: ink, align: 'middle' } as const;
  canvas.text(x, (left + right) / 2, bottom + 46, style);
  canvas.text(y, 26, (top + bottom) / 2, { ...style, upward: true });
}
