import type { Database } from '../../db.ts';
import { sealSecret } from '../../events/signature.ts';
import { type GroupParts, getGroup, revealMetadata, setMetadata } from '../../groups/manage.ts';
import { lockGroups } from '../../groups/queries.ts';
import { listClearGroups, listClearSecrets, sealClearSecret } from './secrets.queries.ts';

/**
 * Encrypts webhook secrets and setup codes that an older version stored in clear. Call it at the start of a process.
 */
export async function sealClear(parts: GroupParts): Promise<void> {
  const { db, sealer, secondFactorKey } = parts;
  for (const { id, secret } of await listClearSecrets(db))
    await db.transaction((tx) => sealClearSecret(tx, id, sealSecret(sealer, id, secret)));
  for (const id of await listClearGroups(db, secondFactorKey)) await sealGroup(db, parts, id);
}

const sealGroup = (db: Database, parts: GroupParts, id: string) =>
  db.transaction(async (tx) => {
    if ((await lockGroups(tx, [id])).length === 0) return;
    const group = await getGroup(tx, id);
    await setMetadata(tx, parts, group, await revealMetadata(tx, parts, group));
  });
