import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { addCredits, reserveCredits, spendCredits } from '../src/credits/queries.ts';
import { Database } from '../src/db.ts';
import { withPlatform } from './platform.ts';

const CLIENTS = 16;
const TENANTS = 200;
const PAIRS = Number(process.env.BENCH_PAIRS ?? 2000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CHANGE = { dryRun: false, actor: {} };

/** Tables with the rows that a reservation and its spending touch, without lots in burn order, hashes and checks. */
const BARE_TABLES = `
  create table bare_pools (id uuid primary key, seq bigint not null default 0);
  create table bare_lots (pool_id uuid primary key, available numeric not null, reserved numeric not null default 0,
    spent numeric not null default 0);
  create table bare_holds (id bigint generated always as identity primary key, pool_id uuid not null, operation_id text not null,
    amount numeric not null, spent numeric not null default 0);
  create index on bare_holds (pool_id, operation_id) where spent < amount;
  create table bare_entries (pool_id uuid, seq bigint, account text, amount numeric, operation_id text,
    created_at timestamptz not null default clock_timestamp(), primary key (pool_id, seq));`;

type Pair = (tenantId: string) => Promise<void>;

/** The same locks and rows, as one transaction and one round trip each for the reservation and its spending. */
function barePair(pool: pg.Pool): Pair {
  const posting = (id: string, from: string, to: string, operation: string) => `
    insert into bare_entries (pool_id, seq, account, amount, operation_id)
    select id, seq - 1, '${from}', -1, '${operation}' from bare_pools where id = '${id}'
    union all select id, seq, '${to}', 1, '${operation}' from bare_pools where id = '${id}';`;
  return async (id) => {
    const operation = randomUUID();
    const lock = `begin; select from bare_pools where id = '${id}' for update; update bare_pools set seq = seq + 2 where id = '${id}';`;
    await pool.query(`${lock}
      update bare_lots set available = available - 1, reserved = reserved + 1 where pool_id = '${id}' and available >= 1;
      insert into bare_holds (pool_id, operation_id, amount) values ('${id}', '${operation}', 1);
      ${posting(id, 'Available', 'Reserved', operation)} commit`);
    await pool.query(`${lock}
      update bare_lots set reserved = reserved - 1, spent = spent + 1 where pool_id = '${id}';
      update bare_holds set spent = 1 where pool_id = '${id}' and operation_id = '${operation}' and spent < amount;
      ${posting(id, 'Reserved', 'Spent', operation)} commit`);
  };
}

const ownPair =
  (db: Database): Pair =>
  async (tenantId) => {
    const operationId = randomUUID();
    const reserved = await db.transaction((tx) => reserveCredits(tx, { tenantId, credits: 1, operationId }, CHANGE));
    const spent = await db.transaction((tx) => spendCredits(tx, { tenantId, credits: 1, operationId }, CHANGE));
    if (reserved.refusal ?? spent.refusal) throw new Error(`Refused: ${reserved.refusal ?? spent.refusal}.`);
  };

/** Pairs per second, and the 99th percentile of their times in milliseconds. */
async function measure(pair: Pair, tenants: readonly string[]): Promise<{ perSecond: number; p99: number }> {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < PAIRS) {
      const tenantId = tenants[next++ % tenants.length] ?? '';
      const from = performance.now();
      await pair(tenantId);
      times.push(performance.now() - from);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const perSecond = (PAIRS / (performance.now() - from)) * 1000;
  times.sort((a, b) => a - b);
  return { perSecond, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/**
 * Reservations that are spent at once: over 200 tenants, and all on one. Compared to bare SQL with the same locks and
 * rows, alternating, on the same server with fsync. Target: 0.5.
 */
export const bench = () =>
  withPlatform(async ({ databaseUrl, pool }) => {
    const db = new Database(databaseUrl, CLIENTS);
    const bare = new pg.Pool({ connectionString: databaseUrl, max: CLIENTS });
    await pool.query(BARE_TABLES);
    const insert = `insert into tenants (name) select 'tenant ' || n from generate_series(1, $1::int) n returning id`;
    const tenants = (await pool.query<{ id: string }>(insert, [TENANTS])).rows.map(({ id }) => id);
    await pool.query('insert into bare_pools (id) select unnest($1::uuid[])', [tenants]);
    await pool.query('insert into bare_lots (pool_id, available) select unnest($1::uuid[]), 1e8', [tenants]);
    const expiresAt = { given: '2999-12-31', time: '3000-01-01T00:00:00Z' };
    const billingReference = { billingReference: 'R', billingReferenceType: 'EXT', billingReferenceTag: '' };
    for (const tenantId of tenants)
      for (let lot = 0; lot < 3; lot++)
        await db.transaction((tx) =>
          addCredits(tx, { tenantId, credits: 1e7, expiresAt, salesOrderId: 'S', billingReference }, CHANGE),
        );
    try {
      for (const [name, used] of [
        [`${TENANTS} tenants`, tenants],
        ['one tenant', tenants.slice(0, 1)],
      ] as const) {
        const ratios: number[] = [];
        for (let round = 0; round <= ROUNDS; round++) {
          const theirs = await measure(barePair(bare), used);
          const own = await measure(ownPair(db), used);
          // the first round warms both up
          if (round > 0) ratios.push(own.perSecond / theirs.perSecond);
          const shown = ({ perSecond, p99 }: typeof own) => `${perSecond.toFixed(0)} pairs/s, p99 ${p99.toFixed(0)} ms`;
          console.log(`${name}: ours ${shown(own)}; bare ${shown(theirs)}`);
        }
        const median = ratios.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
        console.log(`${name}: median ratio ${median.toFixed(2)} (target: 0.5)`);
      }
    } finally {
      await bare.end();
      await db.end();
    }
  });
