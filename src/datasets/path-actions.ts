import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import { may, requireCapability } from '../projects/access.ts';
import { pathText } from '../projects/names.ts';
import {
  checkNewName,
  ensureFolder,
  type File,
  type Folder,
  filesIn,
  findFolder,
  foldersIn,
  hiddenIn,
  makeFile,
  makeFolder,
  splitPath,
  type Tree,
  unique,
} from './paths.ts';

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

/**
 * An action with its paths as names. A path that ends with a slash is a folder; `isFolder` is undefined if both are
 * possible.
 */
export interface ParsedAction {
  type: PathAction['type'];
  names: string[];
  newNames?: string[];
  isFolder: boolean | undefined;
}

export type Item = { folder: Folder } | { file: File };

export function parseAction({ type, path, newPath, isFolder }: PathAction): ParsedAction {
  const parsed = { type, names: splitPath(path), isFolder: isFolder ?? (path.endsWith('/') ? true : undefined) };
  if (type !== 'PathActionMove') return parsed;
  if (newPath === undefined) throw invalid(`The move of '${path}' has no newPath. Send the new path of the item.`);
  return { ...parsed, newNames: splitPath(newPath) };
}

export const pathsOf = ({ names, newNames }: ParsedAction) => (newNames ? [names, newNames] : [names]);
const splitName = (names: readonly string[]) => ({ above: names.slice(0, -1), name: names.at(-1) ?? '' });

/**
 * What each action does to the tree in memory, which `writePlan` writes. Undefined: there is nothing to delete.
 */
export const HANDLERS: Record<PathAction['type'], (tree: Tree, action: ParsedAction) => Item | undefined> = {
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

export const folderOrFile = (item: Item) => ('folder' in item ? item.folder : item.file);

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
    // the folder's contents were read under the old path, or not at all
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
