import { idleDataset, readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Transaction } from '../../db.ts';
import { forbidden, notFound } from '../../errors.ts';
import { type Caller, ownedTenants } from '../../http/caller.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import type { MoveOrCopy } from './request.ts';
import { type DryRun, inDryRunTransaction, type Plan, type StartParts, writePlan } from './start.ts';

export interface MoveOrCopyRequest {
  action: MoveOrCopy;
  datasetId: string;
  targetProjectId: string;
  targetTenantId: string;
}

const SCOPE = 'platform_metadata_conversion';
/** Memory of a move or copy: the blob store copies the bytes. */
const MEMORY_MB = 256;

/** Starts a transfer that moves or copies a dataset into another tenant. */
export const startMoveOrCopy = (
  parts: StartParts,
  caller: Caller,
  request: MoveOrCopyRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> =>
  inDryRunTransaction(parts, dryRun, async (tx) => {
    const plan = await planMoveOrCopy(tx, caller, request);
    return writePlan(tx, caller, plan, parts);
  });

/**
 * Checks that the caller owns both tenants and has the scope, and locks the dataset: a move for writing, a copy for
 * reading.
 */
export async function planMoveOrCopy(tx: Transaction, caller: Caller, request: MoveOrCopyRequest): Promise<Plan> {
  const seen = await visibleDataset(tx, caller, request.datasetId);
  const target = await visibleProject(tx, caller, request.targetProjectId);
  if (target.tenantId !== request.targetTenantId) throw notFound('Project', request.targetProjectId);
  if (!caller.scopes.includes(SCOPE))
    throw forbidden(`Your token lacks the scope '${SCOPE}'.`, { code: 'InsufficientScope' });
  for (const tenantId of [seen.tenantId, target.tenantId]) demandOwner(caller, tenantId);
  const moves = request.action === 'move';
  const dataset = moves
    ? await idleDataset(tx, caller, { id: seen.id }, 'canDeleteContent')
    : await readableDataset(tx, caller, seen.id);
  // another transfer may have moved it to a third tenant before it was locked
  demandOwner(caller, dataset.tenantId);
  return {
    type: 'Conversion',
    carry: request.action,
    tenantId: target.tenantId,
    projectId: target.id,
    sourceTenantId: dataset.tenantId,
    sourceProjectId: dataset.projectId,
    ...(moves ? { outputDatasetId: dataset.id } : { inputDatasetId: dataset.id }),
    format: dataset.datasetFormat,
    memoryMb: MEMORY_MB,
    request: {
      readerName: 'FileReader',
      writerName: 'FileWriter',
      readerParameters: {},
      writerParameters: {},
      transformations: [],
      inputName: downloadName(dataset),
    },
  };
}

function demandOwner(caller: Caller, tenantId: string) {
  if (!ownedTenants(caller).includes(tenantId))
    throw forbidden(`Only an Owner of both tenants may do this. You are not an Owner of tenant '${tenantId}'.`);
}
