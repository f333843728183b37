import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { ConversionOptions, Converter } from '../converters.ts';
import { conversionOf, conversionOptions, converterFor, listConverters, named } from '../converters.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { bytes } from '../table.ts';
import { upload } from '../upload.ts';
import type { TransferSummary } from '../watch.ts';
import { showEnded, watchTransfer } from '../watch.ts';

interface ImportOptions extends ConversionOptions {
  project: string;
  reader?: string;
  writer?: string;
  name?: string;
  description?: string;
  watch?: boolean;
}

export function importCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('import')
    .description('send a file and convert it into a dataset')
    .argument('<file>')
    .requiredOption('--project <id>', 'where the dataset shall be')
    .option('--reader <name>', "how to read the file; default: by the file's extension")
    .option('--writer <name>', "how to store it; default: in the file's own format")
    .option('--name <name>', "name of the dataset; default: the file's name")
    .option('--description <text>', 'description of the dataset');
  conversionOptions(command)
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((file, options) => importFile(io, file, options));
}

async function importFile(io: Io, file: string, options: ImportOptions): Promise<void> {
  const size = await sizeOf(file);
  const { reader, writer } = await chooseConverters(io, file, options);
  const address = (await io.api.call<{ data: string }>('GET', '/api/conversion/transfer/upload-url')).body.data;
  await uploadShown(io, file, size, address);
  const description = options.description === undefined ? {} : { description: options.description };
  const body = {
    originalFileName: basename(file),
    uploadUrl: address,
    projectId: options.project,
    outputDatasetData: { name: options.name ?? basename(file), ...description },
    readerName: reader.name,
    writerName: writer.name,
    ...conversionOf(options, reader, writer),
  };
  const started = await io.api.call<TransferSummary>('POST', '/api/conversion/upload-convert', { body });
  const { id } = started.body;
  if (options.watch ?? io.interactive) showEnded(io, await watchTransfer(io, id));
  else io.show(started, () => `${id}`);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return found.size;
  throw new UsageError(found ? `${file} is no file.` : `There is no file ${file}.`);
}

/** What is not said follows from the file's name and from what the server offers. */
async function chooseConverters(
  io: Io,
  file: string,
  options: ImportOptions,
): Promise<{ reader: Converter; writer: Converter }> {
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const writers = (await listConverters(io.api, 'writer')).body.data;
  const reader =
    options.reader === undefined ? converterFor(file, readers, '--reader') : named(options.reader, readers, '--reader');
  if (options.writer !== undefined) return { reader, writer: named(options.writer, writers, '--writer') };
  const same = writers.filter(
    (one) => one.datasetFormat === reader.datasetFormat && reader.writers?.includes(one.name),
  );
  if (same[0] !== undefined && same.length === 1) return { reader, writer: same[0] };
  throw new UsageError(
    `What ${reader.name} reads can be stored in several ways: give --writer, one of ${reader.writers?.join(', ')}.`,
  );
}

async function uploadShown(io: Io, file: string, size: number, address: string): Promise<void> {
  const progress = io.progress('Uploading ');
  try {
    await upload(file, address, (sent) => progress.report(size === 0 ? 1 : sent / size, bytes(sent)));
  } finally {
    progress.end();
  }
}
