import type { Database } from '../../../db.ts';
import type { PresentDatabase } from '../../../platform/postgres/database.ts';
import { listPending } from '../../../platform/postgres/pending-names.ts';
import { type Check, ill, ms, type Result, runCheck, timed, well } from '../check.ts';
import {
  countConnections,
  findOldestTransaction,
  getServer,
  getTime,
  getTransactionAge,
  listBloated,
  listIdleSlots,
  listReplicas,
} from '../database.queries.ts';

/** `uuidv7()`. */
const OLDEST_POSTGRES = 180_000;
const ROUNDS = 5;
const SLOW_MS = 50;
const MOST_CONNECTIONS = 0.85;
const DEAD_ROWS = 100_000;
const DEAD_SHARE = 0.5;
const LONG_TRANSACTION_S = 3600;
const OLD_TRANSACTIONS = 1_000_000_000;
const LAG_BYTES = 256 * 2 ** 20;
const SKEW_MS = 2000;
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MB`;

/** The database that answers: alone, if it does not. */
export async function checkDatabase(db: Database, present: PresentDatabase): Promise<Check[]> {
  const server = await runCheck(
    'database',
    'Start Postgres, or correct DATABASE_URL and its password; see the log of Postgres.',
    () => checkServer(db),
  );
  if (!server.ok && !(await answers(db))) return [server];
  return [
    server,
    await runCheck('migrations', "Run 'platform migrate' with the role that owns the tables.", () =>
      checkMigrations(present),
    ),
    await runCheck('connections', 'See pg_stat_activity.', () => checkConnections(db)),
    await runCheck('bloat', 'See pg_stat_user_tables.', () => checkBloat(db)),
    await runCheck('replication', 'See pg_stat_replication.', () => checkReplication(db)),
    await runCheck('clock', 'See pg_settings.', () => checkClock(db)),
  ];
}

const answers = (db: Database) =>
  getTime(db).then(
    () => true,
    () => false,
  );

async function checkServer(db: Database): Promise<Result> {
  const { version, number, role } = await getServer(db);
  if (number < OLDEST_POSTGRES)
    return ill(`Postgres ${version} is too old: the platform needs 18.`, 'Upgrade Postgres to 18 or later.');
  const durations: number[] = [];
  for (let n = 0; n < ROUNDS; n++) durations.push(await timed(() => getTime(db)));
  const median = durations.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const message = `Postgres ${version}, role ${role}, answers in ${ms(median)}.`;
  return median > SLOW_MS
    ? ill(
        message,
        'Run the platform nearer to the database, or look for load on it: each request takes several answers.',
      )
    : well(message);
}

async function checkMigrations({ ownerUrl, runtimeUrl }: PresentDatabase): Promise<Result> {
  const pending = await listPending(ownerUrl, { runtimeUrl });
  if (pending.length === 0) return well('The tables are of this version.');
  const more = pending.length > 1 ? ` and ${pending.length - 1} more` : '';
  return ill(`${pending[0]}${more} pending.`, "Run 'platform migrate --plan' to see them, then 'platform migrate'.");
}

async function checkConnections(db: Database): Promise<Result> {
  const { used, most } = await countConnections(db);
  const message = `${used} of ${most} connections are in use.`;
  return used > MOST_CONNECTIONS * most
    ? ill(message, 'Raise max_connections of Postgres, lower database.poolSize, or run fewer processes.')
    : well(message);
}

async function checkBloat(db: Database): Promise<Result> {
  const oldest = await findOldestTransaction(db);
  if (oldest !== null && oldest.seconds > LONG_TRANSACTION_S)
    return ill(
      `A transaction of ${oldest.program || 'an unnamed program'} (process ${oldest.pid}) is open since ${Math.round(oldest.seconds / 60)} minutes: no dead row is removed meanwhile.`,
      `End it: select pg_terminate_backend(${oldest.pid}).`,
    );
  const age = await getTransactionAge(db);
  if (age > OLD_TRANSACTIONS)
    return ill(
      `${age.toLocaleString('en')} transactions are not frozen; Postgres stops at two thousand million.`,
      "Run 'vacuum (freeze)' in the database, and see why autovacuum does not.",
    );
  const bloated = await listBloated(db, DEAD_ROWS, DEAD_SHARE);
  if (bloated.length === 0) return well('No table has many dead rows.');
  const tables = bloated.map(
    ({ name, dead, live }) => `${name} ${dead.toLocaleString('en')} beside ${live.toLocaleString('en')}`,
  );
  return ill(`Dead rows: ${tables.join(', ')}.`, "Run 'vacuum' on these tables, and let autovacuum run more often.");
}

async function checkReplication(db: Database): Promise<Result> {
  const slots = (await listIdleSlots(db)).filter(({ bytes }) => bytes > LAG_BYTES);
  const [slot] = slots;
  if (slot !== undefined)
    return ill(
      `Nobody reads the replication slot ${slot.name}, which keeps ${megabytes(slot.bytes)} of log.`,
      `Start its reader, or drop it: select pg_drop_replication_slot('${slot.name}').`,
    );
  const replicas = await listReplicas(db);
  if (replicas.length === 0) return well('There is no replica.');
  const behind = replicas.find(({ lagBytes = 0 }) => lagBytes > LAG_BYTES);
  if (behind !== undefined)
    return ill(
      `The replica ${behind.name} is ${megabytes(behind.lagBytes ?? 0)} behind.`,
      'Look at its load, its disk and the network.',
    );
  const seen = replicas.some(({ lagBytes }) => lagBytes !== undefined);
  return well(
    `${replicas.length} replicas${seen ? ' follow' : '; how far they are is seen by roles with pg_monitor'}.`,
  );
}

async function checkClock(db: Database): Promise<Result> {
  const before = Date.now();
  const theirs = await getTime(db);
  const skew = theirs - (before + Date.now()) / 2;
  const message = `The clock of the database is ${ms(Math.abs(skew))} ${skew < 0 ? 'behind' : 'ahead of'} that of this machine.`;
  return Math.abs(skew) > SKEW_MS
    ? ill(message, 'Synchronize the clocks of all machines (NTP): tokens and signatures of buckets depend on them.')
    : well(message);
}
