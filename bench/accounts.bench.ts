import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import { openDiskStore } from '../src/blobs/disk.ts';
import { loadConfig } from '../src/config.ts';
import { connect } from '../src/db.ts';
import { startLocalPostgres } from '../src/platform/postgres/local-postgres.ts';
import { migrate } from '../src/platform/postgres/migrate.ts';
import { bootstrap } from '../src/tenants/bootstrap.ts';

const ROUNDS = 200;
const PASSWORD = 'Bench-stapler-1';
const WRONG = 'Bench-stapler-2';

/** Whether time tells known accounts from unknown ones: logins with a wrong password, resets, registrations, in turn, one at a time. */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const server = await startLocalPostgres(join(folder, 'postgres'));
  const db = await connect(server.url, 10);
  const plain = new pg.Client({ connectionString: server.url });
  try {
    await migrate(server.url);
    await plain.connect();
    const config = loadConfig({ PLATFORM_DATA: folder, PLATFORM_TRUSTED_PROXIES: '127.0.0.1' });
    const blobs = await openDiskStore(join(folder, 'blobs'));
    const app = await buildApp({ config, db, databaseUrl: server.url, blobs, log: pino({ level: 'silent' }) });
    await bootstrap(db, { accountId: 'bench', password: PASSWORD, email: 'bench@example.org' });

    /** Each from an address of its own: failures from one address are delayed, known account or not. */
    const took = async (method: 'POST', url: string, payload: unknown) => {
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
      took('POST', '/api/accounts/registration', { id, name: 'B', email: 'b@example.org', password: PASSWORD });
    await compare('login, wrong password', async (known) =>
      took('POST', '/api/tokens', { id: known ? 'bench' : fresh(), password: WRONG }),
    );
    await compare('password reset', async (known) => {
      // what was asked before and waits is not noted twice
      await plain.query('truncate account_mails');
      return took('POST', '/api/accounts/passwordreset', known ? 'bench' : fresh());
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

async function compare(what: string, ask: (known: boolean) => Promise<number>): Promise<void> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let round = -5; round < ROUNDS; round++) {
    // which of the two comes first must not matter
    const order = Math.random() < 0.5 ? [true, false] : [false, true];
    for (const known of order) {
      const ms = await ask(known);
      if (round >= 0) times[known ? 'known' : 'unknown'].push(ms);
    }
  }
  const { z, share } = rankSum(times.known, times.unknown);
  const verdict = Math.abs(z) < 2.58 ? 'not told apart' : 'TOLD APART';
  console.log(
    `${what}: median ${median(times.known).toFixed(1)} ms known, ${median(times.unknown).toFixed(1)} ms unknown; ` +
      `a known one is slower in ${(share * 100).toFixed(1)} % of pairs (z = ${z.toFixed(2)}): ${verdict}`,
  );
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Mann and Whitney: whether values of one list tend to be larger than those of the other. */
function rankSum(one: number[], two: number[]) {
  let larger = 0;
  for (const a of one) for (const b of two) larger += a > b ? 1 : a === b ? 0.5 : 0;
  const pairs = one.length * two.length;
  const deviation = Math.sqrt((pairs * (one.length + two.length + 1)) / 12);
  return { share: larger / pairs, z: (larger - pairs / 2) / deviation };
}
