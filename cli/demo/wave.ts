import { lakeReach, type Terrain } from './terrain.ts';

/** A flood wave that runs down a valley and through its lake. Metres, hours, metres per second. */
export interface Wave {
  /** Height of the water surface at a northing. */
  surfaceAt(y: number, hour: number): number;
  /** Speed of the current where the water has some depth. */
  speedAt(y: number, depth: number): number;
}

/** Depth of the river before the flood, and how much it rises where it enters the valley. */
const BASE = 2.8;
const RISE = 6.6;
/** Hours until the flood begins to rise in the north, and until it culminates there. */
const ONSET = 0.5;
const TO_PEAK = 3;
/** Speed of the wave: metres per hour. */
const CELERITY = 4500;
/** Hours for which the lake holds water back, as a linear reservoir. */
const RETENTION = 1.3;
const STEPS_PER_HOUR = 60;
/** Share of its speed that a current keeps in the lake. */
const IN_LAKE = 0.04;

export function makeWave({ rows, cell, south, valley }: Terrain): Wave {
  const length = rows * cell;
  const [inlet, outlet] = [lakeReach.from * length, lakeReach.to * length];
  const inflow = (hour: number) => stageInNorth(hour - inlet / CELERITY);
  const lake = reservoir(inflow);
  const lakeBed = valley.bedAt(south + length - inlet);

  const surfaceAt = (y: number, hour: number) => {
    const along = south + length - y;
    const bed = valley.bedAt(y);
    const lakeLevel = lakeBed + lake(hour);
    // below the lake runs what leaves it
    if (along >= outlet) return bed + lake(hour - (along - outlet) / CELERITY);
    const river = bed + stageInNorth(hour - Math.min(along, inlet) / CELERITY);
    // the river runs out into the lake, which dams it up
    const share = smoothStep((along - inlet + 600) / 1200);
    return (1 - share) * smoothMaximum(river, lakeLevel, 0.5) + share * lakeLevel;
  };
  const slope = (valley.bedAt(south + length) - valley.bedAt(south + length - inlet)) / inlet;
  return {
    surfaceAt,
    // Manning's equation; shallow water over fields and trees is rougher than the river's bed
    speedAt: (y, depth) => {
      const along = south + length - y;
      const inLake = smoothStep((along - inlet + 500) / 900) * smoothStep((outlet + 500 - along) / 900);
      const roughness = 0.05 + 0.06 * Math.exp(-depth / 3);
      return ((1 - (1 - IN_LAKE) * inLake) * depth ** (2 / 3) * Math.sqrt(slope)) / roughness;
    },
  };
}

/** Depth of the river in the north: rises fast and falls slowly, as a gamma distribution. */
function stageInNorth(hour: number): number {
  const share = Math.max(0, hour - ONSET) / (TO_PEAK - ONSET);
  return BASE + RISE * (share * Math.exp(1 - share)) ** 2.5;
}

/** Depth over the lake's bed, which follows that of its inflow. */
function reservoir(inflow: (hour: number) => number): (hour: number) => number {
  const depths = [BASE];
  return (hour) => {
    const step = Math.max(0, hour * STEPS_PER_HOUR);
    for (let n = depths.length; n <= step + 1; n++) {
      const before = depths[n - 1]!;
      depths.push(before + (inflow((n - 1) / STEPS_PER_HOUR) - before) / (RETENTION * STEPS_PER_HOUR));
    }
    const first = Math.floor(step);
    return depths[first]! + (step - first) * (depths[first + 1]! - depths[first]!);
  };
}

const smoothMaximum = (a: number, b: number, softness: number) =>
  Math.max(a, b) + softness * Math.log1p(Math.exp(-Math.abs(a - b) / softness));

function smoothStep(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  return t * t * (3 - 2 * t);
}
