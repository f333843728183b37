import type { Caller } from '../../http/caller.ts';
import { requireCapability } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import { estimateResources } from '../queue/resource-request.ts';
import { checkConversion, type StartRequest } from './check.ts';
import { keepInputFile, type UploadedFile } from './input-file.ts';
import { type DatasetData, newDataset } from './new-dataset.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Plan, type StartParts, writePlan } from './start.ts';

export interface ImportRequest extends StartRequest, UploadedFile {
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
  const project = await visibleProject(parts.db, caller, request.projectId);
  requireCapability(project, 'canCreateContent');
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const file = await keepInputFile(tx, caller, parts.sources, request, dryRun);
    const plan: Plan = {
      type: 'Import',
      tenantId: project.tenantId,
      projectId: project.id,
      format: conversion.writer.format,
      ...file.columns,
      ...estimateResources(request, { inputBytes: file.size, copied: conversion.copied }),
      request: {
        ...acceptedRequest(request, conversion),
        ...file.request,
        output: newDataset(request.outputDatasetData),
      },
    };
    return writePlan(tx, caller, plan, parts, [...conversion.warnings, ...file.warnings]);
  });
}
