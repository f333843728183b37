import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { convert } from '../src/files/convert/convert.ts';
import { memoryFlags } from '../src/transfers/children/child.ts';
import { peakKb } from './peak.ts';

interface Run {
  seconds: number;
  cpu: number;
  peakMb: number;
  outputMb: number;
}

const side = 5000;
const rounds = 5;
const here = fileURLToPath(import.meta.url);
/**
 * Runs the conversion twice and reports the second run, with libraries loaded. The process of our conversion does the
 * same.
 */
const reference = `
import ctypes, glob, json, os, resource, sys, time
import rasterio, rasterio.shutil
source, target, driver, *options = sys.argv[1:]
libs = glob.glob(os.path.join(os.path.dirname(rasterio.__file__), '..', 'rasterio.libs', 'libgdal*')) + glob.glob(os.path.join(os.path.dirname(rasterio.__file__), '.dylibs', 'libgdal*'))
g = ctypes.CDLL(libs[0])
P, C, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
g.GDALOpen.restype = P; g.GDALOpen.argtypes = [C, I]
g.GDALWarpAppOptionsNew.restype = P; g.GDALWarpAppOptionsNew.argtypes = [P, P]
g.GDALWarp.restype = P; g.GDALWarp.argtypes = [C, P, I, P, P, P]
g.GDALClose.argtypes = [P]
def warp():
    words = [b'-of', b'GTiff', b'-overwrite'] + [w.encode() for w in options]
    argv = (C * (len(words) + 1))(*words, None)
    opened = g.GDALOpen(source.encode(), 0)
    out = g.GDALWarp(target.encode(), None, 1, (P * 1)(opened), g.GDALWarpAppOptionsNew(ctypes.cast(argv, P), None), None)
    if not out: sys.exit('GDAL failed')
    g.GDALClose(out)
    g.GDALClose(opened)
def copy():
    rasterio.shutil.copy(source, target, driver=driver, **dict(option.split('=') for option in options))
with rasterio.Env():
    for run in range(2):
        before = resource.getrusage(resource.RUSAGE_SELF)
        start = time.perf_counter()
        warp() if driver == 'warp' else copy()
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
highest = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')] if os.path.exists('/proc/self/status') else [after.ru_maxrss]
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps(dict(seconds=seconds, cpu=cpu, peakMb=int(highest[0]) / 1024)))
`;
const compare = `
import sys
import numpy, rasterio
tolerance, first, *others = [float(sys.argv[1]), *[rasterio.open(path) for path in sys.argv[2:]]]
for other in others:
    assert (first.width, first.height, first.nodata) == (other.width, other.height, other.nodata), other.name
    assert numpy.allclose(first.transform, other.transform, rtol=1e-9), other.name
    a, b = first.read(1), other.read(1)
    off = (numpy.abs(a.astype('f8') - b) > tolerance).sum()
    assert off <= (0 if tolerance == 0 else a.size * 1e-4), f'{other.name}: {off} cells differ'
`;

/**
 * Our conversions compared to GDAL (rasterio's build, with libdeflate) at its fastest settings, alternating; medians of
 * wall and CPU seconds. Also compares the outputs cell by cell. BENCH_PYTHON: a Python with rasterio. Targets: speed ≥
 * 1.5, reprojection ≥ 1, memory ≤ 1.
 */
