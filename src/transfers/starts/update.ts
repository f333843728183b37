import { refuseUsed, refuseWritten, sharedDataset, takenDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Transaction } from '../../db.ts';
import { forbidden, invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import { type CheckedConversion, checkConversion, checkJoin, type StartRequest } from './check.ts';
import { keepInputFiles, type UploadedFiles } from './input-file.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Planned, type StartParts } from './start.ts';
import { writeConversion } from './write-conversion.ts';

export interface UpdateRequest extends StartRequest, UploadedFiles {
  datasetId: string;
}

export interface UpdateFromRequest extends StartRequest {
  sourceId: string;
  targetId: string;
}

/**
 * Starts a transfer that replaces the content of a dataset by an uploaded or remote file; id, name and metadata stay.
 */
export async function startUpdate(
  parts: StartParts,
  caller: Caller,
  request: UpdateRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, request.datasetId);
  const conversion = checkReplacement(request, { targetFormat: datasetFormat });
  checkJoin(request, conversion);
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const target = await takenDataset(tx, caller, { id: request.datasetId }, 'canUpdateContent');
    const file = await keepInputFiles(tx, caller, parts.sources, request, dryRun);
    await refuseUsed(tx, target);
    const plan: Planned = {
      type: 'Update',
      tenantId: target.tenantId,
      projectId: target.projectId,
      format: conversion.writer.format,
      ...file.columns,
      outputDatasetId: target.id,
      request: { ...acceptedRequest(request, conversion), ...file.request },
    };
    const warnings = [...conversion.warnings, ...file.warnings];
    const workload = { inputBytes: file.size, copied: conversion.copied };
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings, dryRun });
  });
}

/** Starts a transfer that replaces the content of a dataset by that of another one in the same tenant. */
export async function startUpdateFrom(
  parts: StartParts,
  caller: Caller,
  request: UpdateFromRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const from = await visibleDataset(parts.db, caller, request.sourceId);
  const to = await visibleDataset(parts.db, caller, request.targetId);
  if (from.id === to.id) throw invalidMember('targetId', `Dataset '${to.id}' cannot be updated from itself.`);
  const conversion = checkReplacement(request, { targetFormat: to.datasetFormat, sourceFormat: from.datasetFormat });
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const { source, target } = await lockBoth(tx, caller, from.id, to.id);
    if (source.tenantId !== target.tenantId)
      throw forbidden('An update cannot read a dataset of another tenant. Use move or copy.');
    refuseWritten(source);
    await refuseUsed(tx, target);
    const plan: Planned = {
      type: 'Update',
      tenantId: target.tenantId,
      projectId: target.projectId,
      format: conversion.writer.format,
      inputDatasetId: source.id,
      outputDatasetId: target.id,
      request: {
        ...acceptedRequest(request, conversion),
        inputName: downloadName(source),
      },
    };
    const workload = { inputBytes: source.storageSize, copied: conversion.copied };
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings: conversion.warnings, dryRun });
  });
}

/** Locks by ascending id, so that two updates in opposite directions do not wait for each other. */
async function lockBoth(tx: Transaction, caller: Caller, sourceId: string, targetId: string) {
  if (sourceId < targetId) {
    const source = await sharedDataset(tx, caller, sourceId);
    return { source, target: await takenDataset(tx, caller, { id: targetId }, 'canUpdateContent') };
  }
  const target = await takenDataset(tx, caller, { id: targetId }, 'canUpdateContent');
  return { source: await sharedDataset(tx, caller, sourceId), target };
}

/** Checks a conversion whose result replaces the content of a dataset: it must have the dataset's format. */
export function checkReplacement(
  request: StartRequest,
  formats: { targetFormat: string; sourceFormat?: string },
): CheckedConversion {
  const conversion = checkConversion(request, formats);
  const { writer } = conversion;
  if (writer.format === formats.targetFormat) return conversion;
  throw invalidMember(
    'writerName',
    `${writer.name} writes '${writer.format}', but the dataset holds '${formats.targetFormat}'.`,
  );
}
