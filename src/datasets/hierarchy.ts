import { audit, by } from '../audit.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { may, requireCapability, VISIBLE } from '../projects/access.ts';
import type { AfterDeletion } from '../projects/delete.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { pathText } from '../projects/names.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Grant } from '../uploads/address.ts';
import { contentGrant } from './grants.ts';
import {
  checkNewName,
  ensureFolder,
  type File,
  type Folder,
  filesIn,
  findFolder,
  foldersIn,
  hiddenIn,
  isStale,
  makeFile,
  makeFolder,
  readPaths,
  splitPath,
  type Tree,
  unique,
} from './paths.ts';
import { EmptyBlobsNeeded, putEmptyBlobs, writePlan } from './write-plan.ts';

export const ACTION_TYPES = [
  'PathActionCreate',
  'PathActionCreateIfNotExists',
  'PathActionDelete',
  'PathActionMove',
] as const;

export interface PathAction {
  type: (typeof ACTION_TYPES)[number];
  path: string;
  /** Moves only. */
  newPath?: string | undefined;
  isFolder?: boolean | undefined;
}

export interface HierarchyRequest {
  actions: readonly PathAction[];
  /** Access level of new folders. */
  accessLevel: string;
  /** Expiry of the tokens in the results. */
  expiresAt: Date;
}

export interface HierarchyResult {
  projectId: string;
  datasetId?: string;
  /** Folders end with a slash. */
  path: string;
  sasToken: string;
}

export interface HierarchyParts {
  db: Database;
  blobs: BlobStore;
  /** Signs addresses. */
  signer: Signer;
  afterDeletion: AfterDeletion;
}

/** Limit for reads of the tree in one request. */
const MAX_ROUNDS = 50;

/**
 * An action with its paths as names. A path that ends with a slash is a folder; `isFolder` is undefined if both are
 * possible.
 */
interface ParsedAction {
  type: PathAction['type'];
  names: string[];
  newNames?: string[];
  isFolder: boolean | undefined;
}

type Item = { folder: Folder } | { file: File };

/**
 * Creates, deletes, moves and renames paths below a project in one transaction, in the order of the actions. Returns
 * one result for each action, except for deletions of paths that do not exist.
 */
export async function applyHierarchy(
  { db, blobs, signer, afterDeletion }: HierarchyParts,
  caller: Caller,
  projectId: string,
  request: HierarchyRequest,
): Promise<HierarchyResult[]> {
  const actions = request.actions.map((action, index) => forAction(index, () => parseAction(action)));
  const emptyBlobs: string[] = [];
  // terminates: each attempt has the blobs that the one before lacked
  for (;;) {
    try {
      const { items, generation } = await applyOnce({ db, afterDeletion }, caller, projectId, request.accessLevel, {
        actions,
        emptyBlobs: [...emptyBlobs],
        expiresAt: request.expiresAt,
      });
      const issued = { expiresAt: request.expiresAt, generation, issuer: caller.userId };
      return await Promise.all(items.map((item) => signResult(signer, item, issued)));
    } catch (error) {
      if (!(error instanceof EmptyBlobsNeeded)) throw error;
      emptyBlobs.push(...(await putEmptyBlobs(blobs, error.count)));
    }
  }
}

