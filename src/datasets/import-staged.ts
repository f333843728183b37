import { randomUUID } from 'node:crypto';
import { withoutBidiControls } from 'hydrofiles/text';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from '../projects/access.ts';
import { wrongName } from '../projects/names.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { type Copies, CopiesNeeded, copyStaged, type TakenUpload, takeStaged } from '../uploads/staged.ts';
import { insertFiles } from './paths.queries.ts';
import { ensureFolder, findFolder, readPaths, splitPath } from './paths.ts';
import { writePlan } from './write-plan.ts';

export interface StagedImport {
  /** Addresses of the uploads, and the names of the new datasets. */
  files: readonly { url: string; fileName: string }[];
  /** Path of a folder below the project. Empty for the project itself. */
  destination: string;
  createDestination: boolean;
}

export interface ImportedFiles {
  datasets: { fileName: string; datasetId: string }[];
  failures: { fileName: string; message: string }[];
}

/**
 * Creates datasets from uploaded files in one transaction. A file that cannot be imported is reported as a failure and
 * does not affect the others. Blobs that must be copied are copied before the transaction, so that the tree is locked
 * only briefly.
 */
export async function importStaged(
  { db, blobs }: { db: Database; blobs: BlobStore },
  caller: Caller,
  projectId: string,
  request: StagedImport,
): Promise<ImportedFiles> {
  const copies: Copies = new Map();
  // terminates: each attempt has the copies that the one before lacked
  for (;;) {
    try {
      return await importWith({ db, copies }, caller, projectId, request);
    } catch (error) {
      if (!(error instanceof CopiesNeeded)) throw error;
      await copyStaged(blobs, error.sources, copies);
    }
  }
}

/** One attempt. Throws `CopiesNeeded`, without any change, if blobs must be copied first. */
async function importWith(
  { db, copies }: { db: Database; copies: Copies },
  caller: Caller,
  projectId: string,
  { files, destination, createDestination }: StagedImport,
): Promise<ImportedFiles> {
  const names = /^\/?$/.test(destination) ? [] : splitPath(destination);
  return db.transaction(async (tx) => {
    await lockProjectTrees(tx, projectId);
    const project = await visibleProject(tx, caller, projectId);
    const tree = await readPaths(tx, caller, project.id, [names]);
    const existing = findFolder(tree.top, names);
    if (!existing && !createDestination)
      throw new AppError(
        'notFound',
        `Folder '${destination}' does not exist. Create it, or send createDestinationPathIfNotExists.`,
        { code: 'PathNotFound' },
      );
    const folder = existing ?? ensureFolder(tree, names);
    requireCapability(folder, 'canCreateContent');

    const named = files.map((file) => {
      const name = withoutBidiControls(file.fileName).trim();
      const wrong = wrongName(name);
      return { ...file, name, wrong: wrong && `fileName ${wrong}.` };
    });
    const good = named.filter((file) => file.wrong === undefined);
    const taken = await takeStaged(
      tx,
      caller,
      good.map(({ url }) => url),
      copies,
    );
    const outcomes = new Map<object, TakenUpload>(good.map((file, index) => [file, taken[index] as TakenUpload]));

    const answer: ImportedFiles = { datasets: [], failures: [] };
    const rows = [];
    for (const file of named) {
      const { fileName, name, wrong } = file;
      const outcome = outcomes.get(file) ?? { message: wrong ?? '' };
      if ('message' in outcome) {
        answer.failures.push({ fileName, message: outcome.message });
        continue;
      }
      const id = randomUUID();
      rows.push({ id, projectId: folder.id, name, blob: outcome.blob, storageSize: outcome.size });
      answer.datasets.push({ fileName, datasetId: id });
    }
    if (rows.length > 0) {
      await writePlan(tx, tree, { rootId: project.rootId, accessLevel: 'Shared', userId: caller.userId });
      await insertFiles(tx, rows, caller.userId);
    }
    return answer;
  });
}
