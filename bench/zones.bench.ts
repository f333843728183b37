import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Grid } from '../src/files/data/grid.ts';
import { convertFile } from '../src/files/main.ts';
import { writeData } from './made-data.ts';

const run = promisify(execFile);
const rounds = 3;
const size = 4000;
const zoneCount = 500;
const cases = [
  { name: 'mean', ours: ['mean'], theirs: ['mean'] },
  {
    name: 'six statistics',
    ours: ['mean', 'count', 'sum', 'min', 'max', 'std'],
    theirs: ['mean', 'count', 'sum', 'min', 'max', 'stdev'],
  },
  { name: 'mean and median', ours: ['mean', 'median'], theirs: ['mean', 'median'] },
] as const;

/** The faster of exactextract's two strategies; zones and cells are read in the measured time, as here. */
const peer = `
import json, sys, time
try:
    import exactextract, geopandas
except ImportError as error:
    sys.exit(f'{error.name} is missing')
raster, zones, statistics = sys.argv[1:]
best = None
for strategy in ('raster-sequential', 'feature-sequential'):
    start = time.perf_counter()
    table = exactextract.exact_extract(raster, geopandas.read_file(zones), statistics.split(','), output='pandas',
                                       strategy=strategy, max_cells_in_memory=30000000)
    seconds = time.perf_counter() - start
    if best is None or seconds < best: best = seconds
print(json.dumps(dict(seconds=best, means=list(table['mean']))))
`;

/**
 * Statistics of 16 million Float32 cells in 500 zones of about 30,000 cells and 200 vertices, by the part of each cell
 * within the zone, against exactextract over the same files, in turns; medians. Ours also writes a GeoJSON. Target: as
 * fast. The means must agree. BENCH_PYTHON: a Python with exactextract and geopandas.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-zones-'));
  const at = (name: string) => join(folder, name);
  try {
    const python = process.env.BENCH_PYTHON;
    if (python === undefined)
      console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has exactextract and geopandas.');
    await writeData(madeGrid(), 'GeoTiffWriter', at('values.tif'));
    await writeFile(at('zones.geojson'), madeZones());
    for (const { name, ours: statistics, theirs: words } of cases) {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const start = performance.now();
        const zonalStatistics = { zones: { path: at('zones.geojson') }, statistics, weights: 'coverage' };
        const transformations = [{ type: 'zonalStatisticsTransformation', zonalStatistics }];
        await convertFile(at('values.tif'), at('out.geojson'), { transformations });
        ours.push((performance.now() - start) / 1000);
        if (python === undefined) continue;
        const argv = ['-c', peer, at('values.tif'), at('zones.geojson'), words.join(',')];
        const { seconds, means } = JSON.parse((await run(python, argv)).stdout) as { seconds: number; means: number[] };
        theirs.push(seconds);
        checkMeans(await readFile(at('out.geojson'), 'utf8'), means);
      }
      const compared =
        theirs.length === 0
          ? ''
          : `; exactextract ${median(theirs).toFixed(2)} s; ratio ${(median(theirs) / median(ours)).toFixed(2)}, target ≥ 1`;
      console.log(`500 zones, 16 million cells, ${name}: ${median(ours).toFixed(2)} s${compared}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Numbers between 0 and 1 that are the same at each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function madeGrid(): Grid {
  return {
    kind: 'grid',
    width: size,
    height: size,
    affine: [0, 1, 0, size, 0, -1],
    bands: [{ name: 'depth', type: 'Float32', nodata: -9999 }],
    async *rows() {
      const random = randomNumbers(1);
      for (let firstRow = 0; firstRow < size; firstRow += 100) {
        const samples = Float32Array.from({ length: 100 * size }, () =>
          random() < 0.05 ? -9999 : 50 + 100 * random(),
        );
        yield { firstRow, rowCount: 100, samples };
      }
    },
  };
}

function madeZones(): string {
  const random = randomNumbers(2);
  const features = Array.from({ length: zoneCount }, (_, n) => {
    const [x, y, radius] = [200 + random() * (size - 400), 200 + random() * (size - 400), 20 + 180 * random()];
    const ring = Array.from({ length: 200 }, (_vertex, k) => {
      const [angle, length] = [(2 * Math.PI * k) / 200, radius * (0.7 + 0.3 * random())];
      return [x + length * Math.cos(angle), y + length * Math.sin(angle)];
    });
    const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
    return { type: 'Feature', properties: { id: n }, geometry };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function checkMeans(text: string, means: readonly number[]): void {
  const { features } = JSON.parse(text) as { features: { properties: { mean: number } }[] };
  for (const [n, mean] of means.entries())
    if (Math.abs(features[n]!.properties.mean - mean) > 1e-6 * Math.abs(mean))
      throw new Error(`Zone ${n} has the mean ${features[n]!.properties.mean} here and ${mean} in exactextract.`);
}
