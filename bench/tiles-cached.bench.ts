import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Feature } from '../src/files/data/feature-collection.ts';
import { gisWriter } from '../src/files/formats/flatgeobuf/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { tilingWriter } from '../src/files/tiles/dataset/format.ts';
import { quietContext } from './made-data.ts';
import { parcelAt } from './parcels.ts';
import {
  type BenchProcess,
  type Call,
  caller,
  cpuOfTree,
  type Processes,
  prepareSubmission,
  startProcess,
  withProcesses,
} from './processes.ts';
import { wavesOf } from './waves.ts';
import { answersPerSecond } from './wrk.ts';

/** Polygons in rows of `side`. */
const side = 120;
const [west, south, across, up] = [5, 45, 0.075, 0.0525];
const vectorLevel = 9;
/** Cells of the raster along each side, 10 m. */
const cells = 1024;
const rasterLevel = 13;
const mostTiles = 32;
const [rounds, seconds, connections] = [5, 3, 16];
const targets = { martin: 0.4, mapproxy: 5 };
const bare = fileURLToPath(new URL('bare-tiles.ts', import.meta.url));

const parcels = {
  kind: 'features',
  crs: { authority: 'EPSG', code: 4326 },
  fields: [
    { name: 'n', type: 'integer' },
    { name: 'name', type: 'string' },
    { name: 'use', type: 'string' },
  ],
  hasZ: false,
  hasM: false,
  async *chunks(): AsyncGenerator<readonly Feature[]> {
    for (let row = 0; row < side; row++)
      yield Array.from({ length: side }, (_, column): Feature => {
        const [x, y] = [west + (column + 0.5) * across, south + (row + 0.5) * up];
        const n = row * side + column;
        return {
          values: [n, `parcel ${n}`, ['field', 'wood', 'water'][n % 3]],
          geometry: parcelAt([x, y], [across, up]),
        };
      });
  },
} as const;

/** A tile by its path below the address of the platform, and by zoom level, column and row. */
interface Tile {
  readonly path: string;
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly body: Buffer;
  /** Headers of the platform's answer, without those that Node adds. */
  readonly headers: readonly string[];
}

interface Scene {
  readonly api: BenchProcess;
  readonly headers: Record<string, string>;
  readonly folder: string;
  readonly databaseCpu: () => Promise<number>;
}

async function plant(
  { pool, blobs }: Processes,
  projectId: string,
  folder: string,
  dataset: { type: string; format: string },
  write: (sink: FileSink, context: ReturnType<typeof quietContext>) => Promise<unknown>,
): Promise<string> {
  const file = join(folder, dataset.format);
  const sink = await FileSink.create(file, { checksum: false });
  await using open = new AsyncDisposableStack();
  await write(sink, {
    ...quietContext(),
    scratch: folder,
    threads: 1,
    onEnd: (close: () => Promise<void>) => open.defer(close),
  });
  await sink.flush();
  await sink.close();
  const { size } = await stat(file);
  const [id, blob] = [randomUUID(), `dataset/${randomUUID()}`];
  await (await blobs()).adopt(file, blob);
  await pool.query(
    `insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     select $1, id, 'tiles', $2, $3, $4, $5, created_by, created_by from projects where id = $6`,
    [id, dataset.type, dataset.format, blob, size, projectId],
  );
  return id;
}

