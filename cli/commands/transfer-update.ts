import type { Command } from 'commander';
import type { ConversionOptions } from '../converters.ts';
import { conversionOf, conversionOptions, listConverters, readerFor } from '../converters.ts';
import type { Io } from '../io.ts';
import { checkFileFirst, givenFile } from '../staged-file.ts';
import type { StartOptions } from '../start-transfer.ts';
import { startWithFile } from '../start-transfer.ts';

interface UpdateOptions extends ConversionOptions, StartOptions {
  reader?: string;
}

const DESCRIPTIONS = {
  update: 'replace what a dataset holds by a file; its id, name and metadata stay',
  append: 'add what is in a file to what a dataset holds, by the names of its fields and in its coordinate system',
} as const;

/** A file that comes to a dataset that is there: in place of what it holds, or behind it. */
export function updateCommand(transfer: Command, io: Io, verb: keyof typeof DESCRIPTIONS): void {
  const command = transfer
    .command(verb)
    .description(DESCRIPTIONS[verb])
    .argument('<dataset>')
    .argument('<file>', 'a local file, or an http(s) address')
    .option('--reader <name>', "how to read the file; default: by the file's content, else by its name");
  conversionOptions(checkFileFirst(command))
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((dataset, file, options) => bring(io, verb, dataset, file, options));
}

async function bring(io: Io, verb: string, dataset: string, path: string, options: UpdateOptions): Promise<void> {
  const file = await givenFile(io, path);
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const reader = readerFor(file, readers, options.reader);
  const body = { file, readerName: reader.name, ...conversionOf(options, reader, undefined) };
  await startWithFile(io, `/api/metadata/dataset/${encodeURIComponent(dataset)}/${verb}`, body, options);
}
