import { checkParameters, type FieldErrors, type Reader, readers, Srid, type Writer, writers } from 'hydrofiles';
import { visibleDataset } from '../../datasets/access.ts';
import { AppError, invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Summary } from '../queries.ts';
import { startAppend } from './append.ts';
import { namedProject } from './check.ts';
import { startExport } from './export.ts';
import { startImport } from './import.ts';
import type { DatasetData } from './new-dataset.ts';
import type { LegacyWords } from './request.ts';
import type { DryRun, StartParts } from './start.ts';

// Starts of legacy clients, who name a format instead of a reader and a writer. Each is translated into a current
// start.

export interface LegacyImport extends LegacyWords {
  format: string;
  uploadUrl: string;
  fileName: string;
  /** Adds to this dataset, instead of making one. */
  appendDatasetId?: string | undefined;
  /** Describes the new dataset; without a name it has the file's. */
  datasetImportData?: Partial<DatasetData> | undefined;
}

export interface LegacyExport extends LegacyWords {
  datasetId: string;
  format: string;
}

/** @param project where the request names its project; not read for an append */
export async function startLegacyImport(
  parts: StartParts,
  caller: Caller,
  { format, fileName, uploadUrl, appendDatasetId, datasetImportData, ...words }: LegacyImport,
  project: { inBody: string | undefined; inHeader: string | undefined },
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const reader = converterOf(format, 'read', readers, writers);
  const writer = appendDatasetId === undefined ? converterOf(reader.format, 'written', writers, readers) : undefined;
  const [readerArguments, writerParameters] = divided(words.arguments, reader, writer);
  const srid = sridOf(words);
  // a file that is only copied has no coordinate system
  const sridParameter = srid !== undefined && 'SRID' in reader.parameters.shape ? [{ name: 'SRID', value: srid }] : [];
  const request = {
    uploadUrl,
    originalFileName: fileName,
    legacy: words,
    readerName: reader.name,
    readerParameters: [...readerArguments, ...sridParameter],
    writerParameters,
    // legacy requests name no machine type
    nodeSizes: [],
  };
  if (writer === undefined) {
    const append = { ...request, datasetId: appendDatasetId as string };
    try {
      return await startAppend(parts, caller, append, dryRun);
    } catch (error) {
      throw inLegacyMembers(error, { ...LEGACY_MEMBERS, writerName: 'appendDatasetId' });
    }
  }
  const refused: FieldErrors = {};
  const projectId = namedProject(refused, project.inBody, project.inHeader);
  const outputDatasetData = { ...datasetImportData, name: datasetImportData?.name ?? fileName };
  try {
    const imported = { ...request, writerName: writer.name, outputDatasetData, projectId, refused };
    return await startImport(parts, caller, imported, dryRun);
  } catch (error) {
    throw inLegacyMembers(error, LEGACY_MEMBERS);
  }
}

export async function startLegacyExport(
  parts: StartParts,
  caller: Caller,
  { datasetId, format, ...words }: LegacyExport,
  dryRun: boolean,
): Promise<Summary | DryRun> {
  const { datasetFormat } = await visibleDataset(parts.db, caller, datasetId);
  const writer = converterOf(format, 'written', writers, readers);
  // every dataset can be copied as a file
  const reader = readers.find((one) => one.format === (writer.format === 'file' ? 'file' : datasetFormat));
  if (reader === undefined) {
    const sentence = `A dataset of format '${datasetFormat}' cannot become '${format}': it can only be copied, as 'file'.`;
    throw invalidMember('format', sentence);
  }
  const [writerParameters, readerParameters] = divided(words.arguments, writer, reader);
  const outputSrid = sridOf(words);
  const request = {
    datasetId,
    readerName: reader.name,
    writerName: writer.name,
    writerParameters,
    readerParameters,
    // a copy ignores it, with a warning
    transformations: outputSrid === undefined ? [] : [{ type: 'crsTransformation', outputSrid }],
    legacy: words,
    nodeSizes: [],
  };
  try {
    return await startExport(parts, caller, request, dryRun);
  } catch (error) {
    throw inLegacyMembers(error, LEGACY_MEMBERS);
  }
}

/** Member of a current start → member of the legacy request that it was made of. */
const LEGACY_MEMBERS: Record<string, string> = {
  readerName: 'format',
  writerName: 'format',
  readerParameters: 'srid',
  transformations: 'srid',
};

/** Gives a refusal with the names of the members that the client sent; other errors as they are. */
function inLegacyMembers(error: unknown, members: Record<string, string>): unknown {
  if (!(error instanceof AppError) || error.details.errors === undefined) return error;
  const errors: Record<string, string[]> = {};
  for (const [path, sentences] of Object.entries(error.details.errors)) {
    const member = members[path.split(/[.[]/, 1)[0] ?? ''] ?? path;
    errors[member] = [...(errors[member] ?? []), ...sentences];
  }
  return new AppError(error.kind, error.message, { ...error.details, errors });
}

/** Finds what `format` names: a reader or writer, or a format that has only one. */
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
    throw invalidMember('format', `Format '${format}' cannot be ${done}. Use one of ${formats}.`);
  }
  if (another !== undefined)
    throw invalidMember('format', `'${format}' can be ${done} by ${found.name} and ${another.name}; name one of them.`);
  return found;
}

type Pair = { name: string; value?: unknown };

/**
 * Divides arguments into the parameters of two converters. Those that neither has are refused as unknown to the first.
 */
function divided(
  given: LegacyWords['arguments'],
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

/** Legacy clients send 0 for none. */
function sridOf({ srid }: LegacyWords): string | undefined {
  if (srid === undefined || Number(srid) === 0) return undefined;
  const parsed = Srid.safeParse(srid);
  if (parsed.success) return parsed.data;
  throw invalidMember('srid', parsed.error.issues[0]?.message ?? `'${srid}' is not a coordinate system.`);
}
