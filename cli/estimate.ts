import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type Context,
  completeParameters,
  findReader,
  findWriter,
  loadHandler,
  parseTransformations,
} from 'hydrofiles';
import { FileSource } from 'hydrofiles/bytes';
import { recognise } from 'hydrofiles/command';
import type { Data, SampleType } from 'hydrofiles/data';

/** A conversion to estimate. */
export interface Plan {
  readerName: string;
  /** Absent: the writer of the dataset's format. */
  writerName?: string | undefined;
  readerParameters: readonly { name: string; value: unknown }[];
  transformations: readonly unknown[];
}

const reprojects = ({ transformations }: Plan) =>
  transformations.some((one) => (one as { type?: string }).type === 'crsTransformation');
const hasSrid = ({ readerParameters }: Plan) => readerParameters.some(({ name }) => name.toUpperCase() === 'SRID');
const formatOf = ({ writerName }: Plan) => findWriter(writerName ?? '')?.format;

/** Estimated duration and size of a conversion. */
export interface Estimate {
  seconds: number;
  /** Bytes of the result, before compression. */
  bytes: number;
  /** Short description of the file's content. */
  content: string;
}

/** Larger feature files are estimated by their size alone: some readers scan the whole file for its fields. */
const MAX_SCANNED = 2 ** 28;
/** Rough estimates that distinguish seconds from hours. The real speed depends on machine, formats and content. */
const CELLS_PER_SECOND = 4e6;
const BYTES_PER_SECOND = { features: 15e6, bytes: 200e6 };
const STARTING_SECONDS = 0.5;
const SAMPLE_BYTES: Partial<Record<SampleType, number>> = { UInt8: 1, Int8: 1, UInt16: 2, Int16: 2, Float64: 8 };

/**
 * Reads the header of a file as the worker will, and estimates the conversion. Undefined: unknown reader.
 * @throws the reader's error if the conversion would fail
 */
export async function estimateConversion(path: string, plan: Plan, signal: AbortSignal): Promise<Estimate | undefined> {
  const { format, name: looksLike } = await recognise(path);
  const reader = findReader(plan.readerName);
  if (reader === undefined) return undefined;
  await using open = new AsyncDisposableStack();
  const source = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  if (reader.produces !== 'bytes' && format !== undefined && format !== reader.format)
    throw new Error(`${basename(path)} looks like ${looksLike}, which ${reader.name} cannot read.`);
  if (source.size > MAX_SCANNED && reader.produces === 'features')
    return { ...featuresIn(source.size, plan), content: '' };
  const scratch = open.adopt(await mkdtemp(join(tmpdir(), 'platform-look-')), (one) => rm(one, { recursive: true }));
  const context: Context = {
    signal,
    scratch,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd: (close) => open.defer(close),
  };
  const data = await reader.read(source, completeParameters(reader, plan.readerParameters), context);
  if (reprojects(plan) && !hasSrid(plan) && data.kind !== 'bytes' && data.crs === undefined)
    throw new Error(`${basename(path)} has no coordinate system. Use --srid to set it.`);
  return estimateData(await applyItemFilters(data, plan, context), source.size, plan);
}

/** Applies the item filters of the plan. Throws if no item is left. */
async function applyItemFilters(data: Data, { transformations }: Plan, context: Context): Promise<Data> {
  const handler = await loadHandler(data.kind);
  const filter = 'ItemFilterTransformation' in handler.steps ? handler.steps.ItemFilterTransformation : undefined;
  await using resources = new AsyncDisposableStack();
  const open = () => Promise.reject(new Error('An item filter names no other file.'));
  const shared = { context, resources, operations: [], stem: '', makes: data.kind, applied: [], open };
  let left = data;
  for (const step of parseTransformations(transformations)) {
    // what such a step makes has items of its own
    if (!(step.type in handler.steps)) break;
    if (step.type === 'ItemFilterTransformation' && filter !== undefined)
      left = await filter(left as never, step, shared);
  }
  return left;
}

function estimateData(data: Data, size: number, plan: Plan): Estimate {
  if (data.kind === 'features') return { ...featuresIn(size, plan), content: `${data.fields.length} fields` };
  if (data.kind !== 'grid')
    return { seconds: STARTING_SECONDS + size / BYTES_PER_SECOND.bytes, bytes: size, content: '' };
  const { width, height, bands } = data;
  const cells = width * height * (formatOf(plan) === 'asciigrid' ? 1 : bands.length);
  const work = cells * (reprojects(plan) ? 2 : 1);
  // about seven characters of a number and a blank
  const perCell = formatOf(plan) === 'asciigrid' ? 8 : (SAMPLE_BYTES[bands[0]?.type ?? 'Float32'] ?? 4);
  return {
    seconds: STARTING_SECONDS + work / CELLS_PER_SECOND,
    bytes: cells * perCell,
    content: `${width} × ${height} cells, ${bands.length} ${bands.length === 1 ? 'band' : 'bands'}`,
  };
}

/** A zipped shapefile has about an eighth of the size of the text. */
function featuresIn(size: number, plan: Plan): Omit<Estimate, 'content'> {
  const text = plan.readerName === 'ShapefileReader' ? size * 8 : size;
  const bytes = formatOf(plan) === 'shapefile' ? text / 8 : text;
  return { seconds: STARTING_SECONDS + (text * (reprojects(plan) ? 2 : 1)) / BYTES_PER_SECOND.features, bytes };
}
