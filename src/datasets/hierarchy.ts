import { audit, by } from '../audit.ts';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { VISIBLE } from '../projects/access.ts';
import type { AfterDeletion } from '../projects/delete.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { pathText } from '../projects/names.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Grant } from '../uploads/address.ts';
import { contentGrant } from './grants.ts';
import {
  folderOrFile,
  HANDLERS,
  type Item,
  type ParsedAction,
  type PathAction,
  parseAction,
  pathsOf,
} from './path-actions.ts';
import { isStale, readPaths } from './paths.ts';
import { EmptyBlobsNeeded, putEmptyBlobs, writePlan } from './write-plan.ts';

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
