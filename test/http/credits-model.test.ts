import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { listBalances, STATUSES } from '../../src/credits/balance.queries.ts';
import {
  addCredits,
  expireCredits,
  moveCredits,
  type Outcome,
  releaseCredits,
  reserveCredits,
  spendCredits,
} from '../../src/credits/queries.ts';
import { verify } from '../../src/credits/verify.ts';
import { randomOf } from '../world/random.ts';
import { world } from '../world.ts';
import { GENERIC, type LedgerEntry, type Lot, Model, type Request } from './credits-model.ts';

/**
 * Random operations by 16 clients at once on 200 tenants, compared with the model in the order of the ledger: same
 * lots, same amounts, same refusals. `CREDIT_OPERATIONS=1000000` for more of them, `CREDIT_SEED=n` for the choices of
 * an earlier run.
 *
 * Most are sent in batches, of which each operation is a transaction and is acknowledged after its commit: sending them
 * one by one costs more than executing them.
 */
const OPERATIONS = Number(process.env.CREDIT_OPERATIONS ?? 15_000);
const SEED = Number(process.env.CREDIT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CLIENTS = 16;
const TENANTS = 200;
/** Rounds between two checks have a random length. */
const LONGEST_ROUND = 3000;
/** Share of the steps of a client that send a batch; the others send one operation, as the API does. */
const BATCHES = 0.7;
const BATCH = 25;
/** Operations of one client alone, whose refusals are exact. */
const ALONE = 300;

const w = world(test);
const random = randomOf(SEED);
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const micro = (text: string | number) => Math.round(Number(text) * 1e6);

const requests = new Map<string, Request>();
const acknowledged = new Set<string>();
const model = new Model();
/** Lots that have changed since they were compared. */
const touched = new Set<number>();
let lastPosting = 0;
let tenants: string[] = [];
let number = 0;

/** Few tenants are hot. */
const anyTenant = () => (random() < 0.2 ? pick(tenants.slice(0, 4)) : pick(tenants));
const anyOperation = () => `operation ${between(1, 4)}`;
const credits = () => (random() < 0.2 ? between(1, 9_999_999) : between(1, 60) * 1_000_000);

function anyRequest(): Request {
  const pool = anyTenant();
  const choice = random();
  if (choice < 0.08) {
    const expires = Date.now() + (random() < 0.3 ? between(30, 3000) : between(1, 20) * 86_400_000);
    return { verb: 'Add', pool, credits: 2 * credits() + 100_000_000, expires, reference: pick(['A', 'B']) };
  }
  if (choice < 0.45) return { verb: 'Reserve', pool, credits: credits(), operation: anyOperation() };
  if (choice < 0.7)
    return {
      verb: 'Spend',
      pool,
      credits: Math.floor(credits() / (random() < 0.5 ? 1 : 4)),
      operation: anyOperation(),
    };
  if (choice < 0.74) return { verb: 'Spend', pool, credits: credits() };
  if (choice < 0.88) return { verb: 'Release', pool, operation: anyOperation() };
  if (choice < 0.98) {
    const ends = random() < 0.3 ? [GENERIC, pool] : [pool, random() < 0.3 ? GENERIC : anyTenant()];
    const [from = '', target = ''] = ends;
    if (from !== target) return { verb: 'Move', pool: from, target, credits: credits() };
  }
  return { verb: 'Expire', pool };
}

function send(request: Request, requestId: string): Promise<Outcome & { lots?: number }> {
  const change = { dryRun: false, actor: { requestId } };
  const { verb, pool: tenantId } = request;
  const amount = 'credits' in request ? request.credits / 1e6 : 0;
  switch (verb) {
    case 'Add':
      return w.db.transaction((tx) =>
        addCredits(
          tx,
          {
            tenantId,
            credits: amount,
            expiresAt: { given: 'then', time: new Date(request.expires).toISOString() },
            salesOrderId: 'S',
            billingReference: {
              billingReference: request.reference,
              billingReferenceType: 'EXT',
              billingReferenceTag: '',
            },
          },
          change,
        ),
      );
    case 'Reserve':
      return w.db.transaction((tx) =>
        reserveCredits(tx, { tenantId, credits: amount, operationId: request.operation ?? '' }, change),
      );
    case 'Spend':
      return w.db.transaction((tx) =>
        spendCredits(tx, { tenantId, credits: amount, operationId: request.operation }, change),
      );
    case 'Release':
      return w.db.transaction((tx) => releaseCredits(tx, tenantId, request.operation, change));
    case 'Move':
      return w.db.transaction((tx) =>
        moveCredits(tx, { credits: amount, source: tenantId, target: request.target }, change),
      );
    case 'Expire':
      return w.db.transaction((tx) => expireCredits(tx, tenantId, change));
  }
}

const RUN_OPERATIONS = `
  create procedure run_operations(operations jsonb) language plpgsql as $$
  declare
    o jsonb;
    done boolean;
  begin
    for n in 0 .. jsonb_array_length(operations) - 1 loop
      o := operations -> n;
      case o ->> 'verb'
        when 'Add' then done := (credit_add((o ->> 'pool')::uuid, (o ->> 'credits')::numeric / 1000000, (o ->> 'expiresAt')::timestamptz, 'then',
          'S', o ->> 'reference', 'EXT', '', null, o ->> 'id', false)).refusal is null;
        when 'Reserve' then done := (credit_reserve((o ->> 'pool')::uuid, (o ->> 'credits')::numeric / 1000000, o ->> 'operation', null, null,
          o ->> 'id', false)).refusal is null;
        when 'Spend' then done := (credit_spend((o ->> 'pool')::uuid, (o ->> 'credits')::numeric / 1000000, o ->> 'operation', null, null,
          o ->> 'id', false)).refusal is null;
        when 'Release' then done := (credit_release((o ->> 'pool')::uuid, o ->> 'operation', null, o ->> 'id', false)).refusal is null;
        when 'Move' then done := (credit_move((o ->> 'pool')::uuid, (o ->> 'target')::uuid, (o ->> 'credits')::numeric / 1000000, null, null,
          null, o ->> 'id', false)).refusal is null;
        when 'Expire' then done := (credit_expire((o ->> 'pool')::uuid, null, o ->> 'id', false)).lots > 0;
      end case;
      commit;
      if done then raise info '%', o ->> 'id'; end if;
    end loop;
  end $$`;

/** A client with a connection of its own for batches. */
async function openClient(): Promise<pg.Client> {
  const own = new pg.Client({ connectionString: w.url });
  own.on('notice', ({ message = '' }) => acknowledged.add(message));
  await own.connect();
  return own;
}

/** @param left maximum number of operations; returns their number */
async function client(own: pg.Client, left: (wanted: number) => number) {
  for (;;) {
    const count = left(random() < BATCHES ? BATCH : 1);
    if (count === 0) return;
    if (count === 1) await step();
    else await sendBatch(own, count);
  }
}

async function sendBatch(own: pg.Client, count: number) {
  const batch = Array.from({ length: count }, () => {
    const request = anyRequest();
    const id = `r${++number}`;
    requests.set(id, request);
    return { ...request, id, ...('expires' in request ? { expiresAt: new Date(request.expires).toISOString() } : {}) };
  });
  try {
    await own.query('call run_operations($1)', [JSON.stringify(batch)]);
  } catch (error) {
    // credits that expired before the commit; the rest of the batch is not sent
    if ((error as { code?: string }).code !== '40001') throw error;
  }
}

interface Refused {
  request: Request;
  outcome: Outcome;
  /** It was refused between these times, in milliseconds since 1970. */
  from: number;
  to: number;
}

/** Returns the refusal of a request, if it was one. */
async function step(): Promise<Refused | undefined> {
  const request = anyRequest();
  const requestId = `r${++number}`;
  requests.set(requestId, request);
  const from = Date.now();
  try {
    const outcome = await send(request, requestId);
    if (outcome.refusal !== undefined) return { request, outcome, from, to: Date.now() };
    if (outcome.lots !== 0) acknowledged.add(requestId);
  } catch (error) {
    // credits that expired before the commit
    if ((error as { code?: string }).code !== '40001') throw error;
  }
  return undefined;
}

interface Row {
  posting_id: string;
  pool_id: string;
  account: string;
  amount: string;
  lot_id: string;
  hold_id: string | null;
  request_id: string;
  at: string;
}

/** Applies what was written since the last check, in the order of the ledger. */
async function replay(t: ExecutionContext) {
  const rows = await w.sql<Row>(
    `select posting_id, pool_id, account, amount, lot_id, hold_id, request_id, extract(epoch from created_at) * 1000 as at
     from credit_entries where posting_id > $1 order by posting_id, (kind = 'Move' and amount > 0), seq`,
    [lastPosting],
  );
  const postings = new Map<string, Row[]>();
  for (const row of rows) {
    const posting = postings.get(row.posting_id);
    if (posting) posting.push(row);
    else postings.set(row.posting_id, [row]);
  }
  for (const [posting, entries] of postings) {
    const requestId = entries[0]?.request_id ?? '';
    const request = requests.get(requestId) as Request;
    const found: LedgerEntry[] = entries.map((row) => ({
      pool: row.pool_id,
      account: row.account,
      amount: micro(row.amount),
      lot: Number(row.lot_id),
      hold: row.hold_id === null ? undefined : Number(row.hold_id),
    }));
    const expected = model.apply({ request, at: Number(entries[0]?.at), entries: found });
    const text = (list: readonly LedgerEntry[] | string) =>
      typeof list === 'string' ? list : list.map((e) => `${e.pool} ${e.lot} ${e.account} ${e.amount}`).join('\n');
    if (text(found) !== text(expected))
      t.is(text(found), text(expected), `posting ${posting}: ${JSON.stringify(request)}`);
    for (const { lot } of found) touched.add(lot);
    if (!acknowledged.delete(requestId)) t.fail(`posting ${posting} was not acknowledged`);
    lastPosting = Number(posting);
  }
  t.deepEqual([...acknowledged], [], 'acknowledged, but not in the ledger');
}

function checkRefusal(t: ExecutionContext, { request, outcome, from, to }: Refused) {
  const { pool } = request;
  const what = JSON.stringify({ request, outcome });
  if (request.verb === 'Add') {
    t.is(outcome.refusal, 'Past', what);
    t.true(request.expires <= to, what);
    return undefined;
  }
  // credits that expired during the request may count or not
  const mayCount = ({ expires }: Lot) => expires > from - 1000 && expires < to + 1000;
  if ([...model.lots.values()].flat().some(mayCount)) return undefined;
  const operation = 'operation' in request ? (request.operation ?? '') : '';
  const held = request.verb === 'Spend' || request.verb === 'Release' ? model.held(pool, operation) : 0;
  if (request.verb === 'Release') return t.is(held, 0, what);
  if (!('credits' in request)) return t.fail(what);
  const known = new Set(request.verb === 'Move' ? model.lotsOf(request.target).map(({ reference }) => reference) : []);
  const common = request.verb === 'Move' && pool !== GENERIC && request.target !== GENERIC;
  const available = model.available(pool, to, ({ reference }) => !common || known.has(reference));
  t.is(micro(outcome.reserved ?? 0), held, what);
  if (outcome.refusal === 'TooFewCredits') t.is(micro(outcome.available ?? 0), available, what);
  t.true((held || available) < request.credits, what);
  return undefined;
}

/** Reserved and spent credits, and the others in one sum: credits may expire between two reads. */
function whole(balances: readonly { status: string; credits: number }[]): number[] {
  const [available = 0, reserved = 0, spent = 0, expired = 0] = balances.map(({ credits }) => micro(credits));
  return [available + expired, reserved, spent];
}

/**
 * The changed lots of the database, or all, are those of the model, and their sums by status are those of the entries.
 */
async function compare(t: ExecutionContext, all = false) {
  const rows = await w.sql<Record<string, string>>(
    'select * from credit_lots where $1 or id = any($2) order by pool_id, expires_at, id',
    [all, [...touched]],
  );
  const found = rows.map((l) =>
    [l.id, l.amount, l.available, l.reserved, l.spent, l.expired, l.moved].map((n) => Number(n)),
  );
  const expected = [...model.lots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, lots]) =>
      lots
        .filter(({ id }) => all || touched.has(id))
        .map((l) => [l.id, ...[l.amount, l.Available, l.Reserved, l.Spent, l.Expired, l.moved].map((n) => n / 1e6)]),
    );
  t.deepEqual(found.map(String), expected.map(String));
  touched.clear();
  for (let n = 0; n < 5; n++) {
    const pool = anyTenant();
    const [head] = await w.sql<{ seq: number; now: string }>(
      `select last_seq::int as seq, to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US') as now from credit_pools where id = $1`,
      [pool],
    );
    if (!head) continue;
    const scope = { pool, statuses: STATUSES };
    const derived = await listBalances(w.db, { ...scope, past: { at: head.now, seq: head.seq } });
    const cached = await listBalances(w.db, scope);
    t.deepEqual(whole(cached), whole(derived));
  }
}

