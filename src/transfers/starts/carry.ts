import { idleDataset, readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Db } from '../../db.ts';
import { forbidden, notFound } from '../../errors.ts';
import { fileReader } from '../../formats/file/reader.ts';
import { fileWriter } from '../../formats/file/writer.ts';
import type { Caller } from '../../http/caller.ts';
import { ownedTenants } from '../../http/caller.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import type { Beginning } from './begin.ts';
import { begin } from './begin.ts';
import type { Carry } from './request.ts';
import type { DryRun } from './start.ts';
import { tried } from './start.ts';

export interface CarryWish {
  carry: Carry;
  datasetId: string;
  targetProjectId: string;
  targetTenantId: string;
}

const SCOPE = 'platform_metadata_conversion';
/** The store does the work. */
const MEMORY_MB = 256;

/** Takes a dataset into another tenant as it is, or makes one there that is like it. */
export const startCarry = (db: Db, caller: Caller, wish: CarryWish, dryRun: boolean): Promise<Summary | DryRun> =>
  tried(db, dryRun, [], async (tx) => begin(tx, caller, await planCarry(tx, caller, wish)));

/** For Owners of both tenants whose token has the scope. Locks the dataset: a move as a writer does, a copy as a reader. */
export async function planCarry(tx: Db, caller: Caller, wish: CarryWish): Promise<Beginning> {
  const seen = await visibleDataset(tx, caller, wish.datasetId);
  const target = await visibleProject(tx, caller, wish.targetProjectId);
  if (target.tenantId !== wish.targetTenantId) throw notFound('Project', wish.targetProjectId);
  if (!caller.scopes.includes(SCOPE))
    throw forbidden(`Your token lacks the scope '${SCOPE}'.`, { code: 'InsufficientScope' });
  for (const tenantId of [seen.tenantId, target.tenantId]) demandOwner(caller, tenantId);
  const moves = wish.carry === 'move';
  const dataset = moves
    ? await idleDataset(tx, caller, { id: seen.id }, 'canDeleteContent')
    : await readableDataset(tx, caller, seen.id);
  // another transfer may have taken it elsewhere before it was locked
  demandOwner(caller, dataset.tenantId);
  return {
    type: 'Conversion',
    carry: wish.carry,
    tenantId: target.tenantId,
    projectId: target.id,
    sourceTenantId: dataset.tenantId,
    sourceProjectId: dataset.projectId,
    ...(moves ? { outputDatasetId: dataset.id } : { inputDatasetId: dataset.id }),
    format: dataset.datasetFormat,
    memoryMb: MEMORY_MB,
    request: {
      readerName: fileReader.name,
      writerName: fileWriter.name,
      readerParameters: {},
      writerParameters: {},
      transformations: [],
      inputName: downloadName(dataset.name, dataset.datasetFormat),
    },
  };
}

function demandOwner(caller: Caller, tenantId: string) {
  if (!ownedTenants(caller).includes(tenantId))
    throw forbidden(`Only an Owner of tenant '${tenantId}' and of the other one may do this.`);
}
