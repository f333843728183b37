import type { Caller } from '../../http/caller.ts';
import { demand } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import type { ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import type { DatasetData, DryRun, StartParts, UploadedFile } from './start.ts';
import { accepted, datasetData, start, uploaded } from './start.ts';

export interface ImportWish extends ConversionWish, UploadedFile {
  projectId: string;
  outputDatasetData: DatasetData;
}

/** Reads an uploaded or remote file and makes a dataset of it. */
export async function startImport(
  parts: StartParts,
  caller: Caller,
  wish: ImportWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const checked = checkConversion(wish);
  return start(parts, caller, wish, checked, dryRun, async (tx, warn) => {
    const project = await visibleProject(tx, caller, wish.projectId);
    demand(project, 'canCreateContent');
    const file = await uploaded(tx, caller, parts.sources, wish, warn);
    return {
      type: 'Import',
      tenantId: project.tenantId,
      projectId: project.id,
      ...file.input,
      request: { ...accepted(wish, checked), ...file.request, output: datasetData(wish.outputDatasetData) },
    };
  });
}
