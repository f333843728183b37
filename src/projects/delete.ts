import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand, may, VISIBLE } from './access.ts';
import { findWithParent, markDeleted } from './queries.ts';
import { lockTreesOf } from './tree.ts';

/** Does, in the transaction that deletes projects, what their deletion asks of rooms that this one does not know. */
export type AfterDeletion = (tx: Db, projectIds: readonly string[]) => Promise<void>;

/**
 * Puts a project into the recycle bin; what is below it becomes unavailable with it and stays as it is. Needs canDelete on it or, for a
 * subproject, canDeleteContent on its parent, also when the subproject itself leaves the caller out.
 */
export async function deleteProject(db: Db, caller: Caller, id: string, after: AfterDeletion): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTreesOf(tx, id);
    const found = await findWithParent(tx, caller, id);
    if (!found) throw notFound('Project', id);
    if (!may({ rights: found.parentRights }, 'canDeleteContent')) {
      if ((found.rights & VISIBLE) === 0) throw notFound('Project', id);
      demand(found, 'canDelete');
    }
    if (!(await markDeleted(tx, id, caller.userId))) throw notFound('Project', id);
    await after(tx, [id]);
  });
}
