import { extname, join } from 'node:path';
import type { ConversionHooks, ConversionRequest, ConversionResult, SideFile } from '../convert/conversion.ts';
import { convert } from '../convert/convert.ts';
import { describeReader, describeWriter, writersFor } from '../convert/offers.ts';
import {
  parseTransformations,
  sideInputsOf,
  type TransformationName,
  transformationNames,
} from '../convert/steps/transformations.ts';
import type { Reader, Writer } from '../formats/define.ts';
import { formatOfOutput } from '../formats/detect.ts';
import { nameOfType } from '../formats/file-type.ts';
import { checkParameters } from '../formats/parameters.ts';
import { findReader, findWriter, readers, writers } from '../formats/registry.ts';
import { conversionMembers, type DataOptions, named, readerFor } from './converters.ts';
import { Interrupted, UsageError } from './errors.ts';
import { type LocalInput, openLocal } from './input.ts';
import type { Io } from './io.ts';
import { type LocalOutput, localOutput, needsName, STDIO } from './output.ts';
import { type Conversion, describeConversion, listSentences, makeReceipt } from './receipt.ts';
import { readTransformations } from './transformations.ts';

export interface ConvertOptions extends DataOptions {
  reader?: string;
  writer?: string;
  force?: boolean;
}

/** Readers of files; the other readers read rows of the database. */
const FILE_READERS = readers.filter(({ rows }) => !rows);
const FILE_WRITERS = writers.filter(({ rows }) => !rows);

/** Converts a local file. `-` is stdin as input and stdout as output. Needs no server. */
export async function convertFile(io: Io, from: string, to: string, options: ConvertOptions): Promise<void> {
  await using open = new AsyncDisposableStack();
  const { force = false } = options;
  // check the output before reading stdin
  const inFolder = await needsName({ path: to, force });
  const input = await openLocal(io, from, open);
  const reader = findReader(readerFor(input, FILE_READERS.map(describeReader), options.reader).name)!;
  const transformations = readTransformations(options);
  const writer = writerFor(inFolder ? '' : to, reader, options.writer, transformationNames(transformations));
  const target = inFolder ? join(to, nameIn(writer, input)) : to;
  const output = await localOutput(target, force, open);
  const request = makeRequest(input, output, { reader, writer, options });
  const sideInputs = await localSideInputs(io, transformations, open);
  const name = target === STDIO ? {} : { name: target };
  const result = await run(io, { ...request, sideInputs, output: { ...request.output, ...name } });
  const { files, badRecords } = await output.finish(io, (path) => nameOfType(path, writer, result.fileType));
  const done: Conversion = { reader, writer, files, badRecords, result };
  // if stdout has the output, the receipt goes to stderr
  const tell = target === STDIO ? io.note : io.out;
  if (io.json) tell(JSON.stringify(makeReceipt(done)));
  else if (target === STDIO) for (const sentence of listSentences(result.receipt)) io.note(sentence);
  else io.print(describeConversion(done));
}

const nameIn = ({ extension }: Writer, { name }: LocalInput) =>
  `${name.slice(0, name.length - extname(name).length)}${extension || extname(name)}`;

/** Chooses the writer: as requested, else by the extension of the output. */
function writerFor(
  to: string,
  reader: Reader,
  name: string | undefined,
  transformations: readonly TransformationName[],
): Writer {
  if (name !== undefined) return findWriter(named(name, FILE_WRITERS.map(describeWriter), '--writer').name)!;
  const able = writersFor(reader, transformations).filter(({ rows }) => !rows);
  const extension = extname(to).toLowerCase();
  const format = formatOfOutput(to);
  const isMeant = (writer: Writer) =>
    format === undefined ? extension !== '' && writer.extension === extension : writer.format === format;
  const [only, ...others] = able.filter(isMeant);
  if (only !== undefined && others.length === 0) return only;
  const names = able.map(({ name }) => name).join(', ');
  const other = FILE_WRITERS.find(isMeant);
  throw new UsageError(
    only === undefined && other !== undefined
      ? `${other.name} cannot write what ${[reader.name, ...transformations].join(' and ')} ${transformations.length === 0 ? 'reads' : 'make'}. Use one of ${names}.`
      : `The format of the output is not known from its name. Use --writer with one of ${names}.`,
  );
}

/** The local files that the transformations name. */
async function localSideInputs(
  io: Io,
  transformations: readonly unknown[],
  open: AsyncDisposableStack,
): Promise<Record<string, SideFile>> {
  const files: Record<string, SideFile> = {};
  for (const { from, key } of sideInputsOf(parseTransformations(transformations))) {
    if (from === 'path') files[key] ??= await openLocal(io, key, open);
    else throw new UsageError(`${key} is a dataset. Without a server only local files can be read.`);
  }
  return files;
}

interface Converters {
  reader: Reader;
  writer: Writer;
  options: ConvertOptions;
}

function makeRequest(
  input: LocalInput,
  output: LocalOutput,
  { reader, writer, options }: Converters,
): ConversionRequest {
  const { readerParameters, writerParameters, transformations, onBadRecord } = conversionMembers(
    options,
    describeReader(reader),
    describeWriter(writer),
  );
  const { path, folder, badRecords } = output;
  return {
    input: { path: input.path, name: input.name },
    output: { path },
    scratch: folder,
    reader: { name: reader.name, parameters: checkValues(reader, readerParameters) },
    writer: { name: writer.name, parameters: checkValues(writer, writerParameters) },
    transformations,
    ...(onBadRecord === undefined ? {} : { onBadRecord }),
    badRecords: { path: badRecords },
  };
}

function checkValues(converter: Reader | Writer, given: readonly { name: string; value: unknown }[]) {
  const { values, errors } = checkParameters(converter, given);
  if (errors[0] !== undefined) throw new Error(errors[0].sentence);
  return values;
}

/** Runs the conversion in this process with a progress bar. Ctrl-C cancels it. */
async function run(io: Io, request: ConversionRequest): Promise<ConversionResult> {
  const { signal, end } = io.interruptible();
  const progress = io.progress('Converting');
  // warnings are in the receipt
  const hooks: ConversionHooks = { signal, log() {}, progress: progress.report };
  try {
    return await convert(request, hooks);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted('The conversion was interrupted. Nothing was written.');
  } finally {
    progress.end();
    end();
  }
}
