import { basename } from 'node:path';
import type { ByteSource } from '../data/bytes.ts';
import { ConversionError } from '../errors.ts';
import type { Context } from '../formats/define.ts';
import { detect } from '../formats/detect.ts';
import { fileReader } from '../formats/file/format.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { completeParameters, type GivenParameters } from '../formats/parameters.ts';
import { findReader, readers } from '../formats/registry.ts';
import { Srid } from '../formats/srid.ts';
import { withCleanNames } from './clean-names.ts';
import { inSystem, withName } from './in-system.ts';
import { inspectWriters } from './inspect-writers.ts';
import type { Inspection } from './inspection.ts';
import { loadHandler } from './kinds/kinds.ts';
import type { PictureChoice } from './kinds/picture-choice.ts';
import { Remarks } from './remarks.ts';

export interface InspectOptions {
  path: string;
  /** Original name of the file; layers without a name of their own have it. Default: the name in `path`. */
  name?: string;
  /** Folder for temporary files. */
  scratch: string;
  /** Name of a reader and its parameters. Default: the reader that the content asks for. */
  reader?: { name?: string | undefined; parameters?: GivenParameters | undefined };
  /** Absent: no picture is drawn. */
  picture?: PictureChoice | undefined;
  /** Whether to read the values, for their statistics. Default: true. */
  statistics?: boolean;
  /** Whether to tell which writers and transformations can follow; `all`: also writers of rows of a database. */
  writers?: 'files' | 'all';
  signal: AbortSignal;
}

/**
 * Detects the format of a file by its content and describes the data. Reads the whole file once, unless statistics are
 * not asked for; features twice if a picture is requested.
 * @throws FormatError or ConversionError with the reader's sentence if the file is broken
 */
export async function inspect(options: InspectOptions): Promise<{ inspection: Inspection; png?: Uint8Array }> {
  await using source = await FileSource.open(options.path, { checksum: false });
  return await describe(source, options, {});
}

/**
 * Describes a source as `inspect` does a file.
 * @param known receives what the source has told so far, also if it ends with an error
 */
export async function describe(
  source: ByteSource,
  options: InspectOptions,
  known: Partial<Inspection>,
): Promise<{ inspection: Inspection; png?: Uint8Array }> {
  const { path, scratch, picture, statistics = true, signal } = options;
  await using open = new AsyncDisposableStack();
  const found = await detect(source);
  if (found !== undefined) known.looksLike = found.name.replace(/^an? /, '');
  const named = options.reader?.name === undefined ? undefined : findReader(options.reader.name);
  if (named === undefined && options.reader?.name !== undefined)
    throw new ConversionError(`'${options.reader.name}' is not a reader.`);
  if (named === undefined && found?.fault !== undefined) throw found.fault;
  const reader = named ?? readers.find((one) => one.format === found?.format) ?? fileReader;
  Object.assign(known, { format: reader.format, reader: reader.name });
  const lost = new Set<string>();
  const repairs = new Remarks();
  const context: Context = {
    signal,
    scratch,
    log: (level, message) => void (level === 'warning' && lost.add(message)),
    progress: () => {},
    reportLoss: (sentence) => void lost.add(sentence),
    remark: (sentence) => void repairs.add(sentence),
    reportBadRecord: ({ number, reason }) => void (lost.size < 20 && lost.add(`Record ${number}: ${reason.message}`)),
    onEnd: (close) => open.defer(close),
  };
  const parameters = completeParameters(reader, options.reader?.parameters ?? {});
  const read = withCleanNames(await reader.read(source, parameters, context), context.remark);
  const stem = (options.name ?? basename(path)).replace(/\.[^.]*$/, '');
  const data = read.kind === 'bytes' ? read : inSystem(withName(read, stem), Srid.safeParse(parameters.SRID).data);
  const inspection: Inspection = Object.assign(known, {
    size: source.size,
    format: reader.format,
    reader: reader.name,
    kind: data.kind,
    remarks: [],
  });
  const png = await (await loadHandler(data.kind)).inspect?.(data as never, inspection, {
    picture,
    statistics,
    signal,
  });
  const advice = reader === fileReader && found?.advice !== undefined ? [found.advice] : [];
  inspection.remarks = [...advice, ...lost, ...repairs.list()];
  if (options.writers !== undefined)
    await inspectWriters(data, inspection, reader, { scratch, stem, signal, rows: options.writers === 'all' });
  return { inspection, ...(png === undefined ? {} : { png }) };
}
