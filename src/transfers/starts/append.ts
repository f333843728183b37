import { idleDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { invalidMember } from '../../errors.ts';
import { findWriter, writers } from '../../formats/registry.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import type { ConversionWish } from './check.ts';
import type { DryRun, StartParts, UploadedFile } from './start.ts';
import { accepted, start, uploaded } from './start.ts';
import { checkReplacement } from './update.ts';

export interface AppendWish extends ConversionWish, Omit<UploadedFile, 'originalFileName'> {
  datasetId: string;
  /** Absent: the dataset's name. */
  originalFileName?: string | undefined;
}

/** Adds what is in an uploaded or remote file to what a dataset holds; its id, name and metadata stay. */
export async function startAppend(
  parts: StartParts,
  caller: Caller,
  wish: AppendWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(parts.db, caller, wish.datasetId);
  checkGrowth(wish.writerName, dataset.datasetFormat);
  const checked = checkReplacement(wish, dataset, undefined);
  return start(parts, caller, wish, checked, dryRun, async (tx, warn) => {
    const target = await idleDataset(tx, caller, { id: dataset.id }, 'canUpdateContent');
    const { originalFileName = downloadName(target.name, target.datasetFormat), uploadUrl } = wish;
    const file = await uploaded(tx, caller, parts.sources, { originalFileName, uploadUrl }, warn);
    return {
      type: 'Append',
      tenantId: target.tenantId,
      projectId: target.projectId,
      ...file.input,
      outputDatasetId: target.id,
      presentBytes: target.storageSize,
      request: { ...accepted(wish, checked), ...file.request },
    };
  });
}

/** Before all else: whatever else the request says, a format that cannot grow is the answer. */
function checkGrowth(writerName: string | undefined, format: string) {
  const named = writerName === undefined ? writers.filter((one) => one.format === format) : [findWriter(writerName)];
  if (named.length === 0)
    throw invalidMember('writerName', `Nothing can be added to a dataset of format '${format}': no writer writes it.`);
  const [writer, another] = named;
  if (writer === undefined || another !== undefined || writer.appends !== undefined) return;
  throw invalidMember('writerName', `${writer.name} cannot append.`);
}
