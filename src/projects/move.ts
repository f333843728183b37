import type { Db } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from './access.ts';
import { findWithParent, touch } from './queries.ts';
import { liesBelow, setParent } from './tree.queries.ts';
import { lockTreesOf } from './tree.ts';
import { visibleProject } from './visibility.queries.ts';

/**
 * Puts a subproject with all that is below it under another project of the same tree. Needs canDeleteContent on its present parent and
 * canCreateContent on the new one.
 */
export async function moveSubproject(db: Db, caller: Caller, id: string, targetId: string): Promise<void> {
  await db.transaction(async (tx) => {
    // two moves at once could close a loop that neither can see
    await lockTreesOf(tx, id, targetId);
    const moved = await visibleProject(tx, caller, id);
    const target = await visibleProject(tx, caller, targetId);
    const { parentId } = moved;
    if (parentId === undefined) throw forbidden(`Project '${id}' is a root project, which cannot be moved.`);
    if (moved.rootId !== target.rootId)
      throw forbidden(`Project '${targetId}' is in another root project than '${id}'.`);
    if (await liesBelow(tx, targetId, id))
      throw forbidden(`Project '${id}' cannot be moved below itself, to '${targetId}'.`);
    const found = await findWithParent(tx, caller, id);
    demand({ id: parentId, rights: found?.parentRights ?? 0, role: found?.parentRole }, 'canDeleteContent');
    demand(target, 'canCreateContent');
    if (parentId === targetId) return;
    await setParent(tx, id, targetId);
    await touch(tx, id, caller.userId);
  });
}
