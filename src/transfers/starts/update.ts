import { idleDataset, readableDataset, visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import { forbidden, invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import type { CheckedConversion, ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import type { DryRun, StartParts, UploadedFile } from './start.ts';
import { accepted, start, uploaded } from './start.ts';

export interface UpdateWish extends ConversionWish, UploadedFile {
  datasetId: string;
}

export interface UpdateFromWish extends ConversionWish {
  sourceId: string;
  targetId: string;
}

/** Replaces what a dataset holds by what is in an uploaded or remote file; its id, name and metadata stay. */
export async function startUpdate(
  parts: StartParts,
  caller: Caller,
  wish: UpdateWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(parts.db, caller, wish.datasetId);
  const checked = checkReplacement(wish, dataset, undefined);
  return start(parts, caller, wish, checked, dryRun, async (tx, warn) => {
    const target = await idleDataset(tx, caller, { id: dataset.id }, 'canUpdateContent');
    const file = await uploaded(tx, caller, parts.sources, wish, warn);
    return {
      type: 'Update',
      tenantId: target.tenantId,
      projectId: target.projectId,
      ...file.input,
      outputDatasetId: target.id,
      request: { ...accepted(wish, checked), ...file.request },
    };
  });
}

/** The same out of another dataset. */
export async function startUpdateFrom(
  parts: StartParts,
  caller: Caller,
  wish: UpdateFromWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const from = await visibleDataset(parts.db, caller, wish.sourceId);
  const to = await visibleDataset(parts.db, caller, wish.targetId);
  if (from.id === to.id) throw invalidMember('targetId', `Dataset '${to.id}' cannot be updated from itself.`);
  const checked = checkReplacement(wish, to, from);
  return start(parts, caller, wish, checked, dryRun, async (tx) => {
    const read = () => readableDataset(tx, caller, from.id);
    const write = () => idleDataset(tx, caller, { id: to.id }, 'canUpdateContent');
    // always in the same order, so that two that go opposite ways do not wait for each other
    const early = from.id < to.id ? await read() : undefined;
    const target = await write();
    const source = early ?? (await read());
    if (source.tenantId !== target.tenantId)
      throw forbidden('A dataset is carried into another tenant by move or copy, not by an update.');
    return {
      type: 'Update',
      tenantId: target.tenantId,
      projectId: target.projectId,
      inputDatasetId: source.id,
      inputBytes: source.storageSize,
      outputDatasetId: target.id,
      request: { ...accepted(wish, checked), inputName: downloadName(source.name, source.datasetFormat) },
    };
  });
}

/** What replaces a dataset's content has its format. */
export function checkReplacement(
  wish: ConversionWish,
  target: { datasetFormat: string },
  source: { datasetFormat: string } | undefined,
): CheckedConversion {
  const checked = checkConversion(wish, {
    targetFormat: target.datasetFormat,
    ...(source ? { sourceFormat: source.datasetFormat } : {}),
  });
  if (checked.writer.format === target.datasetFormat) return checked;
  throw invalidMember(
    'writerName',
    `${checked.writer.name} writes '${checked.writer.format}', but the dataset holds '${target.datasetFormat}'.`,
  );
}
