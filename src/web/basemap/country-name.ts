import type { FoundFeature } from 'hydrofiles/tile-drawing';
import { HALF_WORLD } from 'hydrofiles/tiles';
import polylabel from 'polylabel';

type Placed = FoundFeature['geometries'][number];

/** A label of a country. */
export interface CountryName {
  readonly name: string;
  /** Zoom level of MapLibre from which the country has room for its name. */
  readonly level: number;
  /** Side in km of a square as large as its largest part on the map. */
  readonly size: number;
  /** Metres of Web Mercator from the upper left corner of the map. */
  readonly place: readonly [x: number, y: number];
}

/** Pixels of the world at zoom level 0 of MapLibre. */
const WORLD_PIXELS = 512;
/** Pixels of a letter, and of the longest line of a label. */
const [LETTER, LINE] = [6.5, 110];
/** Countries and territories with a code of ISO 3166 are named from this level on, however small they are. */
const LAST_LEVEL = 5;

/**
 * The name at the point of the largest part that is farthest from its borders. Undefined for an area without a code of
 * ISO 3166 that is smaller than a label at any level of the tiles, such as a base or a reef.
 */
export function nameOf(name: string, hasCode: boolean, parts: readonly Placed[]): CountryName | undefined {
  const areas = parts.map((part) => ({ rings: ringsOf(part), area: 0 }));
  for (const one of areas) one.area = Math.abs(doubleSignedArea(one.rings[0]!)) / 2;
  const largest = areas.toSorted((one, other) => other.area - one.area)[0];
  if (largest === undefined) return undefined;
  const side = Math.sqrt(largest.area);
  const pixels = (side / (2 * HALF_WORLD)) * WORLD_PIXELS;
  const level = Math.ceil(Math.log2((0.8 * Math.min(LINE, LETTER * name.length)) / pixels));
  if (!hasCode && level > 2 * LAST_LEVEL) return undefined;
  const [x, y] = polylabel(largest.rings, side / 50);
  const shown = Math.max(0, hasCode ? Math.min(LAST_LEVEL, level) : level);
  return { name, level: shown, size: Math.round(side / 1000), place: [x!, y!] };
}

/** Rings of a polygon, within the upper and lower side of the map. */
function ringsOf({ coordinates, parts }: Placed): [number, number][][] {
  const starts = parts === undefined || parts.length === 0 ? [0] : [...parts];
  return starts.map((start, n) => {
    const end = starts[n + 1] ?? coordinates.length / 2;
    return Array.from({ length: end - start }, (_, k): [number, number] => [
      coordinates[2 * (start + k)]!,
      Math.min(2 * HALF_WORLD, Math.max(0, coordinates[2 * (start + k) + 1]!)),
    ]);
  });
}

function doubleSignedArea(ring: readonly (readonly [number, number])[]): number {
  let sum = 0;
  let [x, y] = ring.at(-1)!;
  for (const [nextX, nextY] of ring) {
    sum += x * nextY - nextX * y;
    [x, y] = [nextX, nextY];
  }
  return sum;
}
