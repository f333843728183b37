import { Canvas } from 'hydrofiles/pictures';
import { UsageError } from 'hydrofiles/terminal';
import { colourAt, HALF_WORLD, mercatorX, mercatorYOnMap, parseColour } from 'hydrofiles/tiles';
import type { Preview } from '../src/preview/route-forms.ts';
import type { Io } from './io.ts';

/** Pixels of a tile, and the most of a picture. */
const [TILE, MOST] = [256, 1024];

export interface PictureOptions {
  item?: string;
  step?: number;
  layer?: number;
  colors?: string;
  min?: number;
  max?: number;
}

/** Place in the square of Web Mercator, 0 to 1 from the upper left corner. */
const placeOf = (longitude: number, latitude: number): [x: number, y: number] => [
  0.5 + mercatorX(longitude) / (2 * HALF_WORLD),
  0.5 - mercatorYOnMap(latitude) / (2 * HALF_WORLD),
];

/** Draws a preview as a map of the place of its data, from tiles with values. */
export async function drawPreview(io: Io, path: string, preview: Preview, options: PictureOptions): Promise<Canvas> {
  const { bbox, tiles, deepest = 0, items = [], scheme } = preview;
  if (tiles?.values === undefined || bbox === undefined)
    throw new Error(
      `No picture can be drawn of ${preview.kind ?? 'the dataset'}: ${preview.reason ?? 'it has no tiles with values'}.`,
    );
  const [west, south, east, north] = bbox as [number, number, number, number];
  const [left, top] = placeOf(west, north);
  const [right, bottom] = placeOf(east < west ? east + 360 : east, south);
  let level = 0;
  while (level < deepest && Math.max(right - left, bottom - top) * TILE * 2 ** (level + 1) <= MOST) level++;
  const side = TILE * 2 ** level;
  const [firstColumn, firstRow] = [Math.floor(left * side), Math.floor(top * side)];
  const width = Math.max(1, Math.ceil(right * side) - firstColumn);
  const height = Math.max(1, Math.ceil(bottom * side) - firstRow);
  const { item: wanted = scheme?.item, step, layer } = options;
  const item = items.find(({ id, name }) => id === wanted || name === wanted);
  const own = scheme !== undefined && item?.id === scheme.item;
  const { min = own ? scheme.min : (item?.min ?? 0), max = own ? scheme.max : (item?.max ?? 1) } = options;
  const colourOf = paint(options.colors?.split(',') ?? scheme?.colors ?? [], min, max);

  const canvas = new Canvas(width, height, undefined);
  for (let row = Math.floor(firstRow / TILE); row * TILE < firstRow + height; row++)
    for (let column = Math.floor(firstColumn / TILE); column * TILE < firstColumn + width; column++) {
      const x = column % 2 ** level;
      const query = { item: wanted, step, layer };
      const { bytes, status } = await io.api.call('GET', `${path}/${level}/${x}/${row}.values`, { query });
      if (status === 204 || bytes === undefined || bytes.length === 0) continue;
      const values = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let n = 0; n < TILE * TILE; n++) {
        const [pixel, line] = [column * TILE + (n % TILE) - firstColumn, row * TILE + Math.floor(n / TILE) - firstRow];
        const value = values.getFloat32(4 * n, true);
        if (Number.isNaN(value) || pixel < 0 || line < 0 || pixel >= width || line >= height) continue;
        canvas.set(pixel, line, colourOf(value));
      }
    }
  return canvas;
}

/** The colour of a value. */
function paint(texts: readonly string[], minimum: number, maximum: number) {
  const colours = texts.map((text) => {
    const colour = parseColour(text.trim().replace(/^(?!#)/, '#'));
    if (colour === undefined) throw new UsageError(`'${text}' is no colour such as #F7FBFF.`);
    return colour;
  });
  if (colours.length < 2) throw new UsageError('--colors needs two colours or more, such as F7FBFF,08306B.');
  if (!(minimum < maximum)) throw new UsageError(`The range from ${minimum} to ${maximum} is empty.`);
  const ramp = { minimum, maximum, colours };
  return (value: number) => {
    const [red, green, blue] = colourAt(ramp, (value - minimum) / (maximum - minimum));
    return [red, green, blue] as const;
  };
}
