import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { Converter } from '../../src/transfers/views/converters.routes.ts';
import type { ConversionOptions } from '../converters.ts';
import { conversionOf, conversionOptions, listConverters, named, readerFor } from '../converters.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { InputFile } from '../staged-file.ts';
import { checkFileFirst, openInputFile } from '../staged-file.ts';
import type { StartOptions } from '../start-transfer.ts';
import { startWithFile } from '../start-transfer.ts';

interface ImportOptions extends ConversionOptions, StartOptions {
  project: string;
  reader?: string;
  writer?: string;
  name?: string;
  description?: string;
}

export function importCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('import')
    .description('import a local or remote file as a dataset')
    .argument('<file>', 'a local file, or an http(s) address')
    .requiredOption('--project <id>', 'project of the dataset')
    .option('--reader <name>', "reader of the file; default: by the file's content, else by its name")
    .option('--writer <name>', "writer of the dataset; default: the file's own format")
    .option('--name <name>', "name of the dataset; default: the file's name, without extension if it is converted")
    .option('--description <text>', 'description of the dataset');
  conversionOptions(checkFileFirst(command))
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((file, options) => importFile(io, file, options));
}

async function importFile(io: Io, path: string, options: ImportOptions): Promise<void> {
  const file = await openInputFile(io, path);
  const { reader, writer } = await chooseConverters(io, file, options);
  const description = options.description === undefined ? {} : { description: options.description };
  const body = {
    file,
    projectId: options.project,
    outputDatasetData: { name: options.name ?? nameOf(file, writer), ...description },
    readerName: reader.name,
    writerName: writer.name,
    ...conversionOf(options, reader, writer),
  };
  await startWithFile(io, '/api/conversion/upload-convert', body, options);
}

/** Without extension for converted datasets, which get one on download; copied files keep theirs. */
const nameOf = ({ name }: InputFile, { datasetFormat }: Converter): string =>
  datasetFormat === 'file' ? name : basename(name, extname(name));

/** Chooses reader and writer by the options, else by the file and the server's converters. */
async function chooseConverters(
  io: Io,
  file: InputFile,
  options: ImportOptions,
): Promise<{ reader: Converter; writer: Converter }> {
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const writers = (await listConverters(io.api, 'writer')).body.data;
  const reader = readerFor(file, readers, options.reader);
  if (options.writer !== undefined) return { reader, writer: named(options.writer, writers, '--writer') };
  const same = writers.filter(
    (one) => one.datasetFormat === reader.datasetFormat && reader.writers?.includes(one.name),
  );
  if (same[0] !== undefined && same.length === 1) return { reader, writer: same[0] };
  throw new UsageError(`${reader.name} has several writers. Use --writer with one of ${reader.writers?.join(', ')}.`);
}