/** The tiles around a place that have data. */
async function tilesAround(
  { api, headers }: Scene,
  level: number,
  [longitude, latitude]: readonly [number, number],
  pathOf: (x: number, y: number) => string,
): Promise<Tile[]> {
  const found: Tile[] = [];
  const turn = (latitude * Math.PI) / 180;
  const left = Math.floor(((longitude + 180) / 360) * 2 ** level);
  const top = Math.floor(((1 - Math.asinh(Math.tan(turn)) / Math.PI) / 2) * 2 ** level);
  for (let n = 0; found.length < mostTiles && n < 8 * mostTiles; n++) {
    const [x, y] = [left + (n % 8) - 3, top + Math.floor(n / 8) - 4];
    const path = pathOf(x, y);
    const answer = await fetch(`${api.address}${path}`, { headers, redirect: 'error' });
    if (answer.status === 204) continue;
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const fields = [...answer.headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
    // fetch unzips: the bytes as they are sent come from a client that does not
    found.push({ path, z: level, x, y, headers: fields.flat(), body: await rawBody(`${api.address}${path}`, headers) });
  }
  return found;
}

async function rawBody(url: string, headers: Record<string, string>): Promise<Buffer> {
  const { get } = await import('node:http');
  const parts: Buffer[] = [];
  const [answer] = await once(get(url, { headers, agent: false }), 'response');
  for await (const part of answer) parts.push(part);
  return Buffer.concat(parts);
}

/** A server beside ours. */
interface Peer extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  pathOf(tile: Tile): string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function peerOf(name: string, child: ChildProcess, port: number, pathOf: Peer['pathOf']): Peer {
  return {
    name,
    address: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    pathOf,
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** MBTiles with these tiles. */
function mbtiles(file: string, tiles: readonly Tile[], metadata: Record<string, string>) {
  const db = new DatabaseSync(file);
  db.exec(`create table metadata (name text, value text);
    create table tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    create unique index tile on tiles (zoom_level, tile_column, tile_row)`);
  const tell = db.prepare('insert into metadata values (?, ?)');
  for (const [name, value] of Object.entries(metadata)) tell.run(name, value);
  const insert = db.prepare('insert into tiles values (?, ?, ?, ?)');
  for (const { z, x, y, body } of tiles) insert.run(z, x, 2 ** z - 1 - y, body);
  db.close();
}

/** martin without a log, with its cache of tiles. */
async function openMartin(program: string, folder: string, tiles: readonly Tile[]): Promise<Peer> {
  const file = join(folder, 'parcels.mbtiles');
  mbtiles(file, tiles, {
    name: 'parcels',
    format: 'pbf',
    json: '{"vector_layers":[{"id":"features","fields":{}}]}',
  });
  const port = await freePort();
  const child = spawn(program, ['--listen-addresses', `127.0.0.1:${port}`, '--workers', '1', file], {
    stdio: 'ignore',
    env: { ...process.env, RUST_LOG: 'off' },
  });
  return peerOf('martin', child, port, ({ z, x, y }) => `/parcels/${z}/${x}/${y}`);
}

/**
 * MapProxy in uWSGI, one process, with a finished cache of files. Each answer ends its connection: kept open, uWSGI
 * needs twice the CPU per request, and gunicorn and waitress 2.5 times.
 */
async function openMapProxy(python: string, folder: string, tiles: readonly Tile[]): Promise<Peer> {
  const cache = join(folder, 'mapproxy');
  for (const { z, x, y, body } of tiles) {
    const file = join(cache, String(z), String(x), `${y}.png`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
  await writeFile(
    join(folder, 'mapproxy.yaml'),
    JSON.stringify({
      services: { tms: { use_grid_names: true, origin: 'nw' } },
      layers: [{ name: 'level', title: 'Level', sources: ['level'] }],
      grids: { web: { base: 'GLOBAL_WEBMERCATOR', origin: 'nw' } },
      caches: {
        level: {
          grids: ['web'],
          sources: [],
          format: 'image/png',
          cache: { type: 'file', directory: cache, directory_layout: 'tms' },
        },
      },
    }),
  );
  await writeFile(
    join(folder, 'mapproxy_app.py'),
    `from mapproxy.wsgiapp import make_wsgi_app\napplication = make_wsgi_app(${JSON.stringify(join(folder, 'mapproxy.yaml'))})\n`,
  );
  const port = await freePort();
  const child = spawn(
    join(dirname(python), 'uwsgi'),
    [
      ...['--http-socket', `127.0.0.1:${port}`, '--add-header', 'Connection: close', '--processes', '1', '--master'],
      ...['--disable-logging', '--die-on-term', '--need-app', '--home', dirname(dirname(python))],
      ...['--chdir', folder, '--wsgi-file', 'mapproxy_app.py'],
    ],
    { stdio: 'ignore' },
  );
  return peerOf('MapProxy', child, port, ({ z, x, y }) => `/tiles/level/web/${z}/${x}/${y}.png`);
}

/** Waits until the peer answers, and compares its tiles with ours. */
async function checkSame(peer: Peer, tiles: readonly Tile[], headers: Record<string, string>) {
  for (let n = 0; ; n++) {
    const answer = await fetch(`${peer.address}${peer.pathOf(tiles[0]!)}`, { headers }).catch(() => undefined);
    if (answer?.ok) break;
    if (n > 100) throw new Error(`${peer.name} does not answer: ${answer?.status} ${await answer?.text()}`);
    await sleep(100);
  }
  for (const tile of tiles)
    if (!tile.body.equals(await rawBody(`${peer.address}${peer.pathOf(tile)}`, headers)))
      throw new Error(`${peer.name} sends other bytes for ${tile.path}.`);
}

/**
 * Ours, a peer and the ceiling in turns: requests per second with wrk, and per second of CPU of the process. Ours is
 * also told with the CPU of the database.
 */
async function compare(scene: Scene, tiles: readonly Tile[], peer: Peer | undefined, target: number) {
  const { api, headers, folder, databaseCpu } = scene;
  const file = join(folder, 'bare.json');
  const answers = tiles.map(({ path, headers: fields, body }) => [
    path,
    { headers: fields, body: body.toString('base64') },
  ]);
  await writeFile(file, JSON.stringify(Object.fromEntries(answers)));
  const ceiling = await startProcess([bare, file], {});
  const encoding = { 'accept-encoding': headers['accept-encoding'] ?? 'identity' };
  const mean = tiles.reduce((sum, { body }) => sum + body.length, 0) / tiles.length;
  console.log(`${tiles.length} tiles of ${Math.round(mean)} bytes`);
  const paths = tiles.map(({ path }) => path);
  const contenders = [
    { name: 'ours', url: api.address, pid: api.pid, paths, headers },
    ...(peer
      ? [{ name: peer.name, url: peer.address, pid: peer.pid, paths: tiles.map(peer.pathOf), headers: encoding }]
      : []),
    { name: 'Node alone', url: ceiling.address, pid: ceiling.pid, paths, headers },
  ];
  const all = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  try {
    for (let round = -1; round < rounds; round++) {
      const figures: string[] = [];
      for (const { name, pid, ...load } of contenders) {
        const [before, databaseBefore] = [await cpuOfTree(pid), await databaseCpu()];
        const perSecond = await answersPerSecond({ ...load, connections, seconds: round < 0 ? 1 : seconds });
        const cpu = (await cpuOfTree(pid)) - before;
        const perCpu = (perSecond * seconds * 1000) / cpu;
        const database = name === 'ours' ? `, database ${(await databaseCpu()) - databaseBefore} ms` : '';
        figures.push(`${name} ${Math.round(perSecond)} requests/s, ${Math.round(perCpu)} per CPU second${database}`);
        if (round >= 0) all.get(name)!.push(perCpu);
      }
      // the first round warms up
      if (round >= 0) console.log(figures.join('; '));
    }
  } finally {
    await ceiling.stop();
  }
  const ratio = (other: string) =>
    all
      .get('ours')!
      .map((own, n) => own / all.get(other)![n]!)
      .toSorted((one, two) => one - two)[rounds >> 1]!;
  console.log(`median ratio to Node alone ${ratio('Node alone').toFixed(2)}`);
  if (peer === undefined) return;
  const median = ratio(peer.name);
  console.log(
    `median ratio to ${peer.name} ${median.toFixed(2)} (target ${target}): ${median >= target ? 'met' : 'MISSED'}`,
  );
}

/**
 * Tiles that are in memory, of the API as it is served (log of level info in a file, token and right checked): vector
 * tiles beside martin with the same bytes from MBTiles, raster tiles beside MapProxy with the same files, both beside a
 * server of Node alone. BENCH_MARTIN: the program martin. BENCH_PYTHON: a Python with mapproxy and uwsgi.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-tiles-cached-'));
    try {
      const api = await processes.launch('serve', { PLATFORM_LOG_LEVEL: 'info' });
      const call: Call = caller(api.address, 1);
      const { projectId, headers: own } = await prepareSubmission(call);
      const token = { authorization: own.authorization! };
      const { databaseCpu } = processes;

      const features = await plant(
        processes,
        projectId,
        folder,
        { type: 'gisvectordata', format: 'gis' },
        (sink, context) => gisWriter.write(parcels, {}, sink, context),
      );
      const gzip = { api, folder, databaseCpu, headers: { ...token, 'accept-encoding': 'gzip' } };
      const place = [west + (side * across) / 2, south + (side * up) / 2] as const;
      const vector = await tilesAround(
        gzip,
        vectorLevel,
        place,
        (x, y) => `/api/vectortiles/dataset/${features}/${vectorLevel}/${x}/${y}.vector.pbf`,
      );
      console.log('vector tiles, gzipped');
      const program = process.env.BENCH_MARTIN;
      if (program === undefined) console.log('NOT COMPARED: set BENCH_MARTIN to the program martin.');
      {
        await using martin = program === undefined ? undefined : await openMartin(program, folder, vector);
        if (martin) await checkSame(martin, vector, { 'accept-encoding': 'gzip' });
        await compare(gzip, vector, martin, targets.martin);
      }

      const scheme = { schemeId: 'level', schemeType: 'XYZ', minValue: -2, maxValue: 2 };
      const rasters = await plant(processes, projectId, folder, { type: 'tiles', format: 'tiles' }, (sink, context) =>
        tilingWriter.write(wavesOf(cells), { TilingSchemes: [scheme] }, sink, context),
      );
      const plain = { api, folder, databaseCpu, headers: token };
      const raster = await tilesAround(
        plain,
        rasterLevel,
        [9.08, 54.45],
        (x, y) => `/api/tiles/dataset/${rasters}/scheme/level/${rasterLevel}/${y}/${x}`,
      );
      console.log('raster tiles, PNG');
      const python = process.env.BENCH_PYTHON;
      if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has mapproxy and uwsgi.');
      {
        await using mapproxy = python === undefined ? undefined : await openMapProxy(python, folder, raster);
        if (mapproxy) await checkSame(mapproxy, raster, {});
        await compare(plain, raster, mapproxy, targets.mapproxy);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
