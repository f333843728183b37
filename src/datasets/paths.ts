import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { conflict, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand, VISIBLE } from '../projects/access.ts';
import { pathSegment, segmentName, wrongName } from '../projects/names.ts';
import type { Step } from '../projects/paths.queries.ts';
import { listAlong } from '../projects/paths.queries.ts';
import { listReaders } from './locks.queries.ts';
import { lockNamed } from './paths.queries.ts';

const MOST_SEGMENTS = 100;
/** Characters of all different steps together: a step carries the whole path above it, so that long deep paths grow with their square. */
const MOST_CHARACTERS = 8_000_000;

/** Names along a path, as it is seen from a project: one slash at either end is dropped, a slash in a name is written `%2F`. */
export function segmentsOf(path: string): string[] {
  const segments = path
    .replace(/^\/|\/$/g, '')
    .split('/')
    .map((segment) => segmentName(segment).trim());
  if (segments.length > MOST_SEGMENTS) throw invalid(`A path has at most ${MOST_SEGMENTS} names.`);
  for (const name of segments) {
    if (['', '.', '..'].includes(name)) throw invalid(`The path '${path}' has a name that is empty, '.' or '..'.`);
    const wrong = wrongName(name);
    if (wrong !== undefined) throw invalid(`A name in the path '${path}' ${wrong}.`);
  }
  return segments;
}

interface Item {
  id: string;
  name: string;
  rights: number;
  /** It is not in the database yet. */
  made: boolean;
  /** It has another place or name than in the database. */
  moved: boolean;
  deleted: boolean;
  /** After a move it is not known (any more) what is below it, or what the caller may do with it: look again. */
  unsure: boolean;
}

export interface Folder extends Item {
  /** Absent: the project that paths begin at. */
  parent: Folder | undefined;
  /** Of the project that paths begin at: ids from the root of its tree on. Of others these follow from their parents. */
  ids: readonly string[];
  memberSourceId: string;
  inheritsMembers: boolean;
  folders: Folder[];
  files: File[];
}

export interface File extends Item {
  folder: Folder;
  /** The transfer that is writing or reading it. */
  heldBy?: string | undefined;
}

/** The part of a tree that some paths lead through, to plan changes on it. */
export interface Tree {
  top: Folder;
  folders: Folder[];
  files: File[];
}

const fresh = { moved: false, deleted: false, unsure: false };

/**
 * Reads, in three statements, what stands on these paths below a project that the caller sees. Its tree must be locked; the datasets found
 * are locked, too.
 */
export async function readPaths(
  tx: Db,
  caller: Caller,
  projectId: string,
  paths: readonly (readonly string[])[],
): Promise<Tree> {
  const steps = stepsOf(paths);
  const folders = new Map<string, Folder>();
  for (const { parentId, path, ...row } of await listAlong(tx, caller, projectId, steps)) {
    const parent = row.id === projectId ? undefined : folders.get(parentId ?? '');
    const folder = { ...row, ...fresh, parent, ids: path, folders: [], files: [], made: false };
    parent?.folders.push(folder);
    folders.set(folder.id, folder);
  }
  const top = folders.get(projectId);
  if (!top) throw new Error(`Project ${projectId} is gone though its tree is locked.`);

  const named = Map.groupBy(steps, ({ above }) => above);
  const places = [...folders.values()].map((folder) => ({ folder, steps: named.get(placeOf(folder)) ?? [] }));
  const wanted = places.flatMap(({ folder, steps }) => steps.map(({ name }) => ({ projectId: folder.id, name })));
  const files: File[] = [];
  for (const { projectId: folderId, lockedBy: heldBy, ...row } of await lockNamed(tx, caller, wanted)) {
    const folder = folders.get(folderId);
    if (!folder) continue;
    const file: File = { ...row, ...fresh, folder, heldBy, made: false };
    folder.files.push(file);
    files.push(file);
  }
  // a statement of its own: whoever began to read while the rows were waited for is seen only now
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

function stepsOf(paths: readonly (readonly string[])[]): Step[] {
  const steps = new Map<string, Step>();
  let characters = 0;
  for (const path of paths) {
    let above = '';
    for (const name of path) {
      const whole = `${above}${pathSegment(name)}`;
      if (!steps.has(whole)) characters += whole.length;
      if (characters > MOST_CHARACTERS) throw invalid('The paths of one request are too long and too deep together.');
      steps.set(whole, { above, name });
      above = `${whole}/`;
    }
  }
  return [...steps.values()];
}

const placeOf = (folder: Folder): string =>
  folder.parent ? `${placeOf(folder.parent)}${pathSegment(folder.name)}/` : '';

const there = <One extends Item>(items: readonly One[], name: string) =>
  items.filter((item) => item.name === name && !item.deleted);
export const foldersIn = (folder: Folder, name: string) =>
  there(folder.folders, name).filter((one) => (one.rights & VISIBLE) !== 0);
export const filesIn = (folder: Folder, name: string) => there(folder.files, name);
/** Folders that the caller must not know of. */
export const hiddenIn = (folder: Folder, name: string) =>
  there(folder.folders, name).filter((one) => (one.rights & VISIBLE) === 0);

/** The one that is meant; several are nobody's to choose from. */
export function single<One>(found: readonly One[], name: string): One | undefined {
  if (found.length > 1) throw conflict(`There are ${found.length} called '${name}' here.`, { code: 'PathAmbiguous' });
  return found[0];
}

/** The folder that these names lead to; undefined when there is none. */
export function folderAt(top: Folder, names: readonly string[]): Folder | undefined {
  let folder: Folder | undefined = top;
  for (const name of names) {
    const next: Folder | undefined = single(foldersIn(folder, name), name);
    if (!next && filesIn(folder, name).length > 0) {
      throw conflict(`'${name}' is a file and holds nothing.`, { code: 'PathIsFile' });
    }
    if (!next) return undefined;
    folder = next;
  }
  return folder;
}

/** The same, with what is missing made. */
export function ensureFolder(tree: Tree, names: readonly string[]): Folder {
  let folder = tree.top;
  for (const name of names) folder = folderAt(folder, [name]) ?? makeFolder(tree, folder, name);
  return folder;
}

export function makeFolder(tree: Tree, parent: Folder, name: string): Folder {
  demand(parent, 'canCreateContent');
  // it inherits its members and has no permissions, so the caller may do in it what he may do around it
  const { rights, memberSourceId } = parent;
  const shape = { parent, ids: [], memberSourceId, inheritsMembers: true, folders: [], files: [] };
  const folder: Folder = { id: randomUUID(), name, rights, made: true, ...fresh, ...shape };
  parent.folders.push(folder);
  tree.folders.push(folder);
  return folder;
}

export function makeFile(tree: Tree, folder: Folder, name: string): File {
  demand(folder, 'canCreateContent');
  const file: File = { id: randomUUID(), name, rights: folder.rights, made: true, ...fresh, folder };
  folder.files.push(file);
  tree.files.push(file);
  return file;
}

/** Whether something on the way of these names must be read again before it is used. */
export function isUnsure(top: Folder, names: readonly string[]): boolean {
  let folders = [top];
  for (const name of names) {
    const files = folders.flatMap((folder) => filesIn(folder, name));
    folders = folders.flatMap((folder) => there(folder.folders, name));
    if ([...files, ...folders].some((item) => item.unsure)) return true;
  }
  return false;
}
