import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { handlerOf } from '../src/convert/kinds/kinds.ts';
import { parseTransformations } from '../src/convert/steps/transformations.ts';
import type { Data } from '../src/data/data.ts';
import type { SampleType } from '../src/data/item.ts';
import type { Context } from '../src/formats/define.ts';
import { detect } from '../src/formats/detect.ts';
import { FileSink, FileSource } from '../src/formats/io/bytes.ts';
import { ZipWriter } from '../src/formats/io/zip-writer.ts';
import { completeParameters } from '../src/formats/parameters.ts';
import { findReader, findWriter } from '../src/formats/registry.ts';

/** What a local file is by its content, which counts more than its name. */
export interface Recognised {
  /** `datasetFormat`; absent where no reader takes it. */
  format?: string;
  /** With its article. */
  looksLike?: string;
  /** The main file of a Shapefile: it is sent as a zip, with its companions. */
  isShp?: boolean;
}

export async function recognise(path: string): Promise<Recognised> {
  const source = await FileSource.open(path, { checksum: false });
  try {
    const head = Buffer.from(await source.read(0, 32));
    if (head.length === 32 && head.readInt32BE(0) === 9994 && head.readInt32LE(28) === 1000)
      return { format: 'shapefile', looksLike: 'a Shapefile', isShp: true };
    const found = await detect(source);
    if (found === undefined) return {};
    return { looksLike: found.name, ...(found.format === undefined ? {} : { format: found.format }) };
  } finally {
    await source.close();
  }
}

const COMPANIONS = new Set(['.shx', '.dbf', '.prj', '.cpg']);
const PIECE = 2 ** 18;

/** A file in a folder of its own, which goes with `close`. */
export interface Packed {
  path: string;
  close(): Promise<void>;
}

/** A zip with a `.shp` file and what lies beside it under the same name. */
export async function zipShapefile(shp: string): Promise<Packed> {
  const stem = basename(shp, extname(shp));
  // in any letter case, as programs write them
  const isBeside = (name: string) => basename(name, extname(name)).toLowerCase() === stem.toLowerCase();
  const names = (await readdir(dirname(shp))).filter(
    (name) => name === basename(shp) || (isBeside(name) && isCompanion(name)),
  );
  const folder = await mkdtemp(join(tmpdir(), 'platform-shapefile-'));
  const path = join(folder, `${stem}.zip`);
  try {
    const sink = await FileSink.create(path, { checksum: false });
    try {
      const zip = new ZipWriter(sink);
      for (const name of names.sort()) await addFile(zip, join(dirname(shp), name), name);
      await zip.finish();
      await sink.flush();
    } finally {
      await sink.close();
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return { path, close: () => rm(folder, { recursive: true, force: true }) };
}

const isCompanion = (name: string) => COMPANIONS.has(extname(name).toLowerCase());

async function addFile(zip: ZipWriter, path: string, name: string): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    async function* pieces() {
      for (let at = 0; at < size; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(PIECE, size - at)), 0, undefined, at);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    }
    await zip.add(name, size, pieces());
  } finally {
    await file.close();
  }
}

export interface Plan {
  readerName: string;
  /** Absent: as the dataset is stored. */
  writerName?: string | undefined;
  readerParameters: readonly { name: string; value: unknown }[];
  transformations: readonly unknown[];
}

const reprojects = ({ transformations }: Plan) =>
  transformations.some((one) => (one as { type?: string }).type === 'crsTransformation');
const saysSystem = ({ readerParameters }: Plan) => readerParameters.some(({ name }) => name.toUpperCase() === 'SRID');
const formatOf = ({ writerName }: Plan) => findWriter(writerName ?? '')?.format;

/** What a conversion of a local file is likely to take. */
export interface Estimate {
  seconds: number;
  /** Bytes of the result, before compression. */
  bytes: number;
  /** What was found in the file, in a few words. */
  content: string;
}

