import { findWriter, writers } from 'hydrofiles';
import { refuseUsed, takenDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import { type CheckedConversion, checkJoin, type StartRequest } from './check.ts';
import { keepInputFiles, type UploadedFiles } from './input-file.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Planned, type StartParts } from './start.ts';
import { checkReplacement } from './update.ts';
import { writeConversion } from './write-conversion.ts';

export interface AppendRequest extends StartRequest, Omit<UploadedFiles, 'originalFileName'> {
  datasetId: string;
  /** Absent: the dataset's name. */
  originalFileName?: string | undefined;
}

/**
 * Starts a transfer that adds an uploaded or remote file to the content of a dataset, which keeps its id, name and
 * metadata.
 */
export async function startAppend(
  parts: StartParts,
  caller: Caller,
  request: AppendRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, request.datasetId);
  checkAppends(request.writerName, datasetFormat);
  const conversion = checkReplacement(request, { targetFormat: datasetFormat });
  checkKept(conversion);
  checkJoin(request, conversion);
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const target = await takenDataset(tx, caller, { id: request.datasetId }, 'canUpdateContent');
    const { originalFileName = downloadName(target), uploadUrl, files } = request;
    const file = await keepInputFiles(tx, caller, parts.sources, { originalFileName, uploadUrl, files }, dryRun);
    await refuseUsed(tx, target);
    const workload = { inputBytes: file.size, existingBytes: target.storageSize, copied: conversion.copied };
    const plan: Planned = {
      type: 'Append',
      tenantId: target.tenantId,
      projectId: target.projectId,
      format: conversion.writer.format,
      ...file.columns,
      outputDatasetId: target.id,
      request: { ...acceptedRequest(request, conversion), ...file.request },
    };
    const warnings = [...conversion.warnings, ...file.warnings];
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings, dryRun });
  });
}

/** Refuses other values for parameters of the writer that the dataset keeps: all its steps must have the same. */
function checkKept({ writer, writerParameters }: CheckedConversion) {
  const given = writer.kept?.find((name) => writerParameters?.[name] !== undefined);
  if (given !== undefined)
    throw invalidMember('writerParameters', `An append keeps ${given} of the dataset. Leave the parameter out.`);
}

/** Comes before all other checks: a format without append is refused whatever else the request says. */
function checkAppends(writerName: string | undefined, format: string) {
  const named = writerName === undefined ? writers.filter((one) => one.format === format) : [findWriter(writerName)];
  if (named.length === 0)
    throw invalidMember(
      'writerName',
      `A dataset of format '${format}' cannot be appended to: no writer has this format.`,
    );
  const [writer, another] = named;
  if (writer === undefined || another !== undefined || writer.appends !== undefined) return;
  throw invalidMember('writerName', `${writer.name} cannot append.`);
}
