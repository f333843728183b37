import { audit, by } from '../audit.ts';
import type { Database } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from './access.ts';
import { recordProjectActivity } from './activity.queries.ts';
import { nextGeneration, setProjectGrants } from './grant-generations.queries.ts';
import { lockProjectTrees } from './tree.ts';
import { visibleProject } from './visibility.queries.ts';

/** Revokes all addresses that were signed so far for a project, its descendants and their datasets. */
export const revokeProjectGrants = (db: Database, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    // lock order: trees before the generation, as in moves to other tenants
    await lockProjectTrees(tx, id);
    const { tenantId, ...project } = await visibleProject(tx, caller, id);
    requireCapability(project, 'canGrantAccess');
    await setProjectGrants(tx, id, await nextGeneration(tx));
    await recordProjectActivity(tx, [{ action: 'project.grants.revoke', projectId: id, userId: caller.userId }]);
    await audit(tx, { action: 'project.grants.revoke', subject: id, tenantId, ...by(caller) });
  });