test('concurrent random operations leave the ledger that the model predicts', async (t) => {
  t.log(`CREDIT_SEED=${SEED}, ${OPERATIONS} operations`);
  tenants = (
    await w.sql<{ id: string }>(
      `insert into tenants (name) select 'tenant ' || n from generate_series(1, ${TENANTS}) n returning id`,
    )
  ).map(({ id }) => id);
  await w.sql(RUN_OPERATIONS);
  const clients = await Promise.all(Array.from({ length: CLIENTS }, openClient));
  let left = OPERATIONS;
  const heads: { id: string; last_seq: string; last_hash: Buffer }[] = [];
  while (left > 0) {
    let round = Math.min(left, between(1, LONGEST_ROUND));
    const isFirst = left === OPERATIONS;
    left -= round;
    const take = (wanted: number) => {
      const count = Math.min(wanted, round);
      round -= count;
      return count;
    };
    await Promise.all(clients.map((own) => client(own, take)));
    await replay(t);
    await compare(t);
    heads.push(
      ...(await w.sql<(typeof heads)[number]>(
        'select id, last_seq, last_hash from credit_pools order by random() limit 5',
      )),
    );
    for (let n = 0; isFirst && n < ALONE; n++) {
      const refused = await step();
      await replay(t);
      if (refused) checkRefusal(t, refused);
    }
  }
  await Promise.all(clients.map((own) => own.end()));
  await compare(t, true);
  t.like(await verify(w.db, 1000), { valid: true });
  for (const { id, last_seq, last_hash } of heads) {
    if (last_seq === '0') continue;
    const [entry] = await w.sql<{ hash: Buffer }>('select hash from credit_entries where pool_id = $1 and seq = $2', [
      id,
      last_seq,
    ]);
    t.deepEqual(entry?.hash, last_hash, 'an entry was changed');
  }
});
