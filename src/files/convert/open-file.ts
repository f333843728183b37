import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Data } from '../data/data.ts';
import { layersOf } from '../data/grid.ts';
import type { ExactIntegers, Item, Samples } from '../data/item.ts';
import { joined } from '../data/stored-values.ts';
import { stepCount, stepsOf } from '../data/time-axis.ts';
import { ConversionError } from '../errors.ts';
import type { Context, Reader, Writer } from '../formats/define.ts';
import { detect } from '../formats/detect.ts';
import { FileSink, FileSource } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { findReader, readers, writers } from '../formats/registry.ts';
import { withCleanNames } from './clean-names.ts';
import type { Receipt, SideFile } from './conversion.ts';
import { convert } from './convert.ts';
import { type InspectOptions, inspect } from './inspect.ts';
import type { Inspection } from './inspection.ts';
import { writersFor } from './offers.ts';
import { parseTransformations, sideInputsOf, transformationNames } from './steps/transformations.ts';

export interface OpenOptions {
  /** Name of a reader, such as `GeoTiffReader`. Absent: the one that the content asks for. */
  reader?: string;
  /** Parameters of the reader, such as `{ SRID: 25832 }`. */
  parameters?: Record<string, unknown>;
  signal?: AbortSignal;
  /** Receives remarks about data that the reader omitted, repaired or guessed. */
  remark?(sentence: string): void;
}

export interface ConvertOptions extends OpenOptions {
  /** Name of a writer. Absent: the one for the extension of the output. */
  writer?: string;
  writerParameters?: Record<string, unknown>;
  /** Items to keep: numbers from 0, or names. */
  items?: readonly (number | string)[];
  /** Steps to keep, from 0. */
  steps?: readonly number[];
  /** Coordinate system of the output, such as `EPSG:25832`. Absent: that of the input. */
  crs?: number | string;
  /**
   * More transformations, as the platform's REST API takes them. They follow the others. Other files, such as that of
   * `like`, are `{ path }`.
   */
  transformations?: readonly unknown[];
  /** Skips records that cannot be read instead of failing. */
  skipBadRecords?: boolean;
  /** 0 to 1; never decreases. */
  progress?(fraction: number): void;
}

/** An open file, whose values are read when they are asked for. Close it at the end, or declare it by `await using`. */
export class OpenFile<D extends Data = Data> implements AsyncDisposable {
  readonly path: string;
  /** Name of the reader that has opened it. */
  readonly reader: string;
  /** The content, discriminated by `kind`. */
  readonly data: D;
  readonly #open: AsyncDisposableStack;

  constructor(path: string, reader: string, data: D, open: AsyncDisposableStack) {
    this.path = path;
    this.reader = reader;
    this.data = data;
    this.#open = open;
  }

  /** Bands of a grid, items of a mesh, an array or series; none of features. */
  get items(): readonly Item[] {
    const { data } = this;
    if (data.kind === 'grid') return data.bands;
    return 'items' in data ? data.items : [];
  }

  /** Number of time steps; 1 without a time axis, and where the steps are known only when the values are read. */
  get steps(): number {
    const { data } = this;
    if (data.kind === 'grid' || data.kind === 'mesh' || data.kind === 'array') return stepsOf(data);
    return data.kind === 'series' && data.time.spacing !== 'pulled' ? stepCount(data.time) : 1;
  }

  /** Describes the whole content, with statistics of each item. Reads the file once more. */
  async inspect(): Promise<Inspection> {
    return (await inspectFile(this.path)).inspection;
  }

