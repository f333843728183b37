import type { Database } from '../db.ts';
import { forbidden } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from './access.ts';
import { findWithParent, touch } from './queries.ts';
import { isWithin, setParent } from './tree.queries.ts';
import { lockProjectTrees } from './tree.ts';
import { visibleProject } from './visibility.queries.ts';

/**
 * Moves a subproject and its descendants to another parent in the same tree. Needs canDeleteContent on the old parent
 * and canCreateContent on the new one.
 */
export async function moveSubproject(db: Database, caller: Caller, id: string, targetId: string): Promise<void> {
  await db.transaction(async (tx) => {
    // without the lock, two concurrent moves could create a cycle that neither transaction sees
    await lockProjectTrees(tx, id, targetId);
    const moved = await visibleProject(tx, caller, id);
    const target = await visibleProject(tx, caller, targetId);
    const { parentId } = moved;
    if (parentId === undefined) throw forbidden(`Project '${id}' is a root project. Only subprojects can be moved.`);
    if (moved.rootId !== target.rootId)
      throw forbidden(
        `Project '${targetId}' is in a different root project than '${id}'. Choose a target in the same one.`,
      );
    if (await isWithin(tx, targetId, id))
      throw forbidden(`Project '${targetId}' is project '${id}' or lies below it. Choose a target outside of '${id}'.`);
    const found = await findWithParent(tx, caller, id);
    requireCapability({ id: parentId, rights: found?.parentRights ?? 0, role: found?.parentRole }, 'canDeleteContent');
    requireCapability(target, 'canCreateContent');
    if (parentId === targetId) return;
    await setParent(tx, id, targetId, caller.userId);
    await touch(tx, id, caller.userId);
  });
}
