import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './load.ts';
import { caller, cpuOfTree, prepareSubmission, SUBMIT_PATH, withProcesses } from './processes.ts';
import { amplitude, writeWaves } from './waves.ts';

const side = 4096;
const seconds = 3;
const connections = 16;
const rounds = 3;
const target = 10;
const [low, high] = [-amplitude, amplitude];

/** Inside of the raster; pixels of 5.5, 2.8 and 1.4 m. */
const levels = [14, 15, 16];
const [west, south, east, north] = [9.05, 54.2, 9.55, 54.45];

/** titiler.core as its documentation starts it, with GDAL's settings for Cloud Optimized GeoTIFF. */
const peerApp = `
from fastapi import FastAPI
from titiler.core.factory import TilerFactory
app = FastAPI()
app.include_router(TilerFactory().router)
`;
const peerEnvironment = {
  GDAL_CACHEMAX: '200',
  GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR',
  GDAL_INGESTED_BYTES_AT_OPEN: '32768',
  GDAL_NUM_THREADS: '1',
  VSI_CACHE: 'TRUE',
  VSI_CACHE_SIZE: '5000000',
};

/** Different tiles in random order: none is asked for twice. */
function places(): string[] {
  const all: string[] = [];
  for (const level of levels) {
    const column = (longitude: number) => Math.floor(((longitude + 180) / 360) * 2 ** level);
    const row = (latitude: number) =>
      Math.floor(((1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2) * 2 ** level);
    for (let x = column(west); x <= column(east); x++)
      for (let y = row(north); y <= row(south); y++) all.push(`${level}/${x}/${y}`);
  }
  return all
    .map((place) => ({ place, key: Math.random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ place }) => place);
}

interface Server {
  readonly port: number;
  readonly headers: Record<string, string>;
  pathOf(place: string): string;
  cpu(): Promise<number>;
}

/**
 * Tiles per second of CPU of all processes of a server, and per second. There must be more tiles than answers, so that
 * none is asked for again.
 */
async function measure(server: Server, list: readonly string[]) {
  const before = await server.cpu();
  const paths = list.map((place) => server.pathOf(place));
  const { port, headers } = server;
  const { perSecond, p95 } = await load({ port, headers, paths, connections, seconds });
  if (perSecond * seconds > paths.length) throw new Error(`Only ${paths.length} tiles were left.`);
  const cpu = ((await server.cpu()) - before) / 1000;
  return { perSecond, p95, perCpu: (perSecond * seconds) / cpu };
}

/**
 * Rendered raster tiles over HTTP beside titiler.core under uvicorn with a process for each core: different tiles of
 * 256 × 256 of the same raster, in turns, so that no cache has them. Ours are drawn at their first request and kept;
 * the CPU time of the database counts. BENCH_PYTHON: a Python with titiler.core and uvicorn. BENCH_KEPT_BYTES: 0 keeps
 * no tiles, as titiler.
 */
export async function bench(): Promise<void> {
  const python = process.env.BENCH_PYTHON;
  const folder = await mkdtemp(join(tmpdir(), 'bench-rendered-'));
  try {
    const raster = join(folder, 'field.tif');
    await writeWaves(raster, side);
    await withProcesses(async ({ launch, databaseCpu }) => {
      const kept = process.env.BENCH_KEPT_BYTES;
      const api = await launch('serve', kept === undefined ? {} : { PLATFORM_TILES_KEPT_BYTES: kept });
      const call = caller(api.address);
      const ours = await ownServer(call, Buffer.from(await readFile(raster)), { launch, api, databaseCpu });
      if (python === undefined) return console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has titiler.core.');
      const cog = join(folder, 'cog.tif');
      await writeWaves(cog, side, { Cog: true });
      await using peer = await openPeer(python, folder, cog);
      const all = places();
      const share = Math.floor(all.length / (rounds + 1));
      const ratios: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const tiles = all.slice(round * share, (round + 1) * share);
        const one = await measure(ours, tiles);
        const other = await measure(peer, tiles);
        // The first round is not counted: it starts threads and opens files.
        if (round === 0) continue;
        ratios.push(one.perCpu / other.perCpu);
        console.log(
          `${one.perSecond.toFixed(0)} tiles/s, p95 ${one.p95.toFixed(0)} ms, ${one.perCpu.toFixed(0)} per second of CPU; titiler ${other.perSecond.toFixed(0)}, ${other.p95.toFixed(0)} ms, ${other.perCpu.toFixed(0)}; ratio of CPU ${ratios.at(-1)!.toFixed(1)}, of tiles/s ${(one.perSecond / other.perSecond).toFixed(1)}`,
        );
      }
      const median = ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)]!;
      console.log(`median ratio ${median.toFixed(1)} (target ${target}): ${median >= target ? 'met' : 'MISSED'}`);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Platform = Parameters<Parameters<typeof withProcesses>[0]>[0];

async function ownServer(
  call: ReturnType<typeof caller>,
  content: Buffer<ArrayBuffer>,
  {
    launch,
    api,
    databaseCpu,
  }: Pick<Platform, 'launch' | 'databaseCpu'> & { api: Awaited<ReturnType<Platform['launch']>> },
): Promise<Server> {
  const { body, headers } = await prepareSubmission(call, content);
  const scheme = {
    schemeId: 'map',
    schemeType: 'XYZ',
    minValue: low,
    maxValue: high,
    zoomLevels: levels,
    firstLevelOnRequest: levels[0],
  };
  const request = {
    ...JSON.parse(body),
    originalFileName: 'field.tif',
    outputDatasetData: { name: 'field' },
    readerName: 'GeoTiffReader',
    writerName: 'TilingWriter',
    writerParameters: [{ name: 'TilingSchemes', value: [scheme] }],
  };
  const worker = await launch('work');
  const { id } = JSON.parse(await call('POST', SUBMIT_PATH, JSON.stringify(request), headers));
  let transfer: { status: string; importResults: { datasetId: string }[]; errorMessage?: string };
  do {
    await sleep(200);
    transfer = JSON.parse(await call('GET', `/api/conversion/transfer/${id}`, '', headers));
    if (transfer.status === 'Error') throw new Error(transfer.errorMessage);
  } while (transfer.status !== 'Completed');
  await worker.stop();
  const dataset = transfer.importResults[0]!.datasetId;
  return {
    port: Number(new URL(api.address).port),
    headers,
    pathOf(place) {
      const [level, column, row] = place.split('/');
      return `/api/tiles/dataset/${dataset}/scheme/map/${level}/${row}/${column}`;
    },
    cpu: async () => (await api.cpu()) + (await databaseCpu()),
  };
}

async function openPeer(python: string, folder: string, raster: string): Promise<Server & AsyncDisposable> {
  await writeFile(join(folder, 'peer.py'), peerApp);
  const port = await freePort();
  const args = ['-m', 'uvicorn', 'peer:app', '--port', String(port), '--log-level', 'warning', '--workers'];
  const child = spawn(python, [...args, String(availableParallelism())], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...peerEnvironment },
  });
  const query = new URLSearchParams({
    url: raster,
    rescale: `${low},${high}`,
    colormap_name: 'viridis',
    resampling: 'bilinear',
    reproject: 'bilinear',
  });
  const pathOf = (place: string) => `/tiles/WebMercatorQuad/${place}.png?${query}`;
  for (let n = 0; ; n++) {
    const answer = await fetch(`http://127.0.0.1:${port}${pathOf(places()[0]!)}`).catch(() => undefined);
    if (answer?.ok) break;
    if (n > 300) throw new Error(`titiler does not answer: ${answer?.status} ${await answer?.text()}`);
    await sleep(100);
  }
  return {
    port,
    headers: {},
    pathOf,
    cpu: () => cpuOfTree(child.pid!),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
