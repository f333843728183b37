import { type Command, Option } from 'commander';
import { integer, moment, record, table, UsageError } from 'hydrofiles/terminal';
import type {
  Balance,
  Detail,
  ExtendedDetail,
  Forecast,
  LedgerEntry,
  Verification,
} from '../../src/credits/balance.routes.ts';
import type { List } from '../../src/http/rules/paging.ts';
import type { Principal } from '../../src/keys/routes.ts';
import { askFor } from '../ask.ts';
import type { Io } from '../io.ts';
import { choices, limit, time } from '../options.ts';
import { lookUpPrincipals } from '../principals.ts';

const STATUSES = ['Available', 'Reserved', 'Spent', 'Expired'];

/** Commands that only read the ledger. */
export function creditReadCommands(credit: Command, io: Io): void {
  const poolFlag = () => new Option('--pool', 'of the generic pool instead of a tenant');
  const filter = () => choices('--filter <status>', 'only credits of this status', STATUSES);
  credit
    .command('balance')
    .description('show the credits of a tenant by status')
    .argument('[tenant]', 'default: your tenant')
    .addOption(poolFlag())
    .addOption(filter())
    .option('--at <time>', 'at a time in the past (UTC)', time)
    .action((tenant, options) => showBalance(io, tenant, options));
  credit
    .command('details')
    .description('show the credits of a tenant by status and expiry, in the order in which they are spent')
    .argument('[tenant]', 'default: your tenant')
    .addOption(poolFlag())
    .addOption(filter())
    .option('--at <time>', 'at a time in the past (UTC)', time)
    .option('--extended', 'with project, operation and account')
    .option('--limit <number>', 'maximum number of rows', limit)
    .action((tenant, options) => showDetails(io, tenant, options));
  credit
    .command('forecast')
    .description('show what expires when, and how long the credits last at the pace of the last days')
    .argument('[tenant]', 'default: your tenant')
    .option('--days <number>', 'number of past days for the pace; default: 30', integer(1, 3660))
    .action((tenant, options) => showForecast(io, tenant, options));
  credit
    .command('verify')
    .description('verify the ledger; exit code 1 and the first wrong entry if it is wrong (administrators)')
    .action(() => verifyLedger(io));
  credit
    .command('explain')
    .description('show each entry of an operation, with its lot and time')
    .argument('[operation]', 'id of the operation, such as the id of a transfer')
    .option('--tenant <id>', 'tenant whose credits it used; default: your tenant')
    .action((operation, options) => explain(io, operation, options));
}

const path = (tenant: string) => `/api/iam/credit/${encodeURIComponent(tenant)}`;

async function ownTenant(io: Io): Promise<string> {
  const { tenantId } = (await io.api.call<Principal>('GET', '/api/iam/principal/me')).body;
  if (tenantId === undefined) throw new UsageError('You belong to no tenant. Name one.');
  return tenantId;
}

/** Sum of decimals with up to six places. */
const sum = (rows: readonly { credits: number }[]) =>
  Math.round(rows.reduce((total, { credits }) => total + credits, 0) * 1e6) / 1e6;

interface BalanceOptions {
  pool?: boolean;
  filter?: string[];
  at?: string;
}

/** The tenant to read; undefined for the generic pool. */
async function tenantToRead(io: Io, tenant: string | undefined, pool: boolean | undefined) {
  if (pool && tenant !== undefined) throw new UsageError('Use a tenant or --pool, not both.');
  return pool ? undefined : (tenant ?? ownTenant(io));
}

async function showBalance(io: Io, given: string | undefined, { pool, ...query }: BalanceOptions): Promise<void> {
  const tenant = await tenantToRead(io, given, pool);
  const answer =
    tenant === undefined
      ? await io.api.call<List<Balance>>('POST', `${path('unassigned')}`, { body: {}, query })
      : await io.api.call<List<Balance>>('GET', path(tenant), { query });
  io.show(answer, ({ data }) =>
    table(
      ['STATUS', 'CREDITS'],
      [...data.map(({ status, credits }) => [status, credits]), ...(data.length > 1 ? [['total', sum(data)]] : [])],
    ),
  );
}

