import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { openAccountStore } from '../../../src/accounts/open-store.ts';
import { Passwords } from '../../../src/accounts/password.ts';
import { loadConfig } from '../../../src/config.ts';
import { Database } from '../../../src/db.ts';
import { type LocalPostgres, startLocalPostgres } from '../../../src/platform/postgres/local-postgres.ts';
import { migrate } from '../../../src/platform/postgres/migrate.ts';
import { bootstrap } from '../../../src/tenants/bootstrap.ts';
import { putMember } from '../../../src/tenants/members.queries.ts';
import { insertTenant } from '../../../src/tenants/queries.ts';
import { AccessTokens } from '../../../src/tokens/access.ts';
import { findIdentity, insertFamily } from '../../../src/tokens/queries.ts';
import { dataFolder } from '../../world/database.ts';
import { type ServerProcess, startServer } from '../../world/server.ts';
import { startWorker, type WorkerProcess } from '../../world/worker.ts';
import { PASSWORD, PASSWORD_ITERATIONS } from '../../world.ts';
import { WITNESS } from './invariants.ts';

/**
 * A platform of processes on a database server of its own, which may all be killed: what ends is started again, as an
 * operator's supervisor would.
 */
export interface Platform {
  readonly url: string;
  readonly folder: string;
  /** Address of the API, whichever process serves it. */
  readonly address: string;
  /** Access token of the first administrator, who owns both tenants. */
  readonly token: string;
  readonly tenantIds: readonly [string, string];
  readonly workers: ReadonlySet<WorkerProcess>;
  readonly api: () => ServerProcess | undefined;
  /** Runs a statement as soon as a database answers. Not for statements that must not run twice. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  restartPostgres(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Ends of processes that the test did not cause, and why. */
  readonly surprises: string[];
  /** Why processes ended before they were ready. */
  readonly failedStarts: readonly string[];
  /** Log lines of requests that were answered with 500: bugs. */
  readonly failures: string[];
  /** The test will end this process itself, so its end is not added to `surprises`. */
  expectEnd(process: WorkerProcess | ServerProcess): void;
  /** Starts or stops workers until there are this many. */
  setWorkers(count: number): void;
  /** Asks all workers to end, and waits. No others are started. */
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformOptions {
  workers: number;
  concurrency: number;
  /** Settings that are distributed evenly over the workers. */
  equipment?: readonly Record<string, string>[];
  /** Settings of all processes. */
  settings?: Record<string, string>;
}

const SETTINGS = {
  'log.level': 'warn',
  'tokens.accessLifetime': '1d',
  'loginDelay.first': '1ms',
  // as many at a time as was asked for, whatever machine this is
  'worker.memory': '1000000',
};
/** Name of the test's own connections, which are left alone. */
export const OWN_NAME = 'campaign';

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { workers: wanted, concurrency, equipment = [{}] } = options;
  const common = { ...SETTINGS, ...options.settings };
  const folder = await dataFolder('platform-campaign');
  const postgresFolder = join(folder, 'postgres');
  const settings = { fsync: 'off', max_connections: '400' };
  const startPostgres = () => startLocalPostgres(postgresFolder, { settings });
  let postgres: LocalPostgres = await startPostgres();
  const { url } = postgres;
  await migrate(url);
  await witness(url);
  const { token, tenantIds } = await makeAdministrator(url, folder);

  const own = new pg.Pool({ connectionString: url, max: 4, application_name: OWN_NAME });
  own.on('error', () => {});
  const place = { url, folder };
  const workers = new Set<WorkerProcess>();
  const expected = new Set<unknown>();
  const surprises: string[] = [];
  const apis: ServerProcess[] = [];
  /** How many there are of each equipment. */
  const equipped = equipment.map(() => 0);
  let target = wanted;
  let starting = 0;
  let open = true;
  let api: ServerProcess | undefined;
  let address = '';
  const failedStarts: string[] = [];

  const stopping = new Map<WorkerProcess, Promise<void>>();
  /** Asks a worker to end, and waits. Once: a second signal ends it before it has cleaned up. */
  function stopWorker(worker: WorkerProcess): Promise<void> {
    expected.add(worker);
    const stopped = stopping.get(worker) ?? worker.stop();
    stopping.set(worker, stopped);
    return stopped;
  }

