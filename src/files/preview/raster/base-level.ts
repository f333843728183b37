import { DEEPEST } from '../../tiles/dataset/schemes.ts';
import { mercatorMatrices, resolutionOf } from '../../tiles/matrices.ts';

/** Levels below the base on which tiles are still drawn: values between cells change smoothly. */
const LEVELS_BELOW_BASE = 2;

/** The first level of tiles of 256 pixels that has pixels of a size, or smaller ones. */
export function baseLevel(size: number): number {
  let base = 0;
  while (base < DEEPEST && resolutionOf(mercatorMatrices, base) > size * (1 + 1e-6)) base++;
  return base;
}

export const deepestLevel = (base: number): number => Math.min(DEEPEST, base + LEVELS_BELOW_BASE);
