import type { Command } from 'commander';
import { formatOfName } from '../formats/detect.ts';
import { USUAL_SCHEMES } from '../tiles/dataset/usual-schemes.ts';
import { UsageError } from './errors.ts';
import type { LocalInput } from './input.ts';
import { repeated, srid } from './options.ts';
import { readTransformations, type TransformationOptions, transformationOptions } from './transformations.ts';

interface Named {
  readonly name: string;
  readonly otherNames?: readonly string[];
  readonly datasetFormat: string;
}

/**
 * The only converter of the format of this file name. `option`: the option to use if there is none or more than one.
 */
export function converterFor<C extends Named>(file: string, converters: readonly C[], option: string): C {
  const format = formatOfName(file);
  const found = converters.filter(({ datasetFormat }) => datasetFormat === format);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = (found.length > 1 ? found : converters).map(({ name }) => name).join(', ');
  throw new UsageError(`The format of ${file} is not known from its name. Use ${option} with one of ${names}.`);
}

/** Chooses the reader of a file: as requested, else by its content, else by its name. */
export function readerFor<C extends Named>(
  file: Pick<LocalInput, 'name'> & Partial<Pick<LocalInput, 'content'>>,
  readers: readonly C[],
  requested: string | undefined,
): C {
  if (requested !== undefined) return named(requested, readers, '--reader');
  const { format, name: looksLike, advice } = file.content ?? {};
  const found = format === undefined ? [] : readers.filter(({ datasetFormat }) => datasetFormat === format);
  if (found[0] !== undefined && found.length === 1) return found[0];
  if (looksLike === undefined || formatOfName(file.name) !== undefined)
    return converterFor(file.name, readers, '--reader');
  if (advice !== undefined)
    throw new UsageError(
      `${file.name} looks like ${looksLike}. ${advice} To store it unchanged, use --reader FileReader.`,
    );
  throw new UsageError(
    `${file.name} looks like ${looksLike}, which no reader supports. Use --reader FileReader to store it unchanged.`,
  );
}

/** What a writer of tiles gets without schemes. */
const TILING_SCHEMES = { name: 'TilingSchemes', value: USUAL_SCHEMES };

interface NamedValue {
  name: string;
  value: unknown;
}

/** Options about the data of a conversion. */
export interface DataOptions extends TransformationOptions {
  param?: string[];
  srid?: number;
  skipBadRecords?: boolean;
}

/** Adds the options of all conversions, also of local ones. */
export const dataOptions = (command: Command): Command =>
  transformationOptions(
    command
      .option(
        '--param <name=value>',
        'parameter of the reader or writer; may be repeated; reader.NAME= or writer.NAME= if both have it',
        repeated,
      )
      .option('--srid <srid>', 'coordinate system of the data; overrides that of the file', srid),
  ).option('--skip-bad-records', 'skip records that cannot be read; their locations are stored as a GeoJSON file');

export interface Parametrised {
  readonly name: string;
  readonly parameters: readonly { readonly name: string }[];
}

/**
 * Members of a request. A parameter without `reader.` or `writer.` goes to the one that has it; if none has it,
 * to the reader, whose check refuses it.
 */
export function conversionMembers(
  { param = [], srid, skipBadRecords, ...wanted }: DataOptions,
  reader: Parametrised | undefined,
  writer: Parametrised | undefined,
) {
  const readerParameters: NamedValue[] = srid === undefined ? [] : [{ name: 'SRID', value: srid }];
  const writerParameters: NamedValue[] = [];
  for (const text of param) {
    const [, side, name, value] = /^(?:(reader|writer)\.)?([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--param takes NAME=VALUE, not '${text}'.`);
    const has = (converter: Parametrised | undefined) =>
      converter?.parameters.some((one) => one.name.toLowerCase() === name.toLowerCase()) ?? false;
    if (side === undefined && has(reader) && has(writer)) {
      throw new UsageError(`Reader and writer both have '${name}'. Use reader.${name}= or writer.${name}=.`);
    }
    const toWriter = side === undefined ? has(writer) : side === 'writer';
    (toWriter ? writerParameters : readerParameters).push({ name, value: parseJsonOrText(value) });
  }
  const hasSchemes = writerParameters.some(({ name }) => name.toLowerCase() === TILING_SCHEMES.name.toLowerCase());
  if (writer?.name === 'TilingWriter' && !hasSchemes) writerParameters.push(TILING_SCHEMES);
  const bad = skipBadRecords ? { onBadRecord: 'skip' as const } : {};
  return {
    readerParameters,
    writerParameters,
    transformations: readTransformations(wanted),
    ...bad,
  };
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function named<C extends Named>(name: string, converters: readonly C[], option: string): C {
  const isNamed = (one: string) => one.toLowerCase() === name.toLowerCase();
  const found = converters.find((one) => isNamed(one.name) || one.otherNames?.some(isNamed));
  if (found) return found;
  throw new UsageError(`${option} ${name} does not exist. Use one of ${converters.map((one) => one.name).join(', ')}.`);
}
