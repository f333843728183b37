import { refuseWritten, sharedDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { forbidden } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { requireCapability } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import { checkConversion, type StartRequest } from './check.ts';
import { type DatasetData, newDataset } from './new-dataset.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Planned, type StartParts } from './start.ts';
import { writeConversion } from './write-conversion.ts';

export interface ConvertRequest extends StartRequest {
  datasetId: string;
  /** Absent: the dataset's own project. */
  outputProjectId?: string | undefined;
  outputDatasetData: DatasetData;
}

/** Starts a transfer that makes a dataset of another one in the same tenant. */
export async function startConvert(
  parts: StartParts,
  caller: Caller,
  request: ConvertRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, request.datasetId);
  const conversion = checkConversion(request, { sourceFormat: datasetFormat });
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const source = await sharedDataset(tx, caller, request.datasetId);
    const project = await visibleProject(tx, caller, request.outputProjectId ?? source.projectId);
    requireCapability(project, 'canCreateContent');
    if (project.tenantId !== source.tenantId)
      throw forbidden('A conversion cannot write to another tenant. Use move or copy.');
    refuseWritten(source);
    const plan: Planned = {
      type: 'Conversion',
      tenantId: project.tenantId,
      projectId: project.id,
      format: conversion.writer.format,
      inputDatasetId: source.id,
      request: {
        ...acceptedRequest(request, conversion),
        inputName: downloadName(source),
        output: newDataset(request.outputDatasetData),
      },
    };
    const workload = { inputBytes: source.storageSize, copied: conversion.copied };
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings: conversion.warnings, dryRun });
  });
}
