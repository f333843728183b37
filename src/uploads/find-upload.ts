import type { Reads } from '../db.ts';
import { invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { parseOwnAddress } from './address.ts';
import { findStagedOf } from './staged.queries.ts';
import { notAnUpload } from './staged.ts';

/**
 * The staged file at `url`, without taking it.
 * @throws AppError notFound for one that was not issued to the caller or to one of the caller's tenants
 */
export async function findUpload(
  db: Reads,
  caller: Caller,
  url: string,
): Promise<{ name: string; blob?: string | undefined; size?: number | undefined }> {
  const address = parseOwnAddress(url);
  if (address?.area !== 'staging') throw invalidMember('uploadUrl', notAnUpload(url));
  const tenants = caller.tenants.map((tenant) => tenant.id);
  const found = await findStagedOf(db, address.name, caller.userId, tenants);
  if (!found) throw notFound('Upload', address.name);
  return found;
}
