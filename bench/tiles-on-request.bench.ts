import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { tilingWriter } from '../src/files/tiles/dataset/format.ts';
import { quantile } from './arrivals.ts';
import { quietContext } from './made-data.ts';
import { type BenchPlatform, withPlatform } from './platform.ts';
import { amplitude, wavesOf, writeWaves } from './waves.ts';

const side = 4096;
const tilesPerLevel = 40;
const atOnce = 8;
/** Time for a tile at its first request. */
const targetMs = 150;

const scheme = {
  schemeId: 'level',
  schemeType: 'XYZ',
  minValue: -amplitude,
  maxValue: amplitude,
  firstLevelOnRequest: 0,
};

async function written(path: string, write: (sink: FileSink) => PromiseLike<unknown>): Promise<number> {
  const sink = await FileSink.create(path, { checksum: false });
  await write(sink);
  await sink.flush();
  await sink.close();
  return (await stat(path)).size;
}

async function plant({ app, pool, blobs, headers, userId }: BenchPlatform, folder: string): Promise<string> {
  const file = join(folder, 'tiles');
  await using open = new AsyncDisposableStack();
  const context = { ...quietContext(), scratch: folder, onEnd: (close: () => Promise<void>) => open.defer(close) };
  const size = await written(file, (sink) =>
    tilingWriter.write(wavesOf(side), { TilingSchemes: [scheme] }, sink, context),
  );
  const project = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload: { name: 'Sea' } });
  const [id, blob] = [randomUUID(), `dataset/${randomUUID()}`];
  await blobs.adopt(file, blob);
  await pool.query(
    `insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     values ($1, $2, 'level', 'tiles', 'tiles', $3, $4, $5, $5)`,
    [id, project.json().id, blob, size, userId],
  );
  return id;
}

type TileIndex = readonly [level: number, column: number, row: number];

/** Some tiles of each level that is drawn on request, each once. */
async function placesOf(root: string, headers: Record<string, string>): Promise<TileIndex[][]> {
  const { tileMatrixSetLimits } = (await (await fetch(`${root}/availability`, { headers })).json()) as {
    tileMatrixSetLimits: Record<'tileMatrix' | 'minTileRow' | 'maxTileRow' | 'minTileCol' | 'maxTileCol', number>[];
  };
  const { tilingSchemes } = (await (await fetch(root.replace(/\/scheme\/.*/, '/metadata'), { headers })).json()) as {
    tilingSchemes: { levelsOnRequest: number[] }[];
  };
  return tilingSchemes[0]!.levelsOnRequest.map((level) => {
    const all = tileMatrixSetLimits
      .filter(({ tileMatrix }) => Number(tileMatrix) === level)
      .flatMap(({ minTileRow, maxTileRow, minTileCol, maxTileCol }) =>
        Array.from({ length: maxTileRow - minTileRow + 1 }, (_, r) =>
          Array.from(
            { length: maxTileCol - minTileCol + 1 },
            (_, c): TileIndex => [level, minTileCol + c, minTileRow + r],
          ),
        ).flat(),
      );
    return all
      .map((place) => ({ place, by: Math.random() }))
      .sort((one, other) => one.by - other.by)
      .slice(0, 2 * tilesPerLevel)
      .map(({ place }) => place);
  });
}

async function timed(url: string, headers: Record<string, string> = {}): Promise<number> {
  const start = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return performance.now() - start;
}

const text = (times: readonly number[]): string =>
  `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`;

/** titiler draws the same tiles of the same raster as a Cloud Optimized GeoTIFF, on a server of one process. */
const program = `
import sys, uvicorn
from fastapi import FastAPI
from titiler.core.factory import TilerFactory
app = FastAPI()
app.include_router(TilerFactory().router)
uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='error')
`;

