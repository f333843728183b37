import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import type { Feature, FeatureCollection } from '../src/files/data/feature-collection.ts';
import { gisWriter } from '../src/files/formats/flatgeobuf/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { quantile } from './arrivals.ts';
import { type BenchPlatform, withPlatform } from './platform.ts';

const count = 1_000_000;
const found = 1000;
const rounds = 20;
const perRound = 10;
/** Side of the square that contains the features, in degrees. */
const side = 40;
/** Side of a box with about `found` features. */
const boxSide = side * Math.sqrt(found / count);

function* chunks(): Generator<readonly Feature[]> {
  const perChunk = 1000;
  for (let first = 0; first < count; first += perChunk)
    yield Array.from({ length: perChunk }, (_, k): Feature => {
      const n = first + k;
      const [x, y, r] = [Math.random() * side, Math.random() * side, 0.002];
      const coordinates = Float64Array.of(x, y, x + r, y, x + r, y + r, x, y + r, x, y);
      const values = [n, `Building ${n}`, Math.random() * 100, ['house', 'barn', 'shed'][n % 3], n % 2 === 0];
      return { values, geometry: { type: 'Polygon', coordinates, parts: new Uint32Array(1) } };
    });
}

async function writeStore(path: string, scratch: string): Promise<void> {
  const data: FeatureCollection = {
    kind: 'features',
    crs: { authority: 'EPSG', code: 4326 },
    fields: [
      { name: 'n', type: 'integer' },
      { name: 'name', type: 'string' },
      { name: 'height', type: 'real' },
      { name: 'use', type: 'string' },
      { name: 'old', type: 'boolean' },
    ],
    hasZ: false,
    hasM: false,
    async *chunks() {
      yield* chunks();
    },
  };
  const closing: (() => Promise<void>)[] = [];
  const sink = await FileSink.create(path);
  await gisWriter.write(data, {}, sink, {
    signal: new AbortController().signal,
    scratch,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd: (close) => void closing.push(close),
  });
  await sink.close();
  for (const close of closing) await close();
}

/** Answers lines `west,south,east,north` with milliseconds and number of features. */
const peer = `
import json, sys, time
try:
    import pyogrio
    from pyogrio.raw import read
except ImportError:
    sys.exit('pyogrio is missing')
print(pyogrio.__gdal_version_string__, flush=True)
for line in sys.stdin:
    how, box = line.split()
    box = tuple(map(float, box.split(',')))
    start = time.perf_counter()
    if how == 'read':
        n = len(read(sys.argv[1], bbox=box)[2])
    else:
        frame = pyogrio.read_dataframe(sys.argv[1], bbox=box)
        n = len(frame); frame.to_json()
    print((time.perf_counter() - start) * 1000, n, flush=True)
`;

function openPeer(python: string, path: string) {
  const child = spawn(python, ['-W', 'ignore', '-c', peer, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name: async () => String((await lines.next()).value),
    async ask(how: string, box: string): Promise<[ms: number, features: number]> {
      child.stdin.write(`${how} ${box}\n`);
      const [ms, features] = String((await lines.next()).value)
        .split(' ')
        .map(Number);
      return [ms!, features!];
    },
    close: () => child.stdin.end(),
  };
}

/** Milliseconds to the last byte, and the answer. */
function get(agent: Agent, url: string, headers: Record<string, string>): Promise<[ms: number, body: string]> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const ms = performance.now() - start;
        const body = Buffer.concat(parts).toString();
        if (answer.statusCode === 200) resolve([ms, body]);
        else reject(new Error(body));
      });
    })
      .on('error', reject)
      .end();
  });
}

async function plant(
  { app, pool, blobs, headers, userId }: BenchPlatform,
  file: string,
  size: number,
): Promise<string> {
  const project = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload: { name: 'gis' } });
  const [id, blob] = [randomUUID(), `dataset/${randomUUID()}`];
  await blobs.adopt(file, blob);
  await pool.query(
    `insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     values ($1, $2, 'buildings', 'gisvectordata', 'gis', $3, $4, $5, $5)`,
    [id, project.json().id, blob, size, userId],
  );
  return id;
}

/**
 * 1,000 features out of 10^6 by a box, as GeoJSON over HTTP, in turns with GDAL on the same FlatGeobuf without HTTP:
 * reading alone, and through geopandas to GeoJSON. Target: p95 ≤ 30 ms. Then a page of 10,000 features, with the delay
 * of the event loop meanwhile. BENCH_PYTHON: a Python with pyogrio and geopandas.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-gis-'));
    const agent = new Agent({ keepAlive: true });
    try {
      const file = join(folder, 'store.fgb');
      await writeStore(file, folder);
      const { size } = await stat(file);
      console.log(`${count} features in ${(size / 1e6).toFixed(0)} MB`);
      const copy = join(folder, 'copy.fgb');
      await link(file, copy);
      const id = await plant(platform, file, size);
      const python = process.env.BENCH_PYTHON;
      if (python === undefined) console.log('NOT COMPARED: set BENCH_PYTHON to a Python that has pyogrio.');
      const gdal = python === undefined ? undefined : openPeer(python, copy);
      if (gdal) console.log(`GDAL ${await gdal.name()}`);
      const root = `http://127.0.0.1:${await platform.port()}/api/gis/dataset/${id}/feature`;
      const times: Record<string, number[]> = {};
      const note = (name: string, ms: number) => {
        times[name] = [...(times[name] ?? []), ms];
      };
      for (let round = 0; round <= rounds; round++)
        for (const [name, more] of [
          ['bbox', ''],
          ['bbox, crs=25832', '&crs=EPSG:25832'],
        ] as const) {
          const boxes = Array.from({ length: perRound }, () => {
            const [x, y] = [Math.random() * (side - boxSide), Math.random() * (side - boxSide)];
            return `${x},${y},${x + boxSide},${y + boxSide}`;
          });
          for (const box of boxes) {
            const [ms, body] = await get(agent, `${root}?bbox=${box}&limit=2000${more}`, platform.headers);
            const { numberReturned } = JSON.parse(body) as { numberReturned: number };
            if (round > 0) note(name, ms);
            if (!gdal || more !== '') continue;
            for (const how of ['read', 'geojson']) {
              const [theirs, features] = await gdal.ask(how, box);
              if (features !== numberReturned)
                throw new Error(`GDAL found ${features} features in ${box}, the platform ${numberReturned}.`);
              if (round > 0) note(`GDAL ${how}`, theirs);
            }
          }
        }
      gdal?.close();
      for (const [name, all] of Object.entries(times)) {
        const at = (q: number) => quantile(all, q).toFixed(1);
        console.log(`${name.padEnd(18)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (${all.length} queries)`);
      }
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const [ms, body] = await get(agent, `${root}?limit=10000`, platform.headers);
      delay.disable();
      console.log(
        `page of 10,000: ${ms.toFixed(0)} ms, ${(body.length / 1e6).toFixed(1)} MB, event loop delayed at most ${(delay.max / 1e6).toFixed(0)} ms`,
      );
      const [filtered] = await get(agent, `${root}?filter=name='none'`, platform.headers);
      console.log(`filter without a match over all features: ${filtered.toFixed(0)} ms`);
    } finally {
      agent.destroy();
      await rm(folder, { recursive: true });
    }
  });
