import { availableParallelism } from 'node:os';
import { type Data, type DataKind, kindNouns } from '../data/data.ts';
import { ConversionError } from '../errors.ts';
import type { Context, JoinedSteps, Reader, Writer } from '../formats/define.ts';
import { type FileType, nameOfType } from '../formats/file-type.ts';
import { FileSink, FileSource } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { findReader, findWriter } from '../formats/registry.ts';
import { openWrittenAppend } from './append/append-written.ts';
import { BadRecords } from './bad-records.ts';
import { withCleanNames } from './clean-names.ts';
import type {
  AppendedCounts,
  ConversionHooks,
  ConversionRequest,
  ConversionResult,
  MeshQuality,
  PipelineResult,
} from './conversion.ts';
import { IGNORED } from './copied.ts';
import { checksums, joinInputs } from './join/join-inputs.ts';
import type { AppendWork, KindHandler } from './kinds/handler.ts';
import { loadHandler } from './kinds/kinds.ts';
import { fits, isTransformed, kindsMade, kindsUpTo, misfit, offeredBy, withParameters } from './offers.ts';
import { convertData } from './pipeline.ts';
import { Remarks } from './remarks.ts';
import { isJoin } from './steps/join-shapes.ts';
import type { Transformation } from './steps/transformation-shapes.ts';
import { inputSrid, parseTransformations, type TransformationName } from './steps/transformations.ts';
import { writeData } from './write-data.ts';

/**
 * Converts a local file to a local file.
 * @throws ConversionError or FormatError with a sentence for the user if a retry cannot help; any other error is an
 * outage or a bug
 */
export async function convert(request: ConversionRequest, hooks: ConversionHooks): Promise<ConversionResult> {
  const reader = findReader(request.reader.name);
  if (reader === undefined) throw new ConversionError(`'${request.reader.name}' is not a reader.`);
  const writer = findWriter(request.writer.name);
  if (writer === undefined) throw new ConversionError(`'${request.writer.name}' is not a writer.`);
  const steps = stepsOf(reader, request.transformations ?? [], hooks);
  const [head] = steps;
  const join = head !== undefined && isJoin(head) ? head : undefined;
  if (join !== undefined) steps.shift();
  const inputs = [request.input, ...(request.otherInputs ?? [])];
  if (join === undefined && inputs.length > 1)
    throw new ConversionError(
      `There are ${inputs.length} files. Join them by mosaicTransformation or stackTransformation, or convert them one by one.`,
    );
  const applied = steps.map(({ type }) => type);
  if (!fits(reader, writer, applied)) throw new ConversionError(misfit(reader, writer, applied));
  const readerParameters = completeParameters(reader, request.reader.parameters ?? {});
  const writerParameters = completeParameters(writer, request.writer.parameters ?? {});
  const threads = request.threads ?? availableParallelism();
  const computing = isTransformed(reader) ? `; at most ${threads} thread${threads === 1 ? '' : 's'}` : '';
  hooks.log('debug', `${callText(reader, readerParameters)}; ${callText(writer, writerParameters)}${computing}.`);
  const lost = new Set<string>();
  const remarks = new Remarks();
  const bad = new BadRecords();
  await using open = new AsyncDisposableStack();
  let joined: JoinedSteps | undefined;
  const existing = request.existing && {
    path: request.existing.path,
    joined(steps: JoinedSteps) {
      joined = steps;
    },
  };
  const context: Context = {
    ...(existing && { existing }),
    ...(request.replaced && { replaced: request.replaced }),
    signal: hooks.signal,
    scratch: request.scratch,
    threads,
    provenance: { reader: reader.name, transformations: [...(join === undefined ? [] : [join.type]), ...applied] },
    log: hooks.log,
    progress: monotonicProgress(hooks),
    reportLoss(sentence) {
      if (!lost.has(sentence)) hooks.log('warning', sentence);
      lost.add(sentence);
    },
    remark(sentence) {
      if (remarks.add(sentence)) hooks.log('warning', sentence);
    },
    onBadRecord: request.onBadRecord ?? 'fail',
    reportBadRecord(record) {
      if (request.onBadRecord !== 'skip') throw record.reason;
      bad.add(record);
    },
    onEnd: (close) => open.defer(close),
  };
  hooks.signal.throwIfAborted();
  const srid = inputSrid(steps, readerParameters.SRID);
  // Some readers compute the place of the data with it, so that relabelling what they read would come too late.
  if (srid !== undefined && 'SRID' in reader.parameters.shape) readerParameters.SRID = srid;
  const source = open.use(await FileSource.open(request.input.path, { checksum: join === undefined }));
  const sink = open.use(await FileSink.create(request.output.path));
  const joinedFiles = join && (await joinInputs(inputs, { reader, parameters: readerParameters, join, srid }, context));
  const data =
    joinedFiles?.data ?? withCleanNames(await reader.read(source, readerParameters, context), context.remark);
  const stem = request.input.name.replace(/\.[^.]*$/, '');
  let mesh: MeshQuality | undefined;
  const quality = (of: MeshQuality) => {
    mesh = of;
  };
  let features = 0;
  const pulled = (count: number) => {
    features += count;
  };
  const kinds = kindsThrough(withParameters(writer, writerParameters), data.kind, applied);
  let fileType: FileType | undefined;
  const write = async (what: Data) => {
    fileType = await writeData(what, writer, sink, { parameters: writerParameters, stem, context, quality, pulled });
  };
  const session =
    request.existing &&
    (await openAppend(
      { existing: request.existing, writer, steps, write, joined: () => joined },
      await loadHandler(kinds.at(-1) ?? data.kind),
      context,
    ));
  const work = { steps, kinds, sideInputs: request.sideInputs ?? {}, srid, stem };
  const passed = await convertData(data, work, session?.write ?? write, session?.context ?? context);
  joinedFiles?.tell();
  const { crs, statistics, inputCrs, appended, ...rest }: PipelineResult & { appended?: AppendedCounts } =
    session === undefined ? passed : await session.finish(passed);
  // Elements whose items have no place in the output were read and written all the same.
  if (rest.recordsWritten === 0 && features > 0) rest.recordsRead = rest.recordsWritten = features;
  if (bad.count > 0) {
    context.reportLoss(`${bad.count} records were skipped; the first: ${bad.first!.reason.message}`);
    if (request.badRecords !== undefined) {
      await bad.write(request.badRecords.path, inputCrs);
      rest.badRecordsWritten = true;
    }
    rest.recordsSkipped += bad.count;
  }
  const all = joinedFiles && (await checksums(inputs, hooks.signal));
  const input = all?.[0] ?? { name: request.input.name, ...(await source.checksum()) };
  const output = {
    ...(request.output.name === undefined ? {} : { name: nameOfType(request.output.name, writer, fileType) }),
    ...(await sink.checksum()),
  };
  context.progress(1, 'Done');
  const changes = {
    ...(crs === undefined ? {} : { crs }),
    ...(mesh === undefined ? {} : { mesh }),
    ...(appended === undefined ? {} : { appended }),
    ...(all === undefined ? {} : { inputs: all }),
  };
  return {
    receipt: { input, output, ...changes, lost: [...lost], remarks: remarks.list(), statistics },
    ...rest,
    ...(fileType && { fileType }),
  };
}

