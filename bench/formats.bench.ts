import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { convert } from '../src/formats/convert.ts';
import { peakKb } from './peak.ts';

interface Result {
  name: string;
  inputMb: number;
  ours: Run;
  gdal: Run;
  /** GDAL's time over ours: above 1 we are faster. */
  speed: number;
  /** Our peak memory over what is allowed: twice GDAL's, or 256 MB. */
  memory: number;
}

interface Run {
  seconds: number;
  peakMb: number;
  outputMb: number;
}

const rounds = 5;
const here = fileURLToPath(import.meta.url);
const reference = `
import os, resource, sys
import rasterio.shutil
source, target, driver, *options = sys.argv[1:]
rasterio.shutil.copy(source, target, driver=driver, **dict(option.split('=') for option in options))
highest = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')] if os.path.exists('/proc/self/status') else [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
print(highest[0])
`;
const compare = `
import sys
import numpy, rasterio
first, *others = [rasterio.open(path) for path in sys.argv[1:]]
for other in others:
    assert (first.width, first.height, first.transform, first.nodata) == (other.width, other.height, other.transform, other.nodata), other.name
    assert numpy.array_equal(first.read(1), other.read(1)), other.name
`;

/**
 * Conversions by us and by GDAL (rasterio's build, with libdeflate), whole processes, medians; the results are compared cell by cell.
 * BENCH_PYTHON names a Python with rasterio; without one there is nothing to compare with. Targets: speed ≥ 1, memory ≤ 1.
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
    for (const side of [4000, 5000]) {
      await writeTerrain(file('terrain.asc'), side);
      const there = await race(python, `${side}² ASCII Grid → GeoTIFF deflate`, file('terrain.asc'), {
        ours: [file('ours.tif'), 'AsciiGridReader', 'GeoTiffWriter'],
        gdal: [file('gdal.tif'), 'GTiff', 'COMPRESS=DEFLATE', 'PREDICTOR=3'],
      });
      const back = await race(python, `${side}² GeoTIFF deflate → ASCII Grid`, file('ours.tif'), {
        ours: [file('ours.asc'), 'GeoTiffReader', 'AsciiGridWriter'],
        gdal: [file('gdal.asc'), 'AAIGrid', 'DECIMAL_PRECISION=3'],
      });
      const files = ['terrain.asc', 'ours.tif', 'gdal.tif', 'ours.asc', 'gdal.asc'];
      await run(python, ['-c', compare, ...files.map(file)]);
      for (const result of [there, back]) print(result);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function print({ name, inputMb, ours, gdal, speed, memory }: Result): void {
  const shown = ({ seconds, peakMb, outputMb }: Run) =>
    `${seconds.toFixed(2)} s, ${Math.round(peakMb)} MB, output ${outputMb.toFixed(1)} MB`;
  console.log(`${name} (${Math.round(inputMb)} MB): ours ${shown(ours)}; GDAL ${shown(gdal)}`);
  console.log(`  ${speed.toFixed(2)} × as fast as GDAL; ${memory.toFixed(2)} of the memory allowed`);
}

async function race(
  python: string,
  name: string,
  input: string,
  { ours, gdal }: { ours: [string, string, string]; gdal: [string, ...string[]] },
): Promise<Result> {
  const times: { ours: Run[]; gdal: Run[] } = { ours: [], gdal: [] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await measured(process.execPath, [here, input, ...ours], ours[0]));
    times.gdal.push(await measured(python, ['-c', reference, input, ...gdal], gdal[0]));
  }
  const result = { name, inputMb: (await stat(input)).size / 1e6, ours: median(times.ours), gdal: median(times.gdal) };
  return {
    ...result,
    speed: result.gdal.seconds / result.ours.seconds,
    memory: result.ours.peakMb / Math.max(2 * result.gdal.peakMb, 256),
  };
}

const median = (runs: Run[]): Run => runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1]!;

/** The process prints its own peak in kB. */
async function measured(command: string, argv: string[], output: string): Promise<Run> {
  const start = performance.now();
  const peak = await run(command, argv);
  const seconds = (performance.now() - start) / 1000;
  return { seconds, peakMb: Number(peak.trim()) / 1024, outputMb: (await stat(output)).size / 1e6 };
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

/** Hills with noise in the third decimal, nodata outside a circle; the same at each run. */
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
  const [input, output, reader, writer] = process.argv.slice(2) as [string, string, string, string];
  const request = { input: { path: input, name: 'terrain' }, output: { path: output }, scratch: tmpdir() };
  await convert(
    { ...request, reader: { name: reader }, writer: { name: writer } },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
  console.log(peakKb());
}
