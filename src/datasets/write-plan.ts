import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Transaction } from '../db.ts';
import * as projects from '../projects/paths.queries.ts';
import { insertFiles, markAllDeleted, placeFiles } from './paths.queries.ts';
import type { Folder, Tree } from './paths.ts';

const AT_ONCE = 16;

/**
 * Thrown by `writePlan` if it needs more empty blobs. They are written outside of the transaction, to keep it short.
 */
export class EmptyBlobsNeeded extends Error {
  override readonly name = 'EmptyBlobsNeeded';
  readonly count: number;

  constructor(count: number) {
    super(`${count} empty blobs are needed.`);
    this.count = count;
  }
}

/**
 * Writes the planned changes of a tree, in a fixed number of statements. A new file gets an empty blob, which is
 * removed from `emptyBlobs`. Returns the ids of deleted folders.
 */
export async function writePlan(
  tx: Transaction,
  { top, folders, files }: Tree,
  { rootId, accessLevel, userId }: { rootId: string; accessLevel: string; userId: string },
  emptyBlobs: string[] = [],
): Promise<string[]> {
  const newFiles = files.filter((file) => file.made);
  if (newFiles.length > emptyBlobs.length) throw new EmptyBlobsNeeded(newFiles.length - emptyBlobs.length);
  const made = folders.filter((folder) => folder.made).map(toRow);
  const moved = folders.filter((folder) => folder.moved && !folder.made).map(toRow);
  if (made.length + moved.length > 0) await projects.placeFolders(tx, { made, moved }, { rootId, accessLevel, userId });
  const deleted = folders.filter((folder) => folder !== top && folder.deleted).map(({ id }) => id);
  if (deleted.length > 0) await projects.markAllDeleted(tx, deleted, userId);

  if (newFiles.length > 0) {
    const names = emptyBlobs.splice(0, newFiles.length);
    const rows = newFiles.map(({ id, name, folder }, index) => ({
      id,
      name,
      projectId: folder.id,
      blob: names[index] ?? '',
      storageSize: 0,
    }));
    await insertFiles(tx, rows, userId);
  }
  const movedFiles = files.filter((file) => file.moved && !file.made);
  if (movedFiles.length > 0) {
    const rows = movedFiles.map(({ id, name, folder }) => ({ id, name, projectId: folder.id }));
    await placeFiles(tx, rows, userId);
  }
  const deletedFiles = files.filter((file) => file.deleted).map(({ id }) => id);
  if (deletedFiles.length > 0) await markAllDeleted(tx, deletedFiles, userId);
  return deleted;
}

const pathIds = (folder: Folder): readonly string[] =>
  folder.parent ? [...pathIds(folder.parent), folder.id] : folder.ids;
const memberSource = (folder: Folder): string =>
  folder.parent && folder.inheritsMembers ? memberSource(folder.parent) : folder.memberSourceId;

const toRow = (folder: Folder) => ({
  id: folder.id,
  name: folder.name,
  parentId: folder.parent?.id ?? '',
  path: pathIds(folder),
  memberSourceId: memberSource(folder),
});

/**
 * Writes empty blobs and returns their names. Stops at the first failure, and throws it when no write is under way any
 * more. The orphan sweep deletes blobs that no row references.
 */
export async function putEmptyBlobs(blobs: BlobStore, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => `dataset/${randomUUID()}`);
  const left = names.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const name of left) {
      if (failures.length > 0) return;
      await blobs.put(name, nothing(), 0).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
  if (failures.length > 0) throw failures[0];
  return names;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
