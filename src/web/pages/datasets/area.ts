import type { Point } from '../../map/preview/preview-map.ts';

/** A part of the earth: the corners of a polygon, without the first one again at the end. Less than three: none yet. */
export type Ring = readonly Point[];

/** West, south, east and north as they are typed. */
export type BoxTexts = readonly [west: string, south: string, east: string, north: string];

/** Radius of the sphere that has the area of the earth, in metres. */
const RADIUS = 6_371_007;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

export const boxRing = ([x, y]: Point, [otherX, otherY]: Point): Ring => {
  const [west, east] = [Math.min(x, otherX), Math.max(x, otherX)];
  const [south, north] = [Math.min(y, otherY), Math.max(y, otherY)];
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
};

/** The box of four typed numbers; undefined unless west is below east, and south below north. */
export function typedRing(texts: BoxTexts): Ring | undefined {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = texts.map((text) =>
    text.trim() === '' ? Number.NaN : Number(text),
  );
  const isBox = west < east && south < north && west >= -180 && east <= 180 && south >= -90 && north <= 90;
  return isBox ? boxRing([west, south], [east, north]) : undefined;
}

/** West, south, east and north. */
export function boundsOf(ring: Ring): [number, number, number, number] {
  const [x, y] = [ring.map(([one]) => one), ring.map(([, one]) => one)];
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}

export const boxTexts = (ring: Ring): BoxTexts =>
  boundsOf(ring).map((one) => String(Number(one.toFixed(6)))) as unknown as BoxTexts;

/** Well-known text in longitudes and latitudes. */
export const wktOf = (ring: Ring): string =>
  `POLYGON ((${[...ring, ring[0]!].map(([x, y]) => `${x} ${y}`).join(', ')}))`;

/** In m², on a sphere (R. G. Chamberlain and W. H. Duquette, JPL 07-03). */
export function areaOf(ring: Ring): number {
  let sum = 0;
  ring.forEach(([x, y], n) => {
    const [nextX, nextY] = ring[(n + 1) % ring.length]!;
    sum += radians(nextX - x) * (2 + Math.sin(radians(y)) + Math.sin(radians(nextY)));
  });
  return Math.abs((sum * RADIUS ** 2) / 2);
}

/** From west to east in the middle, and from south to north, in metres. */
export function sidesOf(ring: Ring): [width: number, height: number] {
  const [west, south, east, north] = boundsOf(ring);
  return [radians(east - west) * RADIUS * Math.cos(radians((south + north) / 2)), radians(north - south) * RADIUS];
}
