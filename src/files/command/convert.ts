import { mkdir } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import type { ConversionHooks, ConversionRequest, ConversionResult, SideFile } from '../convert/conversion.ts';
import { convert } from '../convert/convert.ts';
import { describeReader, describeWriter, isTransformed, offeredBy, writersFor } from '../convert/offers.ts';
import { parseTransformations, sideInputsOf, transformationNames } from '../convert/steps/transformations.ts';
import type { Reader, Writer } from '../formats/define.ts';
import { formatOfOutput } from '../formats/detect.ts';
import { nameOfType } from '../formats/file-type.ts';
import { checkParameters } from '../formats/parameters.ts';
import { findReader, findWriter, readers, writers } from '../formats/registry.ts';
import { endBatch, inBatch } from './batch.ts';
import { conversionMembers, type DataOptions, named, readerFor } from './converters.ts';
import { Interrupted, OutputFailed, UsageError } from './errors.ts';
import { expandFiles } from './expand.ts';
import { type LocalInput, openLocal } from './input.ts';
import type { Io } from './io.ts';
import { type LocalOutput, localOutput, needsName, STDIO } from './output.ts';
import { type Conversion, describeConversion, describeConversions, listSentences, makeReceipt } from './receipt.ts';
import { isJoined, readTransformations } from './transformations.ts';

export interface ConvertOptions extends DataOptions {
  reader?: string;
  writer?: string;
  force?: boolean;
  /** Then all arguments are inputs. */
  outputFolder?: string;
}

/** Readers of files; the other readers read rows of the database. */
const FILE_READERS = readers.filter(({ rows }) => !rows);
const FILE_WRITERS = writers.filter(({ rows }) => !rows);

/**
 * Converts local files, the last argument is the output. `-` is stdin as input and stdout as output. Needs no server.
 */
export async function convertFiles(io: Io, given: readonly string[], options: ConvertOptions): Promise<void> {
  const { outputFolder } = options;
  const inputs = outputFolder === undefined ? given.slice(0, -1) : given;
  const to = outputFolder ?? given.at(-1) ?? '';
  if (inputs.length === 0) throw new UsageError('Name an input and an output.');
  const { files, many } = await expandFiles(inputs);
  if (isJoined(options)) return tell(io, to, await convertJoined(io, files, to, options));
  if (outputFolder !== undefined || to.endsWith('/')) await mkdir(to, { recursive: true });
  if (!many) return tell(io, to, await convertFile(io, files[0]!, to, options));
  if (!(await needsName({ path: to, force: true })))
    throw new UsageError(
      `${to} is one file, but the inputs may be many. Name a folder, such as ${to}/, or join them by --mosaic or --stack.`,
    );
  await convertMany(io, files, to, options);
}

/** If stdout has the output, the receipt goes to stderr. */
function tell(io: Io, to: string, done: Conversion): void {
  if (io.json) (to === STDIO ? io.note : io.out)(JSON.stringify(makeReceipt(done)));
  else if (to === STDIO) for (const sentence of listSentences(done.result.receipt)) io.note(sentence);
  else io.print(describeConversion(done));
}

async function convertFile(io: Io, from: string, to: string, options: ConvertOptions): Promise<Conversion> {
  await using open = new AsyncDisposableStack();
  const { force = false } = options;
  // check the output before reading stdin
  const inFolder = await needsName({ path: to, force });
  const input = await openLocal(io, from, open);
  const reader = findReader(readerFor(input, FILE_READERS.map(describeReader), options.reader).name)!;
  const writer = writerFor(inFolder ? '' : to, reader, options);
  const target = inFolder ? join(to, nameIn(writer, input.name)) : to;
  return await convertTo(io, [input], target, { reader, writer, options }, open);
}

/** Joins all files into one. The content of the first one chooses the reader. */
async function convertJoined(
  io: Io,
  files: readonly string[],
  to: string,
  options: ConvertOptions,
): Promise<Conversion> {
  await using open = new AsyncDisposableStack();
  if (await needsName({ path: to, force: options.force ?? false }))
    throw new UsageError(`${to} is a folder. Name the file that all ${files.length} files become.`);
  const itself = files.find((file) => resolve(file) === resolve(to));
  if (itself !== undefined) throw new UsageError(`${to} is the output, and one of the inputs. Name another output.`);
  const inputs: LocalInput[] = [];
  for (const file of files) inputs.push(await openLocal(io, file, open));
  const reader = findReader(readerFor(inputs[0]!, FILE_READERS.map(describeReader), options.reader).name)!;
  const writer = writerFor(to, reader, options);
  return await convertTo(io, inputs, to, { reader, writer, options }, open);
}

async function convertTo(
  io: Io,
  inputs: readonly LocalInput[],
  target: string,
  converters: Converters,
  open: AsyncDisposableStack,
): Promise<Conversion> {
  const { reader, writer, options } = converters;
  const output = await localOutput(target, options.force ?? false, open);
  const request = makeRequest(inputs, output, converters);
  const sideInputs = await localSideInputs(io, readTransformations(options), open);
  const name = target === STDIO ? {} : { name: target };
  const result = await run(io, { ...request, sideInputs, output: { ...request.output, ...name } });
  const { files, badRecords } = await output.finish(io, (path) => nameOfType(path, writer, result.fileType));
  return { reader, writer, files, badRecords, result };
}

/** Converts each file to one of the folder. A file that fails does not stop the others. */
async function convertMany(io: Io, files: readonly string[], folder: string, options: ConvertOptions): Promise<void> {
  if (options.writer === undefined)
    throw new UsageError(`--writer is missing. Name one of ${FILE_WRITERS.map(({ name }) => name).join(', ')}.`);
  const writer = findWriter(named(options.writer, FILE_WRITERS.map(describeWriter), '--writer').name)!;
  const targets = files.map((file) => join(folder, nameIn(writer, basename(file))));
  for (const [n, target] of targets.entries()) {
    const before = targets.indexOf(target);
    if (before !== n) throw new UsageError(`${files[before]} and ${files[n]} would both become ${target}.`);
    await needsName({ path: target, force: options.force ?? false });
  }
  const { results, failures } = await inBatch(
    files,
    (file, n) => {
      const part = { ...io, progress: (label: string) => io.progress(`${label} ${n + 1} of ${files.length},`) };
      return convertFile(part, file, targets[n]!, options);
    },
    { ends: (error) => error instanceof Interrupted || error instanceof OutputFailed },
  );
  if (io.json) {
    const errors = new Map(failures.map(({ file, message }) => [file, message]));
    io.out(
      JSON.stringify(
        files.map((file, n) => ({ file, ...(results[n] ? makeReceipt(results[n]) : { error: errors.get(file) }) })),
      ),
    );
  } else io.print(describeConversions(files, results));
  endBatch(io, files.length, failures);
}

const nameIn = ({ extension }: Writer, name: string) =>
  `${name.slice(0, name.length - extname(name).length)}${extension || extname(name)}`;

/** Chooses the writer: as requested, else by the extension of the output. */
function writerFor(to: string, reader: Reader, options: ConvertOptions): Writer {
  const { writer: name } = options;
  const requested = readTransformations(options);
  // a transformation that does not apply has a clearer sentence than the writers that would follow it
  if (isTransformed(reader)) parseTransformations(requested, (before) => offeredBy(reader, before));
  const transformations = transformationNames(requested);
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
  [input, ...others]: readonly LocalInput[],
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
    input: { path: input!.path, name: input!.name },
    ...(others.length === 0 ? {} : { otherInputs: others.map(({ path: from, name }) => ({ path: from, name })) }),
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
