import type { z } from 'zod';
import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from './access.ts';
import type { ChangedAccessLevel, ChangedProject } from './forms.ts';
import { getRecord, lockProject, setAccessLevel, updateProject } from './queries.ts';
import type { Project, Written } from './record.ts';
import { projectOf } from './record.ts';
import type { VisibleProject } from './visibility.queries.ts';
import { visibleProject } from './visibility.queries.ts';

/** The project, if the caller sees it; no other write to it comes in between until the transaction ends. */
export async function lockedProject(tx: Db, caller: Caller, id: string): Promise<VisibleProject> {
  await lockProject(tx, id);
  return visibleProject(tx, caller, id);
}

/** Of a client that says which state it saw. Ask after the rights, and with the project locked. */
export function refuseStale(project: { id: string; rowVersion: string }, seen: string | undefined) {
  if (seen === undefined || seen === project.rowVersion) return;
  const sentence = `Project '${project.id}' has changed: its rowVersion is '${project.rowVersion}'.`;
  throw conflict(sentence, { code: 'StaleRowVersion' });
}

/** Replaces what is said of a project: what is left out is gone, but access level and permissions stay. */
export async function replaceProject(
  db: Db,
  caller: Caller,
  { id, rowVersion, ...said }: z.output<typeof ChangedProject>,
): Promise<Project> {
  return db.transaction(async (tx) => {
    const project = await lockedProject(tx, caller, id);
    demand(project, 'canEdit');
    if (said.accessLevel !== undefined && said.accessLevel !== project.accessLevel)
      demand(project, 'canEditAccessLevel');
    if (said.permissions !== undefined) demand(project, 'canGrantAccess');
    refuseStale(project, rowVersion);
    await updateProject(tx, id, said, caller.userId);
    // as it is now, also when its permissions deny the caller everything
    return projectOf(await getRecord(tx, caller, id));
  });
}

export async function changeAccessLevel(
  db: Db,
  caller: Caller,
  { id, accessLevel, rowVersion }: z.output<typeof ChangedAccessLevel>,
): Promise<Written> {
  return db.transaction(async (tx) => {
    const project = await lockedProject(tx, caller, id);
    demand(project, 'canEditAccessLevel');
    refuseStale(project, rowVersion);
    return setAccessLevel(tx, id, accessLevel, caller.userId);
  });
}
