import { randomUUID } from 'node:crypto';
import type { Transaction } from '../db.ts';
import { conflict, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability, VISIBLE } from '../projects/access.ts';
import { pathSegment, segmentName, wrongName, wrongNewName } from '../projects/names.ts';
import { listAlong, type Step } from '../projects/paths.queries.ts';
import { listReaders } from './locks.queries.ts';
import { lockFiles } from './paths.queries.ts';

const MAX_SEGMENTS = 100;
/**
 * Limit for the characters of all steps. Each step holds the whole path above it, so the sum grows with the square of
 * the depth.
 */
const MAX_CHARACTERS = 8_000_000;

/** Splits a path relative to a project into names. Ignores one slash at either end; `%2F` is a slash in a name. */
export function splitPath(path: string): string[] {
  const segments = path
    .replace(/^\/|\/$/g, '')
    .split('/')
    .map((segment) => segmentName(segment).trim());
  if (segments.length > MAX_SEGMENTS)
    throw invalid(`The path has ${segments.length} names; the maximum is ${MAX_SEGMENTS}.`);
  for (const name of segments) {
    if (['', '.', '..'].includes(name))
      throw invalid(`The path '${path}' has a name that is empty, '.' or '..'. Use names only.`);
    const wrong = wrongName(name);
    if (wrong !== undefined) throw invalid(`A name in the path '${path}' ${wrong}.`);
  }
  return segments;
}

interface Item {
  id: string;
  name: string;
  rights: number;
  /** Planned, not yet in the database. */
  made: boolean;
  /** Planned to have another parent or name than in the database. */
  moved: boolean;
  deleted: boolean;
  /** Moved, so its contents and the caller's rights must be read again before use. */
  stale: boolean;
}

export interface Folder extends Item {
  /** Undefined for the project in which paths start. */
  parent: Folder | undefined;
  /**
   * Only for the project in which paths start: ids from the root down to it. For others they follow from the parents.
   */
  ids: readonly string[];
  memberSourceId: string;
  inheritsMembers: boolean;
  folders: Folder[];
  files: File[];
}

export interface File extends Item {
  folder: Folder;
  /** Id of a transfer that writes or reads the dataset. */
  heldBy?: string | undefined;
}

/** The folders and files along some paths, on which changes are planned in memory. */
export interface Tree {
  top: Folder;
  folders: Folder[];
  files: File[];
}

const UNCHANGED = { moved: false, deleted: false, stale: false };

/**
 * Reads the folders and files on these paths below a visible project, in three statements. The tree must be locked;
 * locks the datasets that it finds.
 */
export async function readPaths(
  tx: Transaction,
  caller: Caller,
  projectId: string,
  paths: readonly (readonly string[])[],
): Promise<Tree> {
  const steps = listSteps(paths);
  const folders = new Map<string, Folder>();
  for (const { parentId, path, ...row } of await listAlong(tx, caller, projectId, steps)) {
    const parent = row.id === projectId ? undefined : folders.get(parentId ?? '');
    const folder = { ...row, ...UNCHANGED, parent, ids: path, folders: [], files: [], made: false };
    parent?.folders.push(folder);
    folders.set(folder.id, folder);
  }
  const top = folders.get(projectId);
  if (!top) throw new Error(`Project ${projectId} does not exist although its tree is locked.`);

  const named = Map.groupBy(steps, ({ above }) => above);
  const places = [...folders.values()].map((folder) => ({ folder, steps: named.get(folderPath(folder)) ?? [] }));
  const wanted = places.flatMap(({ folder, steps }) => steps.map(({ name }) => ({ projectId: folder.id, name })));
  const files: File[] = [];
  for (const { projectId: folderId, lockedBy: heldBy, ...row } of await lockFiles(tx, caller, wanted)) {
    const folder = folders.get(folderId);
    if (!folder) continue;
    const file: File = { ...row, ...UNCHANGED, folder, heldBy, made: false };
    folder.files.push(file);
    files.push(file);
  }
  // a separate statement, which sees readers that were committed while the statement above waited for row locks
  const readers = new Map(
    (
      await listReaders(
        tx,
        files.map(({ id }) => id),
      )
    ).map((row) => [row.datasetId, row.transferId]),
  );
  for (const file of files) file.heldBy ??= readers.get(file.id);
  return { top, folders: [...folders.values()], files };
}

