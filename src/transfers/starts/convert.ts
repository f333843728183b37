import { readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { forbidden } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { demand } from '../../projects/access.ts';
import { visibleProject } from '../../projects/visibility.queries.ts';
import type { Summary } from '../queries.ts';
import type { ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import type { DatasetData, DryRun, StartParts } from './start.ts';
import { accepted, datasetData, start } from './start.ts';

export interface ConvertWish extends ConversionWish {
  datasetId: string;
  /** Absent: the dataset's own. */
  outputProjectId?: string | undefined;
  outputDatasetData: DatasetData;
}

/** Makes a dataset of another one. */
export async function startConvert(
  parts: StartParts,
  caller: Caller,
  wish: ConvertWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(parts.db, caller, wish.datasetId);
  const checked = checkConversion(wish, { sourceFormat: dataset.datasetFormat });
  return start(parts, caller, wish, checked, dryRun, async (tx) => {
    const source = await readableDataset(tx, caller, dataset.id);
    const project = await visibleProject(tx, caller, wish.outputProjectId ?? source.projectId);
    demand(project, 'canCreateContent');
    if (project.tenantId !== source.tenantId)
      throw forbidden('A dataset is carried into another tenant by move or copy, not by conversion.');
    return {
      type: 'Conversion',
      tenantId: project.tenantId,
      projectId: project.id,
      inputDatasetId: source.id,
      inputBytes: source.storageSize,
      request: {
        ...accepted(wish, checked),
        inputName: downloadName(source.name, source.datasetFormat),
        output: datasetData(wish.outputDatasetData),
      },
    };
  });
}
