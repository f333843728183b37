import { joinsFiles, transformationNames } from 'hydrofiles';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { requireCapability } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import { estimateResources } from '../queue/resource-request.ts';
import { type CheckedConversion, checkConversion, type StartRequest } from './check.ts';
import { keepInputFile, keepInputFiles, type UploadedFile } from './input-file.ts';
import { type DatasetData, newDataset } from './new-dataset.ts';
import { acceptedRequest, type DryRun, inDryRunTransaction, type Plan, type StartParts } from './start.ts';
import { writeConversion } from './write-conversion.ts';

export interface ImportRequest extends StartRequest, UploadedFile {
  /** All files that the first transformation joins, the first one included. */
  files?: readonly UploadedFile[] | undefined;
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
  if (request.files !== undefined) checkJoin(conversion);
  const project = await visibleProject(parts.db, caller, request.projectId);
  requireCapability(project, 'canCreateContent');
  return inDryRunTransaction(parts, dryRun, async (tx) => {
    const { files } = request;
    const file =
      files === undefined
        ? await keepInputFile(tx, caller, parts.sources, request, dryRun)
        : await keepInputFiles(tx, caller, parts.sources, files, dryRun);
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
    const warnings = [...conversion.warnings, ...file.warnings];
    return writeConversion(tx, caller, plan, parts, { warnings, dryRun });
  });
}

/** Several files become one dataset only by a transformation that joins them, before all others. */
function checkJoin({ reader, copied, transformations }: CheckedConversion) {
  if (copied)
    throw invalidMember('readerName', `${reader.name} copies one file. Send uploadUrl instead of uploadUrls.`);
  const [first] = transformationNames(transformations);
  if (first === undefined || !joinsFiles(first))
    throw invalidMember(
      'transformations',
      'The first transformation must join the files of uploadUrls: mosaicTransformation or stackTransformation.',
    );
}
