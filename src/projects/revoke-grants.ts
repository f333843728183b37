import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from './access.ts';
import { nextGeneration, setProjectGrants } from './grant-generations.queries.ts';
import { lockTreesOf } from './tree.ts';
import { visibleProject } from './visibility.queries.ts';

/** Makes every address void that was signed before for a project, its folders, or what lies in them. */
export const revokeProjectGrants = (db: Db, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    // before the generation, as moves into other tenants do
    await lockTreesOf(tx, id);
    const { tenantId, ...project } = await visibleProject(tx, caller, id);
    demand(project, 'canGrantAccess');
    await setProjectGrants(tx, id, await nextGeneration(tx));
    await record(tx, { action: 'project.grants.revoke', subject: id, tenantId, ...by(caller) });
  });
