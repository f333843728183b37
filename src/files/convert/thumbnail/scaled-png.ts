import { encodePng } from '../../geo/draw/png.ts';
import { decodePng, type Pixels } from './pixels.ts';

/**
 * Scales a PNG down by halves, so that its longer side has at most so many pixels each. Smaller ones stay as they are.
 * @param sides descending
 */
export function scaledPngs(png: Uint8Array, sides: readonly number[]): Uint8Array[] {
  let pixels = decodePng(png);
  let encoded = png;
  return sides.map((side) => {
    const before = pixels;
    while (Math.max(pixels.width, pixels.height) > side) pixels = halved(pixels);
    if (pixels !== before) encoded = encodePng(pixels.width, pixels.height, pixels.rgba, 'fast');
    return encoded;
  });
}

/** Averages of 2 × 2 pixels, weighed by their opacity. */
function halved({ width, height, rgba }: Pixels): Pixels {
  const [half, rows] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const out = new Uint8Array(4 * half * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < half; column++) {
      let [opacity, count] = [0, 0];
      const sums = [0, 0, 0];
      for (let y = 2 * row; y < Math.min(height, 2 * row + 2); y++)
        for (let x = 2 * column; x < Math.min(width, 2 * column + 2); x++) {
          const at = 4 * (y * width + x);
          const alpha = rgba[at + 3]!;
          for (let channel = 0; channel < 3; channel++) sums[channel]! += alpha * rgba[at + channel]!;
          opacity += alpha;
          count++;
        }
      const at = 4 * (row * half + column);
      if (opacity === 0) continue;
      for (let channel = 0; channel < 3; channel++) out[at + channel] = Math.round(sums[channel]! / opacity);
      out[at + 3] = Math.round(opacity / count);
    }
  return { width: half, height: rows, rgba: out };
}
