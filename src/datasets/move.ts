import type { Db } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { lockTreesOf } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { idleDataset, visibleDataset } from './access.ts';
import { placeFiles } from './paths.queries.ts';

/** Puts a dataset into another project of its tenant. Needs canDeleteContent where it is and canCreateContent where it comes to. */
export async function moveDataset(db: Db, caller: Caller, id: string, targetProjectId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { projectId } = await visibleDataset(tx, caller, id);
    // neither project is deleted or moved meanwhile
    await lockTreesOf(tx, projectId, targetProjectId);
    const seen = await visibleDataset(tx, caller, id);
    const target = await visibleProject(tx, caller, targetProjectId);
    if (target.tenantId !== seen.tenantId)
      throw forbidden(`Project '${target.id}' is in another tenant; version 4 moves there, with targetTenantId.`);
    demand(target, 'canCreateContent');
    const dataset = await idleDataset(tx, caller, { id: seen.id }, 'canDeleteContent');
    if (dataset.projectId === target.id) return;
    await placeFiles(tx, [{ id: dataset.id, projectId: target.id, name: dataset.name }], caller.userId);
  });
}
