import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { convert } from '../src/files/convert/convert.ts';
import type { FeatureCollection } from '../src/files/data/feature-collection.ts';
import { gisWriter } from '../src/files/formats/flatgeobuf/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { quietContext } from './made-data.ts';

const run = promisify(execFile);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

export interface Peer {
  readonly name: string;
  /** Converts a file. Returns the seconds that it took, without the start of the program. */
  convert(output: string, input: string): Promise<number>;
}

export interface Pair {
  readonly what: string;
  /** The input is a FlatGeobuf with the features, or what the first pair wrote. */
  readonly from: 'made' | 'first';
  readonly extension: string;
  readonly reader: string;
  readonly writer: string;
  readonly readerParameters?: Readonly<Record<string, unknown>>;
  /** Arguments of ogr2ogr before the output and the input. */
  readonly arguments?: readonly string[];
  /** Arguments behind them. */
  readonly options?: readonly string[];
  /** Another program than ogr2ogr. */
  readonly peer?: Peer;
  readonly target: number;
}

/** Converts files with ogr2ogr, or another program, and with this library in turns, both with a spatial index where the format has one. */
export async function against(data: FeatureCollection, pairs: readonly Pair[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-ogr2ogr-'));
  try {
    const made = join(folder, 'made.fgb');
    await writeStore(data, made, folder);
    let first = made;
    for (const [n, pair] of pairs.entries()) {
      const input = pair.from === 'made' ? made : first;
      const [ours, theirs] = ['ours', 'theirs'].map((name) => join(folder, `${name}-${n}${pair.extension}`));
      const peer = pair.peer ?? ogr2ogr(pair);
      const times = { ours: [] as number[], theirs: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        await rm(theirs!, { force: true });
        times.theirs.push(await peer.convert(theirs!, input));
        times.ours.push(await seconds(() => converted(input, ours!, pair, folder)));
      }
      const [mine, other] = [Math.min(...times.ours), Math.min(...times.theirs)];
      const [size, otherSize] = [(await stat(ours!)).size, (await stat(theirs!)).size];
      console.log(
        `${pair.what}: ${mine.toFixed(2)} s; ${peer.name} ${other.toFixed(2)} s; ratio ${(other / mine).toFixed(2)}, target ≥ ${pair.target}; ${size} bytes, ${peer.name} ${otherSize}`,
      );
      if (n === 0) first = ours!;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ogr2ogr = ({ arguments: before = [], options = [] }: Pair): Peer => ({
  name: 'ogr2ogr',
  convert: (output, input) => seconds(() => run('ogr2ogr', [...before, output, input, ...options])),
});

async function writeStore(data: FeatureCollection, path: string, scratch: string): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  await using sink = await FileSink.create(path, { checksum: false });
  await gisWriter.write(data, {}, sink, { ...quietContext(), scratch, onEnd: (close) => void closing.push(close) });
  await sink.flush();
  for (const close of closing.toReversed()) await close();
}

async function converted(input: string, output: string, pair: Pair, scratch: string): Promise<void> {
  await convert(
    {
      input: { path: input, name: `input${extname(input)}` },
      output: { path: output, name: `output${pair.extension}` },
      scratch,
      threads: 2,
      reader: { name: pair.reader, parameters: pair.readerParameters ?? {} },
      writer: { name: pair.writer, parameters: {} },
      transformations: [],
      badRecords: { path: join(scratch, 'bad') },
    },
    { progress() {}, log() {}, signal: new AbortController().signal },
  );
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
