import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { sendPieces } from '../http/answers/pieces.ts';
import { type App, Routes } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { component, createdAt, createdBy, flag, number, text, timeText, uuidText } from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum, queryInteger, queryList, queryTime } from '../http/rules/query.ts';
import { STATUSES } from './balance.queries.ts';
import { balances, details, extendedDetails } from './balance.ts';
import { forecast } from './forecast.ts';
import { OperationId, Reference } from './forms.ts';
import { ACCOUNTS, KINDS } from './ledger.queries.ts';
import { operationEntries } from './operation.ts';
import { verify } from './verify.ts';

const status = z.enum(STATUSES);
const Balance = component('CreditBalance', {
  status: status.describe('State of the credits.'),
  credits: number('Available credits, with up to six decimal places.', 75.5),
});
export type Balance = z.infer<typeof Balance>;
const BillingReference = component('BillingReference', {
  billingReference: text('Name of the billing reference.', 'C-1042'),
  billingReferenceTag: text('Note on the billing reference.', 'Framework 2026'),
  billingReferenceType: text('Type of the billing reference.', 'EXT'),
});
const lot = {
  expiresAt: timeText('Time when the credits expire, UTC.'),
  salesOrderId: text('Sales order that paid for the credits.', 'SO-2026-17'),
  billingReference: BillingReference.describe('Billing reference of the credits.'),
};
const Detail = component('CreditDetail', {
  status: status.describe('State of the credits.'),
  credits: number('Credits of the lot, with up to six decimal places.', 75.5),
  ...lot,
});
export type Detail = z.infer<typeof Detail>;
const ExtendedDetail = component('ExtendedCreditDetail', {
  status: status.describe('State of the credits.'),
  credits: number('Credits of the lot, with up to six decimal places.', 75.5),
  ...lot,
  projectId: uuidText('Id of the project.').optional(),
  projectName: text('Name of the project.', 'Upper valley').optional(),
  operationId: text(
    'Operation that reserves or spends the credits, such as the id of a transfer.',
    'run-4711',
  ).optional(),
  createdAt,
  createdBy: createdBy.optional(),
});
export type ExtendedDetail = z.infer<typeof ExtendedDetail>;
const Forecast = component('CreditForecast', {
  available: number('Credits that are available.', 300),
  spentPerDay: number('Mean of the credits spent per day.', 12.5),
  lastsUntil: text('Time when nothing is left at this pace, UTC.', '2026-02-17T08:17:02.4350000').optional(),
  expiring: z
    .array(
      component('ExpiringCredits', {
        expiresAt: timeText('Time when the credits expire, UTC.'),
        credits: number('Credits that expire then, with up to six decimal places.', 75.5),
        unspent: number('Credits that are left when they expire, at this pace.'),
      }),
    )
    .describe('Available credits by their expiry.'),
});
export type Forecast = z.infer<typeof Forecast>;
const LedgerEntry = component('CreditEntry', {
  seq: z.int().describe('Number of the entry in its pool.'),
  kind: z.enum(KINDS).describe('Kind of the operation that wrote the entry.'),
  account: z.enum(ACCOUNTS).describe('Account of the entry.'),
  credits: number('Amount; negative on the account that gives.', 75.5),
  lotId: z.int().describe('Lot that the credits belong to: what one add or move put into the pool.'),
  expiresAt: timeText('Time when the credits expire, UTC.'),
  salesOrderId: text('Sales order that paid for the credits.', 'SO-2026-17'),
  projectId: uuidText('Id of the project.').optional(),
  createdAt,
  createdBy: createdBy.optional(),
  requestId: uuidText('`x-request-id` of the request.').optional(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;
const Verification = component('CreditVerification', {
  valid: flag('Whether the ledger is right.'),
  pools: z.int().describe('Number of pools.'),
  entries: z.int().meta({ description: 'Number of entries.', example: 1200 }),
  wrong: z
    .object({
      tenantId: uuidText('Id of the tenant of the pool; absent: the generic pool.').optional(),
      seq: z.int().optional().describe('Number of the entry in its pool.'),
      lotId: z.int().optional().describe('Lot that the credits belong to: what one add or move put into the pool.'),
      reason: text('What is wrong with the entry.', 'The sum of the accounts is not 0.'),
    })
    .optional()
    .meta({ id: 'WrongCreditEntry' })
    .describe('The first wrong entry.'),
});
export type Verification = z.infer<typeof Verification>;

const Query = z.object({
  filter: queryList(queryEnum(STATUSES)).optional().describe('Statuses to return. May be repeated.'),
  at: queryTime('A time in the past').optional(),
});
const DetailsQuery = Query.extend(offsetQuery);
const TenantParam = z.object({ tenantId: uuidParam().describe('Id of the tenant.') });
const OfTenant = z.object({ tenantId: uuidParam().describe('Id of the tenant.') });
const OfReference = z.object({
  billingReference: Reference.optional().describe('Name of the billing reference.'),
  billingReferenceType: Reference.optional().meta({ description: 'Type of the billing reference.', example: 'EXT' }),
});

/** A long answer is a stream, which cannot be stored for repeated requests. */
const repeatable = true;
const past =
  '`at` is a time in the past: what was committed then, and had not expired then. Send `filter` if you need only some of the statuses.';

/**
 * Sends a list that is read in parts. With several parts it may or may not contain changes meanwhile, unless it is of a
 * time in the past.
 */
const sendParts = (reply: FastifyReply, parts: AsyncGenerator<readonly object[]>) => sendPieces(reply, listText(parts));

/** JSON of a list, a piece per part. */
export async function* listText(parts: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const rows of parts) {
    if (rows.length === 0) continue;
    yield `${before}${JSON.stringify(rows).slice(1, -1)}`;
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

/** Reads the ledger of credits. */
export async function creditBalanceRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const signedIn = new Routes(app, { access: 'signedIn', service: 'credit', tags: ['credit'] });
  const administrators = new Routes(app, { access: 'administrators', service: 'credit', tags: ['credit'] });
  signedIn.get('/api/iam/credit/:tenantId', {
    operationId: 'getCredit',
    summary: 'Returns the credits of a tenant by status',
    description: past,
    params: TenantParam,
    querystring: Query,
    response: { 200: listOf(Balance) },
    handler: async ({ caller, params, query }) => ({ data: [...(await balances(db, caller, params, query))] }),
  });

  signedIn.post('/api/iam/credit/unassigned', {
    operationId: 'createCreditUnassigned',
    summary: 'Returns the credits of the generic pool by status',
    description: `For administrators and the role \`BackOffice\`. ${past}`,
    querystring: Query,
    body: OfReference,
    response: { 200: listOf(Balance) },
    handler: async ({ caller, body, query }) => ({ data: [...(await balances(db, caller, body as object, query))] }),
  });

  signedIn.post('/api/iam/credit/details', {
    operationId: 'createCreditDetail',
    summary: 'Returns the credits of a tenant by status and expiry',
    description: `In the order in which they are spent. ${past}`,
    querystring: DetailsQuery,
    body: OfTenant,
    response: { 200: listOf(Detail) },
    config: { repeatable },
    handler: async ({ caller, body, query }, reply) => sendParts(reply, await details(db, caller, body, query)),
  });

  signedIn.post('/api/iam/credit/unassigned/details', {
    operationId: 'createCreditUnassignedDetail',
    summary: 'Returns the credits of the generic pool by status and expiry',
    description: `For administrators and the role \`BackOffice\`. ${past}`,
    querystring: DetailsQuery,
    body: OfReference,
    response: { 200: listOf(Detail) },
    config: { repeatable },
    handler: async ({ caller, body, query }, reply) =>
      sendParts(reply, await details(db, caller, body as object, query)),
  });

  signedIn.post('/api/iam/credit/details/extended', {
    operationId: 'createCreditDetailExtended',
    summary: 'Returns the credits of a tenant by status, with project and operation',
    description: `\`createdAt\` and \`createdBy\` are of the entry that put the credits into the status. ${past}`,
    querystring: DetailsQuery,
    body: OfTenant,
    response: { 200: listOf(ExtendedDetail) },
    config: { repeatable },
    handler: async ({ caller, body, query }, reply) => sendParts(reply, await extendedDetails(db, caller, body, query)),
  });

  signedIn.get('/api/iam/credit/:tenantId/forecast', {
    operationId: 'getCreditForecast',
    summary: 'Returns when credits of a tenant expire and how long they last',
    description: '`days`: period whose mean is the pace of spending, 30 by default.',
    params: TenantParam,
    querystring: z.object({
      days: queryInteger(1, 3660).default(30).describe('Number of past days for the pace of spending.'),
    }),
    response: { 200: Forecast },
    handler: async ({ caller, params, query }) => forecast(db, caller, params.tenantId, query.days),
  });

  signedIn.get('/api/iam/credit/:tenantId/operation/:operationId', {
    operationId: 'getCreditOperation',
    summary: 'Returns the entries of an operation',
    description: 'Entries with the same time and kind belong together and sum to zero.',
    params: TenantParam.extend({ operationId: OperationId }),
    response: { 200: listOf(LedgerEntry) },
    handler: async ({ caller, params }) => ({
      data: [...(await operationEntries(db, caller, params.tenantId, params.operationId))],
    }),
  });

  administrators.get('/api/iam/credit/verify', {
    operationId: 'getCreditVerify',
    summary: 'Verifies the ledger',
    description:
      'Checks the chain of hashes of each pool, that entries sum to zero, and that lots and reservations are the sums of their entries. Returns the first wrong entry.',
    response: { 200: Verification },
    handler: async () => verify(db),
  });
}
