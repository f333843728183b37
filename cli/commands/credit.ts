import type { Command } from 'commander';
import type { Amount, Expired, Reserved } from '../../src/credits/routes.ts';
import { askFor } from '../ask.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { findTenantId } from '../names.ts';
import { amount } from '../options.ts';
import { creditReadCommands } from './credit-read.ts';

const MAX_CREDITS = 999_999_999.999999;
const credits = amount(MAX_CREDITS);
const dryRunFlag = ['--dry-run', 'only check the request and show its result'] as const;
const yesFlag = ['--yes', 'do not ask for confirmation'] as const;

export function creditCommands(credit: Command, io: Io): void {
  credit
    .command('add [tenant]')
    .description('add credits to a tenant (roles BackOffice and PlatformAdministrator)')
    .argument('[credits]', 'amount, such as 100 or 0.5', credits)
    .option('--expires <time>', 'end of the credits (UTC); of a date the end of that day')
    .option('--sales-order <id>', 'sales order')
    .option('--billing-reference <name>', 'billing reference')
    .option('--billing-reference-type <type>', 'type of the billing reference', 'EXT')
    .option('--billing-reference-tag <tag>', 'note on the billing reference')
    .option(...dryRunFlag)
    .action((tenant, value, options) => addCredits(io, tenant, value, options));
  creditReadCommands(credit, io);
  credit
    .command('reserve [tenant]')
    .description('reserve credits for an operation (owners of the tenant, role CreditSpender)')
    .argument('[credits]', 'amount, such as 100 or 0.5', credits)
    .option('--operation <id>', 'id of the operation; default: a new one')
    .option('--project <id>', 'project that the credits are used for')
    .option(...dryRunFlag)
    .action((tenant, value, options) => useCredits(io, 'reserve', tenant, value, options));
  credit
    .command('spend [tenant]')
    .description('spend credits: those that the operation has reserved, else available ones')
    .argument('[credits]', 'amount, such as 100 or 0.5', credits)
    .option('--operation <id>', 'id of the operation')
    .option('--project <id>', 'project that the credits are used for')
    .option(...dryRunFlag)
    .option(...yesFlag)
    .action((tenant, value, options) => useCredits(io, 'spend', tenant, value, options));
  credit
    .command('release [tenant]')
    .description('end the reservation of an operation')
    .argument('[operation]', 'id of the operation')
    .option(...dryRunFlag)
    .action((tenant, operation, options) => releaseCredits(io, tenant, operation, options));
  credit
    .command('move')
    .description('move credits between tenants, or from or to the generic pool')
    .argument('[credits]', 'amount, such as 100 or 0.5', credits)
    .option('--from <tenant>', 'tenant that gives the credits; default: the generic pool')
    .option('--to <tenant>', 'tenant that gets the credits; default: the generic pool')
    .option('--billing-reference <name>', 'only credits with this billing reference')
    .option('--billing-reference-type <type>', 'only credits with a billing reference of this type')
    .option(...dryRunFlag)
    .option(...yesFlag)
    .action((value, options) => moveCredits(io, value, options));
  credit
    .command('expire')
    .description('book expired credits now (administrators)')
    .option(...dryRunFlag)
    .action((options) => expireCredits(io, options));
}

interface DryRun {
  dryRun?: boolean;
}

const query = ({ dryRun }: DryRun) => (dryRun ? { query: { dryRun: true } } : {});
/** Message about a change, or about the effect that it would have in a dry run. */
const told = ({ dryRun }: DryRun, [would, done]: readonly [string, string], what: string) =>
  dryRun ? `Dry run, nothing is changed. It would ${would} ${what}` : `${done} ${what}`;

interface Asking extends DryRun {
  yes?: boolean;
}

/** Asks at a terminal before credits leave a pool, which only another booking undoes. Scripts are not asked. */
const confirmBooking = async (io: Io, question: string, { dryRun, yes = !io.interactive }: Asking, kept: string) => {
  if (!dryRun) await confirm(io, question, { yes }, kept);
};

const VERBS = { reserve: ['reserve', 'Reserved'], spend: ['spend', 'Spent'] } as const;

/** Arguments that are missing are asked for at a terminal. */
const tenantOr = async (io: Io, given: string | undefined, instead = 'Name the tenant') =>
  given ?? findTenantId(io, await askFor(io, 'Tenant (name or id):', instead));
