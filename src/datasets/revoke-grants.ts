import { audit, by } from '../audit.ts';
import type { Database } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from '../projects/access.ts';
import { nextGeneration } from '../projects/grant-generations.queries.ts';
import { visibleDataset } from './access.ts';
import { recordDatasetActivity } from './activity.queries.ts';
import { setDatasetGrants } from './bytes.queries.ts';

/**
 * Revokes all addresses signed so far that give access to a dataset: its own, those of folders above it and of files
 * exported from it.
 */
export const revokeDatasetGrants = (db: Database, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { tenantId, projectId, ...dataset } = await visibleDataset(tx, caller, id);
    requireCapability({ ...dataset, id: projectId }, 'canGrantAccess');
    await setDatasetGrants(tx, id, await nextGeneration(tx));
    await recordDatasetActivity(tx, 'dataset.grants.revoke', { id, userId: caller.userId });
    await audit(tx, { action: 'dataset.grants.revoke', subject: id, tenantId, ...by(caller) });
  });
