import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { component, number, text } from '../http/rules/members.ts';
import { queryBoolean } from '../http/rules/query.ts';
import { add, move, release, reserve, spend } from './change.ts';
import { expire } from './expire.ts';
import { Credits, Expiry, OperationId, Pool, Reference } from './forms.ts';

const BillingReference = component('NewBillingReference', {
  billingReference: Reference.meta({ description: 'Name of the billing reference.', example: 'C-1042' }),
  billingReferenceTag: z
    .string()
    .trim()
    .max(255)
    .default('')
    .meta({ description: 'Note on the billing reference.', example: 'Framework 2026' }),
  billingReferenceType: Reference.meta({ description: 'Type of the billing reference.', example: 'EXT' }),
});
const Amount = component('CreditAmount', { credits: number('Credits, with up to six decimal places.', 75.5) });
export type Amount = z.infer<typeof Amount>;
const Reserved = component('CreditReservation', {
  credits: number('Reserved credits, with up to six decimal places.', 75.5),
  operationId: text('Operation that reserves or spends the credits, such as the id of a transfer.', 'run-4711'),
});
export type Reserved = z.infer<typeof Reserved>;
const Expired = component('ExpiredCredits', {
  credits: number('Expired credits, with up to six decimal places.', 75.5),
  lots: z.int().describe('Number of lots.'),
  pools: z.int().describe('Number of pools.'),
});
export type Expired = z.infer<typeof Expired>;

const DryRun = z.object({
  dryRun: queryBoolean()
    .optional()
    .describe('Checks the request and the first bytes of stored input, and starts nothing.'),
});

const tooFew = 'Too few credits are 409 `TooFewCredits`, with `available`.';
const dry = '`dryRun=true` checks the request and returns the same answer, but changes nothing.';

const Operation = z.object({
  credits: Credits,
  tenantId: uuidParam().describe('Id of the tenant.'),
  operationId: OperationId.optional(),
  projectId: uuidParam().optional().describe('Id of the project.'),
});

/** Changes of the ledger of credits. */
export async function creditRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const signedIn = new Routes(app, { access: 'signedIn', service: 'credit', tags: ['credit'] });
  const administrators = new Routes(app, { access: 'administrators', service: 'credit', tags: ['credit'] });

  signedIn.post('/api/iam/credit', {
    operationId: 'createCredit',
    summary: 'Adds credits to a tenant',
    description: `For the roles \`BackOffice\` and \`PlatformAdministrator\`. Returns what is available then. ${dry}`,
    querystring: DryRun,
    body: z.object({
      credits: Credits,
      billingReference: BillingReference.describe('Billing reference of the credits.'),
      salesOrderId: Reference.meta({
        description: 'Sales order that paid for the credits.',
        example: 'SO-2026-17',
      }),
      expiresAt: Expiry,
      tenantId: uuidParam().describe('Id of the tenant that gets the credits.'),
    }),
    response: { 200: Amount },
    handler: async ({ caller, body, query }) => add(db, caller, body, query.dryRun ?? false),
  });

  signedIn.put('/api/iam/credit/reserve', {
    operationId: 'replaceCreditReserve',
    summary: 'Reserves credits for an operation',
    description: `Takes the credits that expire first. An operation may reserve more while it holds a reservation. ${tooFew} ${dry}`,
    querystring: DryRun,
    body: Operation,
    response: { 200: Reserved },
    handler: async ({ caller, body, query }) => reserve(db, caller, body, query.dryRun ?? false),
  });

  signedIn.put('/api/iam/credit/spend', {
    operationId: 'replaceCreditSpend',
    summary: 'Spends credits',
    description: [
      'Spends what the operation has reserved; what is left stays reserved until it is released. An operation without a',
      `reservation, or a request without an operation, spends available credits. ${tooFew} ${dry}`,
    ].join(' '),
    querystring: DryRun,
    body: Operation,
    response: { 200: Amount },
    handler: async ({ caller, body, query }) => spend(db, caller, body, query.dryRun ?? false),
  });

  signedIn.put('/api/iam/credit/release', {
    operationId: 'replaceCreditRelease',
    summary: 'Ends the reservation of an operation',
    description: `Returns what was released. Credits that have expired meanwhile count as expired. ${dry}`,
    querystring: DryRun,
    body: z.object({
      tenantId: uuidParam().describe('Id of the tenant.'),
      operationId: OperationId,
    }),
    response: { 200: Amount },
    handler: async ({ caller, body, query }) =>
      release(db, caller, body.tenantId, body.operationId, query.dryRun ?? false),
  });

  signedIn.put('/api/iam/credit/move', {
    operationId: 'moveCredit',
    summary: 'Moves credits between tenants, or from or to the generic pool',
    description: [
      'Without `sourceTenantId` from the generic pool, without `targetTenantId` to it. Between tenants only credits with a',
      `billing reference move that both have had. The credits keep expiry, sales order and billing reference. ${tooFew} ${dry}`,
    ].join(' '),
    querystring: DryRun,
    body: z.object({
      credits: Credits,
      sourceTenantId: Pool.meta({
        description: 'Tenant that gives the credits. Empty: the generic pool.',
        example: '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10',
      }),
      targetTenantId: Pool.meta({
        description: 'Tenant that gets the credits. Empty: the generic pool.',
        example: '0192f79e-0b2c-7a51-a1de-6c0f93b1d2e4',
      }),
      billingReference: Reference.optional().describe('Name of the billing reference.'),
      billingReferenceType: Reference.optional().meta({
        description: 'Type of the billing reference.',
        example: 'EXT',
      }),
    }),
    response: { 200: Amount },
    config: { concernsTenants: true },
    handler: async ({ caller, body, query }) => move(db, caller, body, query.dryRun ?? false),
  });

  administrators.post('/api/iam/credit/expire', {
    operationId: 'createCreditExpire',
    summary: 'Books expired credits now',
    description: `Expired credits are unusable at once; the job \`expireCredits\` books them every hour. ${dry}`,
    querystring: DryRun,
    response: { 200: Expired },
    handler: async ({ caller, query }) => expire(db, caller, query.dryRun ?? false),
  });
}
