import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { type BenchPlatform, withPlatform } from './platform.ts';

const UPLOAD = 1_000_000;
const UPLOADS = 10;
const HOUR = 3_600_000;
const YEAR_HOURS = 8760;
const READS = 200;
/** 10⁷ hours are 1141 years. */
const START = Date.parse('0880-01-01T00:00:00Z');

const text = (hour: number) => new Date(START + hour * HOUR).toISOString().slice(0, 19);

/** Hourly values of a gauge with three decimals, as a logger writes them. */
async function writeCsv(path: string, from: number): Promise<void> {
  const file = createWriteStream(path);
  for (let hour = from; hour < from + UPLOAD; ) {
    const lines: string[] = [];
    for (const end = Math.min(hour + 10_000, from + UPLOAD); hour < end; hour++)
      lines.push(`${text(hour)};${(10 + 5 * Math.sin(hour / 50) + ((hour * 7919) % 1000) / 1000).toFixed(3)}\n`);
    if (!file.write(lines.join(''))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** Plain rows, the usual way without this service. */
const PEERS = {
  'B-tree': 'primary key (series, time)',
  BRIN: undefined,
} as const;
type Peer = keyof typeof PEERS;
const tableOf = (peer: Peer) => `rows_${peer === 'BRIN' ? 'brin' : 'btree'}`;

async function createPeers({ pool }: BenchPlatform): Promise<void> {
  for (const [peer, key] of Object.entries(PEERS) as [Peer, string | undefined][]) {
    const columns = ['series int not null default 1', 'time timestamp not null', 'value double precision'];
    await pool.query(`create table ${tableOf(peer)} (${[...columns, ...(key ? [key] : [])].join(', ')})`);
    if (!key) await pool.query(`create index on ${tableOf(peer)} using brin (time) with (pages_per_range = 32)`);
  }
}

interface Series {
  url: string;
  headers: Record<string, string>;
}

async function createSeries({ headers, port }: BenchPlatform): Promise<Series> {
  const base = `http://127.0.0.1:${await port()}`;
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const asked = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${base}${path}`, {
      ...asked,
      headers: { ...headers, 'content-type': 'application/json', ...more },
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const project = await post('/api/metadata/project', { name: 'bench' });
  const dataset = await post(
    '/api/ts/dataset',
    { datasetProperties: { name: 'bench' } },
    { 'svc-project-id': project.id },
  );
  const item = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
  const path = `/api/ts/dataset/${dataset.id}/timeseries`;
  const { id } = await post(path, { item });
  return { url: `${base}${path}/${id}`, headers };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Uploads in turns, each after the other's. Gives the seconds of each. */
async function uploads({ pool }: BenchPlatform, { url, headers }: Series, folder: string) {
  const path = join(folder, 'values.csv');
  const times: Record<'ours' | Peer, number[]> = { ours: [], 'B-tree': [], BRIN: [] };
  for (let round = 0; round < UPLOADS; round++) {
    await writeCsv(path, round * UPLOAD);
    await chmod(path, 0o644);
    const body = await readFile(path);
    times.ours.push(
      await seconds(async () => {
        const answer = await fetch(`${url}/upload/csv`, {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': 'text/csv' },
        });
        if (answer.status !== 204) throw new Error(await answer.text());
      }),
    );
    for (const peer of Object.keys(PEERS) as Peer[])
      times[peer].push(
        await seconds(() => pool.query(`copy ${tableOf(peer)} (time, value) from '${path}' with (delimiter ';')`)),
      );
  }
  return times;
}

/** A route with one statement, as the quickest service on plain rows would be. */
async function servePeer({ pool }: BenchPlatform, peer: Peer) {
  const app = Fastify();
  app.get<{ Querystring: { from: string; to: string } }>('/values', async ({ query: { from, to } }) => ({
    data: (
      await pool.query({
        name: `bench ${peer}`,
        text: `select to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US"0"'), value from ${tableOf(peer)} where series = 1 and time between $1 and $2 order by time`,
        values: [from, to],
        rowMode: 'array',
      })
    ).rows,
  }));
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

async function readYear(url: string, headers: Record<string, string>, first: number): Promise<void> {
  const answer = await fetch(`${url}/values?from=${text(first)}&to=${text(first + YEAR_HOURS - 1)}`, { headers });
  const { data } = (await answer.json()) as { data: unknown[] };
  if (data.length !== YEAR_HOURS) throw new Error(`${url}: ${data.length} values`);
}

async function reads(platform: BenchPlatform, { url, headers }: Series) {
  const peers = await Promise.all(
    (Object.keys(PEERS) as Peer[]).map(async (peer) => ({ peer, ...(await servePeer(platform, peer)) })),
  );
  const times: Record<'ours' | Peer, number[]> = { ours: [], 'B-tree': [], BRIN: [] };
  const last = UPLOADS * UPLOAD - YEAR_HOURS;
  try {
    for (let n = 0; n < READS; n++) {
      // other years each time, so that no answer is cached
      const first = Math.floor((n * 0.618034 * last) % last);
      times.ours.push(await seconds(() => readYear(url, headers, first)));
      for (const { peer, url: other } of peers) times[peer].push(await seconds(() => readYear(other, {}, first)));
    }
  } finally {
    for (const { close } of peers) await close();
  }
  return times;
}

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] as number;

function print(
  what: string,
  unit: [factor: number, name: string],
  share: number,
  times: Record<'ours' | Peer, number[]>,
) {
  const [factor, name] = unit;
  const ours = at(times.ours, share);
  for (const [who, each] of Object.entries(times)) {
    const ratio = who === 'ours' ? '' : `  ours: ${(ours / at(each, share)).toFixed(2)} × its time`;
    console.log(
      `  ${what} ${who.padEnd(6)} median ${(at(each, 0.5) * factor).toFixed(1)} ${name}, p95 ${(at(each, 0.95) * factor).toFixed(1)} ${name}${ratio}`,
    );
  }
}

/**
 * The time series service against plain rows in the same Postgres, with a B-tree and with a BRIN. Targets: an upload of
 * 10⁶ values as CSV ≤ 4 s; a year of hours out of 10⁷ values p95 ≤ 20 ms.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-ts-'));
  await chmod(folder, 0o755);
  try {
    await withPlatform(async (platform) => {
      await createPeers(platform);
      const series = await createSeries(platform);
      console.log(`${UPLOADS} uploads of ${UPLOAD} hourly values: CSV over HTTP; peers: COPY of the same file`);
      print('upload', [1, 's'], 0.5, await uploads(platform, series, folder));
      await platform.pool.query('vacuum analyze');
      console.log(
        `${READS} years of hours out of ${UPLOADS * UPLOAD} values, as JSON over HTTP; peers: one statement in a bare route`,
      );
      print('year', [1000, 'ms'], 0.95, await reads(platform, series));
      for (const table of ['ts_blocks', ...(Object.keys(PEERS) as Peer[]).map(tableOf)]) {
        const { rows } = await platform.pool.query('select pg_total_relation_size($1::regclass)::float8 as bytes', [
          table,
        ]);
        console.log(`  ${table.padEnd(10)} ${(rows[0].bytes / (UPLOADS * UPLOAD)).toFixed(2)} bytes per value`);
      }
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
