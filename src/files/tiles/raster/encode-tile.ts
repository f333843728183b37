import { pooledBytes } from '../../data/buffer-pool.ts';
import { webpOfPng } from '../../geo/raster/translate.ts';
import { RAMP_STEPS, type Ramp, type Rgba, rampTable } from './ramp.ts';
import { encodeTilePng, type PackOn, type TilePixels } from './tile-png.ts';

export const OUTPUT_TYPES = ['PNG', 'WEBP', 'RawData', 'BinnedData256'] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

export const OUT_OF_RANGE = ['None', 'Above', 'Below', 'AboveAndBelow'] as const;

export interface TileStyle {
  readonly outputType: OutputType;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Absent: planes are red, green, blue and perhaps alpha. */
  readonly ramp?: Ramp;
  /** Values that get no colour. */
  readonly transparent: (typeof OUT_OF_RANGE)[number];
}

/** The planes are read before it returns. */
export type TileEncoder = (planes: readonly Float64Array[]) => Promise<Uint8Array>;

/** Encodes the values of tiles. Tiles without data get the same bytes. */
export function tileEncoder(style: TileStyle, packOn: PackOn = 'pool'): TileEncoder {
  const { outputType, tileWidth: width, tileHeight: height, ramp } = style;
  if (outputType === 'RawData') return async ([values]) => rawValues(values!);
  if (outputType === 'BinnedData256') return async ([values]) => binned(values!, style);
  const pixelsOf = ramp === undefined ? ownColours : rampPixels(style, ramp);
  return async (planes) => {
    const pixels = pixelsOf(planes);
    if (outputType === 'PNG') return encodeTilePng(width, height, pixels, packOn);
    return webpOfPng(await encodeTilePng(width, height, { rgba: rgbaOf(pixels) }, packOn));
  };
}

/** The tile that is sent for all tiles without data. */
export const emptyTile = (style: TileStyle): Promise<Uint8Array> =>
  tileEncoder(style)([new Float64Array(style.tileWidth * style.tileHeight).fill(Number.NaN)]);

/** Float32, little-endian, row by row from the top. All NaN are the same. */
function rawValues(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) view.setFloat32(4 * i, values[i]!, true);
  return bytes;
}

/** 0 is no data, 1 to 255 the values from the least to the greatest. */
function binned(values: Float64Array, { ramp, transparent }: TileStyle): Uint8Array {
  const { minimum, maximum } = ramp!;
  return Uint8Array.from(values, (value) => {
    if (Number.isNaN(value)) return 0;
    if (value < minimum) return hides(transparent, 'Below') ? 0 : 1;
    if (value > maximum) return hides(transparent, 'Above') ? 0 : 255;
    return 1 + Math.round((254 * (value - minimum)) / (maximum - minimum));
  });
}

const hides = (transparent: TileStyle['transparent'], side: 'Above' | 'Below') =>
  transparent === side || transparent === 'AboveAndBelow';

const nothing: Rgba = [0, 0, 0, 0];

function rampPixels({ transparent }: TileStyle, ramp: Ramp) {
  const table = rampTable(ramp);
  const { minimum, maximum } = ramp;
  const scale = (RAMP_STEPS - 1) / (maximum - minimum);
  const below = hides(transparent, 'Below') ? -1 : 0;
  const above = hides(transparent, 'Above') ? -1 : RAMP_STEPS - 1;
  // Used again for the next tile.
  let steps = new Int16Array(0);
  return ([values]: readonly Float64Array[]): TilePixels => {
    const { length } = values!;
    if (steps.length !== length) steps = new Int16Array(length);
    let least = RAMP_STEPS;
    let most = -1;
    let gaps = false;
    for (let i = 0; i < length; i++) {
      const value = values![i]!;
      let step = -1;
      if (value >= minimum && value <= maximum) step = ((value - minimum) * scale + 0.5) | 0;
      else if (value < minimum) step = below;
      else if (value > maximum) step = above;
      steps[i] = step;
      if (step < 0) gaps = true;
      else {
        if (step < least) least = step;
        if (step > most) most = step;
      }
    }
    const isWide = most - least + (gaps ? 2 : 1) > 256;
    const shown = isWide ? usedSteps(steps) : Array.from({ length: most - least + 1 }, (_, n) => least + n);
    if (shown.length + (gaps ? 1 : 0) > 256) return { rgba: coloursOf(steps, table) };
    // Pixels without data have the step −1, the lowest.
    const places = new Uint8Array(RAMP_STEPS + 1);
    for (const [n, step] of shown.entries()) places[step + 1] = n + (gaps ? 1 : 0);
    const indices = pooledBytes(length);
    for (let i = 0; i < length; i++) indices[i] = places[steps[i]! + 1]!;
    const colours = shown.map((step) => table[step]!);
    return { indices, palette: gaps ? [nothing, ...colours] : colours };
  };
}

function usedSteps(steps: Int16Array): number[] {
  const used = new Uint8Array(RAMP_STEPS);
  for (let i = 0; i < steps.length; i++) if (steps[i]! >= 0) used[steps[i]!] = 1;
  return Array.from(used.keys()).filter((step) => used[step] === 1);
}

function coloursOf(steps: Int16Array, table: readonly Rgba[]): Uint8Array {
  // Four bytes each, in the order of this machine; nothing is 0.
  const packed = new Uint32Array(Uint8Array.from(table.flat()).buffer);
  const rgba = new Uint8Array(4 * steps.length);
  const pixels = new Uint32Array(rgba.buffer);
  for (let i = 0; i < steps.length; i++) if (steps[i]! >= 0) pixels[i] = packed[steps[i]!]!;
  return rgba;
}

function rgbaOf(pixels: TilePixels): Uint8Array {
  if ('rgba' in pixels) return pixels.rgba;
  const rgba = new Uint8Array(4 * pixels.indices.length);
  for (let i = 0; i < pixels.indices.length; i++) rgba.set(pixels.palette[pixels.indices[i]!]!, 4 * i);
  return rgba;
}

/** Pixels in the colours of the data; nothing where one of them has no value. */
function ownColours(planes: readonly Float64Array[]): TilePixels {
  const [red, green = red, blue = red, alpha] = planes as [Float64Array, Float64Array?, Float64Array?, Float64Array?];
  const rgba = new Uint8Array(4 * red.length);
  const channel = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
  for (let i = 0; i < red.length; i++) {
    const sum = red[i]! + green![i]! + blue![i]! + (alpha === undefined ? 0 : alpha[i]!);
    if (Number.isNaN(sum)) continue;
    rgba[4 * i] = channel(red[i]!);
    rgba[4 * i + 1] = channel(green![i]!);
    rgba[4 * i + 2] = channel(blue![i]!);
    rgba[4 * i + 3] = alpha === undefined ? 255 : channel(alpha[i]!);
  }
  return { rgba };
}
