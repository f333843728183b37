import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Database } from '../src/db.ts';
import { convert } from '../src/files/convert/convert.ts';
import { gisWriter } from '../src/files/formats/flatgeobuf/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { drawAhead } from '../src/tiles/vector/draw-ahead.ts';
import { quantile } from './arrivals.ts';
import { quietContext } from './made-data.ts';
import { across, parcels, side, south, up, west } from './parcels.ts';
import { type BenchPlatform, withPlatform } from './platform.ts';

const levels = [0, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14];
/** Level whose tiles start the threads. */
const STARTING = 15;
const tilesPerLevel = 4;
/** Time for a tile at its first request. */
const targetMs = 150;

/** Does the job that draws tiles of many features ahead, in this process. */
async function overview({ databaseUrl, blobs, pool }: BenchPlatform, id: string, folder: string): Promise<void> {
  const db = new Database(databaseUrl, 2);
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const limits = { keptBytes: 2 ** 30, scratchGb: 10, timeLimit: 3_600_000, log: { warn: console.warn } };
  await drawAhead(
    { db, blobs, scratch: folder, ...limits, convert: (request, _, hooks) => convert(request, hooks) },
    id,
    new AbortController().signal,
  );
  const { user, system } = process.cpuUsage(cpu);
  const { rows } = await pool.query(
    'select count(*) as tiles, sum(size)::float as bytes, max(level) as last_level from drawn_tiles join drawn_tile_contents on hash = content',
  );
  const [{ tiles, bytes, last_level }] = rows;
  console.log(
    `overview: ${tiles} tiles to level ${last_level}, ${(bytes / 1e6).toFixed(1)} MB, in ${((performance.now() - start) / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU`,
  );
  await db.end();
}

async function plant({ app, pool, blobs, headers, userId }: BenchPlatform, folder: string): Promise<string> {
  const file = join(folder, 'store.fgb');
  const sink = await FileSink.create(file, { checksum: false });
  await using open = new AsyncDisposableStack();
  const context = { ...quietContext(), scratch: folder, onEnd: (close: () => Promise<void>) => open.defer(close) };
  await gisWriter.write(parcels, {}, sink, context);
  await sink.close();
  const { size } = await stat(file);
  const project = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload: { name: 'gis' } });
  const [id, blob] = [randomUUID(), `dataset/${randomUUID()}`];
  await blobs.adopt(file, blob);
  await pool.query(
    `insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     values ($1, $2, 'parcels', 'gisvectordata', 'gis', $3, $4, $5, $5)`,
    [id, project.json().id, blob, size, userId],
  );
  console.log(`${(side * side).toLocaleString('en')} polygons, ${(size / 1e6).toFixed(0)} MB`);
  return id;
}

type TileIndex = readonly [level: number, column: number, row: number];

/** Tiles of a level around places inside of the parcels, each once. */
function placesOf(level: number): TileIndex[] {
  const found = new Map<string, TileIndex>();
  for (let n = 0; n < tilesPerLevel; n++) {
    const longitude = west + (0.1 + 0.8 * Math.random()) * side * across;
    const latitude = ((south + (0.1 + 0.8 * Math.random()) * side * up) * Math.PI) / 180;
    const column = Math.floor(((longitude + 180) / 360) * 2 ** level);
    const row = Math.floor(((1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2) * 2 ** level);
    found.set(`${column} ${row}`, [level, column, row]);
  }
  return [...found.values()];
}

/** The first requests of tiles of all levels, one after the other. */
async function cold(root: string, headers: Record<string, string>) {
  const all: number[] = [];
  for (const level of [STARTING, ...levels]) {
    const times: number[] = [];
    let bytesOfAll = 0;
    for (const place of placesOf(level)) {
      const start = performance.now();
      const answer = await fetch(`${root}/${place.join('/')}.vector.pbf`, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      times.push(performance.now() - start);
      if (answer.status !== 200) throw new Error(`${place.join('/')}: ${answer.status}`);
      bytesOfAll += bytes.length;
    }
    if (level === STARTING) {
      console.log(`start of the threads: ${times[0]!.toFixed(0)} ms`);
      continue;
    }
    console.log(
      `level ${level}: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; ${Math.round(bytesOfAll / times.length / 1000)} kB`,
    );
    all.push(...times);
  }
  const p95 = quantile(all, 0.95);
  console.log(
    `cold tiles: p50 ${quantile(all, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (target ${targetMs}): ${p95 <= targetMs ? 'met' : 'MISSED'}`,
  );
}

/**
 * Cold vector tiles of 202,500 polygons (BENCH_SIDE: of a row) at all levels over HTTP, those of many features drawn
 * ahead; BENCH_OVERVIEW=no: all drawn when they are asked for. Tiles in memory: `tiles-cached`.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-vector-tiles-'));
    try {
      const id = await plant(platform, folder);
      if (process.env.BENCH_OVERVIEW !== 'no') await overview(platform, id, folder);
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      await cold(`http://127.0.0.1:${await platform.port()}/api/vectortiles/dataset/${id}`, platform.headers);
      console.log(`longest pause of the event loop, which also sends the requests: ${(delay.max / 1e6).toFixed(0)} ms`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