  function keepWorkers() {
    while (open && workers.size + starting < target) {
      starting++;
      const at = equipped.indexOf(Math.min(...equipped));
      equipped[at]!++;
      void startWorker(place, { ...common, 'worker.concurrency': String(concurrency), ...equipment[at] })
        .then((worker) => {
          workers.add(worker);
          void worker.ended.then((end) => {
            workers.delete(worker);
            equipped[at]!--;
            if (!expected.has(worker)) surprises.push(`worker ${end.join(' ')}: ${lastWords(worker.output())}`);
            keepWorkers();
          });
          if (!open || workers.size > target) void stopWorker(worker);
        })
        .catch((error: Error) => {
          equipped[at]!--;
          failedStarts.push(`worker: ${lastWords(error.message)}`);
          return sleep(300);
        })
        .finally(() => {
          starting--;
          keepWorkers();
        });
    }
  }
  async function keepApi(): Promise<void> {
    while (open && api === undefined) {
      try {
        // not where it was before: somebody else may have taken that port meanwhile
        const started = await startServer(place, common);
        address = started.url;
        api = started;
        apis.push(started);
        void started.ended.then((end) => {
          api = undefined;
          if (!expected.has(started)) surprises.push(`api ${end.join(' ')}: ${lastWords(started.output())}`);
          apiStarting = keepApi();
        });
      } catch (error) {
        failedStarts.push(`api: ${lastWords((error as Error).message)}`);
        await sleep(300);
      }
    }
  }
  let apiStarting = keepApi();
  await apiStarting;
  keepWorkers();
  while (workers.size < target) await sleep(50);

  async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    for (let tries = 0; ; tries++) {
      try {
        return (await own.query(text, values)).rows as Row[];
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (/^(22|23|42|P0)/.test(code) || tries > 200) throw error;
        await sleep(100);
      }
    }
  }
  async function stopWorkers() {
    target = 0;
    while (starting > 0) await sleep(50);
    const stop = async (worker: WorkerProcess) => {
      await stopWorker(worker);
      const end = await worker.ended;
      if (end[0] !== 0) surprises.push(`worker, asked to end, ${end.join(' ')}: ${lastWords(worker.output())}`);
    };
    await Promise.all(Array.from(workers, stop));
  }

  return {
    ...place,
    token,
    tenantIds,
    workers,
    surprises,
    failedStarts,
    get failures() {
      return apis
        .flatMap((each) => each.output().split('\n'))
        .filter((line) => line.includes('"msg":"request failed"'));
    },
    sql,
    stopWorkers,
    get address() {
      return address;
    },
    api: () => api,
    expectEnd: (process) => void expected.add(process),
    setWorkers(count) {
      target = count;
      keepWorkers();
    },
    async restartPostgres(signal) {
      const lost = postgres.lost;
      process.kill(await postmasterOf(postgresFolder), signal);
      await lost;
      postgres = await startPostgres();
      if (postgres.url !== url) throw new Error(`Postgres went from ${url} to ${postgres.url}.`);
    },
    async close() {
      open = false;
      await apiStarting;
      for (const each of [...workers, ...(api ? [api] : [])]) {
        expected.add(each);
        each.process.kill('SIGKILL');
        await each.ended;
      }
      while (starting > 0) await sleep(50);
      await own.end();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function witness(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(WITNESS);
  await client.end();
}

async function makeAdministrator(url: string, folder: string): Promise<Pick<Platform, 'token' | 'tenantIds'>> {
  const config = loadConfig({ PLATFORM_DATA: folder, PLATFORM_TOKENS_ACCESS_LIFETIME: '1d' });
  const db = new Database(url, 2);
  const store = await openAccountStore(config, db, pino({ level: 'silent' }));
  const wanted = { accountId: 'root', password: PASSWORD };
  const { userId, tenantId } = await bootstrap(db, wanted, new Passwords(PASSWORD_ITERATIONS), { store });
  await store.close();
  const other = await db.transaction((tx) => insertTenant(tx, 'other', undefined));
  await db.transaction((tx) => putMember(tx, other.id, userId, 'Owner'));
  const identity = await findIdentity(db, userId);
  if (!identity) throw new Error('The first administrator is not there.');
  const login = await db.transaction((tx) =>
    insertFamily(tx, userId, {
      lifetimeMs: config['tokens.accessLifetime'],
      refreshes: false,
      origin: { address: '127.0.0.1' },
    }),
  );
  const { token } = await (await AccessTokens.open(db, config)).issue(identity, login);
  await db.end();
  return { token, tenantIds: [tenantId, other.id] };
}

const postmasterOf = async (folder: string) =>
  Number((await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);

/**
 * Why a process ended: what it logged as fatal, wherever that stands, or else the end of what it said, as of an error
 * nobody caught.
 */
function lastWords(output: string): string {
  const lines = output.trim().split('\n');
  const fatal = lines.find((line) => line.startsWith('{"level":60,'));
  return fatal === undefined ? lines.slice(-15).map(brief).join('\n') : brief(fatal);
}

/** Message of a log line. */
const brief = (line: string) => /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.slice(0, 300) ?? line.slice(0, 300);

/** Children of a process that still run. */
export async function childrenOf(parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '');
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(ppid) === parent && state !== 'Z') found.push(Number(entry));
  }
  return found;
}

/** Returns false if the process has just ended. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Processes that were started for this folder: it stands in what they were given. */
export async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const read = (file: string) => readFile(`/proc/${entry}/${file}`, 'latin1').catch(() => '');
    const command = await read('cmdline');
    if (`${command} ${await read('environ')}`.includes(folder)) found.push(`${entry} ${command.replaceAll('\0', ' ')}`);
  }
  return found;
}