export async function bench(): Promise<void> {
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) {
    console.log('SKIPPED: set BENCH_PYTHON to a Python that has rasterio (pip install rasterio).');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-formats-'));
  const file = (name: string) => join(folder, name);
  try {
    await writeTerrain(file('terrain.asc'), side);
    const deflate = ['COMPRESS=DEFLATE', 'PREDICTOR=3', 'NUM_THREADS=2'];
    const same = (...names: string[]) => run(python, ['-c', compare, '0', ...names.map(file)]);
    const asc = (ours: Ours, gdal: string[]) => race(python, file('terrain.asc'), ours, gdal);
    const tif = (ours: Ours, gdal: string[]) => race(python, file('ours.tif'), ours, gdal);

    const there = { output: file('ours.tif'), reader: 'AsciiGridReader', writer: 'GeoTiffWriter' };
    print(`${side}² ASCII Grid → GeoTIFF deflate`, await asc(there, [file('gdal.tif'), 'GTiff', ...deflate]));
    const back = { output: file('ours.asc'), reader: 'GeoTiffReader', writer: 'AsciiGridWriter' };
    print(`${side}² GeoTIFF → ASCII Grid`, await tif(back, [file('gdal.asc'), 'AAIGrid', 'DECIMAL_PRECISION=3']));
    const cloud = { ...there, output: file('ours-cog.tif'), parameters: { Cog: true } };
    const options = ['COMPRESS=DEFLATE', 'PREDICTOR=YES', 'NUM_THREADS=2', 'OVERVIEW_RESAMPLING=AVERAGE'];
    print(`${side}² ASCII Grid → COG`, await asc(cloud, [file('gdal-cog.tif'), 'COG', ...options]));
    await same('terrain.asc', 'ours.tif', 'gdal.tif', 'ours.asc', 'gdal.asc', 'ours-cog.tif', 'gdal-cog.tif');

    const place = { SRID: 25832 };
    const warped = { ...back, writer: 'GeoTiffWriter', output: file('ours-warped.tif'), place, to: '3857' };
    const words = ['-s_srs', 'EPSG:25832', '-t_srs', 'EPSG:3857', '-r', 'bilinear', '-multi', '-wm', '256'];
    words.push('-wo', 'NUM_THREADS=2', ...deflate.flatMap((option) => ['-co', option]));
    print(
      `${side}² reprojection 25832 → 3857, bilinear, GDAL with two threads`,
      await tif(warped, [file('gdal-warped.tif'), 'warp', ...words]),
    );
    await run(python, ['-c', compare, '0.5', file('ours-warped.tif'), file('gdal-warped.tif')]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Ours {
  output: string;
  reader: string;
  writer: string;
  parameters?: Record<string, unknown>;
  place?: Record<string, unknown>;
  to?: string;
}

function print(name: string, { ours, gdal }: { ours: Run; gdal: Run }): void {
  const shown = ({ seconds, cpu, peakMb, outputMb }: Run) =>
    `${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU, ${Math.round(peakMb)} MB, output ${outputMb.toFixed(1)} MB`;
  console.log(`${name}: ours ${shown(ours)}; GDAL ${shown(gdal)}`);
  // limit: twice the memory of GDAL, at least 256 MB
  const allowed = Math.max(2 * gdal.peakMb, 256);
  console.log(
    `  speed ${(gdal.seconds / ours.seconds).toFixed(2)} × GDAL, CPU ${(gdal.cpu / ours.cpu).toFixed(2)} ×; memory ${(ours.peakMb / allowed).toFixed(2)} of the limit`,
  );
}

async function race(python: string, input: string, ours: Ours, gdal: string[]): Promise<{ ours: Run; gdal: Run }> {
  const runs: { ours: Run[]; gdal: Run[] } = { ours: [], gdal: [] };
  const request = JSON.stringify({ input, ...ours });
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await measured(process.execPath, [...memoryFlags(1024), here, request], ours.output));
    runs.gdal.push(await measured(python, ['-c', reference, input, ...gdal], gdal[0]!));
  }
  return { ours: median(runs.ours), gdal: median(runs.gdal) };
}

function median(runs: Run[]): Run {
  const middle = (figure: keyof Run) => runs.map((run) => run[figure]).toSorted((a, b) => a - b)[runs.length >> 1]!;
  return { seconds: middle('seconds'), cpu: middle('cpu'), peakMb: middle('peakMb'), outputMb: middle('outputMb') };
}

async function measured(command: string, argv: string[], output: string): Promise<Run> {
  const figures = JSON.parse(await run(command, argv)) as Omit<Run, 'outputMb'>;
  return { ...figures, outputMb: (await stat(output)).size / 1e6 };
}

function run(command: string, argv: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ${argv[0]} ended with ${code}.`)),
    );
  });
}

/** Writes a deterministic terrain: hills with noise in the third decimal, nodata outside a circle. */
async function writeTerrain(path: string, side: number): Promise<void> {
  const stream = createWriteStream(path);
  stream.write(`ncols ${side}\nnrows ${side}\nxllcorner 500000\nyllcorner 6000000\ncellsize 10\nNODATA_value -9999\n`);
  let noise = 1;
  for (let y = 0; y < side; y++) {
    const words: string[] = [];
    for (let x = 0; x < side; x++) {
      noise = (Math.imul(noise, 1664525) + 1013904223) | 0;
      const hills = 200 + 150 * Math.sin(x / 300) * Math.cos(y / 410) + 30 * Math.sin(x / 37 + y / 53);
      const inside = Math.hypot(x - side / 2, y - side / 2) < side * 0.62;
      words.push(inside ? (hills + noise / 2 ** 33).toFixed(3) : '-9999');
    }
    if (!stream.write(`${words.join(' ')}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
}

if (process.argv[1] === here) {
  const {
    input,
    output,
    reader,
    writer,
    parameters = {},
    place = {},
    to,
  } = JSON.parse(process.argv[2]!) as Ours & {
    input: string;
  };
  const hooks = { progress() {}, log() {}, signal: new AbortController().signal };
  let [seconds, cpu] = [0, 0];
  for (let run = 0; run < 2; run++) {
    const before = process.cpuUsage();
    const start = performance.now();
    await convert(
      {
        input: { path: input, name: 'terrain' },
        output: { path: output },
        scratch: tmpdir(),
        reader: { name: reader, parameters: place },
        writer: { name: writer, parameters },
        transformations: to === undefined ? [] : [{ type: 'CrsTransformation', outputSrid: to }],
      },
      hooks,
    );
    seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    cpu = (user + system) / 1e6;
  }
  console.log(JSON.stringify({ seconds, cpu, peakMb: peakKb() / 1024 }));
}
