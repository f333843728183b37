import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { convert } from '../src/files/convert/convert.ts';
import { releaseBuffer } from '../src/files/data/buffer-pool.ts';
import { slicesOfBand } from '../src/files/data/grid.ts';
import { stepsOf } from '../src/files/data/time-axis.ts';
import { FileSource } from '../src/files/formats/io/bytes.ts';
import { findReader } from '../src/files/formats/registry.ts';
import { memoryFlags } from '../src/transfers/children/child.ts';
import { madeGrid, madeMesh, madeSeries, quietContext, triangles, writeData } from './made-data.ts';
import { peakKb } from './peak.ts';

const run = promisify(execFile);
const here = fileURLToPath(import.meta.url);
const rounds = 3;
/** The step of the DFSU file that is converted. */
const step = 10;

/** The same work as users of Python write it: one call makes all geometries. The second of two runs is timed. */
const peer = `
import json, resource, sys, time
try:
    import numpy as np, mikeio, meshio, geopandas, shapely
except ImportError as error:
    sys.exit(f'{error.name} is missing')
what, source, target = sys.argv[1:]
def series():
    mikeio.read(source)
def one_step():
    data = mikeio.read(source, time=${step})
    return data, data.geometry.node_coordinates, np.stack(data.geometry.element_table)
def shapefile():
    data, nodes, table = one_step()
    geometry = shapely.polygons(nodes[np.concatenate([table, table[:, :1]], 1), :2])
    fields = {array.name: np.ravel(array.to_numpy()) for array in data}
    geopandas.GeoDataFrame(fields, geometry=geometry, crs=32632).to_file(target)
def vtu():
    data, nodes, table = one_step()
    meshio.Mesh(nodes, [('triangle', table)], cell_data={array.name: [np.ravel(array.to_numpy())] for array in data}).write(target)
for turn in range(2):
    start, before = time.perf_counter(), time.process_time()
    dict(series=series, shapefile=shapefile, vtu=vtu)[what]()
    seconds, cpu = time.perf_counter() - start, time.process_time() - before
print(json.dumps(dict(seconds=seconds, cpu=cpu, peakMb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
`;
const compare = `
import sys
import numpy as np, meshio, geopandas
shapes, others, a, b = [read(path) for read, path in zip([geopandas.read_file] * 2 + [meshio.read] * 2, sys.argv[1:])]
assert len(shapes) == len(others) == ${triangles}
assert shapes.crs == others.crs and list(shapes.columns) == list(others.columns), (shapes.crs, shapes.columns, others.columns)
assert all(np.allclose(shapes[name], others[name], atol=1e-6) for name in shapes.columns if name != 'geometry')
assert shapes.geometry.geom_equals(others.geometry).all()
assert np.allclose(a.points, b.points, rtol=0, atol=1e-8) and np.array_equal(a.cells[0].data, b.cells[0].data)
assert a.cell_data.keys() >= b.cell_data.keys()
assert all(np.allclose(np.ravel(a.cell_data[name]), np.ravel(b.cell_data[name]), atol=1e-6) for name in b.cell_data)
`;

interface Run {
  seconds: number;
  cpu: number;
  peakMb: number;
}

