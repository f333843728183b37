import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readCoverages } from '../src/arrays/coverage.ts';
import { Stores } from '../src/arrays/stores.ts';
import { DiskStore } from '../src/blobs/disk.ts';
import type { Grid } from '../src/files/data/grid.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { mdWriter } from '../src/files/formats/zarr/format.ts';

const side = 512;
const steps = 1000;
const items = ['Level', 'Speed'];
const rounds = 8;
const queriesPerRound = 10;
const blob = 'dataset/store';
const never = new AbortController().signal;

/** Waves with noise in the last bits, so that they compress as results of models do: 2.1 GB of values. */
const field = (): Grid => ({
  kind: 'grid',
  width: side,
  height: side,
  affine: [500_000, 100, 0, 6_000_000 + side * 100, 0, -100],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count: steps, offset: 0, interval: 1 },
  bands: items.map((name) => ({ name, unit: 'm', type: 'Float32', nodata: -1e-35 })),
  async *rows({ band, step }) {
    const samples = new Float32Array(side * side);
    for (let n = 0; n < samples.length; n++) samples[n] = valueAt(band, step, n);
    yield { firstRow: 0, rowCount: side, samples };
  },
});

const across = Float64Array.from({ length: side }, (_, n) => Math.sin(n / 40));
function valueAt(band: number, step: number, cell: number): number {
  const [row, column] = [cell >> 9, cell & (side - 1)];
  const noise = Math.imul(cell + step * 7919, 0x9e3779b1) >>> 16;
  return Math.fround(band + across[row]! * across[(column + step) & (side - 1)]! + noise / 2 ** 24);
}

/** Answers lines `step item n` and `point item row column` with the milliseconds that reading took, and one value. */
const peer = `
import sys, time, zarr
store = zarr.storage.ZipStore(sys.argv[1], mode='r')
group = zarr.open_group(store, mode='r')
arrays = {name: group[name] for name in ${JSON.stringify(items)}}
print(zarr.__version__, flush=True)
for line in sys.stdin:
    what, item, *n = line.split()
    start = time.perf_counter()
    values = arrays[item][int(n[0])] if what == 'step' else arrays[item][:, int(n[0]), int(n[1])]
    print((time.perf_counter() - start) * 1000, float(values.flat[7]), flush=True)
`;

interface Query {
  readonly line: string;
  readonly ours: () => Promise<number>;
}

/**
 * One step of one item, and one cell over all steps, out of 2.1 GB of values, of a blob on disk as the API reads it,
 * beside zarr in Python on the same store, in turns; p95 of ${rounds} × ${queriesPerRound} random queries each. The
 * store is open in both. Targets: 50 ms and 100 ms. BENCH_PYTHON: a Python with zarr.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-md-'));
  try {
    const [made, linked] = [join(folder, 'made'), join(folder, 'linked.zip')];
    await write(made);
    const { size } = await stat(made);
    console.log(`${(side * side * steps * items.length * 4) / 1e9} GB of values in ${(size / 1e9).toFixed(2)} GB`);
    const blobs = await DiskStore.open(join(folder, 'blobs'));
    await blobs.adopt(made, blob);
    await blobs.fetch(blob, linked);
    const python = process.env.BENCH_PYTHON;
    if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has zarr.');
    await using zarr = python === undefined ? undefined : await openPeer(python, linked);
    const stores = new Stores(blobs);
    const start = performance.now();
    const dataset = await stores.open(blob);
    console.log(`opening, once: ${(performance.now() - start).toFixed(1)} ms`);
    const read = async (wish: Parameters<typeof readCoverages>[1]) => {
      const [coverage] = await readCoverages(dataset, wish, never);
      return Number(coverage!.ranges[0]!.values[7]);
    };
    const timeOf = (step: number) => `${new Date(step * 3_600_000).toISOString().slice(0, -1)}0000`;
    await race('one step of one item', 50, zarr, () => {
      const [item, step] = [pick(items), Math.floor(Math.random() * steps)];
      const from = timeOf(step);
      return { line: `step ${item} ${step}`, ours: () => read({ items: [item], from, to: from }) };
    });
    await race('one cell over 1,000 steps', 100, zarr, () => {
      const [item, row, column] = [pick(items), Math.floor(Math.random() * side), Math.floor(Math.random() * side)];
      const point = { x: 500_050 + column * 100, y: 6_000_050 + (side - 1 - row) * 100 };
      return { line: `point ${item} ${row} ${column}`, ours: () => read({ items: [item], point }) };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(path: string): Promise<void> {
  const sink = await FileSink.create(path, { checksum: false });
  const nothing = { log() {}, progress() {}, reportLoss() {}, remark() {}, reportBadRecord() {}, onEnd() {} };
  await mdWriter.write(field(), {}, sink, { signal: never, scratch: '', ...nothing });
  await sink.close();
}

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

interface Peer extends AsyncDisposable {
  ask(line: string): Promise<readonly [ms: number, value: number]>;
}

async function openPeer(python: string, path: string): Promise<Peer> {
  const child = spawn(python, ['-c', peer, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  console.log(`zarr ${(await lines.next()).value}`);
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const [ms, value] = String((await lines.next()).value)
        .split(' ')
        .map(Number);
      return [ms!, value!];
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

async function race(what: string, target: number, zarr: Peer | undefined, query: () => Query): Promise<void> {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    const queries = Array.from({ length: queriesPerRound }, query);
    const values: number[] = [];
    for (const { ours } of queries) {
      const start = performance.now();
      values.push(await ours());
      times.ours.push(performance.now() - start);
    }
    for (const [n, { line }] of queries.entries()) {
      const told = await zarr?.ask(line);
      if (told === undefined) continue;
      times.theirs.push(told[0]);
      if (told[1] !== values[n]) throw new Error(`${line}: zarr reads ${told[1]}, we read ${values[n]}.`);
    }
  }
  const ours = quantiles(times.ours);
  console.log(`${what}: p50 ${ours.p50.toFixed(1)} ms, p95 ${ours.p95.toFixed(1)} ms, target ≤ ${target} ms`);
  if (zarr === undefined) return;
  const theirs = quantiles(times.theirs);
  console.log(
    `  zarr in Python: p50 ${theirs.p50.toFixed(1)} ms, p95 ${theirs.p95.toFixed(1)} ms; ratio of p95 (zarr / ours): ${(theirs.p95 / ours.p95).toFixed(2)}`,
  );
}

function quantiles(times: number[]): { p50: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { p50: at(0.5), p95: at(0.95) };
}
