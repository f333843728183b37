/** Colours spread evenly from the least to the greatest value, linear between. */
export interface Ramp {
  readonly low: number;
  readonly high: number;
  readonly colours: readonly (readonly [number, number, number, number])[];
}

/** `#RRGGBB` or `#RRGGBBAA`. */
export function parseColour(text: string): readonly [number, number, number, number] {
  const digits = text.replace('#', '').padEnd(8, 'f');
  const channel = (n: number) => Number.parseInt(digits.slice(2 * n, 2 * n + 2), 16);
  return [channel(0), channel(1), channel(2), channel(3)];
}

export const rampOf = (low: number, high: number, colours: readonly string[]): Ramp => ({
  low,
  high,
  colours: colours.map(parseColour),
});

/** Red, green, blue and alpha of a value; those beyond the ends take the colour of the end. */
export function colourOf({ low, high, colours }: Ramp, value: number): [number, number, number, number] {
  const at = Math.min(1, Math.max(0, (value - low) / (high - low))) * (colours.length - 1);
  const lower = Math.min(colours.length - 2, Math.floor(at));
  const [a, b] = [colours[lower]!, colours[lower + 1]!];
  const mixed = (k: 0 | 1 | 2 | 3) => Math.round(a[k] + (b[k] - a[k]) * (at - lower));
  return [mixed(0), mixed(1), mixed(2), mixed(3)];
}

const STEPS = 512;
/** Squared distance of colours beyond which a pixel is not of the ramp. */
const FAR = 3 * 12 ** 2;

/** The value whose colour is nearest; undefined for a colour that the ramp does not have, and for no data. */
export function valueOfColour(ramp: Ramp, [red, green, blue, alpha]: readonly number[]): number | undefined {
  if (alpha === 0) return undefined;
  let [best, distance] = [0, Infinity];
  for (let n = 0; n <= STEPS; n++) {
    const value = ramp.low + (n / STEPS) * (ramp.high - ramp.low);
    const [r, g, b] = colourOf(ramp, value);
    const own = (r - red!) ** 2 + (g - green!) ** 2 + (b - blue!) ** 2;
    if (own < distance) [best, distance] = [value, own];
  }
  return distance > FAR ? undefined : best;
}

/** The gradient of a legend, from the bottom to the top. */
export const gradientOf = (colours: readonly string[], direction: 'to top' | 'to right'): string =>
  `linear-gradient(${direction}, ${colours.join(', ')})`;
