import { withoutBidiControls } from '../../data/bidi-controls.ts';
import type { Data } from '../../data/data.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Reader } from '../../formats/define.ts';
import { detect } from '../../formats/detect.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { checkParameters, completeParameters } from '../../formats/parameters.ts';
import { findReader, readers } from '../../formats/registry.ts';
import { Srid } from '../../formats/srid.ts';
import { withCleanNames } from '../clean-names.ts';
import type { SideFile } from '../conversion.ts';
import { inSystem } from '../in-system.ts';
import { isText, type Members } from './request-members.ts';

/** A file or dataset beside the input that a transformation names, such as the zones of zonal statistics. */
export interface SideInput {
  /** Where it comes from. `path` is for local conversions: the API refuses it. */
  readonly from: 'datasetId' | 'uploadUrl' | 'path';
  /** Id, URL or path, as the transformation has it: the key of its local file in `ConversionRequest.sideInputs`. */
  readonly key: string;
  /** Name of an uploaded file, for sentences about it. Absent: the last part of its address. */
  readonly originalFileName?: string;
  /** Absent: the reader that the content asks for. */
  readonly readerName?: string;
  readonly readerParameters?: readonly { readonly name: string; readonly value?: unknown }[];
}

const origins = ['datasetId', 'uploadUrl', 'path'] as const;

const isFileName = (value: unknown): value is string => isText(value) && value.length <= 255;

/** Reads a required member with a side input. */
export function readSideInput(members: Members, name: string): SideInput | undefined {
  const one = members.object(name, 'an object with datasetId or uploadUrl');
  if (one === undefined) return undefined;
  const given = origins.filter((origin) => one.has(origin));
  const [from, another] = given;
  if (from === undefined || another !== undefined)
    return members.refuse(name, `${one.path} must have one of datasetId and uploadUrl.`);
  const key = one.need(from, isText, 'text');
  const originalFileName = one.may('originalFileName', isFileName, 'the name of the file, of at most 255 characters');
  const readerName = one.may('readerName', isText, 'the name of a reader');
  const reader = readerName === undefined ? undefined : findReader(readerName);
  if (readerName !== undefined && reader === undefined) one.refuse('readerName', `'${readerName}' is not a reader.`);
  const parameters = one.has('readerParameters') ? parametersOf(one, reader) : undefined;
  if (key === undefined) return undefined;
  return {
    from,
    key,
    ...(originalFileName === undefined ? {} : { originalFileName: withoutBidiControls(originalFileName).trim() }),
    ...(readerName === undefined ? {} : { readerName }),
    ...(parameters === undefined ? {} : { readerParameters: parameters }),
  };
}

function parametersOf(members: Members, reader: Reader | undefined): SideInput['readerParameters'] {
  const all = members.objects('readerParameters', 'an object with name and value').map((one) => {
    return { name: one.need('name', isText, 'the name of a parameter') ?? '', value: one.get('value') };
  });
  const errors = reader === undefined ? [] : checkParameters(reader, all).errors;
  for (const { sentence } of errors) members.refuse('readerParameters', sentence);
  return all;
}

/**
 * Reads a side input. The data may be read until the conversion ends.
 * @throws ConversionError if no reader reads it, FormatError for a malformed file
 */
export async function openSideInput(
  { key, readerName, readerParameters }: SideInput,
  files: Readonly<Record<string, SideFile>>,
  context: Context,
): Promise<Data> {
  const file = Object.hasOwn(files, key) ? files[key] : undefined;
  if (file === undefined) throw new ConversionError(`The file '${key}' that a transformation names is not there.`);
  const source = await FileSource.open(file.path, { checksum: false });
  context.onEnd(() => source.close());
  const reader = await readerOf(source, readerName ?? file.reader?.name, file.name);
  const { existing: _, replaced: __, ...services } = context;
  const remark = (sentence: string) => context.remark(`${file.name}: ${sentence}`);
  const own: Context = {
    ...services,
    progress() {},
    reportLoss: remark,
    remark,
    reportBadRecord({ reason }) {
      throw new ConversionError(`${file.name}: ${reason.message}`);
    },
  };
  const parameters = completeParameters(reader, readerParameters ?? file.reader?.parameters ?? {});
  const data = withCleanNames(await reader.read(source, parameters, own), remark);
  return data.kind === 'bytes' ? data : inSystem(data, Srid.safeParse(parameters.SRID).data);
}

async function readerOf(source: FileSource, named: string | undefined, file: string): Promise<Reader> {
  if (named !== undefined) {
    const reader = findReader(named);
    if (reader === undefined) throw new ConversionError(`'${named}' is not a reader.`);
    return reader;
  }
  const found = await detect(source);
  if (found?.fault !== undefined) throw found.fault;
  const reader = readers.find((one) => found?.format !== undefined && one.format === found.format);
  if (reader !== undefined) return reader;
  const content = found === undefined ? 'has a content that is not known' : `looks like ${found.name}`;
  throw new ConversionError(`${file} ${content}. ${found?.advice ?? 'Name a reader by readerName.'}`);
}
