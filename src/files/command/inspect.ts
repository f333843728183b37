import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { inspect } from '../convert/inspect.ts';
import type { Extent, Inspection, ItemInspection, TimeInspection } from '../convert/inspection.ts';
import type { PictureChoice } from '../convert/kinds/picture-choice.ts';
import { millisecondsOf, parseUtc } from '../data/date-text.ts';
import type { Reader } from '../formats/define.ts';
import { readers } from '../formats/registry.ts';
import { endBatch, inBatch } from './batch.ts';
import { conversionMembers, named } from './converters.ts';
import { Interrupted, OutputFailed, UsageError } from './errors.ts';
import { expandFiles } from './expand.ts';
import { isAddress, openLocal } from './input.ts';
import type { Io } from './io.ts';
import { STDIO } from './output.ts';
import { bytes, plain, record, type Shown, type Table, table } from './table.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Options of the picture. */
export interface PictureOptions {
  png?: string;
  item?: number | string;
  step?: number | string;
  layer?: number;
}

/** What to read of a file. */
export interface ReadOptions {
  /** False: only the header is read. */
  statistics?: boolean;
  reader?: string;
  /** Parameters of the reader as `NAME=VALUE`. */
  param?: string[];
  srid?: number;
}

/** A request for the content of what is no local file: a dataset, or the address of a file. */
export interface InspectRequest {
  statistics: boolean;
  readerName?: string;
  readerParameters: { name: string; value: unknown }[];
}
export type InspectElsewhere = (argument: string, request: InspectRequest, signal: AbortSignal) => Promise<Inspection>;

/**
 * Prints the content of local files or of stdin, and draws that of a single one to the file `png`. Needs no server for
 * them.
 */
export async function inspectFiles(
  given: readonly string[],
  options: PictureOptions & ReadOptions,
  io: Io,
  elsewhere?: InspectElsewhere,
): Promise<void> {
  const { files, many } = await expandFiles(given);
  const input = inputOf(options, io, elsewhere);
  if (!many) return inspectFile(files[0]!, options, input, io);
  if (options.png !== undefined) throw new UsageError(`--png draws one file, but there are ${files.length}.`);
  pictureOf(options);
  const { signal, end } = io.interruptible();
  try {
    const { results, failures } = await inBatch(
      files,
      async (file, at) => {
        const { inspection } = await input(file, undefined, signal);
        if (!io.json) io.print([`${at === 0 ? '' : '\n'}${plain(file)}:`, described(inspection)].flat());
        return inspection;
      },
      { ends: (error) => error instanceof Interrupted || error instanceof OutputFailed },
    );
    if (io.json) {
      const errors = new Map(failures.map(({ file, message }) => [file, message]));
      const shown = files.map((file, at) => ({ file, ...(results[at] ?? { error: errors.get(file) }) }));
      io.out(JSON.stringify(shown, undefined, 2));
    }
    endBatch(io, files.length, failures);
  } finally {
    end();
  }
}

type Input = (argument: string, picture: PictureChoice | undefined, signal: AbortSignal) => ReturnType<typeof inspect>;

function inputOf(
  { statistics = true, reader, param = [], srid }: ReadOptions,
  io: Io,
  elsewhere?: InspectElsewhere,
): Input {
  const data = { param, ...(srid === undefined ? {} : { srid }) };
  const { readerParameters } = conversionMembers(data, undefined, undefined);
  const readerName = reader && named(reader, readers.map(withFormat), '--reader').name;
  return async (argument, picture, signal) => {
    if (elsewhere !== undefined && argument !== STDIO && !(await isThere(argument))) {
      if (picture !== undefined) throw new UsageError(`--png draws local files, and there is no file ${argument}.`);
      const request = { statistics, ...(readerName && { readerName }), readerParameters };
      return { inspection: await inspectElsewhere(elsewhere, argument, request, signal) };
    }
    await using open = new AsyncDisposableStack();
    const { path, name } = await openLocal(io, argument, open);
    const scratch = await temporaryFolder(tmpdir(), open);
    const writers = io.json ? { writers: 'files' as const } : {};
    const chosen = { name: readerName, parameters: readerParameters };
    try {
      signal.throwIfAborted();
      return await inspect({ path, name, scratch, reader: chosen, statistics, picture, signal, ...writers });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Interrupted('Interrupted.');
    }
  };
}