/** One attempt. Throws `EmptyBlobsNeeded`, without any change, if there are fewer empty blobs than new files. */
const applyOnce = (
  { db, afterDeletion }: Pick<HierarchyParts, 'db' | 'afterDeletion'>,
  caller: Caller,
  projectId: string,
  accessLevel: string,
  { actions, emptyBlobs, expiresAt }: { actions: readonly ParsedAction[]; emptyBlobs: string[]; expiresAt: Date },
) =>
  db.transaction(async (tx) => {
    await lockProjectTrees(tx, projectId);
    const generation = await currentGeneration(tx);
    const project = await visibleProject(tx, caller, projectId);
    const done: ({ path: string } & Item)[] = [];
    // usually one round; another one when an action uses a path that an earlier action moved
    for (let next = 0, round = 0; next < actions.length; round++) {
      if (round === MAX_ROUNDS) forAction(next, refuseChain);
      const left = actions.slice(next);
      const tree = await readPaths(tx, caller, project.id, left.flatMap(pathsOf));
      for (const action of left) {
        if (pathsOf(action).some((names) => isStale(tree.top, names))) break;
        const found = forAction(next, () => HANDLERS[action.type](tree, action));
        if (found) done.push({ ...found, path: pathText(action.newNames ?? action.names) });
        next++;
      }
      const defaults = { rootId: project.rootId, accessLevel, userId: caller.userId };
      const deleted = await writePlan(tx, tree, defaults, emptyBlobs);
      if (deleted.length > 0) await afterDeletion(tx, deleted);
    }
    if (done.length > 0) {
      const details = { kind: 'paths', paths: done.length, expiresAt: expiresAt.toISOString() };
      const { tenantId } = project;
      await audit(tx, { action: 'grant.issue', subject: project.id, tenantId, ...by(caller), details });
    }
    return { items: done, generation };
  });

/** Each action on a moved path costs another read of the tree, during which the tree is locked for everyone else. */
function refuseChain(): never {
  throw invalid(
    `The request uses moved paths in later actions ${MAX_ROUNDS} times or more. Split such chains into several requests.`,
  );
}

async function signResult(
  signer: Signer,
  { path, ...item }: { path: string } & Item,
  { expiresAt, ...issued }: Pick<Grant, 'expiresAt' | 'generation' | 'issuer'>,
): Promise<HierarchyResult> {
  // a caller can delete a folder without the right to read it; the token is then expired, so that it is useless after a
  // restore too
  const time = { expiresAt: (folderOrFile(item).rights & VISIBLE) === 0 ? new Date(0) : expiresAt, ...issued };
  if ('folder' in item) {
    const { id, rights } = item.folder;
    return { projectId: id, path: `${path}/`, sasToken: await contentGrant(signer, { folder: id, rights }, time) };
  }
  const { id, rights, folder } = item.file;
  const sasToken = await contentGrant(signer, { area: 'dataset', name: id, rights }, time);
  return { projectId: folder.id, datasetId: id, path, sasToken };
}

/** Runs `work` and adds the path of the action to an error that has none. */
function forAction<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.details.errors) throw error;
    throw new AppError(error.kind, error.message, {
      ...error.details,
      errors: { [`actions[${index}].path`]: [error.message] },
    });
  }
}

function parseAction({ type, path, newPath, isFolder }: PathAction): ParsedAction {
  const parsed = { type, names: splitPath(path), isFolder: isFolder ?? (path.endsWith('/') ? true : undefined) };
  if (type !== 'PathActionMove') return parsed;
  if (newPath === undefined) throw invalid(`The move of '${path}' has no newPath. Send the new path of the item.`);
  return { ...parsed, newNames: splitPath(newPath) };
}

const pathsOf = ({ names, newNames }: ParsedAction) => (newNames ? [names, newNames] : [names]);
const splitName = (names: readonly string[]) => ({ above: names.slice(0, -1), name: names.at(-1) ?? '' });

