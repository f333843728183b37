import type { Command } from 'commander';
import { named } from 'hydrofiles/command';
import { type ConversionOptions, conversionOptions, listConverters, readConversion } from '../converters.ts';
import type { Io } from '../io.ts';
import { type StartOptions, startTransfer } from '../start-transfer.ts';

interface ConvertOptions extends ConversionOptions, StartOptions {
  reader?: string;
  writer: string;
  name: string;
  description?: string;
  project?: string;
}

export function convertCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('convert <dataset>')
    .description('convert a dataset to a new one, in another format or coordinate system')
    .requiredOption('--writer <name>', 'writer of the new dataset')
    .requiredOption('--name <name>', 'name of the new dataset')
    .option('--description <text>', 'description of the new dataset')
    .option('--project <id>', "project of the new dataset; default: the dataset's project")
    .option('--reader <name>', 'reader of the dataset; default: by its format');
  conversionOptions(command)
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((dataset, options) => convert(io, dataset, options));
}

async function convert(io: Io, dataset: string, options: ConvertOptions): Promise<void> {
  const readers = options.reader === undefined ? [] : (await listConverters(io.api, 'reader')).body.data;
  const writers = (await listConverters(io.api, 'writer')).body.data;
  const reader = options.reader === undefined ? undefined : named(options.reader, readers, '--reader');
  const writer = named(options.writer, writers, '--writer');
  const { name, description, project: outputProjectId } = options;
  const body = {
    outputDatasetData: { name, description },
    outputProjectId,
    readerName: reader?.name,
    writerName: writer.name,
    ...(await readConversion(io, options, reader, writer)),
  };
  await startTransfer(io, `/api/metadata/dataset/${encodeURIComponent(dataset)}/convert`, body, options);
}
