import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { localOutput, STDIO } from 'hydrofiles/command';
import { UsageError } from 'hydrofiles/terminal';
import type { Answer } from './client.ts';
import type { Io } from './io.ts';

/** Words of `f` of a query, and the extensions of their files. */
export type FileFormats = Readonly<Record<string, readonly string[]>>;

export const FEATURE_FORMATS = {
  json: ['.geojson', '.json'],
  gpkg: ['.gpkg'],
  parquet: ['.parquet', '.geoparquet'],
  csv: ['.csv'],
  fgb: ['.fgb'],
  shp: ['.shp', '.zip'],
} as const;
export const SERIES_FORMATS = {
  json: ['.json'],
  csv: ['.csv'],
  parquet: ['.parquet'],
  netcdf: ['.nc', '.nc4'],
} as const;
export const ARRAY_FORMATS = { ...SERIES_FORMATS, covjson: ['.covjson'] } as const;

export interface FileOptions {
  output?: string;
  format?: string;
  force?: boolean;
}

/** Adds the options that write an answer to a file. */
export const fileOptions = (command: Command, formats: FileFormats): Command =>
  command
    .option('-o, --output <file>', `write a file: ${Object.values(formats).flat().join(', ')}; - for stdout`)
    .addOption(
      new Option('--format <format>', 'format of the file; default: by its extension').choices(Object.keys(formats)),
    )
    .option('--force', 'replace the file');

/** The format of the file: that of the option, else by the extension; for stdout `json`. */
export function fileFormat({ output = STDIO, format }: FileOptions, formats: FileFormats): string {
  if (format !== undefined) return format;
  if (output === STDIO) return 'json';
  const extension = extname(output).toLowerCase();
  const found = Object.keys(formats).find((one) => formats[one]!.includes(extension));
  if (found !== undefined) return found;
  const known = Object.values(formats).flat().join(', ');
  throw new UsageError(
    `${output}: ${extension === '' ? 'the name has no extension' : `the extension ${extension} is not known`}. Use ${known}, or --format.`,
  );
}

/** Refuses `--format` and `--force` without a file. */
export function checkFileOptions({ output, format, force }: FileOptions): void {
  if (output === undefined && (format !== undefined || force))
    throw new UsageError(`${format === undefined ? '--force' : '--format'} needs -o with the name of a file.`);
}

/** Writes an answer to a file, whole or not at all, and tells what the file does not hold of it. */
export async function saveAnswer(
  io: Io,
  { output = STDIO, force = false }: FileOptions,
  answer: Answer<unknown>,
): Promise<void> {
  const { bytes = Buffer.from(answer.text), headers } = answer;
  const lost = JSON.parse(String(headers.lost ?? '[]')) as string[];
  for (const sentence of lost) io.note(sentence);
  await using open = new AsyncDisposableStack();
  const target = await localOutput(output, force, open);
  await writeFile(target.path, bytes);
  const { files } = await target.finish(io, (name) => name);
  if (output === STDIO) return;
  const done = { status: answer.status, headers: {}, text: '', body: undefined };
  io.show(done, () => `Written to ${files.join(', ')}.`, { files, ...(lost.length === 0 ? {} : { lost }) });
}
