/** A synthetic elevation model: hills, a river, and a lake without data. */
export interface Terrain {
  columns: number;
  rows: number;
  /** Side of a cell in metres. */
  cell: number;
  /** Outer corner in the south-west, EPSG:25832. */
  west: number;
  south: number;
  /** Heights in metres, row by row from the north; NaN in the lake. */
  heights: Float64Array;
  valley: Valley;
}

/** Components of the heights, at positions in metres. */
export interface Valley {
  /** Easting of the river at a northing. */
  riverAt(y: number): number;
  /** Height of the ground; inside the lake, of the lake bed. */
  groundAt(x: number, y: number): number;
  isLake(x: number, y: number): boolean;
  /** Height of the river's bed, by and large: it falls to the lake, is level there, and falls on. */
  bedAt(y: number): number;
}

export const terrain = { srid: 25832, nodata: -9999 } as const;

/** The lake reaches from here to there, as shares of the way from the north to the south. */
export const lakeReach = { from: 0.45, to: 0.75 } as const;
/** Fall of the river over the height of the terrain, if there were no lake. */
const FALL = 40;

/** Seed of a terrain with a pronounced valley. */
const SEED = 11;

/** Generates a terrain; the same seed always gives the same terrain. */
export function makeTerrain(seed = SEED, columns = 800, rows = 600): Terrain {
  const noise = gradientNoise(seed);
  const [cell, west, south] = [25, 590_000, 5_722_000];
  const heights = new Float64Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const { height, isLake } = groundAt(noise, (column + 0.5) / rows, (row + 0.5) / rows);
      heights[row * columns + column] = isLake ? Number.NaN : height;
    }
  }
  const size = rows * cell;
  const toX = (x: number) => (x - west) / size;
  const toY = (y: number) => 1 - (y - south) / size;
  const valley: Valley = {
    riverAt: (y) => west + riverAt(noise, toY(y)) * size,
    groundAt: (x, y) => groundAt(noise, toX(x), toY(y)).height,
    isLake: (x, y) => groundAt(noise, toX(x), toY(y)).isLake,
    bedAt: (y) => bedAt(toY(y)),
  };
  return { columns, rows, cell, west, south, heights, valley };
}

type Noise = (x: number, y: number) => number;

/** `y` runs from 0 in the north to 1 in the south. */
const bedAt = (y: number) => 176 - FALL * (Math.min(y, lakeReach.from) + Math.max(0, y - lakeReach.to));

function groundAt(noise: Noise, x: number, y: number): { height: number; isLake: boolean } {
  // domain warping, which makes valleys wind
  const bentX = x + 0.11 * fractalNoise(noise, x * 1.7 + 5.2, y * 1.7 + 1.3, 4);
  const bentY = y + 0.11 * fractalNoise(noise, x * 1.7 + 9.7, y * 1.7 + 4.1, 4);
  const hills = 0.5 + 0.5 * fractalNoise(noise, bentX * 2.3, bentY * 2.3, 8);
  const crests = ridgedNoise(noise, bentX * 2.6 + 17, bentY * 2.6 + 3, 7);
  const plain = 150 + 420 * hills + 520 * crests * hills * hills;

  const bed = bedAt(y);
  const away = Math.abs(x - riverAt(noise, y));
  const breadth = lakeAt(noise, x, y);
  // a flat floor beside river and lake, from which the hills rise
  const beside = Math.max(0, away - 0.05 * Math.exp(-((alongLake(y) / 0.9) ** 4)));
  const slope = 1 - Math.exp(-((beside / 0.115) ** 3.5));
  const rough = 2.5 * fractalNoise(noise, x * 13 + 3, y * 13 + 11, 4) * (1 - Math.exp(-((away / 0.012) ** 2)));
  const floor = bed + 6 + rough + Math.max(4, plain - bed) * slope;
  const channel = 6 * Math.exp(-((away / 0.005) ** 2));
  if (away >= breadth) return { height: floor - channel, isLake: false };
  return { height: floor - Math.max(channel, 3.5 + 7 * (1 - (away / breadth) ** 2)), isLake: true };
}

