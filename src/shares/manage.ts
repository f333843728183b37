import { createHash, randomBytes } from 'node:crypto';
import { audit, by } from '../audit.ts';
import { noBytes, takenDataset, visibleDataset } from '../datasets/access.ts';
import { findRights } from '../datasets/queries.ts';
import type { Database, Reads } from '../db.ts';
import { conflict, forbidden, invalidMember, notFound } from '../errors.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { timestampFromText } from '../platform/text/time.ts';
import { may, requireCapability } from '../projects/access.ts';
import { endTransfer } from '../transfers/ends/cancel.ts';
import { lockUnended } from './conversions.queries.ts';
import {
  countOpenShares,
  type Downloads,
  endShareRow,
  findShare,
  insertShare,
  listShares,
  listTenantShares,
  type ShareRow,
} from './queries.ts';

/** Links of a dataset that may be open at once. */
const MAX_OPEN = 100;
const TOKEN_BYTES = 16;

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface ShareRequest {
  name?: string | undefined;
  /** Absent: 30 days from now. */
  expiresAt?: string | undefined;
  downloads: Downloads;
}

/**
 * Makes a link to a dataset. Only the returned value contains the token; the database stores its hash.
 * @param allowed setting `shares.allowed`
 */
export async function createShare(
  { db, allowed }: { db: Database; allowed: boolean },
  caller: Caller,
  datasetId: string,
  { name, expiresAt, downloads }: ShareRequest,
): Promise<ShareRow & { token: string }> {
  const time = expiresAt === undefined ? undefined : parseExpiry(expiresAt);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return db.transaction(async (tx) => {
    const dataset = await takenDataset(tx, caller, { id: datasetId }, 'canGrantAccess');
    if (!allowed)
      throw forbidden('The operator does not allow links to datasets (setting shares.allowed).', {
        code: 'SharesNotAllowed',
      });
    if (dataset.blob === undefined && downloads === 'Original') throw noBytes(dataset.id);
    if ((await countOpenShares(tx, dataset.id)) >= MAX_OPEN)
      throw conflict(`Dataset '${dataset.id}' has ${MAX_OPEN} open links, the maximum. End one of them.`, {
        code: 'TooManyShares',
      });
    const row = { datasetId: dataset.id, hash: hashToken(token), name, downloads, expiresAt: time };
    const made = await insertShare(tx, { ...row, createdBy: caller.userId });
    if (made === null)
      throw invalidMember('expiresAt', `expiresAt is '${expiresAt}'. Send a time in the future, at most a year away.`);
    const details = { dataset: dataset.id, name, downloads, expiresAt: made.expiresAt };
    await audit(tx, { action: 'share.create', subject: made.id, tenantId: dataset.tenantId, ...by(caller), details });
    return { ...made, token };
  });
}

type Window = Parameters<typeof listShares>[2];

/** Links of a dataset, newest first. */
export async function listDatasetShares(db: Reads, caller: Caller, datasetId: string, window: Window) {
  const dataset = await visibleDataset(db, caller, datasetId);
  requireCapability({ ...dataset, id: dataset.projectId }, 'canGrantAccess');
  return listShares(db, dataset.id, window);
}

/** Links of the caller's current tenant, newest first. */
export async function listOwnTenantShares(db: Reads, caller: Caller, window: Window) {
  const { tenantId } = caller;
  if (tenantId === undefined || !ownedTenants(caller).includes(tenantId))
    throw forbidden('Only Owners of the tenant may list all links to its datasets.');
  return listTenantShares(db, tenantId, window);
}

/**
 * Ends a link, also one to a dataset in the recycle bin, and its conversions. Does nothing if it has ended before.
 */
export async function endShare(db: Database, caller: Caller, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const share = await findShare(tx, id);
    const rights = share && (await findRights(tx, caller, share.datasetId));
    if (!share || !rights || !may(rights, 'canReadContent')) throw notFound('Link', id);
    if (!may(rights, 'canGrantAccess'))
      throw forbidden(`You may not end links to dataset '${share.datasetId}'. This requires canGrantAccess.`);
    if (!(await endShareRow(tx, id, caller.userId))) return;
    for (const transferId of await lockUnended(tx, id)) await endTransfer(tx, transferId, caller.userId);
    const details = { dataset: share.datasetId };
    await audit(tx, { action: 'share.end', subject: id, tenantId: share.tenantId, ...by(caller), details });
  });
}

function parseExpiry(text: string): string {
  const time = timestampFromText(text);
  if (time === undefined)
    throw invalidMember('expiresAt', `'${text}' is not a time such as 2026-12-31T18:00:00Z or 2026-12-31.`);
  return `${time}Z`;
}
