import type { TilingScheme } from './answers.ts';
import { colourOf, type Ramp, rampOf, valueOfColour } from './ramp.ts';

export const isPicture = ({ outputType }: TilingScheme): boolean => outputType === 'PNG' || outputType === 'WEBP';

/** The colours of a scheme; undefined for a raster in its own colours. */
export function rampOfScheme({ minValue, maxValue, colors }: TilingScheme): Ramp | undefined {
  if (minValue === undefined || maxValue === undefined || colors === undefined || colors.length < 2) return undefined;
  return rampOf(minValue, maxValue, colors);
}

/** The value of a pixel of a tile of values; NaN for no data. */
function storedValue({ outputType, minValue = 0, maxValue = 1 }: TilingScheme, tile: DataView, pixel: number): number {
  if (outputType === 'RawData') return tile.getFloat32(4 * pixel, true);
  const byte = tile.getUint8(pixel);
  return byte === 0 ? Number.NaN : minValue + ((byte - 1) / 254) * (maxValue - minValue);
}

/** A tile as a picture that can be drawn. Tiles of values get the colours of the scheme. */
export async function decodeTile(scheme: TilingScheme, bytes: ArrayBuffer): Promise<ImageBitmap> {
  if (isPicture(scheme))
    return createImageBitmap(new Blob([bytes]), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  const { tileWidth: width, tileHeight: height } = scheme;
  const image = new ImageData(width, height);
  const ramp = rampOfScheme(scheme);
  const tile = new DataView(bytes);
  if (ramp !== undefined)
    for (let pixel = 0; pixel < width * height; pixel++) {
      const value = storedValue(scheme, tile, pixel);
      if (!Number.isNaN(value)) image.data.set(colourOf(ramp, value), 4 * pixel);
    }
  return createImageBitmap(image);
}

/** The value at a pixel; undefined where there are no data or the colour has no value. */
export async function valueInTile(
  scheme: TilingScheme,
  bytes: ArrayBuffer,
  { x, y }: { x: number; y: number },
): Promise<number | undefined> {
  if (!isPicture(scheme)) {
    const value = storedValue(scheme, new DataView(bytes), y * scheme.tileWidth + x);
    return Number.isNaN(value) ? undefined : value;
  }
  const ramp = rampOfScheme(scheme);
  if (ramp === undefined) return undefined;
  const bitmap = await decodeTile(scheme, bytes);
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, -x, -y);
  bitmap.close();
  return valueOfColour(ramp, [...context.getImageData(0, 0, 1, 1).data]);
}
