import type { Command } from 'commander';
import { expandFiles, isAddress, isJoined, joinOptions, measureSize, readerFor } from 'hydrofiles/command';
import { integer, UsageError } from 'hydrofiles/terminal';
import type { Transfer } from '../../src/transfers/views/record.ts';
import { type ConversionOptions, conversionOptions, listConverters, readConversion } from '../converters.ts';
import type { Io } from '../io.ts';
import { openInputFile } from '../staged-file.ts';
import { startJoined } from '../start-joined.ts';
import { type FileRequest, type StartOptions, startFromFile, startWithFile } from '../start-transfer.ts';
import { followTransfer } from '../watch.ts';
import { completed, PARALLEL } from './transfer-import.ts';

interface UpdateOptions extends ConversionOptions, StartOptions {
  parallel?: number;
  reader?: string;
}

const DESCRIPTIONS = {
  update: 'replace the content of a dataset by a file; keeps its id, name and metadata',
  append: 'append a file to a dataset; fields are matched by name, coordinates are transformed',
} as const;

/** Adds `update` or `append`, which replace or extend the content of an existing dataset by a file. */
export function updateCommand(transfer: Command, io: Io, verb: keyof typeof DESCRIPTIONS): void {
  const command = transfer
    .command(verb)
    .description(DESCRIPTIONS[verb])
    .argument('<dataset>')
    .argument('<files...>', 'a local file or an http(s) address; or several that --mosaic or --stack joins')
    .option('--reader <name>', "reader of the file; default: by the file's content, else by its name")
    // before any request
    .hook('preAction', async ({ processedArgs: [, given] }) => {
      for (const file of (await expandFiles(given)).files) if (!isAddress(file)) await measureSize(file);
    });
  joinOptions(conversionOptions(command))
    .option('--parallel <number>', 'files that are sent at once; default: 4', integer(1, 32))
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((dataset, files, options) => startWithDataset(io, verb, dataset, files, options));
}

async function startWithDataset(
  io: Io,
  verb: string,
  dataset: string,
  given: readonly string[],
  options: UpdateOptions,
): Promise<void> {
  const { files } = await expandFiles(given);
  const { parallel = PARALLEL } = options;
  if (files.length > 1 && !isJoined(options))
    throw new UsageError(`There are ${files.length} files. Use --mosaic or --stack to join them into one.`);
  const request = await updateRequest(io, files[0]!, options);
  if (isJoined(options)) await startJoined(io, pathOf(dataset, verb), request, files, { ...options, parallel });
  else await startWithFile(io, pathOf(dataset, verb), request, options);
}

const pathOf = (dataset: string, verb: string) => `/api/metadata/dataset/${encodeURIComponent(dataset)}/${verb}`;

async function updateRequest(io: Io, path: string, options: UpdateOptions): Promise<FileRequest> {
  const file = await openInputFile(io, path);
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const reader = readerFor(file, readers, options.reader);
  return { file, readerName: reader.name, ...(await readConversion(io, options, reader, undefined)) };
}

/** Replaces the content of a dataset by a file and follows the transfer to its end. Throws its error if it fails. */
export async function updateWhole(io: Io, dataset: string, path: string): Promise<Transfer> {
  const { id } = (await startFromFile(io, pathOf(dataset, 'update'), await updateRequest(io, path, {}))).body;
  return completed((await followTransfer(io, id)).body);
}
