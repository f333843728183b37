import {
  checkParameters,
  describeParameters,
  type FieldErrors,
  findReader,
  findWriter,
  fits,
  type GivenParameters,
  inputSrid,
  joinsFiles,
  misfit,
  offeredBy,
  parseTransformations,
  type Reader,
  readers,
  sideInputsOf,
  transformationNames,
  type Writer,
  writers,
} from 'hydrofiles';
import { RequestError } from 'hydrofiles/errors';
import { SERIES_FORMAT } from 'hydrofiles/series';
import { z } from 'zod';
import { AppError, asAppError, invalidMember } from '../../errors.ts';
import { checkResources, type ResourceRequest } from '../queue/resource-request.ts';
import type { UploadedFile, UploadedFiles } from './input-file.ts';
import type { LegacyWords } from './request.ts';

/** Members of the request of every start of a conversion. */
export interface StartRequest extends ResourceRequest {
  readerName?: string | undefined;
  writerName?: string | undefined;
  readerParameters?: readonly { name: string; value?: unknown }[] | undefined;
  writerParameters?: readonly { name: string; value?: unknown }[] | undefined;
  transformations?: readonly unknown[] | undefined;
  onBadRecord?: 'fail' | 'skip' | undefined;
  /** The most that the transfer may cost. */
  maxCredits?: number | undefined;
  /** Names and values as a legacy client sent them, for its answers. */
  legacy?: LegacyWords | undefined;
  /** Sentences about members that the route checked, by member. */
  refused?: FieldErrors | undefined;
}

export interface CheckedConversion {
  reader: Reader;
  writer: Writer;
  readerParameters: Record<string, unknown>;
  writerParameters: Record<string, unknown>;
  transformations: readonly unknown[];
  /** The bytes are copied as they are. */
  copied: boolean;
  /** Warnings: what will probably fail, or is ignored. */
  warnings: string[];
}

/**
 * Checks a conversion without its input. Reports all mistakes at once, one sentence per field. A missing required
 * parameter is only a warning, because the worker decides about it.
 * @param sourceFormat format of the dataset that is read, where the reader is optional
 * @param targetFormat format of the dataset that is written to, where the writer is optional
 */
export function checkConversion(
  request: StartRequest,
  { sourceFormat, targetFormat }: { sourceFormat?: string; targetFormat?: string } = {},
): CheckedConversion {
  const errors: FieldErrors = { ...request.refused, ...checkResources(request) };
  const reader = choose(errors, 'readerName', request.readerName, sourceFormat, READERS);
  const writer = choose(errors, 'writerName', request.writerName, targetFormat, WRITERS);
  const rowsRefused = reader && wrongRows(reader, sourceFormat);
  if (rowsRefused !== undefined) errors.readerName = [rowsRefused];
  const readerParameters = check(errors, 'readerParameters', reader, request.readerParameters ?? []);
  const writerParameters = check(errors, 'writerParameters', writer, request.writerParameters ?? []);
  const transformations = request.transformations ?? [];
  const copied = reader?.produces === 'bytes';
  const refusal = copied ? undefined : refusalOf(transformations, reader, readerParameters.SRID);
  const names = transformationNames(transformations);
  if (reader && writer && !fits(reader, writer, names)) {
    if (refusal === undefined) errors.writerName = [misfit(reader, writer, names)];
    else if (!fits(reader, writer)) errors.writerName = [misfit(reader, writer)];
  }
  // if it is the only mistake, its error code is that of the refusal
  if (refusal && Object.keys(errors).length === 0) throw asAppError(refusal);
  Object.assign(errors, refusal?.errors);

  const [first] = Object.values(errors).flat();
  if (first !== undefined || !reader || !writer) throw new AppError('invalid', first ?? '', { errors });
  const kept = targetFormat === undefined ? [] : writer.kept;
  const warnings = [
    ...missingParameters(reader, readerParameters),
    ...missingParameters(writer, writerParameters, kept),
  ];
  if (copied && transformations.length > 0)
    warnings.push(`${reader.name} to ${writer.name} copies the bytes; the transformations are ignored.`);
  return { reader, writer, readerParameters, writerParameters, transformations, copied, warnings };
}

/**
 * Checks a reader that a request names, and its parameters. Without a name the content decides, and the parameters are
 * checked when the file is read.
 * @param sourceFormat format of the dataset that is read
 */
export function checkReader(
  { readerName, readerParameters = [] }: Pick<StartRequest, 'readerName' | 'readerParameters'>,
  sourceFormat: string | undefined,
): { name: string | undefined; parameters: GivenParameters } {
  if (readerName === undefined) return { name: undefined, parameters: readerParameters };
  const errors: FieldErrors = {};
  const reader = choose(errors, 'readerName', readerName, undefined, READERS);
  const parameters = check(errors, 'readerParameters', reader, readerParameters);
  const refusal = reader && wrongRows(reader, sourceFormat);
  if (refusal !== undefined) errors.readerName = [refusal];
  const [first] = Object.values(errors).flat();
  if (first !== undefined) throw new AppError('invalid', first, { errors });
  return { name: reader?.name, parameters };
}

/** The sentence for a reader of rows that gets bytes, or the other way round. */
function wrongRows(reader: Reader, sourceFormat: string | undefined): string | undefined {
  if (sourceFormat === SERIES_FORMAT && !reader.rows)
    return `${reader.name} reads bytes, which a dataset of format '${SERIES_FORMAT}' does not have.`;
  if (!reader.rows || sourceFormat === reader.format) return undefined;
  const other = sourceFormat === undefined ? 'an uploaded file' : `one of format '${sourceFormat}'`;
  return `${reader.name} reads datasets of format '${reader.format}', not ${other}.`;
}

