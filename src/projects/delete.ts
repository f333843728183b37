import type { Database, Transaction } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { may, requireCapability, VISIBLE } from './access.ts';
import { findWithParent, markDeleted } from './queries.ts';
import { lockProjectTrees } from './tree.ts';

/** Runs in the transaction that deletes projects: other rooms react to the deletion, such as ending transfers. */
export type AfterDeletion = (tx: Transaction, projectIds: readonly string[]) => Promise<void>;

/**
 * Moves a project to the recycle bin. Its subprojects and datasets become unavailable but keep their own state. Needs
 * canDelete on the project, or canDeleteContent on the parent, even if the caller cannot see the subproject itself.
 */
export async function deleteProject(db: Database, caller: Caller, id: string, after: AfterDeletion): Promise<void> {
  await db.transaction(async (tx) => {
    await lockProjectTrees(tx, id);
    const found = await findWithParent(tx, caller, id);
    if (!found) throw notFound('Project', id);
    if (!may({ rights: found.parentRights }, 'canDeleteContent')) {
      if ((found.rights & VISIBLE) === 0) throw notFound('Project', id);
      requireCapability(found, 'canDelete');
    }
    if (!(await markDeleted(tx, id, caller.userId))) throw notFound('Project', id);
    await after(tx, [id]);
  });
}
