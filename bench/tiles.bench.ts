import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { geoTiffReader } from '../src/files/formats/geotiff/format.ts';
import { FileSink, FileSource } from '../src/files/formats/io/bytes.ts';
import { completeParameters } from '../src/files/formats/parameters.ts';
import { tilingWriter } from '../src/files/tiles/dataset/format.ts';
import { StoredTiles } from '../src/files/tiles/dataset/stored-tiles.ts';
import { quietContext } from './made-data.ts';
import { writeWaves } from './waves.ts';

const side = 4096;
const rounds = 3;
const perRound = 40;
const lookUps = 2000;
const target = 10;

/** Draws the tiles of each line `z x y z x y …` as titiler does, and answers with the CPU milliseconds per tile. */
const peer = `
import sys, time
import rio_tiler
from rio_tiler.io import Reader
from rio_tiler.colormap import cmap
ramp = cmap.get('viridis')
with Reader(sys.argv[1]) as source:
    print(rio_tiler.__version__, flush=True)
    for line in sys.stdin:
        numbers = [int(one) for one in line.split()]
        start = time.process_time()
        for n in range(0, len(numbers), 3):
            z, x, y = numbers[n:n + 3]
            image = source.tile(x, y, z, resampling_method='bilinear', reproject_method='bilinear')
            image.rescale(in_range=((-2, 2),))
            image.render(img_format='PNG', colormap=ramp)
        print((time.process_time() - start) * 3000 / len(numbers), flush=True)
`;

/**
 * CPU time per tile of an XYZ pyramid of PNG, all threads together, beside rio-tiler, the engine of titiler, on random
 * tiles of the finest level of the same raster, in turns. Target: ${target} tiles in the time of one. Also prints how
 * many tiles per second are looked up in a finished archive. BENCH_PYTHON: a Python with rio-tiler.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-tiles-'));
  try {
    const raster = join(folder, 'field.tif');
    await writeWaves(raster, side);
    const python = process.env.BENCH_PYTHON;
    if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has rio-tiler.');
    await using tiler = python === undefined ? undefined : await openPeer(python, raster);
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await draw(raster, join(folder, `${round}.zip`));
      const theirs = tiler && (await tiler.ask(pick(ours.finest)));
      const ratio = theirs && theirs / ours.cpu;
      if (ratio !== undefined) ratios.push(ratio);
      const beside = theirs === undefined ? '' : `; rio-tiler ${theirs.toFixed(1)} ms; ratio ${ratio!.toFixed(1)}`;
      console.log(`${ours.count} tiles, ${ours.wall.toFixed(1)} s, ${ours.cpu.toFixed(1)} ms of CPU per tile${beside}`);
      if (round === rounds - 1) await lookUp(join(folder, `${round}.zip`), ours.finest);
    }
    const median = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)];
    if (median !== undefined)
      console.log(`median ratio ${median.toFixed(1)} (target ${target}): ${median >= target ? 'met' : 'MISSED'}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type TileIndex = readonly [level: number, column: number, row: number];

/** Writes the pyramid of a raster. Returns seconds, milliseconds of CPU per tile, and the tiles of the finest level. */
async function draw(raster: string, path: string) {
  await using open = new AsyncDisposableStack();
  const sink = await FileSink.create(path, { checksum: false });
  const context = { ...quietContext(), threads: 2, onEnd: (close: () => Promise<void>) => open.defer(close) };
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const scheme = { schemeId: 'level', schemeType: 'XYZ', minValue: -2, maxValue: 2 };
  const input = open.adopt(await FileSource.open(raster, { checksum: false }), (one) => one.close());
  const grid = await geoTiffReader.read(input, completeParameters(geoTiffReader, {}), context);
  await tilingWriter.write(grid, { TilingSchemes: [scheme] }, sink, context);
  await sink.flush();
  await sink.close();
  const { user, system } = process.cpuUsage(cpu);
  const wall = (performance.now() - start) / 1000;
  const source = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  const tiles = await StoredTiles.open(source);
  const all: TileIndex[] = [];
  for (const limits of await tiles.limits('level', { step: 0, layer: 0 }))
    for (let row = limits.minTileRow; row <= limits.maxTileRow; row++)
      for (let column = limits.minTileCol; column <= limits.maxTileCol; column++)
        all.push([Number(limits.tileMatrix), column, row]);
  const deepest = Math.max(...all.map(([level]) => level));
  const finest = all.filter(([level]) => level === deepest);
  return { wall, cpu: (user + system) / 1000 / all.length, count: all.length, finest };
}

async function lookUp(path: string, places: readonly TileIndex[]): Promise<void> {
  await using open = new AsyncDisposableStack();
  const source = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  const tiles = await StoredTiles.open(source);
  const start = performance.now();
  for (let n = 0; n < lookUps; n++)
    await tiles.tile('level', { step: 0, layer: 0 }, places[Math.floor(Math.random() * places.length)]!);
  console.log(`look-ups, one after the other: ${Math.round(lookUps / ((performance.now() - start) / 1000))} tiles/s`);
}

function pick(places: readonly TileIndex[]): string {
  const some = Array.from({ length: perRound }, () => places[Math.floor(Math.random() * places.length)]!);
  return some.map(([level, column, row]) => `${level} ${column} ${row}`).join(' ');
}

interface Peer extends AsyncDisposable {
  ask(line: string): Promise<number>;
}

async function openPeer(python: string, path: string): Promise<Peer> {
  const child = spawn(python, ['-c', peer, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error('rio-tiler ended.');
    return value;
  };
  console.log(`rio-tiler ${await next()}`);
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return Number(await next());
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