  /**
   * Values of an item at a step, in the type of the file. Of a grid: rows from the first of the file, layers from the
   * lowest; of a mesh: one per element or node; of an array: the last dimension varies fastest; of series: one per
   * step, and `step` does not count. Missing values are the item's `nodata`.
   * @param item number from 0, or name
   * @throws ConversionError for an item or a step that does not exist, and for features
   */
  async values(item: number | string, step = 0): Promise<Samples | ExactIntegers> {
    const { data, items } = this;
    const n = typeof item === 'number' ? item : items.findIndex(({ name }) => name === item);
    if (items[n] === undefined)
      throw new ConversionError(
        `There is no item '${item}'. Items: ${items.map(({ name }) => name).join(', ') || 'none'}.`,
      );
    if (data.kind !== 'series' && !(Number.isInteger(step) && step >= 0 && step < this.steps))
      throw new ConversionError(`There is no step ${step}. The data have ${this.steps}, from 0.`);
    if (data.kind === 'mesh') return data.values(n, step);
    if (data.kind === 'array') {
      const shape = data.items[n]!.axes.map((axis) => data.axes[axis]!.values.length);
      const start = shape.map(() => 0);
      return data.read(n, step, start, shape);
    }
    const parts: (Samples | ExactIntegers)[] = [];
    if (data.kind === 'series') for await (const { values } of data.chunks()) parts.push(values[n]!);
    else if (data.kind === 'grid')
      for (let layer = 0; layer < layersOf(data); layer++)
        for await (const { samples, exact } of data.rows({ band: n, step, layer })) parts.push(exact ?? samples);
    const [first = new Float64Array(), ...more] = parts;
    return more.length === 0 ? first : joined(first.constructor as Float64ArrayConstructor, parts as Float64Array[]);
  }

