import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RandomGrid } from '../src/formats/types.ts';
import { parseSrid } from '../src/geo/crs.ts';
import { warpGrid } from '../src/geo/warp.ts';

const side = 4000;
const runs = 5;

/** Both warp the same heights, memory to memory, EPSG:32633 → 3857, bilinear, and print seconds. */
const peer = `
import sys, time
try:
    import numpy, rasterio, rasterio.warp
except ImportError:
    sys.exit('rasterio is missing')
n = ${side}
y, x = numpy.mgrid[0:n, 0:n].astype('f4')
a = (500 + 300 * numpy.sin(x / 137) * numpy.cos(y / 153) + 5 * numpy.cos(x * 1.7)).astype('f4')
at = rasterio.Affine(10, 0, 500000, 0, -10, 5500000)
for _ in range(${runs}):
    t = time.perf_counter()
    to, w, h = rasterio.warp.calculate_default_transform('EPSG:32633', 'EPSG:3857', n, n, *rasterio.transform.array_bounds(n, n, at))
    o = numpy.empty((h, w), 'f4')
    rasterio.warp.reproject(a, o, src_transform=at, src_crs='EPSG:32633', dst_transform=to, dst_crs='EPSG:3857',
                            dst_nodata=numpy.nan, resampling=rasterio.warp.Resampling.bilinear, num_threads=1)
    print(time.perf_counter() - t)
print(rasterio.__gdal_version__)
`;

/** Warp against GDAL, the peer run by the Python of BENCH_PYTHON (needs rasterio). Target: ratio ≥ 1. */
export async function bench(): Promise<void> {
  const heights = new Float32Array(side * side);
  for (let i = 0; i < heights.length; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    heights[i] = 500 + 300 * Math.sin(x / 137) * Math.cos(y / 153) + 5 * Math.cos(x * 1.7);
  }
  const grid: RandomGrid = {
    kind: 'grid',
    width: side,
    height: side,
    affine: [500000, 10, 0, 5500000, 0, -10],
    crs: parseSrid(32633),
    bands: [{ type: 'Float32' }],
    async *rows() {
      yield { firstRow: 0, rowCount: side, samples: heights };
    },
    read: async (_band, first, count) => heights.slice(first * side, (first + count) * side),
  };
  const ours: number[] = [];
  const loading = performance.now();
  (await warpGrid(grid, parseSrid(3857))).close();
  console.log(`loading PROJ and the first lattice: ${seconds(performance.now() - loading)} s`);
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    const { grid: result, close } = await warpGrid(grid, parseSrid(3857));
    const out = new Float32Array(result.width * result.height);
    for await (const { firstRow, samples } of result.rows(0)) out.set(samples, firstRow * result.width);
    close();
    ours.push(performance.now() - start);
  }
  console.log(`warp ${side}² float 32633 → 3857, bilinear: ${seconds(Math.min(...ours))} s (least of ${runs})`);
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) {
    console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has rasterio.');
    return;
  }
  const { stdout } = await promisify(execFile)(python, ['-c', peer]);
  const lines = stdout.trim().split('\n');
  const theirs = Math.min(...lines.slice(0, -1).map(Number)) * 1000;
  console.log(`GDAL ${lines.at(-1)}, one thread: ${seconds(theirs)} s`);
  console.log(`ratio (GDAL / ours): ${(theirs / Math.min(...ours)).toFixed(2)}, target ≥ 1`);
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
