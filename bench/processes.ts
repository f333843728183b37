import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { API_FLAGS } from '../cli/node-flags.ts';
import type { BlobStore } from '../src/blobs/blobs.ts';
import { DiskStore } from '../src/blobs/disk.ts';
import { Database } from '../src/db.ts';
import { startLocalPostgres } from '../src/platform/postgres/local-postgres.ts';
import { migrate } from '../src/platform/postgres/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';

import { UNLIMITED } from './platform.ts';

const PASSWORD = 'Correct-horse-77';
const PROGRAM = fileURLToPath(new URL('../bin/platform', import.meta.url));
const CONNECTIONS = 10;
/** Concurrent conversions: the platform's default if there is enough memory. */
export const CONCURRENCY = availableParallelism() + 2;

/** The platform as in production: a database, and API and worker processes. */
export interface Processes {
  databaseUrl: string;
  /** Plain connections to the database. */
  pool: pg.Pool;
  /** Blobs of the processes; call it after the first launch, which makes the store theirs. */
  blobs(): Promise<BlobStore>;
  /** Logs warnings to standard error; if the settings contain a log level, to a file. */
  launch(command: 'serve' | 'work', settings?: Record<string, string>): Promise<BenchProcess>;
  /** Creates a second database on the same server, with the same tables. */
  anotherDatabase(): Promise<string>;
  /** CPU milliseconds of the database server so far; 0 unless on Linux. */
  databaseCpu(): Promise<number>;
}

export interface BenchProcess {
  address: string;
  pid: number;
  /** CPU milliseconds of the process and its descendants; 0 unless on Linux. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

export async function withProcesses(work: (processes: Processes) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  const pool = new pg.Pool({ connectionString: server.url, max: CONNECTIONS });
  const processes: BenchProcess[] = [];
  try {
    await fill(server.url);
    const { rows } = await pool.query('show data_directory');
    const postmaster = Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    await work({
      databaseUrl: server.url,
      pool,
      blobs: () => DiskStore.open(join(folder, 'blobs')),
      async launch(command, settings = {}) {
        const own = { PLATFORM_DATABASE_URL: server.url, PLATFORM_DATA: folder, PLATFORM_PORT: '0' };
        const env = { ...own, ...UNLIMITED, ...settings };
        const log = 'PLATFORM_LOG_LEVEL' in settings ? openSync(join(folder, `${command}.log`), 'a') : 'inherit';
        const started = await startProcess([...(command === 'serve' ? API_FLAGS : []), PROGRAM, command], env, log);
        if (typeof log === 'number') closeSync(log);
        processes.push(started);
        return started;
      },
      async anotherDatabase() {
        await pool.query('create database another');
        const url = new URL(server.url);
        url.pathname = '/another';
        await fill(url.href);
        return url.href;
      },
      databaseCpu: () => cpuOfTree(postmaster),
    });
  } finally {
    await Promise.all(processes.map((one) => one.stop()));
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(databaseUrl: string) {
  await migrate(databaseUrl);
  const db = new Database(databaseUrl, 2);
  await bootstrap(db, { accountId: 'bench', password: PASSWORD });
  await db.end();
}

/** Starts a Node program and waits for the IPC message that it is ready. */
export async function startProcess(
  args: readonly string[],
  env: Record<string, string>,
  log: number | 'inherit' = 'inherit',
): Promise<BenchProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', log, 'ipc'],
    env: { PLATFORM_LOG_LEVEL: 'warn', ...env },
  });
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args.join(' ')} ended with code ${code}.`))),
  ]);
  const pid = child.pid as number;
  return {
    address: (message as { address?: string }).address ?? '',
    pid,
    cpu: () => cpuOfTree(pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const TICK_MS = 10;

/** CPU milliseconds of a process, its descendants, and its ended children. */
export async function cpuOfTree(root: number): Promise<number> {
  const children = new Map<number, number[]>();
  const times = new Map<number, number>();
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(join('/proc', entry, 'stat'), 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const parent = fields[1] as number;
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
      times.set(Number(entry), fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS);
    } catch {
      // the process has just ended
    }
  }
  const sum = (pid: number): number =>
    (times.get(pid) ?? 0) + (children.get(pid) ?? []).reduce((all, child) => all + sum(child), 0);
  return sum(root);
}

export type Call = (
  method: string,
  path: string,
  body?: string | Buffer,
  headers?: Record<string, string>,
) => Promise<string>;

/** HTTP client with keep-alive connections. Rejects for any status but 2xx. */
export function caller(address: string, connections = CONNECTIONS): Call {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (method, path, body = '', headers = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(path, address);
      const outgoing = request(
        url,
        { method, agent, headers: { 'content-length': Buffer.byteLength(body), ...headers } },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('end', () => {
            if (Math.floor((incoming.statusCode ?? 0) / 100) === 2) resolve(text);
            else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${text}`));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/** Request for a no-op transfer, which copies an uploaded file of a kilobyte to a dataset. */
export interface Submission {
  body: string;
  headers: Record<string, string>;
  projectId: string;
}
export const SUBMIT_PATH = '/api/conversion/upload-convert';

/** Signs in, creates a project and uploads `content`. */
export async function prepareSubmission(call: Call, content = Buffer.alloc(1024, 'x')): Promise<Submission> {
  const json = { 'content-type': 'application/json' };
  const login = JSON.parse(
    await call('POST', '/api/tokens', JSON.stringify({ id: 'bench', password: PASSWORD }), json),
  );
  const headers = { ...json, authorization: `Bearer ${login.accessToken.token}` };
  const project = JSON.parse(await call('POST', '/api/metadata/project', JSON.stringify({ name: 'bench' }), headers));
  const { data } = JSON.parse(await call('GET', '/api/conversion/transfer/upload-url', '', headers));
  const { pathname, search } = new URL(data);
  await call('PUT', `${pathname}${search}`, content);
  const body = JSON.stringify({
    projectId: project.id,
    originalFileName: 'file.txt',
    uploadUrl: data,
    outputDatasetData: { name: 'file.txt' },
    readerName: 'FileReader',
    writerName: 'FileWriter',
  });
  return { body, headers, projectId: project.id };
}

const SIDE = 40;

/** An ASCII grid of about 10 kB. */
export function smallGrid(): Buffer<ArrayBuffer> {
  const row = Array.from({ length: SIDE }, (_, n) => (100 + Math.sin(n) * 9).toFixed(2)).join(' ');
  const header = `ncols ${SIDE}\nnrows ${SIDE}\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n`;
  return Buffer.from(header + `${row}\n`.repeat(SIDE));
}

/** The import of a small grid as GeoTIFF. */
export async function prepareConversion(call: Call, content = smallGrid()): Promise<Submission> {
  const copy = await prepareSubmission(call, content);
  const body = JSON.stringify({
    ...JSON.parse(copy.body),
    originalFileName: 'lower.asc',
    outputDatasetData: { name: 'lower' },
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
  });
  return { ...copy, body };
}

/** Runs `work` `count` times, with `clients` runs at a time. */
export async function times(count: number, clients: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: clients }, client));
}
