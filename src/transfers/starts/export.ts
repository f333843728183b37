import { readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import type { ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import type { DryRun, StartParts } from './start.ts';
import { accepted, start } from './start.ts';

export interface ExportWish extends ConversionWish {
  datasetId: string;
  targetFileName?: string | undefined;
}

/** Makes a file of a dataset, for downloading. */
export async function startExport(
  parts: StartParts,
  caller: Caller,
  wish: ExportWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(parts.db, caller, wish.datasetId);
  const checked = checkConversion(wish, { sourceFormat: dataset.datasetFormat });
  return start(parts, caller, wish, checked, dryRun, async (tx) => {
    const { projectId, tenantId, name, datasetFormat, storageSize } = await readableDataset(tx, caller, dataset.id);
    // a writer without an extension of its own copies the bytes, which keep the dataset's format
    const format = checked.writer.extension === '' ? datasetFormat : checked.writer.format;
    return {
      type: 'Export',
      tenantId,
      projectId,
      inputDatasetId: dataset.id,
      inputBytes: storageSize,
      request: {
        ...accepted(wish, checked),
        inputName: downloadName(name, datasetFormat),
        outputFileName: wish.targetFileName || downloadName(name, format),
      },
    };
  });
}