function listSteps(paths: readonly (readonly string[])[]): Step[] {
  const steps = new Map<string, Step>();
  let characters = 0;
  for (const path of paths) {
    let above = '';
    for (const name of path) {
      const whole = `${above}${pathSegment(name)}`;
      if (!steps.has(whole)) characters += whole.length;
      if (characters > MAX_CHARACTERS)
        throw invalid(
          `The paths of the request have more than ${MAX_CHARACTERS} characters in all steps together. Send fewer or shorter paths.`,
        );
      steps.set(whole, { above, name });
      above = `${whole}/`;
    }
  }
  return [...steps.values()];
}

const folderPath = (folder: Folder): string =>
  folder.parent ? `${folderPath(folder.parent)}${pathSegment(folder.name)}/` : '';

const namedItems = <One extends Item>(items: readonly One[], name: string) =>
  items.filter((item) => item.name === name && !item.deleted);
export const foldersIn = (folder: Folder, name: string) =>
  namedItems(folder.folders, name).filter((one) => (one.rights & VISIBLE) !== 0);
export const filesIn = (folder: Folder, name: string) => namedItems(folder.files, name);
/** Folders that the caller does not see. */
export const hiddenIn = (folder: Folder, name: string) =>
  namedItems(folder.folders, name).filter((one) => (one.rights & VISIBLE) === 0);

/** The only match, or undefined. Throws `conflict` if several items have the name. */
export function unique<One>(found: readonly One[], name: string): One | undefined {
  if (found.length > 1)
    throw conflict(`${found.length} items are named '${name}'. Address the item by its id, or rename the others.`, {
      code: 'PathAmbiguous',
    });
  return found[0];
}

/** The folder at this path, or undefined. */
export function findFolder(top: Folder, names: readonly string[]): Folder | undefined {
  let folder: Folder | undefined = top;
  for (const name of names) {
    const next: Folder | undefined = unique(foldersIn(folder, name), name);
    if (!next && filesIn(folder, name).length > 0) {
      throw conflict(`'${name}' is a file, not a folder. Use the path of a folder.`, { code: 'PathIsFile' });
    }
    if (!next) return undefined;
    folder = next;
  }
  return folder;
}

/** The folder at this path. Creates missing folders. */
export function ensureFolder(tree: Tree, names: readonly string[]): Folder {
  let folder = tree.top;
  for (const name of names) folder = findFolder(folder, [name]) ?? makeFolder(tree, folder, name);
  return folder;
}

/** Throws `invalid` for a name that no item may get. */
export function checkNewName(name: string) {
  const wrong = wrongNewName(name);
  if (wrong !== undefined) throw invalid(`The name '${name}' ${wrong}.`);
}

export function makeFolder(tree: Tree, parent: Folder, name: string): Folder {
  checkNewName(name);
  requireCapability(parent, 'canCreateContent');
  // a new folder inherits its members and has no permissions, so the caller has the same rights as in the parent
  const { rights, memberSourceId } = parent;
  const shape = { parent, ids: [], memberSourceId, inheritsMembers: true, folders: [], files: [] };
  const folder: Folder = { id: randomUUID(), name, rights, made: true, ...UNCHANGED, ...shape };
  parent.folders.push(folder);
  tree.folders.push(folder);
  return folder;
}

export function makeFile(tree: Tree, folder: Folder, name: string): File {
  checkNewName(name);
  requireCapability(folder, 'canCreateContent');
  const file: File = { id: randomUUID(), name, rights: folder.rights, made: true, ...UNCHANGED, folder };
  folder.files.push(file);
  tree.files.push(file);
  return file;
}

/** Whether an item along this path was moved and must be read again. */
export function isStale(top: Folder, names: readonly string[]): boolean {
  let folders = [top];
  for (const name of names) {
    const files = folders.flatMap((folder) => filesIn(folder, name));
    folders = folders.flatMap((folder) => namedItems(folder.folders, name));
    if ([...files, ...folders].some((item) => item.stale)) return true;
  }
  return false;
}
