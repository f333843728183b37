import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { releaseBuffer } from '../src/files/data/buffer-pool.ts';
import { slicesOfBand } from '../src/files/data/grid.ts';
import { FileSource } from '../src/files/formats/io/bytes.ts';
import { findReader } from '../src/files/formats/registry.ts';
import { madeGrid, quietContext, writeData } from './made-data.ts';

const run = promisify(execFile);
const rounds = 3;

/** Reads all variables over time, and writes them again with the same chunks, level and values. */
const peer = `
import json, os, sys, time
try:
    import netCDF4
except ImportError as error:
    sys.exit(f'{error.name} is missing')
source, target = sys.argv[1:]
file = netCDF4.Dataset(source)
items = [one for one in file.variables.values() if one.ndim == 3]
for one in items: one.set_auto_maskandscale(False)
start = time.perf_counter()
values = [one[:] for one in items]
read = time.perf_counter() - start
start = time.perf_counter()
out = netCDF4.Dataset(target, 'w')
for name, length in zip(items[0].dimensions, items[0].shape): out.createDimension(name, None if name == 'time' else length)
for one, all in zip(items, values):
    deep = one.chunking()[0]
    fill = getattr(one, '_FillValue', None)
    new = out.createVariable(one.name, one.dtype, one.dimensions, zlib=True, complevel=4, shuffle=True, chunksizes=one.chunking(), fill_value=fill)
    for first in range(0, len(all), deep): new[first:min(len(all), first + deep)] = all[first:first + deep]
out.close()
print(json.dumps(dict(read=read, write=time.perf_counter() - start, bytes=os.path.getsize(target))))
`;

interface Run {
  readonly read: number;
  readonly write: number;
  readonly bytes: number;
}

/**
 * A 200 MB grid over time as NetCDF-4 at level 4, written and read, against netCDF4-python with the same chunks, level
 * and values, in turns; medians. Targets: as fast and no larger when written, 0.7 of its speed when read.
 * BENCH_PYTHON: a Python with netCDF4.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-netcdf-'));
  const at = (name: string) => join(folder, name);
  try {
    const python = process.env.BENCH_PYTHON;
    if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has netCDF4.');
    const ours: Run[] = [];
    const theirs: Run[] = [];
    for (let round = 0; round < rounds; round++) {
      const write = await seconds(() => writeData(madeGrid(25), 'NetCdfWriter', at('ours.nc')));
      const read = await seconds(() => readAll(at('ours.nc')));
      ours.push({ write, read, bytes: (await stat(at('ours.nc'))).size });
      if (python === undefined) continue;
      theirs.push(JSON.parse((await run(python, ['-c', peer, at('ours.nc'), at('theirs.nc')])).stdout) as Run);
    }
    for (const [what, target] of [
      ['write', 1],
      ['read', 0.7],
    ] as const) {
      const [mine, other] = [median(ours, what), theirs.length === 0 ? undefined : median(theirs, what)];
      console.log(
        `200 MB NetCDF-4, ${what}: ${mine.toFixed(2)} s${other === undefined ? '' : `; netCDF4 ${other.toFixed(2)} s; ratio ${(other / mine).toFixed(2)}, target ≥ ${target}`}`,
      );
    }
    if (theirs.length > 0)
      console.log(
        `  size: ${ours[0]!.bytes} bytes; netCDF4 ${theirs[0]!.bytes}; ratio ${(theirs[0]!.bytes / ours[0]!.bytes).toFixed(4)}, target ≥ 1`,
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readAll(path: string): Promise<void> {
  const source = await FileSource.open(path, { checksum: false });
  const data = await findReader('NetCdfReader')!.read(source, {}, quietContext());
  if (data.kind !== 'grid') throw new Error(`The file holds ${data.kind}.`);
  for (const band of data.bands.keys())
    for (const slice of slicesOfBand(data, band))
      for await (const { samples } of data.rows(slice)) releaseBuffer(samples);
  await source.close();
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const median = (runs: readonly Run[], figure: keyof Run): number =>
  runs.map((one) => one[figure]).toSorted((a, b) => a - b)[runs.length >> 1]!;
