import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { sendPieces } from '../http/answers/pieces.ts';
import type { App } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
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
const Balance = z.object({ status, credits: z.number() }).meta({ id: 'CreditBalance' });
export type Balance = z.infer<typeof Balance>;
const BillingReference = z
  .object({ billingReference: z.string(), billingReferenceTag: z.string(), billingReferenceType: z.string() })
  .meta({ id: 'BillingReference' });
const lot = { expiresAt: z.string(), salesOrderId: z.string(), billingReference: BillingReference };
const Detail = z.object({ status, credits: z.number(), ...lot }).meta({ id: 'CreditDetail' });
export type Detail = z.infer<typeof Detail>;
const ExtendedDetail = z
  .object({
    status,
    credits: z.number(),
    ...lot,
    projectId: z.string().optional(),
    projectName: z.string().optional(),
    operationId: z.string().optional(),
    createdAt: z.string(),
    createdBy: z.string().optional(),
  })
  .meta({ id: 'ExtendedCreditDetail' });
export type ExtendedDetail = z.infer<typeof ExtendedDetail>;
const Forecast = z
  .object({
    available: z.number(),
    spentPerDay: z.number(),
    lastsUntil: z.string().optional(),
    expiring: z.array(
      z.object({ expiresAt: z.string(), credits: z.number(), unspent: z.number() }).meta({ id: 'ExpiringCredits' }),
    ),
  })
  .meta({ id: 'CreditForecast' });
export type Forecast = z.infer<typeof Forecast>;
const Entry = z
  .object({
    seq: z.int(),
    kind: z.enum(KINDS),
    account: z.enum(ACCOUNTS),
    credits: z.number(),
    lotId: z.int(),
    expiresAt: z.string(),
    salesOrderId: z.string(),
    projectId: z.string().optional(),
    createdAt: z.string(),
    createdBy: z.string().optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'CreditEntry' });
export type Entry = z.infer<typeof Entry>;
const Verification = z
  .object({
    valid: z.boolean(),
    pools: z.int(),
    entries: z.int(),
    wrong: z
      .object({
        tenantId: z.string().optional(),
        seq: z.int().optional(),
        lotId: z.int().optional(),
        reason: z.string(),
      })
      .optional()
      .meta({ id: 'WrongCreditEntry' }),
  })
  .meta({ id: 'CreditVerification' });
export type Verification = z.infer<typeof Verification>;

const Query = z.object({
  filter: queryList(queryEnum(STATUSES)).optional().meta({ description: 'Statuses to return. May be repeated.' }),
  at: queryTime().optional().meta({ description: 'A time in the past, UTC.' }),
});
const DetailsQuery = Query.extend(offsetQuery);
const TenantParam = z.object({ tenantId: uuidParam() });
const OfTenant = z.object({ tenantId: uuidParam() });
const OfReference = z.object({ billingReference: Reference.optional(), billingReferenceType: Reference.optional() });

const tags = ['credit'];
const config = { access: 'signedIn', service: 'credit' } as const;
/** A long answer is a stream, which cannot be stored for repeated requests. */
const queries = { ...config, repeatable: true } as const;
const administrators = { access: 'administrators', service: 'credit' } as const;
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
export async function creditBalanceRoutes(app: App, { db }: { db: Db }): Promise<void> {
  app.get(
    '/api/iam/credit/:tenantId',
    {
      config,
      schema: {
        tags,
        operationId: 'getCredit',
        summary: 'Returns the credits of a tenant by status',
        description: past,
        params: TenantParam,
        querystring: Query,
        response: { 200: listOf(Balance) },
      },
    },
    async ({ caller, params, query }) => ({ data: [...(await balances(db, caller, params, query))] }),
  );

  app.post(
    '/api/iam/credit/unassigned',
    {
      config,
      schema: {
        tags,
        operationId: 'createCreditUnassigned',
        summary: 'Returns the credits of the generic pool by status',
        description: `For administrators and the role \`BackOffice\`. ${past}`,
        querystring: Query,
        body: OfReference,
        response: { 200: listOf(Balance) },
      },
    },
    async ({ caller, body, query }) => ({ data: [...(await balances(db, caller, body as object, query))] }),
  );

  app.post(
    '/api/iam/credit/details',
    {
      config: queries,
      schema: {
        tags,
        operationId: 'createCreditDetail',
        summary: 'Returns the credits of a tenant by status and expiry',
        description: `In the order in which they are spent. ${past}`,
        querystring: DetailsQuery,
        body: OfTenant,
        response: { 200: listOf(Detail) },
      },
    },
    async ({ caller, body, query }, reply) => sendParts(reply, await details(db, caller, body, query)),
  );

  app.post(
    '/api/iam/credit/unassigned/details',
    {
      config: queries,
      schema: {
        tags,
        operationId: 'createCreditUnassignedDetail',
        summary: 'Returns the credits of the generic pool by status and expiry',
        description: `For administrators and the role \`BackOffice\`. ${past}`,
        querystring: DetailsQuery,
        body: OfReference,
        response: { 200: listOf(Detail) },
      },
    },
    async ({ caller, body, query }, reply) => sendParts(reply, await details(db, caller, body as object, query)),
  );

  app.post(
    '/api/iam/credit/details/extended',
    {
      config: queries,
      schema: {
        tags,
        operationId: 'createCreditDetailExtended',
        summary: 'Returns the credits of a tenant by status, with project and operation',
        description: `\`createdAt\` and \`createdBy\` are of the entry that put the credits into the status. ${past}`,
        querystring: DetailsQuery,
        body: OfTenant,
        response: { 200: listOf(ExtendedDetail) },
      },
    },
    async ({ caller, body, query }, reply) => sendParts(reply, await extendedDetails(db, caller, body, query)),
  );

  app.get(
    '/api/iam/credit/:tenantId/forecast',
    {
      config,
      schema: {
        tags,
        operationId: 'getCreditForecast',
        summary: 'Returns when credits of a tenant expire and how long they last',
        description: '`days`: period whose mean is the pace of spending, 30 by default.',
        params: TenantParam,
        querystring: z.object({
          days: queryInteger(1, 3660)
            .default(30)
            .meta({ description: 'Number of past days for the pace of spending.' }),
        }),
        response: { 200: Forecast },
      },
    },
    async ({ caller, params, query }) => forecast(db, caller, params.tenantId, query.days),
  );

  app.get(
    '/api/iam/credit/:tenantId/operation/:operationId',
    {
      config,
      schema: {
        tags,
        operationId: 'getCreditOperation',
        summary: 'Returns the entries of an operation',
        description: 'Entries with the same time and kind belong together and sum to zero.',
        params: TenantParam.extend({ operationId: OperationId }),
        response: { 200: listOf(Entry) },
      },
    },
    async ({ caller, params }) => ({
      data: [...(await operationEntries(db, caller, params.tenantId, params.operationId))],
    }),
  );

  app.get(
    '/api/iam/credit/verify',
    {
      config: administrators,
      schema: {
        tags,
        operationId: 'getCreditVerify',
        summary: 'Verifies the ledger',
        description:
          'Checks the chain of hashes of each pool, that entries sum to zero, and that lots and reservations are the sums of their entries. Returns the first wrong entry.',
        response: { 200: Verification },
      },
    },
    async () => verify(db),
  );
}
