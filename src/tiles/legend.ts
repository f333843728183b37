import { Canvas, drawLegend } from 'hydrofiles/pictures';
import { colourAt, type DrawnScheme, parseColour } from 'hydrofiles/tiles';
import { AppError } from '../errors.ts';

const [WIDTH, HEIGHT, MARGIN] = [170, 300, 12];
const paper = [255, 255, 255] as const;

export interface Legend {
  title: string;
  unit?: string;
  minValue: number;
  maxValue: number;
  colors: readonly string[];
}

/** @throws AppError for a raster in its own colours */
export function describeLegend({ schemeId, itemName: title, unit, minValue, maxValue, colors }: DrawnScheme): Legend {
  if (minValue === undefined || maxValue === undefined || colors === undefined)
    throw new AppError('notFound', `Scheme '${schemeId}' has its own colours and no legend.`);
  return { title, ...(unit === undefined ? {} : { unit }), minValue, maxValue, colors };
}

/** The ramp with its numbers, and the name of the item. */
export function legendPicture({ title, unit, minValue, maxValue, colors }: Legend): Uint8Array {
  const ramp = { minimum: minValue, maximum: maxValue, colours: colors.map((text) => parseColour(text)!) };
  const canvas = new Canvas(WIDTH, HEIGHT, paper);
  const colour = (value: number) => {
    const [red, green, blue, alpha] = colourAt(ramp, (value - minValue) / (maxValue - minValue));
    const over = (channel: number, behind: number) => Math.round((channel * alpha + behind * (255 - alpha)) / 255);
    return [over(red, paper[0]), over(green, paper[1]), over(blue, paper[2])] as const;
  };
  const scale = { low: minValue, high: maxValue, below: false, above: false, colour };
  drawLegend(
    canvas,
    { scale, unit: unit === undefined ? title : `${title} [${unit}]` },
    MARGIN,
    MARGIN,
    HEIGHT - 2 * MARGIN,
  );
  return canvas.png();
}
