import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Data } from '../src/files/data/data.ts';
import { OpenPreview, type PreviewDescription } from '../src/files/preview.ts';
import { madeGrid, madeMesh, writeData } from './made-data.ts';
import { wavesOf, writeWaves } from './waves.ts';

const side = 8192;
/** Tiles of each level, of which the first is drawn without anything in memory. */
const perLevel = 8;

/** Draws tiles `z x y z x y …` as titiler does, and prints the CPU milliseconds of each. */
const peer = `
import sys, time
from rio_tiler.io import Reader
from rio_tiler.colormap import cmap
ramp = cmap.get('viridis')
numbers = [int(one) for one in sys.argv[2:]]
with Reader(sys.argv[1]) as source:
    for n in range(0, len(numbers), 3):
        z, x, y = numbers[n:n + 3]
        start = time.process_time()
        image = source.tile(x, y, z, resampling_method='bilinear', reproject_method='bilinear')
        image.rescale(in_range=((-2, 2),))
        image.render(img_format='PNG', colormap=ramp)
        print((time.process_time() - start) * 1000)
`;

type Tile = readonly [z: number, x: number, y: number];

/**
 * CPU time of a description, and of the first and the other tiles of previews by format. Rasters stand beside
 * rio-tiler, the engine of titiler, on the same tiles. BENCH_PYTHON: a Python with rio-tiler.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-preview-'));
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has rio-tiler.');
  try {
    const cases = [
      ['large.tif', (path: string) => writeWaves(path, side, { Cog: true })],
      ['small.tif', (path: string) => writeWaves(path, 1024)],
      ['large.zarr.zip', made(() => wavesOf(side), 'MDWriter')],
      ['grid.dfs2', made(() => madeGrid(4), 'Dfs2Writer')],
      ['grid.nc', made(() => madeGrid(4), 'NetCdfWriter')],
      ['mesh.dfsu', made(() => madeMesh(2), 'DfsuWriter')],
    ] as const;
    for (const [name, write] of cases) {
      const path = join(folder, name);
      await write(path);
      const { tiles, times } = await draw(path, folder, name);
      if (python === undefined || !name.endsWith('.tif')) continue;
      const theirs = await drawByPeer(python, path, tiles);
      const ratio = median(theirs) / median(times);
      console.log(`  rio-tiler: median ${median(theirs).toFixed(1)} ms of CPU; ratio ${ratio.toFixed(1)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const made = (data: () => Data, writer: string) => (path: string) =>
  writeData(data(), writer, path, { checksum: false });

async function draw(path: string, scratch: string, name: string): Promise<{ tiles: Tile[]; times: number[] }> {
  const start = cpu();
  await using preview = await OpenPreview.open(
    { path, kind: 'file' },
    { scratch, signal: new AbortController().signal },
  );
  const description = await preview.describe();
  const described = cpu() - start;
  const { scheme, steps, layers } = description;
  const tiles: Tile[] = [];
  const times: number[] = [];
  for (const tile of tilesOf(description)) {
    const [z, x, y] = tile;
    const before = cpu();
    const of = { item: scheme.item, step: steps.best, layer: layers.count - 1, scheme };
    const drawn = await preview.drawTile({ format: 'png', z, x, y, scale: 1, ...of }, () => {});
    if (drawn === undefined) continue;
    times.push(cpu() - before);
    tiles.push(tile);
  }
  const at = (share: number) => times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!.toFixed(1);
  console.log(
    `${name}: ${description.cells} cells; description ${described.toFixed(0)} ms of CPU, first tile ${times[0]!.toFixed(0)}, median ${at(0.5)}, 95 % ${at(0.95)}`,
  );
  return { tiles, times };
}

/** Tiles around the middle of the data, from the level of one tile to the deepest. */
function tilesOf({ bbox, deepest }: PreviewDescription): Tile[] {
  const [west, south, east, north] = bbox!;
  const northing = Math.asinh(Math.tan(((south + north) / 2) * (Math.PI / 180))) / Math.PI;
  const tiles: Tile[] = [];
  for (let z = Math.max(0, Math.floor(Math.log2(360 / (east - west)))); z <= deepest; z++) {
    const count = 2 ** z;
    const [x, y] = [((west + east) / 2 + 180) / 360, (1 - northing) / 2].map((one) => Math.floor(one * count));
    for (let n = 0; n < perLevel; n++) {
      const tile = [z, x! + (n % 4) - 2, y! + (n >> 2) - 1] as const;
      if (tile[1] >= 0 && tile[2] >= 0 && tile[1] < count && tile[2] < count) tiles.push(tile);
    }
  }
  return tiles;
}

async function drawByPeer(python: string, path: string, tiles: readonly Tile[]): Promise<number[]> {
  const child = spawn(python, ['-c', peer, path, ...tiles.flat().map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return printed.trim().split('\n').map(Number);
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
