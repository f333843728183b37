import type { z } from 'zod';
import type { Database, Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { requireCapability } from './access.ts';
import type { ChangedAccessLevel, ChangedProject } from './forms.ts';
import { getRecord, lockProject, setAccessLevel, updateProject } from './queries.ts';
import { type Project, toProject, type Written } from './record.ts';
import { type VisibleProject, visibleProject } from './visibility.queries.ts';

/**
 * Locks the project's row until the transaction ends, then returns the project. Throws `notFound` if the caller does
 * not see it.
 */
export async function lockedProject(tx: Transaction, caller: Caller, id: string): Promise<VisibleProject> {
  await lockProject(tx, id);
  return visibleProject(tx, caller, id);
}

/** Updates a project. Absent members are cleared, except access level and permissions, which keep their values. */
export async function replaceProject(
  db: Database,
  caller: Caller,
  { id, rowVersion, ...change }: z.output<typeof ChangedProject>,
): Promise<Project> {
  return db.transaction(async (tx) => {
    const project = await lockedProject(tx, caller, id);
    requireCapability(project, 'canEdit');
    if (change.accessLevel !== undefined && change.accessLevel !== project.accessLevel)
      requireCapability(project, 'canEditAccessLevel');
    if (change.permissions !== undefined) requireCapability(project, 'canGrantAccess');
    checkRowVersion('Project', project, rowVersion);
    await updateProject(tx, id, change, caller.userId);
    // not `visibleProject`: the new permissions may hide the project from the caller
    return toProject(await getRecord(tx, caller, id));
  });
}

export async function changeAccessLevel(
  db: Database,
  caller: Caller,
  { id, accessLevel, rowVersion }: z.output<typeof ChangedAccessLevel>,
): Promise<Written> {
  return db.transaction(async (tx) => {
    const project = await lockedProject(tx, caller, id);
    requireCapability(project, 'canEditAccessLevel');
    checkRowVersion('Project', project, rowVersion);
    return setAccessLevel(tx, id, accessLevel, caller.userId);
  });
}