const HANDLERS: Record<PathAction['type'], (tree: Tree, action: ParsedAction) => Item | undefined> = {
  PathActionCreate: (tree, { names, isFolder = false }) => {
    const { above, name } = splitName(names);
    const parent = ensureFolder(tree, above);
    refuseTaken(parent, name, names);
    return isFolder ? { folder: makeFolder(tree, parent, name) } : { file: makeFile(tree, parent, name) };
  },

  PathActionCreateIfNotExists: (tree, { names, isFolder = false }) => {
    const { above, name } = splitName(names);
    const parent = ensureFolder(tree, above);
    const found = find(parent, name, isFolder);
    if (found) return found;
    refuseTaken(parent, name, names);
    return isFolder ? { folder: makeFolder(tree, parent, name) } : { file: makeFile(tree, parent, name) };
  },

  PathActionDelete: ({ top }, { names, isFolder }) => {
    const { above, name } = splitName(names);
    const parent = findFolder(top, above);
    if (!parent) return undefined;
    const found = find(parent, name, isFolder) ?? (isFolder === false ? undefined : findHidden(parent, name));
    if (!found) return undefined;
    checkRemoval(parent, found);
    folderOrFile(found).deleted = true;
    return found;
  },

  PathActionMove: (tree, { names, newNames = [], isFolder }) => {
    const { above, name } = splitName(names);
    const parent = findFolder(tree.top, above);
    const found = parent && find(parent, name, isFolder);
    if (!found) throw new AppError('notFound', `'${pathText(names)}' does not exist.`, { code: 'PathNotFound' });
    checkRemoval(parent, found);
    const target = splitName(newNames);
    const newParent = ensureFolder(tree, target.above);
    requireCapability(newParent, 'canCreateContent');
    if ('folder' in found && isWithin(newParent, found.folder)) {
      throw forbidden(
        `Folder '${pathText(names)}' cannot be moved into itself, to '${pathText(newNames)}'. Choose another newPath.`,
      );
    }
    if (newParent === parent && target.name === name) return found;
    if (target.name !== name) checkNewName(target.name);
    refuseTaken(newParent, target.name, newNames);
    moveItem(found, parent, newParent, target.name);
    return found;
  },
};

const folderOrFile = (item: Item) => ('folder' in item ? item.folder : item.file);

function find(parent: Folder, name: string, isFolder: boolean | undefined): Item | undefined {
  const folders = isFolder === false ? [] : foldersIn(parent, name).map((folder) => ({ folder }));
  const files = isFolder === true ? [] : filesIn(parent, name).map((file) => ({ file }));
  return unique<Item>([...folders, ...files], name);
}

/** A folder that the caller does not see, but may delete because of canDeleteContent on its parent. */
function findHidden(parent: Folder, name: string): Item | undefined {
  if (!may(parent, 'canDeleteContent')) return undefined;
  const folder = unique(hiddenIn(parent, name), name);
  return folder && { folder };
}

function refuseTaken(parent: Folder, name: string, names: readonly string[]) {
  if (foldersIn(parent, name).length + filesIn(parent, name).length === 0) return;
  throw conflict(`'${pathText(names)}' already exists. Choose another name.`, { code: 'PathExists' });
}

function checkRemoval(parent: Folder, found: Item) {
  if ('folder' in found) {
    if (!may(parent, 'canDeleteContent')) requireCapability(found.folder, 'canDelete');
    return;
  }
  const { file } = found;
  requireCapability({ id: parent.id, rights: file.rights }, 'canDeleteContent');
  if (file.heldBy !== undefined) {
    throw conflict(`Dataset '${file.id}' is in use by transfer '${file.heldBy}'. Try again when it has ended.`, {
      code: 'DatasetLocked',
    });
  }
}

const isWithin = (folder: Folder, above: Folder): boolean =>
  folder === above || (folder.parent !== undefined && isWithin(folder.parent, above));

function moveItem(found: Item, parent: Folder, newParent: Folder, name: string) {
  const entry = folderOrFile(found);
  entry.name = name;
  entry.moved = true;
  if ('folder' in found) {
    // its contents were read under the old path, or not at all
    found.folder.stale ||= !found.folder.made || newParent !== parent;
    parent.folders = parent.folders.filter((one) => one !== found.folder);
    newParent.folders.push(found.folder);
    found.folder.parent = newParent;
  } else {
    found.file.stale ||= newParent !== parent;
    parent.files = parent.files.filter((one) => one !== found.file);
    newParent.files.push(found.file);
    found.file.folder = newParent;
  }
  // an estimate: moving rarely adds rights; the next read of the tree gives the exact ones
  entry.rights &= newParent.rights;
}
