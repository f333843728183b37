import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import { DiskStore } from '../src/blobs/disk.ts';
import { loadConfig } from '../src/config.ts';
import { Database } from '../src/db.ts';
import { startLocalPostgres } from '../src/platform/postgres/local-postgres.ts';
import { migrate } from '../src/platform/postgres/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';

const ROUNDS = 200;
const PASSWORD = 'Bench-stapler-1';
const WRONG = 'Bench-stapler-2';

/**
 * Timing side channel: do response times of logins, password resets and registrations reveal whether an account exists?
 * Sequential requests.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  const db = new Database(server.url, 10);
  const plain = new pg.Client({ connectionString: server.url });
  try {
    await migrate(server.url);
    await plain.connect();
    const config = loadConfig({ PLATFORM_DATA: folder, PLATFORM_TRUSTED_PROXIES: '127.0.0.1' });
    const blobs = await DiskStore.open(join(folder, 'blobs'));
    const app = await buildApp({ config, db, databaseUrl: server.url, blobs, log: pino({ level: 'silent' }) });
    await bootstrap(db, { accountId: 'bench', password: PASSWORD, email: 'bench@example.org' });

    /** Milliseconds of a request from a random address, because failed logins from one address are throttled. */
    const timed = async (method: 'POST', url: string, payload: unknown) => {
      const n = Math.floor(Math.random() * 2 ** 24);
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
      };
      const start = performance.now();
      await app.inject({ method, url, headers, payload: JSON.stringify(payload) });
      return performance.now() - start;
    };
    const fresh = () => `n${randomUUID().slice(0, 4)}`;
    const register = (id: string) =>
      timed('POST', '/api/accounts/registration', { id, name: 'B', email: 'b@example.org', password: PASSWORD });
    await compare('login, wrong password', async (known) =>
      timed('POST', '/api/tokens', { id: known ? 'bench' : fresh(), password: WRONG }),
    );
    await compare('password reset', async (known) => {
      // a pending reset mail would suppress the next one
      await plain.query('truncate account_mails');
      return timed('POST', '/api/accounts/passwordreset', known ? 'bench' : fresh());
    });
    await compare('registration', async (known) => register(known ? 'bench' : fresh()));
    await app.close();
  } finally {
    await plain.end();
    await db.end();
    await server.stopIfIdle();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(name: string, ask: (known: boolean) => Promise<number>): Promise<void> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let round = -5; round < ROUNDS; round++) {
    // random order, so that the order has no effect
    const order = Math.random() < 0.5 ? [true, false] : [false, true];
    for (const known of order) {
      const ms = await ask(known);
      if (round >= 0) times[known ? 'known' : 'unknown'].push(ms);
    }
  }
  const { z, share } = rankSum(times.known, times.unknown);
  const verdict = Math.abs(z) < 2.58 ? 'no difference' : 'DIFFERENT';
  console.log(
    `${name}: median ${median(times.known).toFixed(1)} ms known, ${median(times.unknown).toFixed(1)} ms unknown account; ` +
      `known is slower in ${(share * 100).toFixed(1)} % of pairs (z = ${z.toFixed(2)}): ${verdict}`,
  );
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Mann–Whitney U test. `share`: fraction of pairs in which the value of `one` is larger; `z`: standard score. */
function rankSum(one: number[], two: number[]) {
  let larger = 0;
  for (const a of one) for (const b of two) larger += a > b ? 1 : a === b ? 0.5 : 0;
  const pairs = one.length * two.length;
  const deviation = Math.sqrt((pairs * (one.length + two.length + 1)) / 12);
  return { share: larger / pairs, z: (larger - pairs / 2) / deviation };
}
