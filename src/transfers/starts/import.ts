import type { Caller } from '../../http/caller.ts';
import { requireCapability } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import { checkConversion, checkJoin, type StartRequest } from './check.ts';
import { keepInputFiles, type UploadedFiles } from './input-file.ts';
import { type DatasetData, newDataset } from './new-dataset.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Planned, type StartParts } from './start.ts';
import { writeConversion } from './write-conversion.ts';

export interface ImportRequest extends StartRequest, UploadedFiles {
  projectId: string;
  outputDatasetData: DatasetData;
}

/** Starts a transfer that reads an uploaded or remote file and makes a dataset of it. */
export async function startImport(
  parts: StartParts,
  caller: Caller,
  request: ImportRequest,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const conversion = checkConversion(request);
  checkJoin(request, conversion);
  const project = await visibleProject(parts.db, caller, request.projectId);
  requireCapability(project, 'canCreateContent');
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const file = await keepInputFiles(tx, caller, parts.sources, request, dryRun);
    const plan: Planned = {
      type: 'Import',
      tenantId: project.tenantId,
      projectId: project.id,
      format: conversion.writer.format,
      ...file.columns,
      request: {
        ...acceptedRequest(request, conversion),
        ...file.request,
        output: newDataset(request.outputDatasetData),
      },
    };
    const warnings = [...conversion.warnings, ...file.warnings];
    const workload = { inputBytes: file.size, copied: conversion.copied };
    return writeConversion(tx, caller, plan, parts, { request, workload, warnings, dryRun });
  });
}
