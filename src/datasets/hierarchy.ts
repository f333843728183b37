import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { demand, may, VISIBLE } from '../projects/access.ts';
import type { AfterDeletion } from '../projects/delete.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { pathText } from '../projects/names.ts';
import { lockTreesOf } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { contentGrant } from './grants.ts';
import type { File, Folder, Tree } from './paths.ts';
import {
  ensureFolder,
  filesIn,
  folderAt,
  foldersIn,
  hiddenIn,
  isUnsure,
  makeFile,
  makeFolder,
  readPaths,
  segmentsOf,
  single,
} from './paths.ts';
import { EmptyBlobsWanted, putEmpty, writePlan } from './write-plan.ts';

export const ACTION_TYPES = [
  'PathActionCreate',
  'PathActionCreateIfNotExists',
  'PathActionDelete',
  'PathActionMove',
] as const;

export interface PathAction {
  type: (typeof ACTION_TYPES)[number];
  path: string;
  /** Of moves. */
  newPath?: string | undefined;
  isFolder?: boolean | undefined;
}

export interface HierarchyRequest {
  actions: readonly PathAction[];
  /** Of the folders that are made. */
  accessLevel: string;
  /** When the tokens of the results expire. */
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
  db: Db;
  blobs: BlobStore;
  /** Signs addresses. */
  signer: Signer;
  afterDeletion: AfterDeletion;
}

/** How often a request may read its tree anew. */
const MOST_ROUNDS = 50;

/** A path as names, and what is known to be meant by it: a slash at its end means a folder. */
interface Meant {
  type: PathAction['type'];
  names: string[];
  newNames?: string[];
  isFolder: boolean | undefined;
}

type Touched = { folder: Folder } | { file: File };

/**
 * Creates, deletes, moves and renames paths below a project, in the order of the actions and all or nothing. Answers with one result for
 * each action that had something to act on.
 */
export async function applyHierarchy(
  { db, blobs, signer, afterDeletion }: HierarchyParts,
  caller: Caller,
  projectId: string,
  request: HierarchyRequest,
): Promise<HierarchyResult[]> {
  const meant = request.actions.map((action, index) => at(index, () => meaningOf(action)));
  const empties: string[] = [];
  // ends: each round brings the blobs that the one before lacked
  for (;;) {
    try {
      const { touched, generation } = await act({ db, afterDeletion }, caller, projectId, request.accessLevel, {
        meant,
        empties: [...empties],
      });
      return await Promise.all(touched.map((one) => resultOf(signer, one, request.expiresAt, generation)));
    } catch (error) {
      if (!(error instanceof EmptyBlobsWanted)) throw error;
      empties.push(...(await putEmpty(blobs, error.count)));
    }
  }
}

/** One try: throws `EmptyBlobsWanted`, and has changed nothing, when these are too few for the files that are made. */
const act = (
  { db, afterDeletion }: Pick<HierarchyParts, 'db' | 'afterDeletion'>,
  caller: Caller,
  projectId: string,
  accessLevel: string,
  { meant, empties }: { meant: readonly Meant[]; empties: string[] },
) =>
  db.transaction(async (tx) => {
    await lockTreesOf(tx, projectId);
    const generation = await currentGeneration(tx);
    const project = await visibleProject(tx, caller, projectId);
    const done: ({ path: string } & Touched)[] = [];
    // once nearly always; again when actions go on in what earlier ones have moved
    for (let next = 0, round = 0; next < meant.length; round++) {
      if (round === MOST_ROUNDS) at(next, refuseChain);
      const left = meant.slice(next);
      const tree = await readPaths(tx, caller, project.id, left.flatMap(pathsOf));
      for (const one of left) {
        if (pathsOf(one).some((names) => isUnsure(tree.top, names))) break;
        const found = at(next, () => DEEDS[one.type](tree, one));
        if (found) done.push({ ...found, path: pathText(one.newNames ?? one.names) });
        next++;
      }
      const place = { rootId: project.rootId, accessLevel, userId: caller.userId };
      const deleted = await writePlan(tx, tree, place, empties);
      if (deleted.length > 0) await afterDeletion(tx, deleted);
    }
    return { touched: done, generation };
  });

/** Each link of a chain of moves costs a reading, while nobody else changes the tree. */
function refuseChain(): never {
  throw invalid(
    `Fewer than ${MOST_ROUNDS} times in one request may actions go on in what earlier ones have moved; send such chains in several requests.`,
  );
}

async function resultOf(
  signer: Signer,
  { path, ...touched }: { path: string } & Touched,
  until: Date,
  generation: number,
): Promise<HierarchyResult> {
  // who deleted a folder that leaves him out reads nothing of it, not even when it is restored: his token is past already
  const time = { expiresAt: (itemOf(touched).rights & VISIBLE) === 0 ? new Date(0) : until, generation };
  if ('folder' in touched) {
    const { id, rights } = touched.folder;
    return { projectId: id, path: `${path}/`, sasToken: await contentGrant(signer, { folder: id, rights }, time) };
  }
  const { id, rights, folder } = touched.file;
  const sasToken = await contentGrant(signer, { area: 'dataset', name: id, rights }, time);
  return { projectId: folder.id, datasetId: id, path, sasToken };
}

