import { extname } from 'node:path';
import type { Command } from 'commander';
import { converterFor, named, needsName, STDIO } from 'hydrofiles/command';
import { UsageError } from 'hydrofiles/terminal';
import type { Summary } from '../../src/transfers/queries.ts';
import { type ConversionOptions, conversionOptions, listConverters, readConversion } from '../converters.ts';
import type { DownloadTarget } from '../download.ts';
import { downloadWithProgress } from '../download-with-progress.ts';
import type { Io } from '../io.ts';
import { noteCosts, showDryRun } from '../start-transfer.ts';
import { followTransfer, noteSentences, showEnded } from '../watch.ts';

interface ExportOptions extends ConversionOptions {
  reader?: string;
  writer?: string;
  output?: string;
  force?: boolean;
  dryRun?: boolean;
}

export function exportCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('export <dataset>')
    .description('convert a dataset to a file and download it')
    .option('--writer <name>', "writer of the file; default: by the extension of the output's name")
    .option('--reader <name>', 'reader of the dataset; default: by its format')
    .option('-o, --output <file>', "file or folder, - for stdout; default: the export's name, in the current folder")
    .option('--force', 'replace an existing file');
  conversionOptions(command).action((dataset, options) => exportDataset(io, dataset, options));
}

async function exportDataset(io: Io, dataset: string, options: ExportOptions): Promise<void> {
  const target: DownloadTarget = { path: options.output, force: options.force };
  const { writer: writerName, output } = options;
  if (writerName === undefined && (output === undefined || output === STDIO || extname(output) === ''))
    throw new UsageError(
      "The format of the export is unknown. Use -o with an extension, such as -o terrain.tif, or --writer (see 'platform writer list').",
    );
  if (!options.dryRun) await needsName(target);
  const readers = (await listConverters(io.api, 'reader')).body.data;
  const writers = (await listConverters(io.api, 'writer')).body.data;
  const reader = options.reader === undefined ? undefined : named(options.reader, readers, '--reader');
  const writer =
    writerName === undefined ? converterFor(output ?? '', writers, '--writer') : named(writerName, writers, '--writer');
  const body = {
    ...(reader === undefined ? {} : { readerName: reader.name }),
    writerName: writer.name,
    ...(await readConversion(io, options, reader, writer)),
  };
  const path = `/api/metadata/dataset/${encodeURIComponent(dataset)}/download-convert`;
  if (options.dryRun) return showDryRun(io, path, body);
  await noteCosts(io, path, body);
  const { id } = (await io.api.call<Summary>('POST', path, { body })).body;
  const started = `Transfer ${id} has been started. To download its file later: 'platform transfer download ${id}'.`;
  const ended = await followTransfer(io, id, started);
  if (ended.body.status !== 'Completed') return showEnded(io, ended);
  const { downloadPath, badRecordsUrl, recordsSkipped } = ended.body;
  if (downloadPath === undefined)
    throw new Error(
      `You cannot download the file of transfer ${id}, because you can no longer read dataset ${dataset}.`,
    );
  const files = await downloadWithProgress(io, downloadPath, target);
  noteSentences(io, ended.body);
  if (badRecordsUrl !== undefined) io.note(`${recordsSkipped} records were skipped. Their locations: ${badRecordsUrl}`);
  if (files !== undefined) io.show(ended, () => files.join('\n'));
}
