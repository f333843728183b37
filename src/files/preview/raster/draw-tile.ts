import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { RequestError } from '../../errors.ts';
import { latticeOf, scaledMatrices, type TileRange } from '../../tiles/matrices.ts';
import { rangesOf } from '../../tiles/raster/drawing.ts';
import { type OutputType, tileEncoder } from '../../tiles/raster/encode-tile.ts';
import { drawPyramid, type Strip, type ValueRows } from '../../tiles/raster/pyramid.ts';
import { parseColour, type Ramp } from '../../tiles/raster/ramp.ts';
import type { PreviewTile } from '../preview.ts';
import type { Raster, RasterSlice } from './raster.ts';

const zipped = promisify(gzip);
/** How many levels above the base tiles are drawn of the pixels of the base: a pixel is the mean of up to 16. */
const LEVELS_OF_BASE = 2;

const outputTypes = { png: 'PNG', webp: 'WEBP', values: 'RawData' } as const satisfies Record<string, OutputType>;

/** Draws a tile. Undefined for one without data. */
export async function drawRasterTile(
  raster: Raster,
  tile: PreviewTile,
  slice: RasterSlice,
  check: () => void,
): Promise<Uint8Array | undefined> {
  const { format, scale, scheme } = tile;
  const matrices = scaledMatrices(scale);
  const style = styleOf(scheme);
  const encode = tileEncoder(
    {
      outputType: outputTypes[format],
      tileWidth: matrices.tileWidth,
      tileHeight: matrices.tileHeight,
      ...(slice.item === 'colours' ? {} : { ramp: style.ramp }),
      transparent: 'None',
    },
    'thread',
  );
  const base = Math.max(0, raster.base - (scale - 1));
  const from = tile.z + LEVELS_OF_BASE < base ? tile.z + raster.levelsBelow : Math.max(tile.z, base);
  const strips: Strip[] = [];
  for (const range of within(rangesOf(matrices, from, raster.boxes), tile, from)) {
    const planes = await raster.planes(latticeOf(matrices, from, range), slice, check);
    strips.push({ range, planes: planes.map((rows) => checked(rows, check)) });
  }
  if (strips.length === 0) return undefined;
  let encoded: Promise<Uint8Array> | undefined;
  const { tileWidth, tileHeight } = matrices;
  await drawPyramid(strips, {
    tileWidth,
    tileHeight,
    base: from,
    levels: [tile.z],
    method: 'Mean',
    async emit({ planes }) {
      if (format !== 'values' && slice.item !== 'colours') style.prepare(planes[0]!);
      // The planes are read at once: they are used again.
      encoded = encode(planes);
      encoded.catch(() => {});
    },
  });
  const bytes = await encoded;
  return bytes === undefined || format !== 'values' ? bytes : zipped(bytes, { level: 1 });
}

/** The tiles of a level that lie in a tile of a level above. */
function within(ranges: readonly TileRange[], { z, x, y }: PreviewTile, level: number): TileRange[] {
  const side = 2 ** (level - z);
  return ranges.flatMap((range) => {
    const part = {
      firstColumn: Math.max(range.firstColumn, x * side),
      endColumn: Math.min(range.endColumn, (x + 1) * side),
      firstRow: Math.max(range.firstRow, y * side),
      endRow: Math.min(range.endRow, (y + 1) * side),
    };
    return part.firstColumn < part.endColumn && part.firstRow < part.endRow ? [part] : [];
  });
}

/**
 * The ramp of a scheme, and the change of values before it applies: logarithms, and classes.
 * @throws RequestError for colours and ranges that cannot be drawn
 */
export function styleOf({ colors, min, max, log, steps }: PreviewTile['scheme']): {
  ramp: Ramp;
  prepare(values: Float64Array): void;
} {
  const colours = colors.map((text) => {
    const colour = parseColour(text);
    if (colour === undefined) throw new RequestError(`'${text}' is not a colour. Write #RRGGBB or #RRGGBBAA.`);
    return colour;
  });
  const [first] = colours;
  if (colours.length === 1) colours.push(first!);
  if (log && !(min > 0)) throw new RequestError(`A logarithmic scale begins above 0, not at ${min}.`);
  const [minimum, maximum] = log ? [Math.log10(min), Math.log10(max)] : [min, max];
  return {
    ramp: { minimum, maximum, colours },
    prepare(values) {
      if (log) for (let n = 0; n < values.length; n++) values[n] = logarithm(values[n]!);
      if (steps !== undefined) classify(values, { minimum, maximum, steps });
    },
  };
}

/** Values that have no logarithm lie below all others. */
const logarithm = (value: number): number => (value <= 0 ? -Infinity : Math.log10(value));

/** Replaces values by those whose colours are spread evenly over the ramp, one for each class. */
function classify(
  values: Float64Array,
  { minimum, maximum, steps }: { minimum: number; maximum: number; steps: number },
): void {
  const width = (maximum - minimum) / steps;
  const apart = steps === 1 ? 0 : (maximum - minimum) / (steps - 1);
  for (let n = 0; n < values.length; n++) {
    const value = values[n]!;
    if (Number.isNaN(value)) continue;
    const number = Math.min(steps - 1, Math.max(0, Math.floor((value - minimum) / width)));
    values[n] = steps === 1 ? (minimum + maximum) / 2 : minimum + number * apart;
  }
}

async function* checked(rows: AsyncIterable<ValueRows>, check: () => void): AsyncGenerator<ValueRows> {
  for await (const block of rows) {
    check();
    yield block;
  }
}
