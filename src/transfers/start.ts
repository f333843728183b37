import { randomUUID } from 'node:crypto';
import { visibleDataset } from '../datasets/access.ts';
import { downloadName } from '../datasets/download-name.ts';
import type { Db } from '../db.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { nameStagedBlob } from '../uploads/staged.ts';
import type { CheckedConversion, ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import { tellStarted } from './events.ts';
import { wake } from './finish.ts';
import type { NewTransfer, Summary } from './queries.ts';
import { insertTransfer } from './queries.ts';
import type { AcceptedRequest } from './request.ts';
import { DEFAULT_MEMORY_MB } from './resources.ts';

export interface ImportWish extends ConversionWish {
  projectId: string;
  originalFileName: string;
  uploadUrl: string;
  outputDatasetData: {
    name: string;
    description?: string | undefined;
    metadata?: Record<string, unknown> | undefined;
    properties?: Record<string, unknown> | undefined;
  };
  onBadRecord?: 'fail' | 'skip' | undefined;
}

export interface ExportWish extends ConversionWish {
  datasetId: string;
  targetFileName?: string | undefined;
  onBadRecord?: 'fail' | 'skip' | undefined;
}

/** What a start says when it only tries. */
export interface DryRun {
  valid: true;
  warnings: string[];
}

/** Reads an uploaded file and makes a dataset of it. */
export async function startImport(
  db: Db,
  caller: Caller,
  wish: ImportWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const checked = checkConversion(wish);
  return start(db, caller, wish, checked, dryRun, async (tx) => {
    const project = await visibleProject(tx, caller, wish.projectId);
    demand(project, 'canCreateContent');
    const staged = await nameStagedBlob(tx, caller, wish.uploadUrl);
    const { name, description, metadata = {}, properties = {} } = wish.outputDatasetData;
    return {
      type: 'Import',
      tenantId: project.tenantId,
      projectId: project.id,
      stagedBlob: staged.name,
      request: {
        ...accepted(wish, checked),
        inputName: wish.originalFileName,
        uploadUrl: wish.uploadUrl.replace(/[?#].*$/s, ''),
        output: { name, ...(description === undefined ? {} : { description }), metadata, properties },
      },
    };
  });
}

/** Makes a file of a dataset, for downloading. */
export async function startExport(
  db: Db,
  caller: Caller,
  wish: ExportWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(db, caller, wish.datasetId);
  const checked = checkConversion(wish, { sourceFormat: dataset.datasetFormat });
  return start(db, caller, wish, checked, dryRun, async (tx) => {
    const source = await visibleDataset(tx, caller, dataset.id);
    const { projectId, tenantId, name, datasetFormat, lockedBy } = source;
    demand({ ...source, id: projectId }, 'canReadContent');
    if (lockedBy !== undefined)
      throw conflict(`Dataset '${dataset.id}' is being written by transfer '${lockedBy}'.`, { code: 'DatasetLocked' });
    // a writer without an extension of its own copies the bytes, which keep the dataset's format
    const format = checked.writer.extension === '' ? datasetFormat : checked.writer.format;
    return {
      type: 'Export',
      tenantId,
      projectId,
      inputDatasetId: dataset.id,
      request: {
        ...accepted(wish, checked),
        inputName: downloadName(name, datasetFormat),
        outputFileName: wish.targetFileName || downloadName(name, format),
      },
    };
  });
}

type Planned = Pick<NewTransfer, 'type' | 'tenantId' | 'projectId' | 'stagedBlob' | 'inputDatasetId' | 'request'>;

/** One transaction: what it names, its row, its place in the queue, its event. A dry run does the same and takes it all back. */
async function start(
  db: Db,
  caller: Caller,
  wish: ConversionWish,
  { writer, warnings }: CheckedConversion,
  dryRun: boolean,
  plan: (tx: Db) => Promise<Planned>,
): Promise<Summary | DryRun> {
  class TakenBack extends Error {}
  try {
    return await db.transaction(async (tx) => {
      const planned = await plan(tx);
      const row = {
        ...planned,
        id: randomUUID(),
        format: writer.format,
        createdBy: caller.userId,
        accountId: caller.accountId,
        requestId: caller.requestId,
        memoryMb: wish.memoryRequestMb ?? DEFAULT_MEMORY_MB,
        cores: wish.cpuCoresRequest,
      };
      const summary = await insertTransfer(tx, row);
      await wake(tx, row.id);
      await tellStarted(tx, row);
      if (dryRun) throw new TakenBack();
      return summary;
    });
  } catch (error) {
    if (error instanceof TakenBack) return { valid: true, warnings };
    throw error;
  }
}

const accepted = (
  wish: ImportWish | ExportWish,
  { reader, writer, readerParameters, writerParameters, transformations }: CheckedConversion,
): Omit<AcceptedRequest, 'inputName'> => ({
  readerName: reader.name,
  writerName: writer.name,
  readerParameters,
  writerParameters,
  transformations: [...transformations],
  ...(wish.onBadRecord === undefined ? {} : { onBadRecord: wish.onBadRecord }),
  ...(wish.storageSizeGb === undefined ? {} : { storageSizeGb: wish.storageSizeGb }),
  ...(wish.requiredLabels === undefined ? {} : { requiredLabels: [...wish.requiredLabels] }),
});