/** Says of a refusal which action it is about. */
function at<T>(index: number, work: () => T): T {
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

function meaningOf({ type, path, newPath, isFolder }: PathAction): Meant {
  const meant = { type, names: segmentsOf(path), isFolder: isFolder ?? (path.endsWith('/') ? true : undefined) };
  if (type !== 'PathActionMove') return meant;
  if (newPath === undefined) throw invalid('A move needs newPath.');
  return { ...meant, newNames: segmentsOf(newPath) };
}

const pathsOf = ({ names, newNames }: Meant) => (newNames ? [names, newNames] : [names]);
const partsOf = (names: readonly string[]) => ({ above: names.slice(0, -1), name: names.at(-1) ?? '' });

const DEEDS: Record<PathAction['type'], (tree: Tree, meant: Meant) => Touched | undefined> = {
  PathActionCreate: (tree, { names, isFolder = false }) => {
    const { above, name } = partsOf(names);
    const parent = ensureFolder(tree, above);
    refuseTaken(parent, name, names);
    return isFolder ? { folder: makeFolder(tree, parent, name) } : { file: makeFile(tree, parent, name) };
  },

  PathActionCreateIfNotExists: (tree, { names, isFolder = false }) => {
    const { above, name } = partsOf(names);
    const parent = ensureFolder(tree, above);
    const found = find(parent, name, isFolder);
    if (found) return found;
    refuseTaken(parent, name, names);
    return isFolder ? { folder: makeFolder(tree, parent, name) } : { file: makeFile(tree, parent, name) };
  },

  PathActionDelete: ({ top }, { names, isFolder }) => {
    const { above, name } = partsOf(names);
    const parent = folderAt(top, above);
    if (!parent) return undefined;
    const found = find(parent, name, isFolder) ?? (isFolder === false ? undefined : findHidden(parent, name));
    if (!found) return undefined;
    demandRemoval(parent, found);
    itemOf(found).deleted = true;
    return found;
  },

  PathActionMove: (tree, { names, newNames = [], isFolder }) => {
    const { above, name } = partsOf(names);
    const parent = folderAt(tree.top, above);
    const found = parent && find(parent, name, isFolder);
    if (!found) throw new AppError('notFound', `There is no '${pathText(names)}'.`, { code: 'PathNotFound' });
    demandRemoval(parent, found);
    const target = partsOf(newNames);
    const newParent = ensureFolder(tree, target.above);
    demand(newParent, 'canCreateContent');
    if ('folder' in found && isWithin(newParent, found.folder)) {
      throw forbidden(`'${pathText(names)}' cannot be moved below itself, to '${pathText(newNames)}'.`);
    }
    if (newParent === parent && target.name === name) return found;
    refuseTaken(newParent, target.name, newNames);
    place(found, parent, newParent, target.name);
    return found;
  },
};

const itemOf = (touched: Touched) => ('folder' in touched ? touched.folder : touched.file);

function find(parent: Folder, name: string, isFolder: boolean | undefined): Touched | undefined {
  const folders = isFolder === false ? [] : foldersIn(parent, name).map((folder) => ({ folder }));
  const files = isFolder === true ? [] : filesIn(parent, name).map((file) => ({ file }));
  return single<Touched>([...folders, ...files], name);
}

/** Who may delete what is in a folder deletes subprojects of it that leave him out. */
function findHidden(parent: Folder, name: string): Touched | undefined {
  if (!may(parent, 'canDeleteContent')) return undefined;
  const folder = single(hiddenIn(parent, name), name);
  return folder && { folder };
}

function refuseTaken(parent: Folder, name: string, names: readonly string[]) {
  if (foldersIn(parent, name).length + filesIn(parent, name).length === 0) return;
  throw conflict(`There is '${pathText(names)}' already.`, { code: 'PathExists' });
}

function demandRemoval(parent: Folder, found: Touched) {
  if ('folder' in found) {
    if (!may(parent, 'canDeleteContent')) demand(found.folder, 'canDelete');
    return;
  }
  const { file } = found;
  demand({ id: parent.id, rights: file.rights }, 'canDeleteContent');
  if (file.heldBy !== undefined) {
    throw conflict(`Dataset '${file.id}' is in use by transfer '${file.heldBy}'.`, { code: 'DatasetLocked' });
  }
}

const isWithin = (folder: Folder, above: Folder): boolean =>
  folder === above || (folder.parent !== undefined && isWithin(folder.parent, above));

function place(found: Touched, parent: Folder, newParent: Folder, name: string) {
  const item = itemOf(found);
  item.name = name;
  item.moved = true;
  if ('folder' in found) {
    // what is below it was read by its old name, if at all
    found.folder.unsure ||= !found.folder.made || newParent !== parent;
    parent.folders = parent.folders.filter((one) => one !== found.folder);
    newParent.folders.push(found.folder);
    found.folder.parent = newParent;
  } else {
    found.file.unsure ||= newParent !== parent;
    parent.files = parent.files.filter((one) => one !== found.file);
    newParent.files.push(found.file);
    found.file.folder = newParent;
  }
  // at its new place the caller may do less, hardly ever more
  item.rights &= newParent.rights;
}
