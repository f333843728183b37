import { z } from 'zod';
import { fits, offeredBy, writersFor } from '../../convert/offers.ts';
import { inputSrid, parseTransformations } from '../../convert/steps/transformations.ts';
import { AppError, invalidMember } from '../../errors.ts';
import type { Reader, Writer } from '../../formats/define.ts';
import { describeParameters } from '../../formats/define.ts';
import type { GivenParameters } from '../../formats/parameters.ts';
import { checkParameters } from '../../formats/parameters.ts';
import { findReader, findWriter, readers, writers } from '../../formats/registry.ts';
import type { ResourceRequest } from '../queue/resources.ts';
import { checkResources } from '../queue/resources.ts';
import type { OlderWords } from './request.ts';

/** What every start may say about its conversion. */
export interface ConversionWish extends ResourceRequest {
  readerName?: string | undefined;
  writerName?: string | undefined;
  readerParameters?: readonly { name: string; value?: unknown }[] | undefined;
  writerParameters?: readonly { name: string; value?: unknown }[] | undefined;
  transformations?: readonly unknown[] | undefined;
  onBadRecord?: 'fail' | 'skip' | undefined;
  /** How an older client said it. */
  older?: OlderWords | undefined;
}

export interface CheckedConversion {
  reader: Reader;
  writer: Writer;
  readerParameters: Record<string, unknown>;
  writerParameters: Record<string, unknown>;
  transformations: readonly unknown[];
  /** What will probably go wrong, or is left aside. */
  warnings: string[];
}

/**
 * Everything that can be said of a conversion without its input: one sentence per field, all at once. A missing required parameter is
 * only warned of, since the worker judges it.
 * @param sourceFormat format of the dataset that is read, where the reader may be left out
 * @param targetFormat format of the dataset that is written to, where the writer may be left out
 */
export function checkConversion(
  wish: ConversionWish,
  { sourceFormat, targetFormat }: { sourceFormat?: string; targetFormat?: string } = {},
): CheckedConversion {
  const errors: Record<string, string[]> = checkResources(wish);
  const reader = choose(errors, 'readerName', wish.readerName, sourceFormat, READERS);
  const writer = choose(errors, 'writerName', wish.writerName, targetFormat, WRITERS);
  if (reader && writer && !fits(reader, writer)) {
    const names = writersFor(reader).map(({ name }) => name);
    errors.writerName = [`${writer.name} cannot follow ${reader.name}; ${names.join(', ')} can.`];
  }
  const readerParameters = check(errors, 'readerParameters', reader, wish.readerParameters ?? []);
  const writerParameters = check(errors, 'writerParameters', writer, wish.writerParameters ?? []);
  const transformations = wish.transformations ?? [];
  const copied = reader?.produces === 'bytes';
  const refusal = copied ? undefined : refusalOf(transformations, reader, readerParameters.SRID);
  // alone it keeps its own code
  if (refusal && Object.keys(errors).length === 0) throw refusal;
  Object.assign(errors, refusal?.details.errors);

  const [first] = Object.values(errors).flat();
  if (first !== undefined || !reader || !writer) throw new AppError('invalid', first ?? '', { errors });
  const warnings = [...missing(reader, readerParameters), ...missing(writer, writerParameters)];
  if (copied && transformations.length > 0)
    warnings.push(`${reader.name} to ${writer.name} copies the bytes; the transformations are ignored.`);
  return { reader, writer, readerParameters, writerParameters, transformations, warnings };
}

interface Kind<T> {
  noun: string;
  find(name: string): T | undefined;
  all: readonly T[];
}
const READERS: Kind<Reader> = { noun: 'reader', find: findReader, all: readers };
const WRITERS: Kind<Writer> = { noun: 'writer', find: findWriter, all: writers };

/** The one that is named, or the one of the format. */
function choose<T extends Reader | Writer>(
  errors: Record<string, string[]>,
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
  errors: Record<string, string[]>,
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
): AppError | undefined {
  try {
    inputSrid(parseTransformations(transformations, reader && offeredBy(reader)), srid);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const missing = (definition: Reader | Writer, values: Record<string, unknown>): string[] =>
  describeParameters(definition.parameters)
    .filter(({ name, required }) => required && values[name] === undefined)
    .map(({ name }) => `Parameter '${name}' is required by ${definition.name}.`);

/** The project that a start names in its body or its header. */
export function namedProject(inBody: string | undefined, inHeader: string | undefined): string {
  if (inHeader !== undefined && !z.uuid().safeParse(inHeader).success)
    throw invalidMember('projectId', `The header project-id is '${inHeader}', which is no uuid.`);
  if (inBody !== undefined && inHeader !== undefined && inBody.toLowerCase() !== inHeader.toLowerCase())
    throw invalidMember('projectId', `projectId is '${inBody}', but the header names '${inHeader}'.`);
  const id = inBody ?? inHeader;
  if (id === undefined) throw invalidMember('projectId', 'projectId is required, in the body or as a header.');
  return id;
}
