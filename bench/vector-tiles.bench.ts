import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Feature } from '../src/data/feature-collection.ts';
import { gisWriter } from '../src/formats/flatgeobuf/format.ts';
import { FileSink } from '../src/formats/io/bytes.ts';
import { quantile } from './arrivals.ts';
import { quietContext } from './made-data.ts';
import type { BenchPlatform } from './platform.ts';
import { withPlatform } from './platform.ts';
import { answersPerSecond } from './wrk.ts';

/** Polygons in rows of `side`, each of 12 corners, about 1.4 km from the next. */
const side = 450;
const [west, south, across, up] = [5, 45, 0.02, 0.014];
const levels = [0, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14];
/** Its tiles start the threads. */
const STARTING = 15;
const tilesPerLevel = 4;
const rounds = 3;
const seconds = 3;
/** Of a tile that no one has asked for before. */
const targetMs = 150;
const targetRatio = 1;

function* parcels(): Generator<readonly Feature[]> {
  for (let row = 0; row < side; row++)
    yield Array.from({ length: side }, (_, column): Feature => {
      const [x, y] = [west + (column + 0.5) * across, south + (row + 0.5) * up];
      const coordinates = Float64Array.from({ length: 26 }, (_, i) => {
        const angle = (2 * Math.PI * ((i >> 1) % 12)) / 12;
        return i % 2 === 0 ? x + 0.45 * across * Math.cos(angle) : y + 0.45 * up * Math.sin(angle);
      });
      const n = row * side + column;
      const values = [n, `parcel ${n}`, n * 1.5, ['field', 'wood', 'water'][n % 3]];
      return { values, geometry: { type: 'Polygon', coordinates, parts: new Uint32Array(1) } };
    });
}

async function plant({ app, pool, blobs, headers, userId }: BenchPlatform, folder: string): Promise<string> {
  const file = join(folder, 'store.fgb');
  const sink = await FileSink.create(file, { checksum: false });
  await using open = new AsyncDisposableStack();
  const context = { ...quietContext(), scratch: folder, onEnd: (close: () => Promise<void>) => open.defer(close) };
  const fields = [
    { name: 'n', type: 'integer' },
    { name: 'name', type: 'string' },
    { name: 'area', type: 'real' },
    { name: 'use', type: 'string' },
  ] as const;
  const data = { kind: 'features', crs: { authority: 'EPSG', code: 4326 }, fields, hasZ: false, hasM: false } as const;
  await gisWriter.write(
    {
      ...data,
      async *chunks() {
        yield* parcels();
      },
    },
    {},
    sink,
    context,
  );
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
  return id;
}

type Place = readonly [level: number, column: number, row: number];

/** Tiles of a level around places inside of the parcels, each once. */
function placesOf(level: number): Place[] {
  const found = new Map<string, Place>();
  for (let n = 0; n < tilesPerLevel; n++) {
    const longitude = west + (0.1 + 0.8 * Math.random()) * side * across;
    const latitude = ((south + (0.1 + 0.8 * Math.random()) * side * up) * Math.PI) / 180;
    const column = Math.floor(((longitude + 180) / 360) * 2 ** level);
    const row = Math.floor(((1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2) * 2 ** level);
    found.set(`${column} ${row}`, [level, column, row]);
  }
  return [...found.values()];
}

/** The first requests of tiles of all levels, one after the other. Returns a tile of level 10. */
async function cold(root: string, headers: Record<string, string>) {
  const all: number[] = [];
  let kept: { place: Place; tile: Buffer } | undefined;
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
      if (level === 10) kept = { place, tile: bytes };
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
  return kept!;
}

/** martin with an MBTiles file of one tile. */
async function openMartin(
  program: string,
  folder: string,
  { place: [level, column, row], tile }: { place: Place; tile: Uint8Array },
) {
  const file = join(folder, 'parcels.mbtiles');
  const db = new DatabaseSync(file);
  db.exec(`create table metadata (name text, value text);
    create table tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    create unique index tile on tiles (zoom_level, tile_column, tile_row)`);
  const tell = db.prepare('insert into metadata values (?, ?)');
  for (const [name, value] of [
    ['name', 'parcels'],
    ['format', 'pbf'],
    ['json', '{"vector_layers":[{"id":"features","fields":{}}]}'],
  ] as const)
    tell.run(name, value);
  db.prepare('insert into tiles values (?, ?, ?, ?)').run(level, column, 2 ** level - 1 - row, tile);
  db.close();
  const port = await freePort();
  const child = spawn(program, ['--listen-addresses', `127.0.0.1:${port}`, '--workers', '1', file], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/parcels/${level}/${column}/${row}`;
  for (let n = 0; ; n++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) break;
    if (n > 100) throw new Error(`martin does not answer: ${answer?.status}`);
    await setTimeout(100);
  }
  return {
    url,
    async cpu() {
      const [, rest] = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ');
      const fields = rest!.split(' ');
      return 10 * (Number(fields[11]) + Number(fields[12]));
    },
    [Symbol.asyncDispose]: async () => void child.kill(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Cold vector tiles of 202,500 polygons at all levels over HTTP; then a tile in memory beside martin with the same bytes
 * from MBTiles, in turns: requests per second with wrk, and per second of CPU of the process alone. The platform checks
 * the token and the right to the dataset in the database for each of them; martin checks nothing.
 * BENCH_MARTIN: the program martin.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-vector-tiles-'));
    try {
      const id = await plant(platform, folder);
      const root = `http://127.0.0.1:${await platform.port()}/api/vectortiles/dataset/${id}`;
      const kept = await cold(root, platform.headers);
      const program = process.env.BENCH_MARTIN;
      if (program === undefined) return console.log('NOT COMPARED: set BENCH_MARTIN to the program martin.');
      const ours = `${root}/${kept.place.join('/')}.vector.pbf`;
      const headers = { ...platform.headers, 'accept-encoding': 'gzip' };
      const stored = Buffer.from(await (await fetch(ours, { headers: platform.headers })).arrayBuffer());
      await using martin = await openMartin(program, folder, { ...kept, tile: gzipSync(stored) });
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const before = process.cpuUsage();
        const own = await answersPerSecond({ url: ours, headers, connections: 16, seconds });
        const { user, system } = process.cpuUsage(before);
        const cpuBefore = await martin.cpu();
        const peer = await answersPerSecond({
          url: martin.url,
          headers: { 'accept-encoding': 'gzip' },
          connections: 16,
          seconds,
        });
        const theirs = (await martin.cpu()) - cpuBefore;
        const [perCpu, peerPerCpu] = [(own * seconds * 1e6) / (user + system), (peer * seconds * 1e3) / theirs];
        ratios.push(perCpu / peerPerCpu);
        console.log(
          `cached: ${Math.round(own)} requests/s, ${Math.round(perCpu)} per CPU second; martin ${Math.round(peer)}, ${Math.round(peerPerCpu)}; ratio of CPU ${ratios.at(-1)!.toFixed(2)}`,
        );
      }
      const median = ratios.toSorted((one, other) => one - other)[1]!;
      console.log(
        `median ratio ${median.toFixed(2)} (target ${targetRatio}): ${median >= targetRatio ? 'met' : 'MISSED'}`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