interface Kind<T> {
  noun: string;
  find(name: string): T | undefined;
  all: readonly T[];
}
const READERS: Kind<Reader> = { noun: 'reader', find: findReader, all: readers };
const WRITERS: Kind<Writer> = { noun: 'writer', find: findWriter, all: writers };

/** Finds the reader or writer by its name, or else the only one of the format. */
function choose<T extends Reader | Writer>(
  errors: FieldErrors,
  member: string,
  name: string | undefined,
  format: string | undefined,
  { noun, find, all }: Kind<T>,
): T | undefined {
  if (name !== undefined) {
    const found = find(name);
    if (!found) errors[member] = [`'${name}' is not a ${noun}; there are ${all.map((one) => one.name).join(', ')}.`];
    return found;
  }
  const candidates = all.filter((one) => one.format === format);
  if (format === undefined) errors[member] = [`${member} is required.`];
  else if (candidates.length !== 1)
    errors[member] = [
      candidates.length === 0
        ? `${member} is required: there is no ${noun} of format '${format}'.`
        : `${member} is required: format '${format}' has ${candidates.map((one) => one.name).join(', ')}.`,
    ];
  return candidates.length === 1 ? candidates[0] : undefined;
}

function check(
  errors: FieldErrors,
  member: string,
  definition: Reader | Writer | undefined,
  given: GivenParameters & readonly { name: string }[],
): Record<string, unknown> {
  if (!definition) return {};
  const checked = checkParameters(definition, given);
  for (const { name, sentence } of checked.errors) {
    const path = `${member}[${given.findLastIndex((one) => one.name === name)}]`;
    errors[path] = [...(errors[path] ?? []), sentence];
  }
  return checked.values;
}

function refusalOf(
  transformations: readonly unknown[],
  reader: Reader | undefined,
  srid: unknown,
): RequestError | undefined {
  try {
    const offers = reader && ((before: Parameters<typeof offeredBy>[1]) => offeredBy(reader, before));
    const steps = parseTransformations(transformations, offers);
    inputSrid(steps, srid);
    const local = sideInputsOf(steps).find(({ from }) => from === 'path');
    if (local === undefined) return undefined;
    const sentence = `'${local.key}' is a path on your machine. Upload the file, and give uploadUrl instead of path.`;
    return new RequestError(sentence, { transformations: [sentence] });
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
}

/**
 * A sentence for each required parameter that has no value.
 * @param kept parameters that the dataset has already
 */
export const missingParameters = (
  definition: Reader | Writer,
  values: Record<string, unknown>,
  kept: readonly string[] = [],
): string[] =>
  describeParameters(definition.parameters)
    .filter(({ name, required }) => required && values[name] === undefined && !kept.includes(name))
    .map(({ name }) => `Parameter '${name}' is required by ${definition.name}.`);

/**
 * Reads the project id of a start from its body or from the header `svc-project-id`. With a sentence in `refused` it is
 * empty.
 */
export function namedProject(refused: FieldErrors, inBody: string | undefined, inHeader: string | undefined): string {
  const wrong = wrongProject(inBody, inHeader);
  if (wrong !== undefined) refused.projectId = [wrong];
  return wrong === undefined ? (inBody ?? inHeader ?? '') : '';
}

function wrongProject(inBody: string | undefined, inHeader: string | undefined): string | undefined {
  if (inHeader !== undefined && !z.guid().safeParse(inHeader).success)
    return `The header svc-project-id is '${inHeader}', which is not a UUID.`;
  if (inBody !== undefined && inHeader !== undefined && inBody.toLowerCase() !== inHeader.toLowerCase())
    return `projectId is '${inBody}', but the header names '${inHeader}'.`;
  return (inBody ?? inHeader) === undefined ? 'projectId is required, in the body or as a header.' : undefined;
}

/** Refuses a start without `originalFileName`, which only clients of version 1 may leave out. */
export function checkFileName(refused: FieldErrors, name: string | undefined, apiVersion = Infinity) {
  if (name === undefined && apiVersion > 1) refused.originalFileName = ['originalFileName is required.'];
}

/** Refuses several files, unless a transformation joins them before all others. */
export function checkJoin(
  { files }: { files?: readonly unknown[] | undefined },
  { reader, copied, transformations }: CheckedConversion,
) {
  if (files === undefined) return;
  if (copied)
    throw invalidMember('readerName', `${reader.name} copies one file. Send uploadUrl instead of uploadUrls.`);
  const [first] = transformationNames(transformations);
  if (first === undefined || !joinsFiles(first))
    throw invalidMember(
      'transformations',
      'The first transformation must join the files of uploadUrls: mosaicTransformation or stackTransformation.',
    );
}

/** The files that a start names; refuses one that names both one file and several, or none. */
export function namedFiles(
  refused: FieldErrors,
  {
    uploadUrl,
    uploadUrls: files,
    originalFileName,
  }: {
    uploadUrl?: string | undefined;
    uploadUrls?: readonly UploadedFile[] | undefined;
    originalFileName?: string | undefined;
  },
): Omit<UploadedFiles, 'originalFileName'> & { originalFileName?: string | undefined } {
  if (files === undefined) {
    if (uploadUrl === undefined) refused.uploadUrl = ['uploadUrl is required, or uploadUrls for several files.'];
    return { uploadUrl: uploadUrl ?? '', originalFileName };
  }
  if (uploadUrl !== undefined)
    refused.uploadUrl = ['Send uploadUrl for one file, or uploadUrls for several, not both.'];
  if (originalFileName !== undefined) refused.originalFileName = ['Each of uploadUrls has its own originalFileName.'];
  return { ...files[0]!, files };
}