const withFormat = (reader: Reader) => ({ ...reader, datasetFormat: reader.format });

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Who mistyped the name of a file hears of the file first. */
async function inspectElsewhere(
  elsewhere: InspectElsewhere,
  argument: string,
  ...given: [InspectRequest, AbortSignal]
) {
  try {
    return await elsewhere(argument, ...given);
  } catch (error) {
    if (isAddress(argument) || !(error instanceof Error)) throw error;
    throw new UsageError(`There is no file ${argument}, and no dataset of this name was read: ${error.message}`);
  }
}

async function inspectFile(argument: string, options: PictureOptions, input: Input, io: Io): Promise<void> {
  const { png } = options;
  const picture = pictureOf(options);
  await using open = new AsyncDisposableStack();
  const { signal, end } = io.interruptible();
  open.defer(async () => end());
  const found = await input(argument, picture, signal);
  // if stdout has the picture, the inspection goes to stderr
  const drawsOut = png === STDIO;
  if (io.json) (drawsOut ? io.note : io.out)(JSON.stringify(found.inspection, undefined, 2));
  else if (!drawsOut) io.print(described(found.inspection));
  if (png === undefined) return;
  await writePicture(found.png, argument, png, io);
  if (!drawsOut && !io.json) io.note(`Drawn to ${png}.`);
}

/** Draws a local file, or stdin, to a PNG file or stdout. */
export async function drawFile(argument: string, png: string, choice: PictureOptions, io: Io): Promise<void> {
  const { signal, end } = io.interruptible();
  try {
    const found = await inputOf({}, io)(argument, pictureOf({ ...choice, png }), signal);
    await writePicture(found.png, argument, png, io);
  } finally {
    end();
  }
}

async function writePicture(picture: Uint8Array | undefined, argument: string, png: string, io: Io): Promise<void> {
  if (picture === undefined) throw new Error(`${argument} has nothing to draw.`);
  await (png === STDIO ? io.write(picture) : writeFile(png, picture));
}

function pictureOf({ png, item, step, layer }: PictureOptions): PictureChoice | undefined {
  if (png === undefined) {
    const [given] = Object.entries({ item, step, layer }).find(([, value]) => value !== undefined) ?? [];
    if (given !== undefined) throw new UsageError(`--${given} selects what --png draws. Add --png PICTURE.`);
    return undefined;
  }
  return {
    ...(item === undefined ? {} : { item }),
    ...(step === undefined ? {} : { step: typeof step === 'number' ? step : { time: clockTime(step) } }),
    ...(layer === undefined ? {} : { layer }),
  };
}

/** Milliseconds since 1970 on the clock of the data, which has no time zone. */
function clockTime(text: string): number {
  const parsed = parseUtc(text);
  if (parsed === undefined) throw new UsageError(`--step ${text} is not a valid date.`);
  return millisecondsOf(parsed);
}

function described(inspection: Inspection): Shown {
  const { size, looksLike, reader, kind, crs, extent, extentWgs84, width, height, affine, layer, statistics } =
    inspection;
  const { nodes, elements, layers, sigmaLayers, dimensions, time } = inspection;
  const head = record({
    content: looksLike ?? 'unknown',
    size: bytes(size),
    reader: kind !== 'bytes' ? reader : looksLike === undefined ? undefined : `only ${reader}, which copies it`,
    layer,
    'coordinate system': kind === 'bytes' ? undefined : formatSystem(crs),
    extent: extent && extentText(extent),
    'extent in degrees': extentWgs84 && extentText(extentWgs84, 6),
    cells: width === undefined ? undefined : `${width} × ${height}`,
    'cell size': affine && cellText(affine),
    nodes,
    elements,
    layers:
      layers === undefined || sigmaLayers === undefined || sigmaLayers === layers
        ? layers
        : `${layers}, ${sigmaLayers} of them sigma`,
    dimensions: dimensions?.map(dimensionText).join(', '),
    time: time && timeText(time),
    features: statistics?.features,
    geometries:
      statistics &&
      Object.entries(statistics.geometries)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(', '),
    vertices: statistics?.vertices,
  });
  return [head, bandTable(inspection), itemTable(inspection), fieldTable(inspection), ...inspection.remarks];
}

