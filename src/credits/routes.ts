import { z } from 'zod';
import type { Db } from '../db.ts';
import type { App } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { queryBoolean } from '../http/rules/query.ts';
import { add, move, release, reserve, spend } from './change.ts';
import { expire } from './expire.ts';
import { Credits, Expiry, OperationId, Pool, Reference } from './forms.ts';

const BillingReference = z
  .object({
    billingReference: Reference,
    billingReferenceTag: z.string().trim().max(255).default(''),
    billingReferenceType: Reference,
  })
  .meta({ id: 'NewBillingReference' });
const Amount = z.object({ credits: z.number() }).meta({ id: 'CreditAmount' });
export type Amount = z.infer<typeof Amount>;
const Reserved = z.object({ credits: z.number(), operationId: z.string() }).meta({ id: 'CreditReservation' });
export type Reserved = z.infer<typeof Reserved>;
const Expired = z.object({ credits: z.number(), lots: z.int(), pools: z.int() }).meta({ id: 'ExpiredCredits' });
export type Expired = z.infer<typeof Expired>;

const DryRun = z.object({ dryRun: queryBoolean().optional() });
const tags = ['credit'];
const tooFew = 'Too few credits are 409 `TooFewCredits`, with `available`.';
const dry = '`dryRun=true` checks the request and returns the same answer, but changes nothing.';

const Operation = z.object({
  credits: Credits,
  tenantId: uuidParam(),
  operationId: OperationId.optional(),
  projectId: uuidParam().optional(),
});

/** Changes of the ledger of credits. */
export async function creditRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'signedIn', service: 'credit' } as const;

  app.post(
    '/api/iam/credit',
    {
      config,
      schema: {
        tags,
        operationId: 'createCredit',
        summary: 'Adds credits to a tenant',
        description: `For the roles \`BackOffice\` and \`PlatformAdministrator\`. Returns what is available then. ${dry}`,
        querystring: DryRun,
        body: z.object({
          credits: Credits,
          billingReference: BillingReference,
          salesOrderId: Reference,
          expiresAt: Expiry,
          tenantId: uuidParam(),
        }),
        response: { 200: Amount },
      },
    },
    async ({ caller, body, query }) => add(db, caller, body, query.dryRun ?? false),
  );

  app.put(
    '/api/iam/credit/reserve',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceCreditReserve',
        summary: 'Reserves credits for an operation',
        description: `Takes the credits that expire first. An operation may reserve more while it holds a reservation. ${tooFew} ${dry}`,
        querystring: DryRun,
        body: Operation,
        response: { 200: Reserved },
      },
    },
    async ({ caller, body, query }) => reserve(db, caller, body, query.dryRun ?? false),
  );

  app.put(
    '/api/iam/credit/spend',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceCreditSpend',
        summary: 'Spends credits',
        description: [
          'Spends what the operation has reserved; what is left stays reserved until it is released. An operation without a',
          `reservation, or a request without an operation, spends available credits. ${tooFew} ${dry}`,
        ].join(' '),
        querystring: DryRun,
        body: Operation,
        response: { 200: Amount },
      },
    },
    async ({ caller, body, query }) => spend(db, caller, body, query.dryRun ?? false),
  );

  app.put(
    '/api/iam/credit/release',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceCreditRelease',
        summary: 'Ends the reservation of an operation',
        description: `Returns what was released. Credits that have expired meanwhile count as expired. ${dry}`,
        querystring: DryRun,
        body: z.object({ tenantId: uuidParam(), operationId: OperationId }),
        response: { 200: Amount },
      },
    },
    async ({ caller, body, query }) => release(db, caller, body.tenantId, body.operationId, query.dryRun ?? false),
  );

  app.put(
    '/api/iam/credit/move',
    {
      config: { ...config, concernsTenants: true },
      schema: {
        tags,
        operationId: 'moveCredit',
        summary: 'Moves credits between tenants, or from or to the generic pool',
        description: [
          'Without `sourceTenantId` from the generic pool, without `targetTenantId` to it. Between tenants only credits with a',
          `billing reference move that both have had. The credits keep expiry, sales order and billing reference. ${tooFew} ${dry}`,
        ].join(' '),
        querystring: DryRun,
        body: z.object({
          credits: Credits,
          sourceTenantId: Pool,
          targetTenantId: Pool,
          billingReference: Reference.optional(),
          billingReferenceType: Reference.optional(),
        }),
        response: { 200: Amount },
      },
    },
    async ({ caller, body, query }) => move(db, caller, body, query.dryRun ?? false),
  );

  app.post(
    '/api/iam/credit/expire',
    {
      config: { ...config, access: 'administrators' },
      schema: {
        tags,
        operationId: 'createCreditExpire',
        summary: 'Books expired credits now',
        description: `Expired credits are unusable at once; the job \`expireCredits\` books them every hour. ${dry}`,
        querystring: DryRun,
        response: { 200: Expired },
      },
    },
    async ({ caller, query }) => expire(db, caller, query.dryRun ?? false),
  );
}
