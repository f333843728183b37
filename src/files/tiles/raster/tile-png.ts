import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { pooledBytes, releaseBuffer } from '../../data/buffer-pool.ts';
import { makePng } from '../../geo/draw/png.ts';

const deflated = promisify(deflate);
/** Deflate level of filtered rows: level 6 takes three times as long for a quarter fewer bytes. */
const level = 4;

/** Pixels as indices into a palette of at most 256 colours, or as RGBA. */
export type TilePixels =
  | { readonly indices: Uint8Array; readonly palette: readonly (readonly [number, number, number, number])[] }
  | { readonly rgba: Uint8Array };

/** Where rows are compressed: on the thread pool, or on this thread, which costs less. */
export type PackOn = 'pool' | 'thread';

/**
 * Encodes a tile as PNG (W3C third edition): 8-bit palette, or true colour with alpha. The memory of the pixels goes
 * back to the pool of buffers.
 */
export async function encodeTilePng(
  width: number,
  height: number,
  pixels: TilePixels,
  packOn: PackOn,
): Promise<Uint8Array> {
  if ('rgba' in pixels) {
    const packed = await packedRows(width, height, { samples: pixels.rgba, perPixel: 4, packOn });
    return makePng({ width, height, colourType: 6 }, [['IDAT', packed]]);
  }
  const { indices, palette } = pixels;
  const colours = Uint8Array.from(palette.flatMap((colour) => colour.slice(0, 3)));
  const alphas = Uint8Array.from(palette, ([, , , alpha]) => alpha);
  const packed = await packedRows(width, height, { samples: indices, perPixel: 1, packOn });
  return makePng({ width, height, colourType: 3 }, [
    ['PLTE', colours],
    ['tRNS', alphas],
    ['IDAT', packed],
  ]);
}

async function packedRows(
  width: number,
  height: number,
  { samples, perPixel, packOn }: { samples: Uint8Array; perPixel: 1 | 4; packOn: PackOn },
): Promise<Uint8Array> {
  const rows = differences(width, height, samples, perPixel);
  const packed = packOn === 'thread' ? deflateSync(rows, { level }) : await deflated(rows, { level });
  releaseBuffer(rows);
  releaseBuffer(samples);
  return packed;
}

/**
 * Filter 1 (Sub): differences from the pixel to the left. The steps of a ramp are in the order of its palette, so those
 * of neighbours are small too.
 */
function differences(width: number, height: number, samples: Uint8Array, perPixel: 1 | 4): Uint8Array {
  const stride = perPixel * width;
  const rows = pooledBytes((stride + 1) * height);
  for (let row = 0, to = 0, from = 0; row < height; row++) {
    rows[to++] = 1;
    for (const first = from + perPixel; from < first; ) rows[to++] = samples[from++]!;
    for (const end = from + stride - perPixel; from < end; from++)
      rows[to++] = samples[from]! - samples[from - perPixel]!;
  }
  return rows;
}
