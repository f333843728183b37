import { randomUUID } from 'node:crypto';
import type { Db } from '../../db.ts';
import type { KeyRow, KeyUse } from './signing-keys.queries.ts';
import { findCurrentKey, insertFirstKey } from './signing-keys.queries.ts';

/** The current key of a use. Creates it with `make` if there is none; concurrent processes get the same key. */
export async function currentKey(
  db: Db,
  use: KeyUse,
  make: () => Promise<Record<string, unknown>> | Record<string, unknown>,
): Promise<KeyRow> {
  const found = await findCurrentKey(db, use);
  if (found) return found;
  await insertFirstKey(db, use, randomUUID(), await make());
  const current = await findCurrentKey(db, use);
  if (!current) throw new Error(`There is no current key for '${use}'.`);
  return current;
}
