import type { TilePlace } from './value-tiles.ts';

/** Light from the north-west, 45° above the horizon, as on printed maps. */
const [AZIMUTH, ALTITUDE] = [(315 * Math.PI) / 180, Math.PI / 4];
/** Metres of a pixel from which on heights are exaggerated: relief is flat where it is seen from afar. */
const NEAR = 20;
const CIRCUMFERENCE = 40_075_016.7;
const FEET = 0.3048;

const LENGTHS: Readonly<Record<string, number>> = { m: 1, meter: 1, metre: 1, ft: FEET, feet: FEET, foot: FEET };

/** Metres of a unit of length; undefined for other units. */
export const metresOf = (unit: string | undefined): number | undefined => LENGTHS[(unit ?? 'm').toLowerCase()];

/**
 * Shades heights: a black or white veil over the colours, of which level ground has none. Gradients are those of Horn
 * (1981), as in GDAL's hillshade; where a neighbour has no height, the pixel itself stands for it.
 * @param values heights of a square tile, NaN without one
 * @param metres metres of a unit of the heights
 */
export function hillshade(values: Float32Array, [zoom, , row]: TilePlace, metres: number): ImageData {
  const side = Math.round(Math.sqrt(values.length));
  const image = new ImageData(side, side);
  const middle = Math.PI * (1 - (2 * (row + 0.5)) / 2 ** zoom);
  const pixel = CIRCUMFERENCE / Math.cosh(middle) / 2 ** zoom / side;
  const scale = (metres * Math.max(1, (pixel / NEAR) ** 0.7)) / (8 * pixel);
  const level = Math.sin(ALTITUDE);
  const [east, north] = [Math.cos(ALTITUDE) * Math.sin(AZIMUTH), Math.cos(ALTITUDE) * Math.cos(AZIMUTH)];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const own = values[y * side + x]!;
      if (Number.isNaN(own)) continue;
      const at = (dx: number, dy: number) => {
        const [column, line] = [x + dx, y + dy];
        if (column < 0 || line < 0 || column >= side || line >= side) return own;
        const found = values[line * side + column]!;
        return Number.isNaN(found) ? own : found;
      };
      const [a, b, c, d, f, g, h, i] = [
        at(-1, -1),
        at(0, -1),
        at(1, -1),
        at(-1, 0),
        at(1, 0),
        at(-1, 1),
        at(0, 1),
        at(1, 1),
      ];
      // at the edge of a tile the difference is to one side: over half the distance
      const [wide, high] = [x === 0 || x === side - 1 ? 2 : 1, y === 0 || y === side - 1 ? 2 : 1];
      const slopeEast = (c + 2 * f + i - (a + 2 * d + g)) * scale * wide;
      const slopeNorth = (a + 2 * b + c - (g + 2 * h + i)) * scale * high;
      const light = (level - slopeEast * east - slopeNorth * north) / Math.sqrt(1 + slopeEast ** 2 + slopeNorth ** 2);
      const veil = light < level ? (level - Math.max(0, light)) / level : (light - level) / (1 - level);
      const place = 4 * (y * side + x);
      image.data.fill(light < level ? 0 : 255, place, place + 3);
      image.data[place + 3] = Math.round(veil * (light < level ? 150 : 110));
    }
  return image;
}
