import { readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Transaction } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import { type CheckedConversion, checkConversion, type StartRequest } from './check.ts';
import type { StartRules } from './rules.ts';
import {
  acceptedRequest,
  type DryRun,
  inDryRunTransaction,
  type Planned,
  type StartParts,
  type Written,
} from './start.ts';
import { writeConversion } from './write-conversion.ts';

export interface ExportRequest extends StartRequest {
  datasetId: string;
  targetFileName?: string | undefined;
}

/** Starts a transfer that makes a file of a dataset, for downloading. */
export async function startExport(
  parts: StartParts,
  caller: Caller,
  request: ExportRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, request.datasetId);
  const conversion = checkExport(request, datasetFormat);
  return inDryRunTransaction(parts, dryRun, (tx) => writeExport(tx, parts, caller, request, { conversion, dryRun }));
}

/** `checkConversion` of a request whose writer must make files. */
export function checkExport(request: StartRequest, datasetFormat: string): CheckedConversion {
  const conversion = checkConversion(request, { sourceFormat: datasetFormat });
  const { writer } = conversion;
  if (writer.rows)
    throw invalidMember(
      'writerName',
      `${writer.name} writes datasets, which are no files. Choose a writer of files such as Dfs0Writer, or convert the dataset.`,
    );
  return conversion;
}

/** Writes an export that was checked. The caller must be able to read the dataset, which no transfer may write. */
export async function writeExport(
  tx: Transaction,
  parts: StartRules & Pick<StartParts, 'sources'>,
  caller: Caller,
  request: ExportRequest,
  { conversion, dryRun, shareId }: { conversion: CheckedConversion; dryRun: boolean; shareId?: string },
): Promise<Written> {
  const { writer } = conversion;
  const source = await readableDataset(tx, caller, request.datasetId);
  // a writer without an extension of its own copies the bytes, which keep the dataset's format
  const file = writer.extension === '' ? source : { name: source.name, datasetFormat: writer.format };
  const plan: Planned = {
    type: 'Export',
    tenantId: source.tenantId,
    projectId: source.projectId,
    format: writer.format,
    inputDatasetId: source.id,
    shareId,
    request: {
      ...acceptedRequest(request, conversion),
      inputName: downloadName(source),
      outputFileName: request.targetFileName || downloadName(file),
    },
  };
  const workload = { inputBytes: source.storageSize, copied: conversion.copied };
  return writeConversion(tx, caller, plan, parts, { request, workload, warnings: conversion.warnings, dryRun });
}
