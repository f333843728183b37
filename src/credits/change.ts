import { randomUUID } from 'node:crypto';
import type { Database, Reads } from '../db.ts';
import { AppError, conflict, invalid, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { isUuid } from '../platform/text/uuid.ts';
import {
  addCredits,
  GENERIC_POOL,
  isTenantProject,
  isUnendedTransfer,
  type Move,
  moveCredits,
  type NewLot,
  type Outcome,
  releaseCredits,
  reserveCredits,
  spendCredits,
  type Use,
} from './queries.ts';
import { checkMayAdd, checkMayMove, checkMaySpend, checkVisible } from './rights.ts';

/** The most that one operation may add, reserve, spend or move, and that a pool may have available. */
export const MAX_CREDITS = 999_999_999.999999;

const changeBy = ({ userId, requestId }: Caller, dryRun: boolean) => ({ dryRun, actor: { userId, requestId } });

/** Adds credits to a tenant. Returns the new available amount. */
export async function add(db: Database, caller: Caller, lot: NewLot, dryRun: boolean): Promise<{ credits: number }> {
  await checkMayAdd(db, caller, lot.tenantId);
  const { refusal, available = 0 } = await db.transaction((tx) => addCredits(tx, lot, changeBy(caller, dryRun)));
  if (refusal !== undefined) throw refused(refusal, lot.tenantId, lot);
  return { credits: available };
}

/** Reserves available credits for an operation. */
export async function reserve(db: Database, caller: Caller, use: Use, dryRun: boolean) {
  await checkMaySpend(db, caller, use.tenantId);
  await checkProject(db, caller, use);
  const { operationId = randomUUID() } = use;
  const outcome = await db.transaction((tx) => reserveCredits(tx, { ...use, operationId }, changeBy(caller, dryRun)));
  return { credits: await credited(db, caller, use.tenantId, outcome), operationId };
}

export async function spend(db: Database, caller: Caller, use: Use, dryRun: boolean) {
  await checkMaySpend(db, caller, use.tenantId);
  await checkProject(db, caller, use);
  await checkNoTransfer(db, use.operationId);
  const outcome = await db.transaction((tx) => spendCredits(tx, use, changeBy(caller, dryRun)));
  return { credits: await credited(db, caller, use.tenantId, outcome) };
}

export async function release(db: Database, caller: Caller, tenantId: string, operationId: string, dryRun: boolean) {
  await checkMaySpend(db, caller, tenantId);
  await checkNoTransfer(db, operationId);
  const outcome = await db.transaction((tx) => releaseCredits(tx, tenantId, operationId, changeBy(caller, dryRun)));
  return { credits: await credited(db, caller, tenantId, outcome) };
}

/** A move between tenants. An end without an id is the generic pool. */
export interface WantedMove extends Omit<Move, 'source' | 'target'> {
  sourceTenantId?: string | undefined;
  targetTenantId?: string | undefined;
}

export async function move(
  db: Database,
  caller: Caller,
  request: WantedMove,
  dryRun: boolean,
): Promise<{ credits: number }> {
  const { sourceTenantId, targetTenantId, ...what } = request;
  const tenants = [sourceTenantId, targetTenantId].filter((id) => id !== undefined);
  if (tenants.length === 0)
    throw invalid('Name the tenant that credits are moved from, or the tenant that they are moved to.');
  if (sourceTenantId === targetTenantId)
    throw invalidMember('targetTenantId', `Credits cannot be moved from tenant '${sourceTenantId}' to itself.`);
  await checkMayMove(db, caller, tenants);
  const [source, target] = [sourceTenantId ?? GENERIC_POOL, targetTenantId ?? GENERIC_POOL];
  const {
    refusal,
    credits = 0,
    available,
  } = await db.transaction((tx) => moveCredits(tx, { ...what, source, target }, changeBy(caller, dryRun)));
  if (refusal !== undefined) throw refused(refusal, target, { credits: request.credits, available });
  return { credits };
}

/** The reservation of a transfer is settled at its end: releasing it before would make the transfer free. */
async function checkNoTransfer(db: Reads, operationId: string | undefined): Promise<void> {
  if (operationId === undefined || !isUuid(operationId) || !(await isUnendedTransfer(db, operationId))) return;
  throw conflict(`The credits of transfer '${operationId}' are settled when it ends.`, { code: 'TransferNotEnded' });
}

async function checkProject(db: Reads, caller: Caller, { tenantId, projectId }: Use): Promise<void> {
  if (projectId === undefined || (await isTenantProject(db, tenantId, projectId))) return;
  await checkVisible(db, caller, tenantId);
  throw notFound('Project', projectId);
}

/** The amount of the outcome. A refusal looks first whether the tenant exists, which a success has shown. */
async function credited(db: Reads, caller: Caller, tenantId: string, outcome: Outcome): Promise<number> {
  const { refusal, credits = 0 } = outcome;
  if (refusal === undefined) return credits;
  await checkVisible(db, caller, tenantId);
  throw refused(refusal, tenantId, outcome);
}

interface RefusedChange extends Partial<Pick<Outcome, 'available' | 'reserved' | 'operationId'>> {
  credits?: number | undefined;
  expiresAt?: { given: string };
}

function refused(refusal: NonNullable<Outcome['refusal']>, tenantId: string, change: RefusedChange): AppError {
  const { available = 0, reserved, operationId = '', credits, expiresAt } = change;
  switch (refusal) {
    case 'Tenant':
      return notFound('Tenant', tenantId);
    case 'Past':
      return invalidMember('expiresAt', `'${expiresAt?.given}' is in the past.`);
    case 'PoolFull':
      return conflict(`A pool can have at most ${MAX_CREDITS} credits available; ${credits} more do not fit.`, {
        code: 'PoolFull',
      });
    case 'NothingHeld':
      return new AppError('notFound', `Operation '${operationId}' has no reserved credits.`);
    case 'NoCommonBillingReference':
      return conflict('The tenants have no billing reference in common.', { code: 'NoCommonBillingReference' });
    case 'TooFewCredits':
      return tooFewCredits(available, reserved, operationId);
  }
}

/** @param reserved credits reserved by the operation, if any */
export function tooFewCredits(
  available: number,
  reserved: number | undefined,
  operationId: string,
  wanted?: number,
): AppError {
  const needed = wanted === undefined ? '' : ` ${wanted} are needed.`;
  const sentence =
    reserved === undefined
      ? `Only ${available} credits are available.${needed}`
      : `Only ${reserved} credits are reserved for operation '${operationId}'.`;
  const members = { available, ...(reserved === undefined ? {} : { reserved }) };
  return conflict(`Too few credits. ${sentence}`, { code: 'TooFewCredits', members });
}
