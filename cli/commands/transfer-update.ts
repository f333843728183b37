import { basename } from 'node:path';
import type { Command } from 'commander';
import type { ConversionOptions } from '../converters.ts';
import { conversionOf, conversionOptions, converterFor, listConverters, named } from '../converters.ts';
import type { Io } from '../io.ts';
import { sizeOf, stage } from '../staged-file.ts';
import { started } from './transfer-convert.ts';

interface UpdateOptions extends ConversionOptions {
  reader?: string;
  watch?: boolean;
}

export function updateCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('update')
    .description('replace what a dataset holds by a file; its id, name and metadata stay')
    .argument('<dataset>')
    .argument('<file>')
    .option('--reader <name>', "how to read the file; default: by the file's extension");
  conversionOptions(command)
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((dataset, file, options) => update(io, dataset, file, options));
}

async function update(io: Io, dataset: string, file: string, options: UpdateOptions): Promise<void> {
  await sizeOf(file);
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const reader =
    options.reader === undefined ? converterFor(file, readers, '--reader') : named(options.reader, readers, '--reader');
  const body = {
    originalFileName: basename(file),
    uploadUrl: await stage(io, file),
    readerName: reader.name,
    ...conversionOf(options, reader, undefined),
  };
  await started(io, `/api/metadata/dataset/${encodeURIComponent(dataset)}/update`, body, options.watch);
}
