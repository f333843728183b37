import { extname } from 'node:path';
import type { Command } from 'commander';
import type { List } from '../src/http/rules/paging.ts';
import type { Converter } from '../src/transfers/views/converters.routes.ts';
import type { Api } from './client.ts';
import { UsageError } from './errors.ts';
import { repeated, srid } from './options.ts';
import type { ResourceOptions } from './resources.ts';
import { resourceOptions, resourcesOf } from './resources.ts';
import type { GivenFile } from './staged-file.ts';
import type { TransformationOptions } from './transformations.ts';
import { transformationOptions, transformationsOf } from './transformations.ts';

export const listConverters = (api: Api, kind: 'reader' | 'writer', filter?: string) =>
  api.call<List<Converter>>('GET', `/api/conversion/${kind}/list`, { query: { filter } });

/** What people call the files of each format. Several formats live in zip files, so that says nothing. */
const EXTENSIONS: Record<string, string> = {
  asc: 'asciigrid',
  tif: 'geotiff',
  tiff: 'geotiff',
  geojson: 'geojson',
  shp: 'shapefile',
  dfs0: 'dfs0',
  dfs1: 'dfs1',
  dfs2: 'dfs2',
  dfs3: 'dfs3',
  dfsu: 'dfsu',
  vtu: 'vtu',
  xyz: 'xyz',
  mesh: 'mesh',
};

/** The one converter for files of this name. `option` is what to give where the name does not tell. */
export function converterFor(file: string, converters: readonly Converter[], option: string): Converter {
  const extension = extname(file).slice(1).toLowerCase();
  const format = EXTENSIONS[extension];
  const found = converters.filter(({ datasetFormat }) => datasetFormat === format);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = (found.length > 1 ? found : converters).map(({ name }) => name).join(', ');
  throw new UsageError(`The name of ${file} does not tell how to treat it: give ${option}, one of ${names}.`);
}

/** How to read a file: as is said, else by its content, else by its name. */
export function readerFor(file: GivenFile, readers: readonly Converter[], wanted: string | undefined): Converter {
  if (wanted !== undefined) return named(wanted, readers, '--reader');
  const { format, looksLike } = file.content ?? {};
  const found = format === undefined ? [] : readers.filter(({ datasetFormat }) => datasetFormat === format);
  if (found[0] !== undefined && found.length === 1) return found[0];
  if (looksLike === undefined || extname(file.name).slice(1).toLowerCase() in EXTENSIONS)
    return converterFor(file.name, readers, '--reader');
  throw new UsageError(
    `${file.name} looks like ${looksLike}, which no reader takes: give --reader, FileReader to keep it as it is.`,
  );
}

interface NamedValue {
  name: string;
  value: unknown;
}

export interface ConversionOptions extends TransformationOptions, ResourceOptions {
  param?: string[];
  srid?: number;
  skipBadRecords?: boolean;
}

/** The options that all starts of conversions share. */
export const conversionOptions = (command: Command): Command =>
  resourceOptions(
    transformationOptions(
      command
        .option(
          '--param <name=value>',
          'a parameter, may be repeated; reader.NAME= or writer.NAME= where both have it',
          repeated,
        )
        .option('--srid <srid>', 'coordinate system of the data, where they say none or a wrong one', srid),
    )
      .option('--skip-bad-records', 'go on where a record cannot be read; their places are kept as a GeoJSON file')
      .option('--dry-run', 'only find out whether it could be started, and what to expect; nothing is sent or started'),
  );

/** Members of a request. A name without a side goes to whichever has it, else to the reader, so that the server refuses it. */
export function conversionOf(
  { param = [], srid, skipBadRecords, ...wanted }: ConversionOptions,
  reader: Converter | undefined,
  writer: Converter | undefined,
) {
  const readerParameters: NamedValue[] = srid === undefined ? [] : [{ name: 'SRID', value: srid }];
  const writerParameters: NamedValue[] = [];
  for (const text of param) {
    const [, side, name, value] = /^(?:(reader|writer)\.)?([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--param takes NAME=VALUE, not '${text}'.`);
    const has = (converter: Converter | undefined) =>
      converter?.parameters.some((one) => one.name.toLowerCase() === name.toLowerCase()) ?? false;
    if (side === undefined && has(reader) && has(writer)) {
      throw new UsageError(`Reader and writer both have '${name}': write reader.${name}= or writer.${name}=.`);
    }
    const toWriter = side === undefined ? has(writer) : side === 'writer';
    (toWriter ? writerParameters : readerParameters).push({ name, value: jsonOrText(value) });
  }
  const bad = skipBadRecords ? { onBadRecord: 'skip' as const } : {};
  return {
    readerParameters,
    writerParameters,
    transformations: transformationsOf(wanted),
    ...bad,
    ...resourcesOf(wanted),
  };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function named(name: string, converters: readonly Converter[], option: string): Converter {
  const found = converters.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new UsageError(
    `${option} ${name} is not offered here; there are ${converters.map((one) => one.name).join(', ')}.`,
  );
}
