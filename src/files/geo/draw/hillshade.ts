import type { Scale } from './colours.ts';

/** Heights row by row from the north; NaN for cells without data. */
export interface Heights {
  width: number;
  height: number;
  values: Float32Array | Float64Array;
  /** Size of a cell in the unit of the heights. */
  cellWidth: number;
  cellHeight: number;
}

type Rgb = readonly [number, number, number];
type Ramp = readonly (readonly [at: number, colour: Rgb])[];

/** Colours of land: lowland green through ochre and brown to snow. */
const land: Ramp = [
  [0, [78, 121, 92]],
  [0.16, [124, 155, 105]],
  [0.34, [196, 196, 137]],
  [0.52, [219, 190, 134]],
  [0.7, [180, 139, 104]],
  [0.86, [146, 118, 108]],
  [1, [247, 245, 242]],
];

/** Colours of water: deep to shallow. */
const water: Ramp = [
  [0, [24, 52, 96]],
  [0.5, [58, 110, 158]],
  [0.85, [120, 174, 200]],
  [1, [178, 214, 219]],
];

/**
 * Azimuth and altitude in degrees and weight of each light: the cartographic standard from the north-west, and two that
 * soften it.
 */
const lights = [
  [315, 42, 0.62],
  [255, 50, 0.2],
  [15, 50, 0.18],
] as const;

/**
 * Shaded relief in RGBA, one pixel per cell. The colour depends on the height, stretched from the 1st to the 99th
 * percentile, with water colours below zero. Light comes from the north-west. Slopes are scaled so that flat and alpine
 * terrain look alike. Cells without data are transparent.
 */
export function shadedRelief(heights: Heights): Uint8Array<ArrayBuffer> {
  const { width, height, values } = heights;
  const rgba = new Uint8Array(width * height * 4);
  const range = spread(values);
  if (range === undefined) return rgba;
  const landTable = table(land);
  const waterTable = table(water);
  const [east, south] = slopes(heights);
  const exaggeration = exaggerationOf(east, south);
  const rays = lights.map(([azimuth, altitude, share]) => {
    const a = (azimuth * Math.PI) / 180;
    const h = (altitude * Math.PI) / 180;
    // A vector east, south, up, scaled so that level ground gets a light of 1 and keeps its colour.
    const scale = share / Math.sin(h);
    return [Math.sin(a) * Math.cos(h) * scale, -Math.cos(a) * Math.cos(h) * scale, Math.sin(h) * scale] as const;
  });
  const floor = Math.min(range.low, 0);
  const shore = Math.max(range.low, 0);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    const gx = east[i]! * exaggeration;
    const gy = south[i]! * exaggeration;
    const up = 1 / Math.sqrt(1 + gx * gx + gy * gy);
    let light = 0;
    for (const [e, s, u] of rays) light += Math.max(0, (u - gx * e - gy * s) * up);
    const below = value < 0 && range.low < 0;
    const share = below ? (value - floor) / -floor : (value - shore) / (range.high - shore || 1);
    const colours = below ? waterTable : landTable;
    paint(rgba, i * 4, colours, Math.round(255 * Math.min(1, Math.max(0, share))) * 3, light);
  }
  return rgba;
}

/** The colours of heights on level ground; undefined when there are no heights. */
export function reliefLegend(values: Float64Array): Scale | undefined {
  const range = spread(values);
  if (range === undefined) return undefined;
  const { low, high } = range;
  const [landTable, waterTable] = [table(land), table(water)];
  const shore = Math.max(low, 0);
  const colour = (value: number): readonly [number, number, number] => {
    const below = value < 0 && low < 0;
    const share = below ? (value - low) / -low : (value - shore) / (high - shore || 1);
    const at = 3 * Math.round(255 * Math.min(1, Math.max(0, share)));
    const colours = below ? waterTable : landTable;
    return [colours[at]!, colours[at + 1]!, colours[at + 2]!];
  };
  let [below, above] = [false, false];
  for (let i = 0; i < values.length; i++) {
    below ||= values[i]! < low;
    above ||= values[i]! > high;
  }
  return { low, high, below, above, colour };
}

/** Sets a pixel. A light of 1 keeps the colour; shadows turn blue, bright slopes slightly white. */
function paint(rgba: Uint8Array, at: number, colours: Uint8Array, colour: number, light: number): void {
  const shadow = Math.min(1, Math.max(0, 1 - light));
  const gleam = Math.min(1, Math.max(0, light - 1));
  const dark = [0.8 * shadow, 0.74 * shadow, 0.58 * shadow];
  for (let c = 0; c < 3; c++) {
    const base = colours[colour + c]! * (1 - dark[c]!);
    rgba[at + c] = Math.round(base + (255 - base) * 0.55 * gleam);
  }
  rgba[at + 3] = 255;
}

function table(ramp: Ramp): Uint8Array {
  const colours = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const share = i / 255;
    const n = Math.max(
      1,
      ramp.findIndex(([at]) => at >= share),
    );
    const [from, a] = ramp[n - 1]!;
    const [to, b] = ramp[n]!;
    const t = (share - from) / (to - from);
    for (let c = 0; c < 3; c++) colours[i * 3 + c] = Math.round(a[c]! + (b[c]! - a[c]!) * t);
  }
  return colours;
}

/** 1st and 99th percentile of the heights; undefined without heights. */
function spread(values: Float32Array | Float64Array): { low: number; high: number } | undefined {
  const step = Math.max(1, Math.floor(values.length / 200_000));
  const sample: number[] = [];
  for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i]!)) sample.push(values[i]!);
  if (sample.length === 0) return undefined;
  const sorted = Float64Array.from(sample).sort();
  return { low: sorted[Math.floor(0.01 * sorted.length)]!, high: sorted[Math.ceil(0.99 * sorted.length) - 1]! };
}

/**
 * Rise towards the east and towards the south of each cell (Horn 1981); a neighbour without a value counts as level.
 */
function slopes({ width, height, values, cellWidth, cellHeight }: Heights): [Float32Array, Float32Array] {
  const east = new Float32Array(values.length);
  const south = new Float32Array(values.length);
  for (let row = 0; row < height; row++) {
    const above = Math.max(0, row - 1) * width;
    const here = row * width;
    const below = Math.min(height - 1, row + 1) * width;
    for (let column = 0; column < width; column++) {
      const own = values[here + column]!;
      if (!Number.isFinite(own)) continue;
      const left = Math.max(0, column - 1);
      const right = Math.min(width - 1, column + 1);
      const at = (i: number) => (Number.isFinite(values[i]!) ? values[i]! : own);
      const [nw, n, ne] = [at(above + left), at(above + column), at(above + right)];
      const [sw, s, se] = [at(below + left), at(below + column), at(below + right)];
      east[here + column] = (ne + 2 * at(here + right) + se - nw - 2 * at(here + left) - sw) / (8 * cellWidth);
      south[here + column] = (sw + 2 * s + se - nw - 2 * n - ne) / (8 * cellHeight);
    }
  }
  return [east, south];
}

/** Vertical exaggeration that brings the steepest tenth of the slopes to about 40°. */
function exaggerationOf(east: Float32Array, south: Float32Array): number {
  const step = Math.max(1, Math.floor(east.length / 100_000));
  const steepness: number[] = [];
  for (let i = 0; i < east.length; i += step) {
    const slope = Math.hypot(east[i]!, south[i]!);
    if (slope > 0) steepness.push(slope);
  }
  if (steepness.length === 0) return 1;
  const sorted = Float64Array.from(steepness).sort();
  return 0.85 / sorted[Math.floor(0.9 * sorted.length)]!;
}
