import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { Converter } from '../../src/transfers/views/converters.routes.ts';
import type { ConversionOptions } from '../converters.ts';
import { conversionOf, conversionOptions, listConverters, named, readerFor } from '../converters.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { GivenFile } from '../staged-file.ts';
import { checkFileFirst, givenFile } from '../staged-file.ts';
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
    .description('send a file, or have the platform fetch one, and convert it into a dataset')
    .argument('<file>', 'a local file, or an http(s) address')
    .requiredOption('--project <id>', 'where the dataset shall be')
    .option('--reader <name>', "how to read the file; default: by the file's content, else by its name")
    .option('--writer <name>', "how to store it; default: in the file's own format")
    .option(
      '--name <name>',
      "name of the dataset; default: the file's name, without its extension where it is converted",
    )
    .option('--description <text>', 'description of the dataset');
  conversionOptions(checkFileFirst(command))
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((file, options) => importFile(io, file, options));
}

async function importFile(io: Io, path: string, options: ImportOptions): Promise<void> {
  const file = await givenFile(io, path);
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

/** What is stored in a format of its own gets that format's extension when it is downloaded; bytes that were only copied keep theirs. */
const nameOf = ({ name }: GivenFile, { datasetFormat }: Converter): string =>
  datasetFormat === 'file' ? name : basename(name, extname(name));

/** What is not said follows from the file's name and from what the server offers. */
async function chooseConverters(
  io: Io,
  file: GivenFile,
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
  throw new UsageError(
    `What ${reader.name} reads can be stored in several ways: give --writer, one of ${reader.writers?.join(', ')}.`,
  );
}