/**
 * The kind of data after each step: some readers know only from the content which kind they have.
 * @throws ConversionError if a step does not apply to the data, or the writer does not take the result
 */
function kindsThrough(writer: Writer, kind: DataKind, names: readonly TransformationName[]): DataKind[] {
  const kinds = kindsUpTo(writer, kind, names);
  if (kinds !== undefined) return kinds;
  let last: readonly DataKind[] = [kind];
  for (const name of names) {
    const made = last.flatMap((one) => kindsMade(name, one));
    if (made.length === 0) throw new ConversionError(`${name} does not apply to data of the kind '${last[0]}'.`);
    last = made;
  }
  const accepted = [...writer.accepts, ...(writer.bridged ?? [])].map((one) => kindNouns[one].plural);
  throw new ConversionError(
    `${last[0] === kind ? 'The dataset holds' : 'The transformations make'} ${kindNouns[last[0]!].one}; ${writer.name} takes ${accepted.join(' and ')}.`,
  );
}

/** Name and parameters of a reader or writer, with defaults, for the log. */
const callText = ({ name }: { name: string }, parameters: Record<string, unknown>): string => {
  const values = Object.entries(parameters).map(([parameter, value]) => `${parameter} ${JSON.stringify(value)}`);
  return values.length === 0 ? name : `${name} with ${values.join(', ')}`;
};

function stepsOf(
  reader: Reader,
  transformations: readonly unknown[],
  { log }: Pick<ConversionHooks, 'log'>,
): Transformation[] {
  if (isTransformed(reader)) return parseTransformations(transformations, (before) => offeredBy(reader, before));
  if (transformations.length > 0) log('warning', IGNORED);
  return [];
}

function openAppend(work: AppendWork, handler: Pick<KindHandler, 'append'>, context: Context) {
  if (work.writer.appends?.byWriter) return openWrittenAppend(work, context);
  if (handler.append === undefined) throw new ConversionError(`${work.writer.name} cannot append.`);
  return handler.append(work, context);
}

/** Readers, transformations and writers report progress independently; the caller must never see it decrease. */
function monotonicProgress(hooks: ConversionHooks): Context['progress'] {
  let highest = 0;
  return (fraction, phase) => {
    highest = Math.max(highest, Math.min(1, fraction));
    hooks.progress(highest, phase);
  };
}
