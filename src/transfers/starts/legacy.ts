import { visibleDataset } from '../../datasets/access.ts';
import { AppError, invalidMember } from '../../errors.ts';
import type { Reader, Writer } from '../../formats/define.ts';
import { checkParameters } from '../../formats/parameters.ts';
import { readers, writers } from '../../formats/registry.ts';
import { Srid } from '../../formats/srid.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import { startAppend } from './append.ts';
import { startExport } from './export.ts';
import { startImport } from './import.ts';
import type { OlderWords } from './request.ts';
import type { DatasetData, DryRun, StartParts } from './start.ts';

/** The starts of older clients, who name a format instead of a reader and a writer. They are other words for the same starts. */

export interface OlderImport extends OlderWords {
  format: string;
  uploadUrl: string;
  fileName: string;
  /** Adds to this dataset, instead of making one. */
  appendDatasetId?: string | undefined;
  /** Of the dataset that is made; absent: the file's name. */
  datasetImportData?: Partial<DatasetData> | undefined;
}

export interface OlderExport extends OlderWords {
  datasetId: string;
  format: string;
}

/** @param project gives the id of the one that is named, or throws; not asked for a file that comes to a dataset */
export async function startOlderImport(
  parts: StartParts,
  caller: Caller,
  { format, fileName, uploadUrl, appendDatasetId, datasetImportData, ...words }: OlderImport,
  project: () => string,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const reader = converterOf(format, 'read', readers, writers);
  const writer = appendDatasetId === undefined ? converterOf(reader.format, 'written', writers, readers) : undefined;
  const file = { uploadUrl, originalFileName: fileName, older: words };
  const [given, others] = divided(words.arguments, reader, writer);
  const srid = sridOf(words);
  // a file that is only copied is not located
  const located = srid !== undefined && 'SRID' in reader.parameters.shape ? [{ name: 'SRID', value: srid }] : [];
  const how = {
    readerName: reader.name,
    readerParameters: [...given, ...located],
    writerParameters: others,
    // it names no machine
    nodeSizes: [],
  };
  if (writer === undefined) {
    const wish = { ...file, ...how, datasetId: appendDatasetId as string };
    return told({ ...MEMBERS, writerName: 'appendDatasetId' }, () => startAppend(parts, caller, wish, dryRun));
  }
  const outputDatasetData = { ...datasetImportData, name: datasetImportData?.name ?? fileName };
  const wish = { ...file, ...how, writerName: writer.name, outputDatasetData, projectId: project() };
  return told(MEMBERS, () => startImport(parts, caller, wish, dryRun));
}

export async function startOlderExport(
  parts: StartParts,
  caller: Caller,
  { datasetId, format, ...words }: OlderExport,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, datasetId);
  const writer = converterOf(format, 'written', writers, readers);
  // as a file any dataset is copied as it is
  const reader = readers.find((one) => one.format === (writer.format === 'file' ? 'file' : datasetFormat));
  if (reader === undefined) {
    const sentence = `A dataset of format '${datasetFormat}' cannot become '${format}': it can only be copied, as 'file'.`;
    throw invalidMember('format', sentence);
  }
  const [given, others] = divided(words.arguments, writer, reader);
  const outputSrid = sridOf(words);
  const wish = {
    datasetId,
    readerName: reader.name,
    writerName: writer.name,
    writerParameters: given,
    readerParameters: others,
    // a copy ignores it, and says so
    transformations: outputSrid === undefined ? [] : [{ type: 'crsTransformation', outputSrid }],
    older: words,
    nodeSizes: [],
  };
  return told(MEMBERS, () => startExport(parts, caller, wish, dryRun));
}

/** Member of a newer start → the older client's that it was made of. */
const MEMBERS: Record<string, string> = {
  readerName: 'format',
  writerName: 'format',
  readerParameters: 'srid',
  transformations: 'srid',
};

/** A refusal speaks of the members that the client sent. */
async function told<T>(members: Record<string, string>, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (!(error instanceof AppError) || error.details.errors === undefined) throw error;
    const errors: Record<string, string[]> = {};
    for (const [path, sentences] of Object.entries(error.details.errors)) {
      const member = members[path.split(/[.[]/, 1)[0] ?? ''] ?? path;
      errors[member] = [...(errors[member] ?? []), ...sentences];
    }
    throw new AppError(error.kind, error.message, { ...error.details, errors });
  }
}

/** `format` names a reader or writer, or a format that has only one. */
function converterOf<T extends Reader | Writer>(
  format: string,
  done: 'read' | 'written',
  all: readonly T[],
  others: readonly (Reader | Writer)[],
): T {
  const named = all.find(({ name }) => name === format);
  if (named) return named;
  const wanted = (others.find(({ name }) => name === format)?.format ?? format).toLowerCase();
  const [found, another] = all.filter((one) => one.format.toLowerCase() === wanted);
  if (found === undefined) {
    const formats = [...new Set(all.map((one) => one.format))].join(', ');
    throw invalidMember('format', `'${format}' is no format that can be ${done}; there are ${formats}.`);
  }
  if (another !== undefined)
    throw invalidMember('format', `'${format}' can be ${done} by ${found.name} and ${another.name}; name one of them.`);
  return found;
}

type Pair = { name: string; value?: unknown };

/** Arguments are parameters of either converter; those that neither has are refused as unknown to the first. */
function divided(
  given: OlderWords['arguments'],
  first: Reader | Writer,
  second: Reader | Writer | undefined,
): [Pair[], Pair[]] {
  const pairs: Pair[] = Array.isArray(given)
    ? given
    : Object.entries(given ?? {}).map(([name, value]) => ({ name, value }));
  const has = (one: Reader | Writer | undefined, name: string) =>
    Object.keys(one?.parameters.shape ?? {}).some((known) => known.toLowerCase() === name.toLowerCase());
  const { ofSecond = [], ofFirst = [] } = Object.groupBy(pairs, ({ name }) =>
    !has(first, name) && has(second, name) ? 'ofSecond' : 'ofFirst',
  );
  const wrong = [
    ...checkParameters(first, ofFirst).errors,
    ...(second ? checkParameters(second, ofSecond).errors : []),
  ];
  const errors = Object.fromEntries(wrong.map(({ name, sentence }) => [`arguments.${name}`, [sentence]]));
  if (wrong[0] !== undefined) throw new AppError('invalid', wrong[0].sentence, { errors });
  return [ofFirst, ofSecond];
}

/** 0 is what such clients send for none. */
function sridOf({ srid }: OlderWords): string | undefined {
  if (srid === undefined || Number(srid) === 0) return undefined;
  const parsed = Srid.safeParse(srid);
  if (parsed.success) return parsed.data;
  throw invalidMember('srid', parsed.error.issues[0]?.message ?? `'${srid}' is no coordinate system.`);
}
