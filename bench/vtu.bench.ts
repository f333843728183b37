import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { convert } from '../src/files/convert/convert.ts';
import { memoryFlags } from '../src/transfers/children/child.ts';
import { madeMesh, meshSide, triangles, writeData } from './made-data.ts';
import { peakKb } from './peak.ts';

const run = promisify(execFile);
const here = fileURLToPath(import.meta.url);
const points = 1_000_000;
const rounds = 3;

/** Reads points with NumPy, makes the same mesh with it, and writes with meshio's default: inline base64, zlib. */
const peer = `
import json, resource, sys, time
try:
    import numpy as np, meshio
except ImportError:
    sys.exit('meshio is missing')
what, source, target = sys.argv[1:]
side = ${meshSide}
def of_points():
    p = np.loadtxt(source)
    meshio.Mesh(p, [('vertex', np.arange(len(p)).reshape(-1, 1))], point_data={'Z': p[:, 2].copy()}).write(target)
def made():
    n = np.arange(side * side)
    row, column = n // side, n % side
    nodes = np.stack([500000 + 40.0 * column + np.sin(n * 0.7), 6000000 + 40.0 * row + np.cos(n * 0.9), -20 + 10 * np.sin(column / 50) * np.cos(row / 70)], 1)
    first = n.reshape(side, side)[:-1, :-1].ravel()
    cells = np.stack([first, first + 1, first + side + 1, first, first + side + 1, first + side], 1).reshape(-1, 3)
    centre = np.arange(len(cells))
    items = {name: [(np.sin(centre * step) * 3).astype('f4')] for name, step in (('Surface elevation', 1e-4), ('U velocity', 1e-3), ('V velocity', 1e-2))}
    return meshio.Mesh(nodes, [('triangle', cells)], cell_data=items)
mesh = None if what == 'points' else made()
for turn in range(2):
    start, before = time.perf_counter(), time.process_time()
    of_points() if what == 'points' else mesh.write(target)
    seconds, cpu = time.perf_counter() - start, time.process_time() - before
print(json.dumps(dict(seconds=seconds, cpu=cpu, peakMb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
`;
const compare = `
import sys
import numpy as np, meshio
a, b = [meshio.read(path) for path in sys.argv[1:]]
assert np.allclose(a.points, b.points, rtol=0, atol=1e-8)
assert all(np.array_equal(p.data, q.data) and p.type == q.type for p, q in zip(a.cells, b.cells, strict=True))
for one, other in ((a.point_data, b.point_data), (a.cell_data, b.cell_data)):
    assert one.keys() == other.keys(), (one.keys(), other.keys())
    assert all(np.allclose(np.ravel(one[key]), np.ravel(other[key]), atol=1e-6) for key in one)
`;

interface Run {
  seconds: number;
  cpu: number;
  peakMb: number;
}

/**
 * A million points as text → VTU, and a mesh of half a million triangles with three items in memory → VTU, by us and by
 * NumPy and meshio, in turns; medians of second runs in processes of their own. What both wrote is read with meshio and
 * compared. Target: twice as fast.
 */
export async function bench(): Promise<void> {
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) {
    console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has numpy and meshio.');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-vtu-'));
  try {
    const input = join(folder, 'points.xyz');
    await writePoints(input);
    await race(python, folder, `${points} points as text → VTU`, ['points', input]);
    await race(python, folder, `${triangles} triangles with three items → VTU`, ['mesh', '']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function race(python: string, folder: string, name: string, [what, input]: [string, string]): Promise<void> {
  const runs: { ours: Run[]; theirs: Run[] } = { ours: [], theirs: [] };
  const [ours, theirs] = [join(folder, 'ours.vtu'), join(folder, 'theirs.vtu')];
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await told(process.execPath, [...memoryFlags(1024), here, what, input, ours]));
    runs.theirs.push(await told(python, ['-c', peer, what, input, theirs]));
  }
  await run(python, ['-c', compare, ours, theirs]);
  const [mine, meshio] = [median(runs.ours), median(runs.theirs)];
  const shown = ({ seconds, cpu, peakMb }: Run) =>
    `${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU, ${peakMb.toFixed(0)} MB`;
  console.log(`${name}: meshio ${shown(meshio)}; ours ${shown(mine)}`);
  console.log(
    `ratio (meshio / ours): ${(meshio.seconds / mine.seconds).toFixed(2)}, target ≥ 2; by CPU ${(meshio.cpu / mine.cpu).toFixed(2)}`,
  );
}

const told = async (command: string, argv: string[]): Promise<Run> =>
  JSON.parse((await run(command, argv)).stdout) as Run;

const median = (runs: readonly Run[]): Run => runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1]!;

/** Soundings to centimetres and millimetres; the same at each run. */
async function writePoints(path: string): Promise<void> {
  const stream = createWriteStream(path);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  for (let n = 0; n < points; n += 1000) {
    const lines: string[] = [];
    for (let k = 0; k < 1000; k++)
      lines.push(
        `${(500_000 + random() * 1e5).toFixed(2)} ${(6e6 + random() * 1e5).toFixed(2)} ${(-50 * random()).toFixed(3)}`,
      );
    if (!stream.write(`${lines.join('\n')}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
}

async function convertPoints(input: string, output: string): Promise<void> {
  await convert(
    {
      input: { path: input, name: 'points.xyz' },
      output: { path: output },
      scratch: tmpdir(),
      reader: { name: 'XyzReader' },
      writer: { name: 'VtuWriter' },
    },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
}

if (process.argv[1] === here) {
  const [what, input, output] = process.argv.slice(2) as [string, string, string];
  const made = what === 'points' ? undefined : madeMesh();
  const values = made && (await Promise.all(made.items.map((_, item) => made.values(item, 0))));
  const mesh = made && values && { ...made, values: async (item: number) => values[item]! };
  let [seconds, cpu] = [0, 0];
  for (let turn = 0; turn < 2; turn++) {
    const before = process.cpuUsage();
    const start = performance.now();
    await (mesh === undefined ? convertPoints(input, output) : writeData(mesh, 'VtuWriter', output));
    seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    cpu = (user + system) / 1e6;
  }
  console.log(JSON.stringify({ seconds, cpu, peakMb: peakKb() / 1024 }));
}