  close(): Promise<void> {
    return this.#open.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens a file by its content, whatever its name is.
 * @throws FormatError for a malformed file, ConversionError for one that no reader reads
 */
export async function openFile(path: string, options: OpenOptions = {}): Promise<OpenFile> {
  return openWith(path, await findReaderFor(path, options.reader), options);
}

/**
 * Opens a file with a reader.
 * @throws FormatError for a malformed file
 */
export async function openWith(
  path: string,
  reader: Reader,
  options: Omit<OpenOptions, 'reader'> & { scratch?: string },
): Promise<OpenFile> {
  const open = new AsyncDisposableStack();
  try {
    const context = await makeContext(open, options);
    const source = open.use(await FileSource.open(path, { checksum: false }));
    const read = await reader.read(source, completeParameters(reader, options.parameters ?? {}), context);
    return new OpenFile(path, reader.name, withCleanNames(read, context.remark), open);
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

/**
 * Describes the content of a file; with `picture` it is drawn as PNG, too. Reads the whole file, unless `statistics`
 * are false.
 */
export async function inspectFile(
  path: string,
  {
    signal = new AbortController().signal,
    ...options
  }: Partial<Pick<InspectOptions, 'reader' | 'picture' | 'statistics' | 'writers' | 'signal'>> = {},
): Promise<{ inspection: Inspection; png?: Uint8Array }> {
  await using open = new AsyncDisposableStack();
  return await inspect({ path, scratch: await temporaryFolder(tmpdir(), open), signal, ...options });
}

/**
 * Converts a file into another one, which replaces a file of this name when it is complete.
 * @returns the receipt: data read, written, lost and repaired
 * @throws FormatError for a malformed file, ConversionError for what cannot be converted
 */
export async function convertFile(from: string, to: string, options: ConvertOptions = {}): Promise<Receipt> {
  const reader = await findReaderFor(from, options.reader);
  const { items, steps, crs } = options;
  const temporalFilter = { type: 'TemporalIndexListFilter', indices: steps };
  const transformations = [
    ...(items === undefined ? [] : [{ type: 'ItemFilterTransformation', itemFilter: items.map(itemFilter) }]),
    ...(steps === undefined ? [] : [{ type: 'TemporalFilterTransformation', temporalFilter }]),
    ...(crs === undefined ? [] : [{ type: 'CrsTransformation', outputSrid: String(crs) }]),
    ...(options.transformations ?? []),
  ];
  const writer = findWriterFor(to, writersFor(reader, transformationNames(transformations)), options.writer);
  await using open = new AsyncDisposableStack();
  const scratch = await temporaryFolder(dirname(resolve(to)), open);
  const path = join(scratch, 'output');
  const { receipt } = await convert(
    {
      input: { path: from, name: basename(from) },
      output: { path, name: basename(to) },
      scratch,
      reader: { name: reader.name, parameters: options.parameters ?? {} },
      writer: { name: writer.name, parameters: options.writerParameters ?? {} },
      onBadRecord: options.skipBadRecords ? 'skip' : 'fail',
      transformations,
      sideInputs: localSideInputs(transformations),
    },
    {
      signal: options.signal ?? new AbortController().signal,
      log: (level, message) => void (level === 'warning' && options.remark?.(message)),
      progress: (fraction) => options.progress?.(fraction),
    },
  );
  await rename(path, to);
  return receipt;
}

/** The files that transformations name by their path. */
const localSideInputs = (transformations: readonly unknown[]): Record<string, SideFile> =>
  Object.fromEntries(
    sideInputsOf(parseTransformations(transformations)).flatMap(({ from, key }) =>
      from === 'path' ? [[key, { path: key, name: basename(key) }]] : [],
    ),
  );

const itemFilter = (one: number | string) => (typeof one === 'number' ? { itemIndices: [one] } : { names: [one] });

/** Writes data, such as a grid of your own, to a file. Takes the writer of the extension unless one is named. */
export async function writeFile(
  path: string,
  data: Data,
  options: Pick<ConvertOptions, 'writer' | 'writerParameters' | 'signal' | 'remark'> = {},
): Promise<void> {
  const able = writers.filter(({ accepts }) => accepts.includes(data.kind));
  const writer = findWriterFor(path, able, options.writer);
  await using open = new AsyncDisposableStack();
  const scratch = await temporaryFolder(dirname(resolve(path)), open);
  const output = join(scratch, 'output');
  const context = await makeContext(open, options);
  const sink = open.use(await FileSink.create(output, { checksum: false }));
  await writer.write(data, completeParameters(writer, options.writerParameters ?? {}), sink, context);
  await sink.flush();
  await rename(output, path);
}

async function findReaderFor(path: string, name: string | undefined): Promise<Reader> {
  const known = readers.filter(({ rows }) => !rows);
  const named = name === undefined ? undefined : known.find((one) => one === findReader(name));
  if (named !== undefined) return named;
  if (name !== undefined)
    throw new ConversionError(`'${name}' is not a reader. Readers: ${known.map((one) => one.name).join(', ')}.`);
  await using source = await FileSource.open(path, { checksum: false });
  const found = await detect(source);
  if (found?.fault !== undefined) throw found.fault;
  const reader = known.find(({ format }) => format === found?.format);
  if (reader !== undefined) return reader;
  const content = found === undefined ? 'has a content that is not known' : `looks like ${found.name}`;
  throw new ConversionError(`${basename(path)} ${content}. ${found?.advice ?? 'Name a reader.'}`);
}

function findWriterFor(path: string, able: readonly Writer[], name: string | undefined): Writer {
  const known = able.filter(({ rows, name: one }) => !rows && one !== 'FileWriter');
  const extension = path.toLowerCase().endsWith('.zarr.zip') ? '.zarr.zip' : extname(path).toLowerCase();
  const fits = ({ extension: own, otherExtensions = [] }: Writer) => [own, ...otherExtensions].includes(extension);
  const found = name === undefined ? known.filter(fits) : known.filter((one) => one.name === name);
  if (found[0] !== undefined && found.length === 1) return found[0];
  const names = known.map((one) => one.name).join(', ');
  throw new ConversionError(
    name === undefined
      ? `No single writer writes what was read to a file named '${basename(path)}'. Name one of ${names}.`
      : `${name} cannot write what was read. Use one of ${names}.`,
  );
}

async function makeContext(
  open: AsyncDisposableStack,
  {
    signal = new AbortController().signal,
    remark = () => {},
    scratch,
  }: Pick<OpenOptions, 'signal' | 'remark'> & { scratch?: string },
): Promise<Context> {
  return {
    signal,
    scratch: scratch ?? (await temporaryFolder(tmpdir(), open)),
    log: () => {},
    progress: () => {},
    reportLoss: remark,
    remark,
    reportBadRecord: ({ reason }) => {
      throw reason;
    },
    onEnd: (close) => open.defer(close),
  };
}

async function temporaryFolder(beside: string, open: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(beside, '.hydrofiles-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
