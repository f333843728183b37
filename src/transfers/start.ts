import { idleDataset, readableDataset, visibleDataset } from '../datasets/access.ts';
import { downloadName } from '../datasets/download-name.ts';
import type { Db } from '../db.ts';
import { forbidden, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { demand } from '../projects/access.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { nameStagedBlob } from '../uploads/staged.ts';
import type { Beginning } from './begin.ts';
import { begin } from './begin.ts';
import type { CheckedConversion, ConversionWish } from './check.ts';
import { checkConversion } from './check.ts';
import type { Summary } from './queries.ts';
import type { AcceptedRequest } from './request.ts';
import { DEFAULT_MEMORY_MB } from './resources.ts';

/** What is said of a dataset that is to be made. */
interface DatasetData {
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
}

interface UploadedFile {
  originalFileName: string;
  uploadUrl: string;
}

export interface ImportWish extends ConversionWish, UploadedFile {
  projectId: string;
  outputDatasetData: DatasetData;
}

export interface ExportWish extends ConversionWish {
  datasetId: string;
  targetFileName?: string | undefined;
}

export interface ConvertWish extends ConversionWish {
  datasetId: string;
  /** Absent: the dataset's own. */
  outputProjectId?: string | undefined;
  outputDatasetData: DatasetData;
}

export interface UpdateWish extends ConversionWish, UploadedFile {
  datasetId: string;
}

export interface UpdateFromWish extends ConversionWish {
  sourceId: string;
  targetId: string;
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
    const file = await uploaded(tx, caller, wish);
    return {
      type: 'Import',
      tenantId: project.tenantId,
      projectId: project.id,
      stagedBlob: file.stagedBlob,
      request: { ...accepted(wish, checked), ...file.request, output: datasetData(wish.outputDatasetData) },
    };
  });
}

/** Makes a dataset of another one. */
export async function startConvert(
  db: Db,
  caller: Caller,
  wish: ConvertWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(db, caller, wish.datasetId);
  const checked = checkConversion(wish, { sourceFormat: dataset.datasetFormat });
  return start(db, caller, wish, checked, dryRun, async (tx) => {
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
      request: {
        ...accepted(wish, checked),
        inputName: downloadName(source.name, source.datasetFormat),
        output: datasetData(wish.outputDatasetData),
      },
    };
  });
}

/** Replaces what a dataset holds by what is in an uploaded file; its id, name and metadata stay. */
export async function startUpdate(
  db: Db,
  caller: Caller,
  wish: UpdateWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const dataset = await visibleDataset(db, caller, wish.datasetId);
  const checked = checkReplacement(wish, dataset, undefined);
  return start(db, caller, wish, checked, dryRun, async (tx) => {
    const target = await idleDataset(tx, caller, { id: dataset.id }, 'canUpdateContent');
    const file = await uploaded(tx, caller, wish);
    return {
      type: 'Update',
      tenantId: target.tenantId,
      projectId: target.projectId,
      stagedBlob: file.stagedBlob,
      outputDatasetId: target.id,
      request: { ...accepted(wish, checked), ...file.request },
    };
  });
}

/** The same out of another dataset. */
export async function startUpdateFrom(
  db: Db,
  caller: Caller,
  wish: UpdateFromWish,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const from = await visibleDataset(db, caller, wish.sourceId);
  const to = await visibleDataset(db, caller, wish.targetId);
  if (from.id === to.id) throw invalidMember('targetId', `Dataset '${to.id}' cannot be updated from itself.`);
  const checked = checkReplacement(wish, to, from);
  return start(db, caller, wish, checked, dryRun, async (tx) => {
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
      outputDatasetId: target.id,
      request: { ...accepted(wish, checked), inputName: downloadName(source.name, source.datasetFormat) },
    };
  });
}

/** What replaces a dataset's content has its format. */
function checkReplacement(
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

async function uploaded(tx: Db, caller: Caller, { originalFileName, uploadUrl }: UploadedFile) {
  const { name } = await nameStagedBlob(tx, caller, uploadUrl);
  return { stagedBlob: name, request: { inputName: originalFileName, uploadUrl: uploadUrl.replace(/[?#].*$/s, '') } };
}

const datasetData = ({ name, description, metadata = {}, properties = {} }: DatasetData) => ({
  name,
  ...(description === undefined ? {} : { description }),
  metadata,
  properties,
});

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
    const { projectId, tenantId, name, datasetFormat } = await readableDataset(tx, caller, dataset.id);
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

/** One transaction: what it names, its row, its place in the queue, its event. A dry run does the same and takes it all back. */
async function start(
  db: Db,
  caller: Caller,
  wish: ConversionWish,
  { writer, warnings }: CheckedConversion,
  dryRun: boolean,
  plan: (tx: Db) => Promise<Omit<Beginning, 'format' | 'memoryMb'>>,
): Promise<Summary | DryRun> {
  class TakenBack extends Error {}
  try {
    return await db.transaction(async (tx) => {
      const planned = await plan(tx);
      const resources = { memoryMb: wish.memoryRequestMb ?? DEFAULT_MEMORY_MB, cores: wish.cpuCoresRequest };
      const summary = await begin(tx, caller, { ...planned, ...resources, format: writer.format });
      if (dryRun) throw new TakenBack();
      return summary;
    });
  } catch (error) {
    if (error instanceof TakenBack) return { valid: true, warnings };
    throw error;
  }
}

const accepted = (
  wish: ConversionWish,
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
