import { findReader, findWriter } from 'hydrofiles';
import { refuseUsed, refuseWritten, sharedDataset, takenDataset } from '../../datasets/access.ts';
import type { VisibleDataset } from '../../datasets/queries.ts';
import type { Transaction } from '../../db.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { may, requireCapability } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import { holdStaged } from '../../uploads/staged.queries.ts';
import { findTransfer, lockTransfer, type Summary } from '../queries.ts';
import { lockSources } from '../sources/sources.queries.ts';
import { missingParameters } from './check.ts';
import { planMoveOrCopy } from './move-or-copy.ts';
import { type Beginnable, getBeginning, listInputs } from './retry.queries.ts';
import { contentReplaced } from './rewrite.ts';
import type { StartRules } from './rules.ts';
import { keepDataset } from './side-inputs.ts';
import type { OtherInput } from './start.queries.ts';
import { type DryRun, inDryRunTransaction, type Plan, type StartParts, type Written, writePlan } from './start.ts';

/**
 * Starts a new transfer with the request of a failed one, or with `dryRun` only checks it. Allowed for its starter and
 * for who may change content in its project, with the rights that its start needs. Inputs are kept for a day.
 * @param everywhere the caller in all of their tenants, where `caller` acts in one: a move or copy concerns two tenants
 */
export const startRetry = (
  parts: StartParts,
  caller: Caller,
  id: string,
  dryRun: boolean,
  everywhere: Caller,
): Promise<Summary | DryRun> =>
  inDryRunTransaction(parts, dryRun, (tx) => writeRetry(tx, parts, caller, id, everywhere));

/** Retries a failed transfer as its starter, in the transaction of the caller. */
export const retryTransfer = (tx: Transaction, rules: StartRules, starter: Caller, id: string): Promise<Written> =>
  writeRetry(tx, rules, starter, id, starter);

async function writeRetry(
  tx: Transaction,
  rules: StartRules,
  caller: Caller,
  id: string,
  everywhere: Caller,
): Promise<Written> {
  const transfer = await findTransfer(tx, caller, id);
  if (!transfer) throw notFound('Transfer', id);
  if (transfer.createdBy !== caller.userId && !may({ rights: transfer.rights }, 'canUpdateContent'))
    throw forbidden(`You did not start transfer '${id}', and you may not change content in its project.`);
  const { status } = await lockTransfer(tx, id);
  if (status !== 'Error')
    throw conflict(`Transfer '${id}' is ${status}; only a transfer that ended in Error can be retried.`, {
      code: 'TransferNotFailed',
    });
  const failed: Beginnable & Pick<Plan, 'others'> = await getBeginning(tx, id);
  const { inputs, sideInputs } = failed.request;
  if ((inputs ?? sideInputs) !== undefined) failed.others = await listInputs(tx, id);
  const planner = failed.carry === undefined ? caller : everywhere;
  const plan = await planRetry(tx, planner, failed);
  return writePlan(tx, caller, { ...plan, retryOf: id }, rules, missingIn(failed));
}

/** Required parameters without a value, for which the transfer fails again. A move or copy has none. */
function missingIn({ request, outputDatasetId, carry }: Beginnable): string[] {
  if (carry !== undefined) return [];
  const [reader, writer] = [findReader(request.readerName), findWriter(request.writerName)];
  const kept = outputDatasetId === undefined ? [] : writer?.kept;
  return [
    ...(reader ? missingParameters(reader, request.readerParameters) : []),
    ...(writer ? missingParameters(writer, request.writerParameters, kept) : []),
  ];
}

/** Checks and locks again what the first start checked and locked. */
async function planRetry(tx: Transaction, caller: Caller, failed: Beginnable & Pick<Plan, 'others'>): Promise<Plan> {
  const { type, projectId, tenantId, inputDatasetId, outputDatasetId, stagedBlob, sourceId, carry } = failed;
  if (carry !== undefined) {
    const datasetId = inputDatasetId ?? outputDatasetId ?? '';
    return planMoveOrCopy(tx, caller, {
      action: carry,
      datasetId,
      targetProjectId: projectId,
      targetTenantId: tenantId,
    });
  }
  if (type === 'Import' || type === 'Conversion')
    requireCapability(await visibleProject(tx, caller, projectId), 'canCreateContent');
  // a dataset may have moved to another project, and who sees the transfer sees its result
  let location = { tenantId, projectId };
  const tenants = new Set<string>();
  const lockedDatasets: { found: VisibleDataset; writes: boolean }[] = [];
  const ids = [...new Set([inputDatasetId, outputDatasetId].filter((each) => each !== undefined))].sort();
  for (const each of ids) {
    const writes = each === outputDatasetId;
    const found = writes
      ? await takenDataset(tx, caller, { id: each }, 'canUpdateContent')
      : await sharedDataset(tx, caller, each);
    if (writes || type === 'Export') location = { tenantId: found.tenantId, projectId: found.projectId };
    const { content } = failed.request;
    if (writes && content !== undefined && found.blob !== content) throw contentReplaced(each);
    tenants.add(found.tenantId);
    lockedDatasets.push({ found, writes });
  }
  if ([...tenants].some((tenant) => tenant !== location.tenantId))
    throw forbidden('The dataset is in another tenant now. Use move or copy.');
  for (const { found, writes } of lockedDatasets) {
    if (writes) await refuseUsed(tx, found);
    else refuseWritten(found);
  }
  const others = failed.others ?? [];
  for (const { datasetId } of others) if (datasetId !== undefined) await keepDataset(tx, caller, tenantId, datasetId);
  const { inputName, inputs, sideInputs } = failed.request;
  const sideNames = new Map(sideInputs?.map(({ key, name }) => [key, name]));
  const nameOf = ({ key }: OtherInput, n: number) => (key === undefined ? inputs?.[n + 1]?.name : sideNames.get(key));
  await holdFiles(tx, [
    { stagedBlob, sourceId, name: inputName },
    ...others.map((other, n) => ({ ...other, name: nameOf(other, n) ?? inputName })),
  ]);
  return { ...failed, ...location };
}

/** Locks files against deletion: a mosaic may have thousands, so in one statement for uploads and one for addresses. */
async function holdFiles(tx: Transaction, files: readonly (OtherInput & { name: string })[]) {
  const uploads = new Set(
    await holdStaged(
      tx,
      files.flatMap(({ stagedBlob }) => stagedBlob ?? []),
    ),
  );
  const addresses = new Set(
    await lockSources(
      tx,
      files.flatMap(({ sourceId }) => sourceId ?? []),
    ),
  );
  for (const { stagedBlob, sourceId, name } of files) {
    if (stagedBlob !== undefined && !uploads.has(stagedBlob))
      throw conflict(`The file '${name}' is no longer stored. Upload it again.`, { code: 'InputGone' });
    if (sourceId !== undefined && !addresses.has(sourceId))
      throw conflict(`The address of '${name}' is no longer stored. Start a new transfer.`, { code: 'InputGone' });
  }
}
