import { audit, by } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { invalid, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Issuers } from '../keys/issuers.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { formatDuration } from '../platform/text/time.ts';
import { may } from '../projects/access.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { type BlobAddress, type FolderScope, type Grant, grantQuery, type Permission } from '../uploads/address.ts';
import type { PresentedGrant } from '../uploads/blob-area.ts';
import { isUnrevoked } from './bytes.queries.ts';
import { findRights, findVisible } from './queries.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No duration of a request is longer; the settings allow less. */
export const MAX_GRANT_MS = 100 * 365 * 24 * HOUR_MS;

/** Settings `grants.readLifetime` and `grants.writeLifetime`: maximum lifetimes of links in ms. */
export interface GrantLifetimes {
  read: number;
  write: number;
}

/** Grants reading for an hour. Read `generation` before the check that the data is visible. */
export const readGrant = (generation: number, { userId }: Pick<Caller, 'userId'>) =>
  ({ permission: 'r', expiresAt: new Date(Date.now() + HOUR_MS), generation, issuer: userId }) as const;

/** Throws unless a link of this lifetime in ms may be issued. */
export function checkLifetime(lifetime: number, permission: Permission, { read, write }: GrantLifetimes): void {
  const isReading = permission === 'r';
  const most = isReading ? read : write;
  if (lifetime <= most) return;
  const shorter = `at most ${most % DAY_MS === 0 ? `${most / DAY_MS} days` : formatDuration(most)}.`;
  throw invalid(
    isReading
      ? `A link is valid for ${shorter}`
      : `A link that grants writing is valid for ${shorter} Ask for readOnly=true.`,
    { code: 'LinkTooLong' },
  );
}

/** `mayUseGrant` by the id of the issuer, outside of transactions. */
export const acceptsGrant = async (
  db: Reads,
  issuers: Issuers,
  id: string,
  grant: PresentedGrant,
  permission: 'r' | 'w',
): Promise<boolean> => mayUseGrant(db, await issuers.find(grant.issuer), id, grant, permission);

/**
 * Whether a presented grant is valid for a dataset, deleted or not: it was not revoked, and its issuer may do now what
 * it grants. An unknown (purged) dataset has no rights: its address ends in 404.
 */
export async function mayUseGrant(
  db: Reads,
  issuer: Caller | undefined,
  id: string,
  grant: PresentedGrant,
  permission: 'r' | 'w',
): Promise<boolean> {
  if (issuer === undefined || !(await isUnrevoked(db, id, grant))) return false;
  const found = await findRights(db, issuer, id);
  return found === null || may(found, permission === 'r' ? 'canReadContent' : 'canUpdateContent');
}

/** Query string to append to an address. Grants reading, and also writing if the caller has canUpdateContent. */
export const contentGrant = (
  signer: Signer,
  { rights, ...scope }: (BlobAddress | FolderScope) & { rights: number },
  issued: Pick<Grant, 'expiresAt' | 'generation' | 'issuer'>,
) => grantQuery(signer, scope, { permission: contentPermission(rights), ...issued });

const contentPermission = (rights: number) => (may({ rights }, 'canUpdateContent') ? 'rcw' : 'r');

/** Access that a request with a link needs. */
export interface WantedLink {
  projectId: string;
  resourceId?: string | undefined;
  /** In ms. */
  lifetime: number;
  readOnly: boolean;
}

/** Query string that grants access to a project, to a folder of its tree, or to one dataset in it. */
export async function grantFor(
  { db, signer, lifetimes }: { db: Database; signer: Signer; lifetimes: GrantLifetimes },
  caller: Caller,
  { projectId, resourceId = projectId, lifetime, readOnly }: WantedLink,
): Promise<string> {
  const generation = await currentGeneration(db);
  const { scope, rights, tenantId } = await findScope(db, caller, projectId, resourceId);
  const permission = readOnly ? 'r' : contentPermission(rights);
  checkLifetime(lifetime, permission, lifetimes);
  const expiresAt = new Date(Date.now() + lifetime);
  const details = { kind: 'folder' in scope ? 'project' : 'dataset', permission, expiresAt: expiresAt.toISOString() };
  await db.transaction((tx) =>
    audit(tx, { action: 'grant.issue', subject: resourceId, tenantId, ...by(caller), details }),
  );
  return grantQuery(signer, scope, { permission, expiresAt, generation, issuer: caller.userId });
}

async function findScope(
  db: Reads,
  caller: Caller,
  projectId: string,
  resourceId: string,
): Promise<{ scope: BlobAddress | FolderScope; rights: number; tenantId: string }> {
  const project = await visibleProject(db, caller, projectId);
  const dataset = resourceId === project.id ? undefined : await findVisible(db, caller, resourceId);
  if (dataset) {
    if (dataset.projectId !== project.id) throw notFound('Dataset', resourceId);
    return { scope: { area: 'dataset', name: dataset.id }, rights: dataset.rights, tenantId: dataset.tenantId };
  }
  const folder = resourceId === project.id ? project : await visibleProject(db, caller, resourceId);
  if (folder.rootId !== project.rootId) throw notFound('Project', resourceId);
  return { scope: { folder: folder.id }, rights: folder.rights, tenantId: folder.tenantId };
}
