import type { Colour } from './canvas.ts';

/** Viridis (Smith and van der Walt 2015, CC0), which is perceptually uniform, at equal distances. */
const viridis = [
  0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725,
] as const;

const channels = (colour: number): Colour => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

/** 256 colours from low to high. */
const table: readonly Colour[] = Array.from({ length: 256 }, (_, n) => {
  const at = (n / 255) * (viridis.length - 1);
  const lower = Math.min(viridis.length - 2, Math.floor(at));
  const [a, b] = [channels(viridis[lower]!), channels(viridis[lower + 1]!)];
  const mixed = (k: 0 | 1 | 2) => Math.round(a[k] + (b[k] - a[k]) * (at - lower));
  return [mixed(0), mixed(1), mixed(2)];
});

export const nodataColour: Colour = [222, 222, 222];

/** A colour scale: the value of each colour. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  /** Some values are outside of the scale, and have the colour of its nearer end. */
  readonly below: boolean;
  readonly above: boolean;
  /** NaN is no data. */
  colour(value: number): Colour;
}

/** Maximum number of values from which the percentiles of a scale are computed. */
const maxSampled = 200_000;

/**
 * From the smallest to the largest value. If a few outliers would leave nearly all values in one colour, from the 1st
 * to the 99th percentile. Undefined without a value.
 */
export function scaleOf(values: ArrayLike<number>): Scale | undefined {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least > most) return undefined;
  const [low, high] = inner(values);
  return high > low && high - low < 0.2 * (most - least)
    ? rampScale(low, high, { below: least < low, above: most > high })
    : rampScale(least, most);
}

export function rampScale(low: number, high: number, { below = false, above = false } = {}): Scale {
  const colour = (value: number): Colour => {
    if (Number.isNaN(value)) return nodataColour;
    if (high === low) return table[128]!;
    return table[Math.min(255, Math.max(0, Math.floor((256 * (value - low)) / (high - low))))]!;
  };
  return { low, high, below, above, colour };
}

/** 1st and 99th percentile, from a sample if there are many values. */
function inner(values: ArrayLike<number>): [number, number] {
  const step = Math.max(1, Math.floor(values.length / maxSampled));
  const some: number[] = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i]!)) some.push(values[i]!);
  const sorted = Float64Array.from(some).sort();
  return [sorted[Math.floor(0.01 * sorted.length)]!, sorted[Math.ceil(0.99 * sorted.length) - 1]!];
}