/**
 * All values of a 200 MB DFS2 and a 200 MB DFSU file, pulled item by item and step by step, against the file read into
 * memory at once, in turns in one process; targets: half its speed. A 94 MB DFS0 file, and a step of the DFSU file to
 * Shapefile and to VTU, against mikeio, geopandas and meshio; medians of second runs in processes of their own, in
 * turns; targets: 3, 2 and 2 times as fast. What both wrote is compared. BENCH_PYTHON: a Python with mikeio, geopandas
 * and meshio.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-dfs-'));
  const at = (name: string) => join(folder, name);
  try {
    await writeData(madeGrid(25), 'Dfs2Writer', at('grid.dfs2'));
    await writeData(madeMesh(32), 'DfsuWriter', at('mesh.dfsu'));
    await writeData(madeSeries(1_237_000), 'Dfs0Writer', at('series.dfs0'));
    for (const [what, file] of [
      ['DFS2', 'grid.dfs2'],
      ['DFSU', 'mesh.dfsu'],
    ] as const)
      await readAgainstMemory(what, at(file));
    const python = process.env.BENCH_PYTHON;
    if (python === undefined) {
      console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has mikeio, geopandas and meshio.');
      return;
    }
    await race(python, '94 MB DFS0, mikeio', 3, ['series', at('series.dfs0')]);
    const [ours, theirs] = [at('ours'), at('theirs')];
    await race(python, 'DFSU step → Shapefile, geopandas', 2, [
      'shapefile',
      at('mesh.dfsu'),
      `${ours}.zip`,
      `${theirs}.shp`,
    ]);
    await race(python, 'DFSU step → VTU, meshio', 2, ['vtu', at('mesh.dfsu'), `${ours}.vtu`, `${theirs}.vtu`]);
    await run(python, ['-c', compare, `${ours}.zip`, `${theirs}.shp`, `${ours}.vtu`, `${theirs}.vtu`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readAgainstMemory(what: string, path: string): Promise<void> {
  const { stdout } = await run(process.execPath, [...memoryFlags(1024), here, 'read', path]);
  const { ours, plain } = JSON.parse(stdout) as { ours: Run; plain: Run };
  console.log(`200 MB ${what}: the file read into memory ${shown(plain)}; all values ${shown(ours)}`);
  print(plain, ours, 0.5);
}

async function race(python: string, name: string, target: number, words: [string, string, string?, string?]) {
  const [what, input, ours = '', theirs = ''] = words;
  const runs: { ours: Run[]; theirs: Run[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await told(process.execPath, [...memoryFlags(1024), here, what, input, ours]));
    runs.theirs.push(await told(python, ['-c', peer, what, input, theirs]));
  }
  const [mine, other] = [median(runs.ours), median(runs.theirs)];
  console.log(`${name}: ${shown(other)}; ours ${shown(mine)}`);
  print(other, mine, target);
}

const shown = ({ seconds, cpu, peakMb }: Run) =>
  `${seconds.toFixed(3)} s, ${cpu.toFixed(3)} s of CPU, ${peakMb.toFixed(0)} MB`;

const print = (peer: Run, ours: Run, target: number) =>
  console.log(
    `  ratio (peer / ours): ${(peer.seconds / ours.seconds).toFixed(2)}, target ≥ ${target}; by CPU ${(peer.cpu / ours.cpu).toFixed(2)}`,
  );

const told = async (command: string, argv: string[]): Promise<Run> =>
  JSON.parse((await run(command, argv)).stdout) as Run;

const median = (runs: readonly Run[]): Run => {
  const middle = (figure: keyof Run) => runs.map((run) => run[figure]).toSorted((a, b) => a - b)[runs.length >> 1]!;
  return { seconds: middle('seconds'), cpu: middle('cpu'), peakMb: middle('peakMb') };
};

async function measured(work: () => unknown): Promise<Run> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpu: (user + system) / 1e6, peakMb: peakKb() / 1024 };
}

/** Pulls all values of a file, and gives their memory back as writers do. */
async function readAll(path: string, reader: string): Promise<void> {
  const source = await FileSource.open(path, { checksum: false });
  const data = await findReader(reader)!.read(source, {}, quietContext());
  if (data.kind === 'grid')
    for (const band of data.bands.keys())
      for (const slice of slicesOfBand(data, band))
        for await (const { samples } of data.rows(slice)) releaseBuffer(samples);
  else if (data.kind === 'mesh')
    for (let step = 0; step < stepsOf(data); step++)
      for (const item of data.items.keys()) releaseBuffer(await data.values(item, step));
  else if (data.kind === 'series') for await (const { values } of data.chunks()) values.forEach(releaseBuffer);
  await source.close();
}

async function inTurns(path: string): Promise<{ ours: Run; plain: Run }> {
  const reader = path.endsWith('.dfs2') ? 'Dfs2Reader' : 'DfsuReader';
  const runs: { ours: Run[]; plain: Run[] } = { ours: [], plain: [] };
  for (let round = 0; round < 3 * rounds; round++) {
    runs.ours.push(await measured(() => readAll(path, reader)));
    runs.plain.push(await measured(() => readFileSync(path)));
  }
  return { ours: median(runs.ours), plain: median(runs.plain) };
}

const writers: Readonly<Record<string, string>> = { shapefile: 'ShapefileWriter', vtu: 'VtuWriter' };

async function converted(what: string, input: string, output: string): Promise<void> {
  if (what === 'series') return readAll(input, 'Dfs0Reader');
  await convert(
    {
      input: { path: input, name: 'mesh.dfsu' },
      output: { path: output },
      scratch: tmpdir(),
      reader: { name: 'DfsuReader' },
      writer: { name: writers[what]! },
      transformations: [
        { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: step, to: step } },
      ],
    },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
}

if (process.argv[1] === here) {
  const [what, input, output = ''] = process.argv.slice(2) as [string, string, string?];
  if (what === 'read') console.log(JSON.stringify(await inTurns(input)));
  else {
    await converted(what, input, output);
    console.log(JSON.stringify(await measured(() => converted(what, input, output))));
  }
}