/** -1 at the upper end of the lake, 1 at the lower. */
const alongLake = (y: number) => (2 * (y - lakeReach.from)) / (lakeReach.to - lakeReach.from) - 1;

/** Half the breadth of the lake around a place; 0 above and below it. */
function lakeAt(noise: Noise, x: number, y: number): number {
  const along = alongLake(y);
  return 0.055 * Math.sqrt(Math.max(0, 1 - along * along)) * (1 + 1.1 * fractalNoise(noise, x * 7 + 31, y * 7 + 7, 5));
}

/** Position of the river at `y`, in the unit of `x`. */
const riverAt = (noise: Noise, y: number) =>
  0.62 + 0.16 * y + 0.2 * noise(3.7, y * 1.9) + 0.05 * noise(8.1, y * 6.5) + 0.012 * noise(1.4, y * 21);

/** Fractal noise: octaves of half the wavelength and less than half the amplitude; about -1 to 1. */
function fractalNoise(noise: Noise, x: number, y: number, count: number): number {
  let sum = 0;
  let size = 1;
  let height = 0.5;
  for (let layer = 0; layer < count; layer++) {
    sum += height * noise(x * size, y * size);
    size *= 2.03;
    height *= 0.47;
  }
  return sum * 1.7;
}

/** Ridged multifractal noise: sharp crests where the noise crosses zero; 0 to 1. */
function ridgedNoise(noise: Noise, x: number, y: number, count: number): number {
  let sum = 0;
  let size = 1;
  let height = 0.55;
  let before = 1;
  for (let layer = 0; layer < count; layer++) {
    const crest = (1 - Math.abs(noise(x * size, y * size) * 1.6)) ** 2;
    sum += height * crest * before;
    before = Math.min(1, crest);
    size *= 2.07;
    height *= 0.46;
  }
  return Math.min(1, sum);
}

/** Ken Perlin's improved gradient noise in two dimensions (SIGGRAPH 2002), about -1 to 1. */
function gradientNoise(seed: number): Noise {
  const random = generator(seed);
  const order = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (let i = 255; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  const gradients = Array.from({ length: 64 }, (_, i) => [
    Math.cos((i * Math.PI) / 32) * Math.SQRT2,
    Math.sin((i * Math.PI) / 32) * Math.SQRT2,
  ]);
  const slope = (column: number, row: number, dx: number, dy: number) => {
    const [gx, gy] = gradients[order[(order[column & 255]! + row) & 255]! & 63]!;
    return gx! * dx + gy! * dy;
  };
  const ease = (t: number) => t * t * t * (t * (t * 6 - 15) + 10);
  const mix = (a: number, b: number, t: number) => a + (b - a) * t;
  return (x, y) => {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const dx = x - column;
    const dy = y - row;
    const u = ease(dx);
    const north = mix(slope(column, row, dx, dy), slope(column + 1, row, dx - 1, dy), u);
    const south = mix(slope(column, row + 1, dx, dy - 1), slope(column + 1, row + 1, dx - 1, dy - 1), u);
    return mix(north, south, ease(dy));
  };
}

/** Pseudo-random numbers: Mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Formats an Esri ASCII grid, with heights to the centimetre. */
export function asciiGrid({ columns, rows, cell, west, south, heights }: Terrain): string {
  const lines = [
    `ncols ${columns}`,
    `nrows ${rows}`,
    `xllcorner ${west}`,
    `yllcorner ${south}`,
    `cellsize ${cell}`,
    `NODATA_value ${terrain.nodata}`,
  ];
  for (let row = 0; row < rows; row++) {
    const cells = heights.subarray(row * columns, (row + 1) * columns);
    lines.push(Array.from(cells, (height) => (Number.isNaN(height) ? terrain.nodata : height.toFixed(2))).join(' '));
  }
  return `${lines.join('\n')}\n`;
}