const formatSystem = (crs: Inspection['crs']): string =>
  crs === undefined ? 'unknown' : crs.srid === undefined ? crs.name : `${crs.name} (${crs.srid})`;

const extentText = ({ west, south, east, north }: Extent, places = 3): string =>
  `${number(west, places)} ${number(south, places)} to ${number(east, places)} ${number(north, places)}`;

const number = (value: number | undefined, places: number): string =>
  value === undefined ? '' : String(Number(value.toFixed(places)));

function cellText([, a = 0, b = 0, , c = 0, d = 0]: readonly number[]): string {
  const turned = b !== 0 || c !== 0 ? ', rotated' : d > 0 ? ', first row in the south' : '';
  const [width, height] = [Math.hypot(a, c), Math.hypot(b, d)].map((size) => Number(size.toPrecision(12)));
  return `${width} × ${height}${turned}`;
}

function dimensionText({ name, unit, length, first, last }: NonNullable<Inspection['dimensions']>[number]): string {
  const range = first === undefined || last === undefined ? '' : ` (${number(first, 6)} to ${number(last, 6)}`;
  return `${name} ${length}${range && `${range}${unit === undefined ? '' : ` ${unit}`})`}`;
}

function timeText({ steps, axis, spacing, unit, first, last, interval }: TimeInspection): string {
  const count = steps === 1 ? '1 step' : `${steps} steps`;
  if (first === undefined) return count;
  const every = spacing === 'equidistant' && steps > 1 ? `, every ${interval} ${unit}s` : '';
  const from = steps === 1 ? `at ${first}` : `from ${first} to ${last}`;
  return axis === 'relative'
    ? `${count}, ${from} ${unit}s after an unknown start${every}`
    : `${count}, ${from}${every}`;
}

const bandTable = ({ bands }: Inspection): string | Table =>
  bands === undefined
    ? ''
    : figuresTable(
        'BAND',
        'CELLS',
        bands.map((one) => ({ ...one, number: one.band })),
      );

const itemTable = ({ items }: Inspection): string | Table =>
  items === undefined
    ? ''
    : figuresTable(
        'ITEM',
        'VALUES',
        items.map((one, n) => ({ ...one, number: n })),
      );

type FiguresRow = Omit<ItemInspection, 'type'> & { number: number; type?: string };

const figuresTable = (one: string, places: string, rows: readonly FiguresRow[]): Table =>
  table(
    [one, 'NAME', 'TYPE', 'UNIT', 'NODATA', places, 'EMPTY', 'MINIMUM', 'MAXIMUM', 'MEAN'],
    rows.map(({ number: n, name, type, unit, nodata, values, empty, minimum, maximum, mean }) => [
      n,
      name,
      type,
      unit,
      type === 'Float32' && typeof nodata === 'number' ? shortestSingle(nodata) : nodata,
      values,
      empty,
      number(minimum, 6),
      number(maximum, 6),
      number(mean, 6),
    ]),
  );

/** The shortest decimal number that is read as this Float32: 1e-35 instead of 1.0000000180025095e-35. */
function shortestSingle(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}

function fieldTable({ fields }: Inspection): string | Table {
  if (fields === undefined || fields.length === 0) return '';
  return table(
    ['FIELD', 'TYPE', 'WIDTH', 'DECIMALS'],
    fields.map(({ name, type, width, decimals }) => [name, type, width, decimals]),
  );
}