async function openTitiler(python: string, raster: string) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const child = spawn(python, ['-c', program, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const root = `http://127.0.0.1:${port}`;
  const query = `url=${encodeURIComponent(raster)}&rescale=-2,2&colormap_name=viridis&resampling=bilinear&reproject=bilinear`;
  for (let n = 0; (await fetch(`${root}/openapi.json`).catch(() => undefined)) === undefined; n++) {
    if (n > 300) throw new Error('titiler does not answer.');
    await setTimeout(100);
  }
  return {
    url: ([level, column, row]: TileIndex) => `${root}/tiles/WebMercatorQuad/${level}/${column}/${row}.png?${query}`,
    /** Milliseconds since its start. */
    async cpu() {
      const [, rest] = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ');
      const fields = rest!.split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    [Symbol.asyncDispose]: async () => void child.kill(),
  };
}

/**
 * First requests of tiles that are drawn on request, over HTTP: of each level one after the other, then ${atOnce} at
 * once; beside them, in turns, titiler with the same tiles of the same raster as COG. The platform checks the token and
 * the right to the dataset, draws, keeps the tile in the database and answers; CPU is without Postgres. Target: p95 of
 * ${targetMs} ms one after the other. BENCH_PYTHON: a Python with titiler.core and uvicorn.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-tiles-on-request-'));
    try {
      const id = await plant(platform, folder);
      const { headers } = platform;
      const root = `http://127.0.0.1:${await platform.port()}/api/tiles/dataset/${id}/scheme/level`;
      const own = ([level, column, row]: TileIndex) => `${root}/${level}/${row}/${column}`;
      const python = process.env.BENCH_PYTHON;
      if (python === undefined)
        console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has titiler.core and uvicorn.');
      const raster = join(folder, 'level.tif');
      await writeWaves(raster, side, { Cog: true });
      await using titiler = python === undefined ? undefined : await openTitiler(python, raster);
      const levels = await placesOf(root, headers);
      const [first] = levels.at(-1)!.splice(0, 1);
      console.log(`start of a thread: ${(await timed(own(first!), headers)).toFixed(0)} ms`);
      if (titiler) await timed(titiler.url(first!));
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (const places of levels) {
        const [mine, peer]: [number[], number[]] = [[], []];
        const [cpu, cpuOfPeer] = [process.cpuUsage(), (await titiler?.cpu()) ?? 0];
        for (const place of places.slice(0, Math.ceil(places.length / 2))) {
          mine.push(await timed(own(place), headers));
          if (titiler) peer.push(await timed(titiler.url(place)));
        }
        const { user, system } = process.cpuUsage(cpu);
        const perTile = (user + system) / 1000 / mine.length;
        const perTileOfPeer = (((await titiler?.cpu()) ?? 0) - cpuOfPeer) / mine.length;
        const beside = titiler ? `; titiler ${text(peer)}, CPU ${perTileOfPeer.toFixed(0)} ms` : '';
        console.log(
          `level ${places[0]![0]}: ${mine.length} tiles, ${text(mine)}, CPU with the client ${perTile.toFixed(0)} ms${beside}`,
        );
        ours.push(...mine);
        theirs.push(...peer);
      }
      const p95 = quantile(ours, 0.95);
      console.log(`cold: ${text(ours)} (target ${targetMs}): ${p95 <= targetMs ? 'met' : 'MISSED'}`);
      if (titiler)
        console.log(
          `titiler: ${text(theirs)}; ratio of p50 ${(quantile(theirs, 0.5) / quantile(ours, 0.5)).toFixed(1)}`,
        );
      const rest = levels.flatMap((places) => places.slice(Math.ceil(places.length / 2)));
      const together = async (urlOf: (place: TileIndex) => string, more: Record<string, string>) => {
        const left = rest.values();
        const times: number[] = [];
        const start = performance.now();
        const ask = async () => {
          for (const place of left) times.push(await timed(urlOf(place), more));
        };
        await Promise.all(Array.from({ length: atOnce }, ask));
        return `${(times.length / ((performance.now() - start) / 1000)).toFixed(0)} tiles/s, ${text(times)}`;
      };
      console.log(`${rest.length} cold tiles, ${atOnce} at once: ${await together(own, headers)}`);
      if (titiler) console.log(`titiler: ${await together(titiler.url, {})}`);
      console.log(`the same, kept in memory: ${await together(own, headers)}`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
