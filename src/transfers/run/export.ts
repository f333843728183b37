import type { Reads } from '../../db.ts';
import type { Issuers } from '../../keys/issuers.ts';
import { isUuid } from '../../platform/text/uuid.ts';
import type { BlobArea, PresentedGrant } from '../../uploads/blob-area.ts';
import { findBadRecords, findExport, hasVoidGrants, mayReadContents } from '../queries.ts';

/** Maximum length of a blob's name, in characters. */
const MAX_LENGTH = 220;

/** Last segment of an export's address: `{transferId}_{file name}` with unsafe characters replaced. */
export function exportName(transferId: string, fileName: string): string {
  const safe = fileName.replace(/[^A-Za-z0-9._~-]/g, '_');
  const room = MAX_LENGTH - transferId.length - 1;
  if (safe.length <= room) return `${transferId}_${safe}`;
  const extension = /\.[^.]{1,20}$/.exec(safe)?.[0] ?? '';
  return `${transferId}_${safe.slice(0, room - extension.length)}${extension}`;
}

/** The same for the places of the records that a transfer skipped; no export can have this name. */
export const badRecordsName = (transferId: string) => `${transferId}${BAD_RECORDS}`;
const BAD_RECORDS = '-bad-records.geojson';

/** The area `export` of blob addresses, which is read-only. */
export const exportArea = (db: Reads, issuers: Issuers): BlobArea => ({
  find: (name) => findExportBytes(db, name),
  accepts: (name, grant) => acceptsExportGrant(db, issuers, name, grant),
});

/** Blob name of an exported file, as its address refers to it. */
async function findExportBytes(db: Reads, name: string): Promise<string | undefined> {
  const id = transferIdIn(name);
  if (id === undefined) return undefined;
  if (name === badRecordsName(id)) return (await findBadRecords(db, id)) ?? undefined;
  const found = await findExport(db, id);
  return found && exportName(id, found.fileName) === name ? found.blob : undefined;
}

/**
 * Addresses of these files end with those of the datasets that they were made of, and with the issuer's right to the
 * transfer.
 */
async function acceptsExportGrant(db: Reads, issuers: Issuers, name: string, grant: PresentedGrant): Promise<boolean> {
  const id = transferIdIn(name);
  const caller = await issuers.find(grant.issuer);
  if (grant.folder !== undefined || id === undefined || caller === undefined) return false;
  const [isVoid, mayRead] = await Promise.all([
    hasVoidGrants(db, id, grant.generation),
    mayReadContents(db, caller, id),
  ]);
  return mayRead && !isVoid;
}

/** Both names begin with the transfer's id. */
function transferIdIn(name: string): string | undefined {
  const id = name.slice(0, 36);
  return isUuid(id) && /[_-]/.test(name[36] ?? '') ? id : undefined;
}
