import type { Database } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from '../projects/access.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { idleDataset, visibleDataset } from './access.ts';
import { placeFiles } from './paths.queries.ts';

/**
 * Moves a dataset to another project of its tenant. Needs canDeleteContent in the old project and canCreateContent in
 * the new one.
 */
export async function moveDataset(db: Database, caller: Caller, id: string, targetProjectId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { projectId } = await visibleDataset(tx, caller, id);
    // locks both projects against deletion and moves
    await lockProjectTrees(tx, projectId, targetProjectId);
    const current = await visibleDataset(tx, caller, id);
    const target = await visibleProject(tx, caller, targetProjectId);
    if (target.tenantId !== current.tenantId)
      throw forbidden(
        `Project '${target.id}' is in another tenant. Use version 4 of the endpoint with targetTenantId.`,
      );
    requireCapability(target, 'canCreateContent');
    const dataset = await idleDataset(tx, caller, { id: current.id }, 'canDeleteContent');
    if (dataset.projectId === target.id) return;
    await placeFiles(tx, [{ id: dataset.id, projectId: target.id, name: dataset.name }], caller.userId);
  });
}
