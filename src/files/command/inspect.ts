import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { inspect } from '../convert/inspect.ts';
import type { Inspection } from '../convert/inspection.ts';
import type { PictureChoice } from '../convert/kinds/picture-choice.ts';
import { millisecondsOf, parseUtc } from '../data/date-text.ts';
import type { Reader } from '../formats/define.ts';
import { readers } from '../formats/registry.ts';
import { endBatch, inBatch } from './batch.ts';
import { conversionMembers, named } from './converters.ts';
import { Interrupted, OutputFailed, UsageError } from './errors.ts';
import { expandFiles } from './expand.ts';
import { isAddress, openLocal } from './input.ts';
import { describeInspection } from './inspection-text.ts';
import type { Io } from './io.ts';
import { STDIO } from './output.ts';
import { plain } from './table.ts';
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
  // what a folder or pattern has named is a file
  const input = inputOf(options, io, elsewhere && { inspect: elsewhere, given });
  if (!many) return inspectFile(files[0]!, options, input, io);
  if (options.png !== undefined) throw new UsageError(`--png draws one file, but there are ${files.length}.`);
  pictureOf(options);
  const { signal, end } = io.interruptible();
  try {
    const { results, failures } = await inBatch(
      files,
      async (file, at) => {
        const { inspection } = await input(file, undefined, signal);
        if (!io.json) io.print([`${at === 0 ? '' : '\n'}${plain(file)}:`, describeInspection(inspection)].flat());
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
  elsewhere?: { inspect: InspectElsewhere; given: readonly string[] },
): Input {
  const data = { param, ...(srid === undefined ? {} : { srid }) };
  const { readerParameters } = conversionMembers(data, undefined, undefined);
  const readerName = reader && named(reader, readers.map(withFormat), '--reader').name;
  return async (argument, picture, signal) => {
    if (elsewhere?.given.includes(argument) && argument !== STDIO && !(await isThere(argument))) {
      if (picture !== undefined) throw new UsageError(`--png draws local files, and there is no file ${argument}.`);
      const request = { statistics, ...(readerName && { readerName }), readerParameters };
      return { inspection: await inspectElsewhere(elsewhere.inspect, argument, request, signal) };
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
  else if (!drawsOut) io.print(describeInspection(found.inspection));
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
