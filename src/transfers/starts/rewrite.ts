import { refuseUsed, takenDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { hasStatistics } from '../../datasets/locks.queries.ts';
import { conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { checkRowVersion } from '../../http/rules/row-version.ts';
import type { Summary } from '../queries.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Planned, type StartParts } from './start.ts';
import { checkReplacement } from './update.ts';
import { writeConversion } from './write-conversion.ts';

export interface RewriteRequest {
  datasetId: string;
  /** Blob of the content for which the transformations were made. */
  content: string;
  rowVersion?: string | undefined;
  transformations: readonly unknown[];
}

/**
 * Starts a transfer that replaces the content of a dataset by what transformations make of it. Readers get the old
 * content until the transfer commits the new one.
 */
export async function startRewrite(
  parts: StartParts,
  caller: Caller,
  { datasetId, content, rowVersion, transformations }: RewriteRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, datasetId);
  const request = { transformations, nodeSizes: parts.nodeSizes };
  const conversion = checkReplacement(request, { sourceFormat: datasetFormat, targetFormat: datasetFormat });
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const dataset = await takenDataset(tx, caller, { id: datasetId }, 'canUpdateContent');
    checkRowVersion('Dataset', dataset, rowVersion);
    await refuseUsed(tx, dataset);
    if (dataset.blob !== content) throw contentReplaced(datasetId);
    // those of the old content have other items and steps
    const measured = await hasStatistics(tx, datasetId);
    const statistics = measured ? [{ type: 'calculateStatisticsTransformation' }] : [];
    const plan: Planned = {
      type: 'Update',
      tenantId: dataset.tenantId,
      projectId: dataset.projectId,
      format: conversion.writer.format,
      inputDatasetId: dataset.id,
      outputDatasetId: dataset.id,
      request: {
        ...acceptedRequest(request, conversion),
        transformations: [...conversion.transformations, ...statistics],
        inputName: downloadName(dataset),
        content,
      },
    };
    const workload = { inputBytes: dataset.storageSize, copied: conversion.copied };
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings: conversion.warnings, dryRun });
  });
}

/** The indices of items and steps in a request may mean others in new content. */
export const contentReplaced = (id: string) =>
  conflict(`The content of dataset '${id}' was replaced since the change was asked for. Read it again.`, {
    code: 'ContentReplaced',
  });
