import { findWriter } from 'hydrofiles';
import { FileSink } from 'hydrofiles/bytes';
import { cellCentres, cellCount, type Mesh, type MeshItem, stepsOf } from 'hydrofiles/data';
import { cellArea } from 'hydrofiles/geometry';
import { quietContext } from './context.ts';
import { type Terrain, terrain } from './terrain.ts';
import { makeValleyMesh } from './valley-mesh.ts';
import { makeWave } from './wave.ts';

/** Midnight, from which a step is an hour. */
const START = Date.UTC(2026, 0, 24);
const STEPS = 13;
/** The value of dry elements. */
const DRY = Math.fround(1e-35);
/** Elements under less water, in metres, count as dry. */
const LEAST_DEPTH = 0.05;
const metre = 1000;
const metrePerSecond = 2000;

const item = (name: string, unit: string, eum: MeshItem['eum']): MeshItem => ({
  name,
  unit,
  ...(eum && { eum }),
  type: 'Float32',
  nodata: DRY,
  location: 'cell',
});

const items = [
  item('Surface elevation', 'm', { item: 100_078, unit: metre }),
  item('Total water depth', 'm', { item: 110_018, unit: metre }),
  item('Current speed', 'm/s', { item: 100_242, unit: metrePerSecond }),
];

/** Numbers of the items. */
export const floodItems = { surface: 0, depth: 1, speed: 2 } as const;

/** Simulated result of a hydrodynamic model: a flood wave in the valley, hour by hour. */
export function makeFlood(made: Terrain): Mesh {
  const mesh = makeValleyMesh(made);
  const wave = makeWave(made);
  const centres = cellCentres(mesh);
  const valueAt = (n: number, hour: number, cell: number) => {
    const [y, ground] = [centres[3 * cell + 1]!, centres[3 * cell + 2]!];
    const surface = wave.surfaceAt(y, hour);
    const depth = surface - ground;
    if (depth < LEAST_DEPTH) return DRY;
    return n === floodItems.surface ? surface : n === floodItems.depth ? depth : wave.speedAt(y, depth);
  };
  return {
    kind: 'mesh',
    crs: { authority: 'EPSG', code: terrain.srid },
    ...mesh,
    items,
    time: { spacing: 'equidistant', unit: 'hour', start: START, count: STEPS, offset: 0, interval: 1 },
    values: async (n, step) => Float32Array.from({ length: cellCount(mesh) }, (_, cell) => valueAt(n, step, cell)),
  };
}

/** The step at which most land is under water. */
export interface Peak {
  step: number;
  /** Square metres under water. */
  area: number;
  /** The greatest and the least depth of water. */
  depth: number;
  least: number;
}

export async function findPeak(flood: Mesh): Promise<Peak> {
  let peak: Peak = { step: 0, area: 0, depth: 0, least: 0 };
  for (let step = 0; step < stepsOf(flood); step++) {
    const depths = await flood.values(floodItems.depth, step);
    let [area, depth, least] = [0, 0, Infinity];
    for (const [cell, value] of depths.entries()) {
      if (value === DRY) continue;
      area += cellArea(flood, cell);
      depth = Math.max(depth, value);
      least = Math.min(least, value);
    }
    if (area > peak.area) peak = { step, area, depth, least };
  }
  return peak;
}

/** Writes the flood as a DFSU file. */
export async function writeFlood(flood: Mesh, path: string, scratch: string): Promise<void> {
  await using open = new AsyncDisposableStack();
  const sink = open.use(await FileSink.create(path, { checksum: false }));
  const context = quietContext(scratch, (close) => open.defer(close));
  await findWriter('DfsuWriter')!.write(flood, { WriteAsFloat: true, MinimumAngle: 26 }, sink, context);
  await sink.flush();
}
