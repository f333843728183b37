import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import {
  type Context,
  completeParameters,
  detect,
  findReader,
  findWriter,
  loadHandler,
  parseTransformations,
} from 'hydrofiles';
import { FileSink, FileSource, UnpackedEntry, ZipWriter, zipEntries } from 'hydrofiles/bytes';
import type { Data, SampleType } from 'hydrofiles/data';

/** Format of a local file by its content, which counts more than its name. */
export interface Recognised {
  /** `datasetFormat`; absent if no reader supports it. */
  format?: string;
  /** Name of the format with its article. */
  looksLike?: string;
  /** What to do with a file that no reader takes as it is. */
  advice?: string;
  /** The main file of a Shapefile, which is sent as a zip with its companion files. */
  isShp?: boolean;
}

export async function recognise(path: string): Promise<Recognised> {
  const source = await FileSource.open(path, { checksum: false });
  try {
    const head = Buffer.from(await source.read(0, 32));
    const isShp = head.length === 32 && head.readInt32BE(0) === 9994 && head.readInt32LE(28) === 1000;
    if (isShp && extname(path).toLowerCase() !== '.shx')
      return { format: 'shapefile', looksLike: 'a Shapefile', isShp: true };
    const found = await detect(source);
    if (found === undefined) return {};
    const { name, format, advice } = found;
    return {
      looksLike: name,
      ...(format === undefined ? {} : { format }),
      ...(advice === undefined ? {} : { advice }),
    };
  } finally {
    await source.close();
  }
}

const COMPANIONS = new Set(['.shx', '.dbf', '.prj', '.cpg']);
const CHUNK = 2 ** 18;

/** The .shp file that a part of a shapefile belongs to, if it is beside it; of other files the file itself. */
export async function mainFile(path: string): Promise<string> {
  if (!isCompanion(path)) return path;
  const shp = `${basename(path, extname(path)).toLowerCase()}.shp`;
  const names = await readdir(dirname(path)).catch(() => []);
  const found = names.find((name) => name.toLowerCase() === shp);
  return found === undefined ? path : join(dirname(path), found);
}

/** A file in a temporary folder; `close` deletes both. */
export interface Packed {
  path: string;
  close(): Promise<void>;
}

/** Zips a `.shp` file with its companion files (the same name, other extensions). */
export async function zipShapefile(shp: string): Promise<Packed> {
  const stem = basename(shp, extname(shp));
  // programs write extensions in either letter case
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
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, size - at)), 0, undefined, at);
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

/** Name of a shapefile without the suffixes for its step and kind of geometry. */
const shapefileBase = (name: string) => name.replace(/(?:_\d{4,})?(?:_(?:point|multipoint|line|polygon))?$/, '');

/**
 * Unpacks a zip of shapefiles into a folder and returns the paths. Names begin with `stem`: `stem.shp`, or
 * `stem_0000.shp` and
 * `stem_line.shp` for several.
 */
export async function unpackShapefiles(zip: string, folder: string, stem: string): Promise<string[]> {
  const source = await FileSource.open(zip, { checksum: false });
  try {
    const entries = await zipEntries(source);
    const layers = entries.filter(({ name }) => extname(name) === '.shp').map(({ name }) => basename(name, '.shp'));
    const base = layers.length === 1 ? layers[0]! : shapefileBase(layers[0] ?? '');
    const paths: string[] = [];
    for (const entry of entries) {
      const unpacked = await UnpackedEntry.open(source, entry, folder);
      try {
        // waits until the entry is unpacked and its checksum verified
        await unpacked.read(entry.size, 0);
      } finally {
        await unpacked.close();
      }
      const name = basename(entry.name);
      const path = join(folder, name.startsWith(base) ? stem + name.slice(base.length) : name);
      await rename(unpacked.path, path);
      paths.push(path);
    }
    return paths;
  } finally {
    await source.close();
  }
}

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
  const { format, looksLike } = await recognise(path);
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
  return estimateOf(await applyItemFilters(data, plan, context), source.size, plan);
}

/** Applies the item filters of the plan. Throws if no item is left. */
async function applyItemFilters(data: Data, { transformations }: Plan, context: Context): Promise<Data> {
  const filter = (await loadHandler(data.kind)).steps?.ItemFilterTransformation;
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
