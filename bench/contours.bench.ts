import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Grid } from '../src/files/data/grid.ts';
import { convertFile } from '../src/files/main.ts';
import { writeData } from './made-data.ts';

const run = promisify(execFile);
const rounds = 5;
const interval = 10;
const cases = [
  { name: 'lines', as: 'lines', size: 5000, argv: ['-a', 'level'] },
  { name: 'polygons', as: 'polygons', size: 1500, argv: ['-p', '-amin', 'minimum', '-amax', 'maximum'] },
] as const;

/**
 * Contours of Float32 cells of hills, every 10 metres, from GeoTIFF to FlatGeobuf, against gdal_contour over the same
 * file, in turns; medians. Target: as fast. The numbers of lines must agree but for saddles. GDAL makes one
 * multipolygon per band, ours are polygons.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-contours-'));
  const at = (name: string) => join(folder, name);
  try {
    const hasGdal = await run('ogrinfo', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasGdal) console.log('NOT COMPARED: install gdal_contour and ogrinfo of GDAL.');
    for (const { name, as, size, argv } of cases) {
      await writeData(hills(size), 'GeoTiffWriter', at('hills.tif'));
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const transformations = [{ type: 'contoursTransformation', contours: { interval, as } }];
        const start = performance.now();
        const { statistics } = await convertFile(at('hills.tif'), at('ours.fgb'), { transformations });
        ours.push((performance.now() - start) / 1000);
        if (!hasGdal) continue;
        const before = performance.now();
        const target = at(`gdal-${name}-${round}.fgb`);
        await run('gdal_contour', ['-q', '-i', String(interval), ...argv, '-f', 'FlatGeobuf', at('hills.tif'), target]);
        theirs.push((performance.now() - before) / 1000);
        if (as === 'lines' && statistics.after?.kind === 'features')
          await checkCount(target, statistics.after.features);
      }
      const compared =
        theirs.length === 0
          ? ''
          : `; gdal_contour ${median(theirs).toFixed(2)} s; ratio ${(median(theirs) / median(ours)).toFixed(2)}, target ≥ 1`;
      console.log(`Contours of ${size} × ${size} cells, ${name}: ${median(ours).toFixed(2)} s${compared}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Saddles may be joined in two ways, which changes the number of lines by one. */
async function checkCount(path: string, count: number): Promise<void> {
  const { stdout } = await run('ogrinfo', ['-so', '-al', path]);
  const other = Number(/Feature Count: (\d+)/.exec(stdout)?.[1]);
  if (!(Math.abs(count - other) <= 0.01 * other))
    throw new Error(`There are ${count} lines here and ${other} in GDAL.`);
}

/** Waves of several lengths, up to about 150 high. */
function hills(size: number): Grid {
  return {
    kind: 'grid',
    crs: { authority: 'EPSG', code: 25832 },
    width: size,
    height: size,
    affine: [500_000, 10, 0, 6_000_000, 0, -10],
    bands: [{ name: 'height', type: 'Float32', nodata: -9999 }],
    async *rows() {
      for (let row = 0; row < size; row++)
        yield {
          firstRow: row,
          rowCount: 1,
          samples: Float32Array.from(
            { length: size },
            (_, column) =>
              80 * Math.sin(row / 190 + column / 310) +
              40 * Math.sin(row / 47 - column / 61) +
              20 * Math.cos(row / 13 + Math.sin(column / 17)) * Math.sin(column / 11),
          ),
        };
    },
  };
}