/** Features in more bytes than these are judged by their size alone: some readers look at all of a text to find out its fields. */
const MOST_READ = 2 ** 28;
/** Rough guesses, which tell seconds from hours: how fast a worker really is depends on its machine, the formats and the content. */
const CELLS_PER_SECOND = 4e6;
const BYTES_PER_SECOND = { features: 15e6, bytes: 200e6 };
const STARTING_SECONDS = 0.5;
const SAMPLE_BYTES: Partial<Record<SampleType, number>> = { UInt8: 1, Int8: 1, UInt16: 2, Int16: 2, Float64: 8 };

/**
 * Reads the header of a file as the worker will.
 * @throws with the reader's own sentence where the conversion is bound to fail
 */
export async function examine(path: string, plan: Plan, signal: AbortSignal): Promise<Estimate | undefined> {
  const { format, looksLike } = await recognise(path);
  const reader = findReader(plan.readerName);
  if (reader === undefined) return undefined;
  await using open = new AsyncDisposableStack();
  const source = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  if (reader.produces !== 'bytes' && format !== undefined && format !== reader.format)
    throw new Error(`${basename(path)} looks like ${looksLike}, which ${reader.name} cannot read.`);
  if (source.size > MOST_READ && reader.produces === 'features')
    return { ...featuresIn(source.size, plan), content: '' };
  const scratch = open.adopt(await mkdtemp(join(tmpdir(), 'platform-look-')), (one) => rm(one, { recursive: true }));
  const context: Context = {
    signal,
    scratch,
    log() {},
    progress() {},
    reportLoss() {},
    reportBadRecord() {},
    onEnd: (close) => open.defer(close),
  };
  const data = await reader.read(source, completeParameters(reader, plan.readerParameters), context);
  if (reprojects(plan) && !saysSystem(plan) && data.kind !== 'bytes' && data.crs === undefined)
    throw new Error(`${basename(path)} does not say its coordinate system: give it with --srid.`);
  return estimateOf(await itemsOf(data, plan, context), source.size, plan);
}

/** What item filters leave. Throws where that is nothing. */
async function itemsOf(data: Data, { transformations }: Plan, context: Context): Promise<Data> {
  const filter = handlerOf(data.kind).steps?.ItemFilterTransformation;
  await using held = new AsyncDisposableStack();
  let left = data;
  for (const step of parseTransformations(transformations))
    if (step.type === 'ItemFilterTransformation' && filter !== undefined)
      left = await filter(left as never, step, { context, held, operations: [] });
  return left;
}

function estimateOf(data: Data, size: number, plan: Plan): Estimate {
  if (data.kind === 'features') return { ...featuresIn(size, plan), content: `${data.fields.length} fields` };
  if (data.kind !== 'grid')
    return { seconds: STARTING_SECONDS + size / BYTES_PER_SECOND.bytes, bytes: size, content: '' };
  const { width, height, bands } = data;
  const cells = width * height * (formatOf(plan) === 'asciigrid' ? 1 : bands.length);
  const work = cells * (reprojects(plan) ? 2 : 1);
  // a number of a text and its blank
  const perCell = formatOf(plan) === 'asciigrid' ? 8 : (SAMPLE_BYTES[bands[0]?.type ?? 'Float32'] ?? 4);
  return {
    seconds: STARTING_SECONDS + work / CELLS_PER_SECOND,
    bytes: cells * perCell,
    content: `${width} × ${height} cells, ${bands.length} ${bands.length === 1 ? 'band' : 'bands'}`,
  };
}

/** Zips of tables are about an eighth of the text. */
function featuresIn(size: number, plan: Plan): Omit<Estimate, 'content'> {
  const text = plan.readerName === 'ShapefileReader' ? size * 8 : size;
  const bytes = formatOf(plan) === 'shapefile' ? text / 8 : text;
  return { seconds: STARTING_SECONDS + (text * (reprojects(plan) ? 2 : 1)) / BYTES_PER_SECOND.features, bytes };
}