async function creditsOr(io: Io, given: number | undefined): Promise<number> {
  return given ?? askFor(io, 'Credits:', 'Give the amount of credits', credits);
}

interface AddOptions extends DryRun {
  expires?: string;
  salesOrder?: string;
  billingReference?: string;
  billingReferenceType: string;
  billingReferenceTag?: string;
}

async function addCredits(io: Io, tenant: string | undefined, value: number | undefined, options: AddOptions) {
  const body = {
    tenantId: await tenantOr(io, tenant),
    credits: await creditsOr(io, value),
    expiresAt: options.expires ?? (await askFor(io, 'Expires (date or time, UTC):', 'Use --expires')),
    salesOrderId: options.salesOrder ?? (await askFor(io, 'Sales order:', 'Use --sales-order')),
    billingReference: {
      billingReference: options.billingReference ?? (await askFor(io, 'Billing reference:', 'Use --billing-reference')),
      billingReferenceType: options.billingReferenceType,
      ...(options.billingReferenceTag === undefined ? {} : { billingReferenceTag: options.billingReferenceTag }),
    },
  };
  const answer = await io.api.call<Amount>('POST', '/api/iam/credit', { body, ...query(options) });
  io.show(answer, ({ credits }) =>
    told(
      options,
      ['add', 'Added'],
      `${body.credits} credits. Available${options.dryRun ? ' after that' : ''}: ${credits}.`,
    ),
  );
}

interface UseOptions extends Asking {
  operation?: string;
  project?: string;
}

async function useCredits(
  io: Io,
  verb: 'reserve' | 'spend',
  tenant: string | undefined,
  value: number | undefined,
  options: UseOptions,
) {
  const body = {
    tenantId: await tenantOr(io, tenant),
    credits: await creditsOr(io, value),
    operationId: options.operation,
    projectId: options.project,
  };
  if (verb === 'spend')
    await confirmBooking(
      io,
      `Spend ${body.credits} credits of tenant ${body.tenantId}?`,
      options,
      'Nothing was spent.',
    );
  const answer = await io.api.call<Amount & Partial<Reserved>>('PUT', `/api/iam/credit/${verb}`, {
    body,
    ...query(options),
  });
  io.show(answer, ({ credits, operationId }) =>
    told(
      options,
      VERBS[verb],
      verb === 'spend' ? `${credits} credits.` : `${credits} credits for operation ${operationId}.`,
    ),
  );
}

async function releaseCredits(io: Io, tenant: string | undefined, operation: string | undefined, options: DryRun) {
  const body = {
    tenantId: await tenantOr(io, tenant),
    operationId: operation ?? (await askFor(io, 'Operation:', 'Name the operation')),
  };
  const answer = await io.api.call<Amount>('PUT', '/api/iam/credit/release', { body, ...query(options) });
  io.show(answer, ({ credits }) =>
    told(options, ['release', 'Released'], `${credits} credits of operation ${body.operationId}.`),
  );
}

interface MoveOptions extends Asking {
  from?: string;
  to?: string;
  billingReference?: string;
  billingReferenceType?: string;
}

async function moveCredits(io: Io, value: number | undefined, options: MoveOptions) {
  const { from, to } = options;
  const body = {
    credits: await creditsOr(io, value),
    sourceTenantId: from,
    // from the generic pool to itself is not a move
    targetTenantId: to ?? (from === undefined ? await tenantOr(io, undefined, 'Use --from or --to') : undefined),
    billingReference: options.billingReference,
    billingReferenceType: options.billingReferenceType,
  };
  const pool = (tenant: string | undefined) => (tenant === undefined ? 'the generic pool' : `tenant ${tenant}`);
  const question = `Move ${body.credits} credits from ${pool(from)} to ${pool(body.targetTenantId)}?`;
  await confirmBooking(io, question, options, 'Nothing was moved.');
  const answer = await io.api.call<Amount>('PUT', '/api/iam/credit/move', { body, ...query(options) });
  io.show(answer, ({ credits }) => told(options, ['move', 'Moved'], `${credits} credits.`));
}

async function expireCredits(io: Io, options: DryRun): Promise<void> {
  const answer = await io.api.call<Expired>('POST', '/api/iam/credit/expire', query(options));
  io.show(answer, ({ credits, lots, pools }) =>
    told(options, ['book', 'Booked'], `${credits} expired credits: ${lots} lots in ${pools} pools.`),
  );
}