type DetailOptions = BalanceOptions & { extended?: boolean; limit?: number };

async function showDetails(io: Io, given: string | undefined, options: DetailOptions): Promise<void> {
  const { extended, pool, ...query } = options;
  const tenant = await tenantToRead(io, given, pool);
  if (tenant === undefined && extended) throw new UsageError('The generic pool has no operations. Name a tenant.');
  const [to, body] =
    tenant === undefined
      ? [`${path('unassigned')}/details`, {}]
      : [extended ? `${path('details')}/extended` : path('details'), { tenantId: tenant }];
  const answer = await io.api.call<List<Detail & Partial<ExtendedDetail>>>('POST', to, { body, query });
  const names = await lookUpPrincipals(
    io,
    answer.body.data.map(({ createdBy }) => createdBy),
  );
  io.show(answer, ({ data }) =>
    table(
      ['STATUS', 'CREDITS', 'EXPIRES', 'SALES ORDER', 'REFERENCE', 'OPERATION', 'PROJECT', 'SINCE', 'BY'],
      [
        ...data.map((row) => [
          row.status,
          row.credits,
          row.expiresAt,
          row.salesOrderId,
          row.billingReference.billingReference,
          row.operationId,
          row.projectName ?? row.projectId,
          moment(row.createdAt),
          names.displayName(row.createdBy),
        ]),
        ['total', sum(data)],
      ],
    ),
  );
}

async function showForecast(io: Io, tenant: string | undefined, query: { days?: number }): Promise<void> {
  const to = `${path(tenant ?? (await ownTenant(io)))}/forecast`;
  const answer = await io.api.call<Forecast>('GET', to, { query });
  io.show(answer, ({ available, spentPerDay, lastsUntil, expiring }) => [
    record({ available, 'spent per day': spentPerDay, 'lasts until': moment(lastsUntil) }),
    expiring.length === 0
      ? ''
      : table(
          ['EXPIRES', 'CREDITS', 'UNSPENT'],
          [
            ...expiring.map(({ expiresAt, credits, unspent }) => [expiresAt, credits, unspent]),
            ['total', available, sum(expiring.map(({ unspent }) => ({ credits: unspent })))],
          ],
        ),
  ]);
}

async function verifyLedger(io: Io): Promise<void> {
  const answer = await io.api.call<Verification>('GET', `${path('verify')}`);
  io.show(answer, ({ valid, pools, entries }) =>
    valid ? `The ledger is right: ${entries} entries in ${pools} pools.` : '',
  );
  const { wrong } = answer.body;
  if (wrong === undefined) return;
  const { tenantId, seq, lotId, reason } = wrong;
  const where = [
    tenantId === undefined ? 'the generic pool' : `tenant ${tenantId}`,
    ...(seq === undefined ? [] : [`entry ${seq}`]),
    ...(lotId === undefined ? [] : [`lot ${lotId}`]),
  ].join(', ');
  throw new Error(`The ledger is wrong in ${where}: ${reason}`);
}

async function explain(io: Io, given: string | undefined, { tenant }: { tenant?: string }): Promise<void> {
  const operation = given ?? (await askFor(io, 'Operation:', 'Name the operation'));
  const to = `${path(tenant ?? (await ownTenant(io)))}/operation/${encodeURIComponent(operation)}`;
  const answer = await io.api.call<List<LedgerEntry>>('GET', to);
  const names = await lookUpPrincipals(
    io,
    answer.body.data.map(({ createdBy }) => createdBy),
  );
  io.show(answer, ({ data }) => {
    const spent = sum(data.filter(({ account }) => account === 'Spent'));
    const reserved = sum(data.filter(({ account }) => account === 'Reserved'));
    return [
      table(
        ['TIME', 'KIND', 'ACCOUNT', 'CREDITS', 'LOT', 'EXPIRES', 'SALES ORDER', 'BY', 'ENTRY'],
        data.map((e) => [
          moment(e.createdAt),
          e.kind,
          e.account,
          e.credits,
          e.lotId,
          e.expiresAt,
          e.salesOrderId,
          names.displayName(e.createdBy),
          e.seq,
        ]),
      ),
      record({ spent, reserved }),
    ];
  });
}
