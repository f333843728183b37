import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import {
  expandFiles,
  isAddress,
  isJoined,
  joinOptions,
  listSentences,
  measureSize,
  named,
  readerFor,
} from 'hydrofiles/command';
import {
  endBatch,
  Interrupted,
  inBatch,
  integer,
  layOut,
  type Progress,
  type Shown,
  table,
  UsageError,
} from 'hydrofiles/terminal';
import type { Converter } from '../../src/transfers/views/converters.routes.ts';
import type { Transfer } from '../../src/transfers/views/record.ts';
import { composedAnswer } from '../client.ts';
import { type ConversionOptions, conversionOptions, listConverters, readConversion } from '../converters.ts';
import { concernsAll } from '../errors.ts';
import type { Io } from '../io.ts';
import type { SentFiles } from '../side-files.ts';
import { type InputFile, openInputFile } from '../staged-file.ts';
import { startJoined } from '../start-joined.ts';
import { type FileRequest, type StartOptions, startFromFile, startWithFile } from '../start-transfer.ts';
import { followTransfer, watchTransfer } from '../watch.ts';

interface DatasetOptions extends ConversionOptions {
  project: string;
  reader?: string;
  writer?: string;
  name?: string;
  description?: string;
}

type ImportOptions = DatasetOptions & StartOptions & { parallel?: number };

const IMPORT = '/api/conversion/upload-convert';

export function importCommand(transfer: Command, io: Io): void {
  const command = transfer
    .command('import')
    .description('import local or remote files as datasets, one each, or joined into one')
    .argument('<files...>', 'local files, folders or patterns, or http(s) addresses')
    .requiredOption('--project <id>', 'project of the dataset')
    .option('--reader <name>', "reader of the file; default: by the file's content, else by its name")
    .option('--writer <name>', "writer of the dataset; default: the file's own format")
    .option('--name <name>', "name of the dataset; default: the file's name, without extension if it is converted")
    .option('--description <text>', 'description of the dataset')
    // before any request; of several files, those that are missing fail for themselves
    .hook('preAction', async ({ processedArgs: [given] }) => {
      const { files, many } = await expandFiles(given);
      if (!many && !isAddress(files[0]!)) await measureSize(files[0]!);
    });
  joinOptions(conversionOptions(command))
    .option('--parallel <number>', 'files that are sent and followed at once; default: 4', integer(1, 32))
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((files, options) => importFiles(io, files, options));
}

async function importFiles(io: Io, given: readonly string[], options: ImportOptions): Promise<void> {
  const { files, many } = await expandFiles(given);
  const { parallel = PARALLEL } = options;
  if (isJoined(options))
    return startJoined(io, IMPORT, await importRequest(io, files[0]!, options), files, { ...options, parallel });
  if (!many) return startWithFile(io, IMPORT, await importRequest(io, files[0]!, options), options);
  if (options.name !== undefined)
    throw new UsageError(`--name names one dataset, but there are ${files.length} files. Omit it.`);
  if (options.dryRun) return tryBatch(io, files, options);
  await importBatch(io, files, options);
}

/** The request that imports a file. */
export async function importRequest(
  io: Io,
  path: string,
  options: DatasetOptions,
  sent?: SentFiles,
): Promise<FileRequest> {
  const file = await openInputFile(io, path);
  const { reader, writer } = await chooseConverters(io, file, options);
  const description = options.description === undefined ? {} : { description: options.description };
  return {
    file,
    projectId: options.project,
    outputDatasetData: { name: options.name ?? datasetName(file, writer), ...description },
    readerName: reader.name,
    writerName: writer.name,
    ...(await readConversion(io, options, reader, writer, sent)),
  };
}

/** Imports a file and follows the transfer to its end. Throws its error if it fails. */
export async function importWhole(io: Io, path: string, options: DatasetOptions): Promise<Transfer> {
  const { id } = (await startFromFile(io, IMPORT, await importRequest(io, path, options))).body;
  return completed((await followTransfer(io, id)).body);
}

/** Name of the dataset: of a converted file without extension, which a download adds; copied files keep theirs. */
const datasetName = ({ name }: InputFile, { datasetFormat }: Converter): string =>
  datasetFormat === 'file' ? name : basename(name, extname(name));

/** Chooses reader and writer by the options, else by the file and the server's converters. */
async function chooseConverters(
  io: Io,
  file: InputFile,
  options: DatasetOptions,
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

export function completed(transfer: Transfer): Transfer {
  if (transfer.status === 'Completed') return transfer;
  throw new Error(`Transfer ${transfer.id} failed: ${transfer.errorMessage}`);
}

/** Files that are sent and followed at once, unless `--parallel` says otherwise. */
export const PARALLEL = 4;

/**
 * Imports several files, each by a transfer of its own, with one progress. Prints a table, then what was lost, then the
 * failures.
 */
async function importBatch(io: Io, files: readonly string[], options: ImportOptions): Promise<void> {
  const watch = options.watch ?? io.interactive;
  const { signal, end } = io.interruptible();
  const shared = sharedProgress(io, files);
  const notes: string[] = [];
  const running = new Set<string>();
  const transfers: (Transfer | undefined)[] = [];
  const sent: SentFiles = new Map();
  const work = async (file: string, at: number) => {
    signal.throwIfAborted();
    const part: Io = { ...io, progress: shared.part(at), note: (line) => void notes.push(`${file}: ${line}`) };
    const { id } = (await startFromFile(part, IMPORT, await importRequest(part, file, options, sent))).body;
    running.add(id);
    if (!watch) {
      shared.done(at);
      return id;
    }
    const { body } = await watchTransfer(part, id, signal);
    running.delete(id);
    shared.done(at);
    transfers[at] = body;
    return completed(body).id;
  };
  try {
    const ends = (error: unknown) => signal.aborted || concernsAll(error);
    const { results, failures } = await inBatch(files, work, { parallel: options.parallel ?? PARALLEL, ends });
    shared.end();
    const rows = files.flatMap((file, at) => {
      const id = results[at];
      const datasets = transfers[at]?.importResults?.map(({ datasetId }) => datasetId).join(' ');
      return id === undefined ? [] : [[file, watch ? 'Completed' : 'started', datasets, id]];
    });
    const errors = new Map(failures.map(({ file, message }) => [file, message]));
    const shown = files.map((file, at) => ({
      file,
      ...(transfers[at] ??
        (results[at] === undefined ? { status: 'Error', errorMessage: errors.get(file) } : { id: results[at] })),
    }));
    io.show(composedAnswer(shown), () =>
      rows.length === 0 ? '' : table(['FILE', 'STATUS', 'DATASET', 'TRANSFER'], rows, { shortIds: 'TRANSFER' }),
    );
    if (!io.json) for (const line of [...notes, ...sentences(files, transfers)]) io.note(line);
    endBatch(io, files.length, failures);
  } catch (error) {
    shared.end();
    if (!signal.aborted) throw error;
    throw new Interrupted(
      running.size === 0
        ? 'Interrupted. No transfer is running.'
        : `These transfers continue: ${[...running].join(', ')}. To follow one: 'platform transfer watch ID'.`,
    );
  } finally {
    end();
  }
}

const sentences = (files: readonly string[], transfers: readonly (Transfer | undefined)[]): string[] =>
  files.flatMap((file, at) => {
    const receipt = transfers[at]?.receipt;
    return receipt === undefined ? [] : listSentences(receipt).map((sentence) => `${file}: ${sentence}`);
  });

interface SharedProgress {
  /** Progress of a file: its upload, then its conversion. */
  part(at: number): Io['progress'];
  /** The file is imported. */
  done(at: number): void;
  end(): void;
}

/** One progress for all files. */
function sharedProgress(io: Io, files: readonly string[]): SharedProgress {
  const whole = io.progress(`Importing ${files.length} files`);
  const done = files.map(() => 0);
  return {
    part: (at) => {
      let before = 0;
      return (): Progress => {
        const from = before;
        return {
          report(fraction, detail) {
            done[at] = Math.max(done[at] ?? 0, from + fraction / 2);
            whole.report(
              done.reduce((sum, one) => sum + one, 0) / files.length,
              `${files[at]} ${detail ?? ''}`.trimEnd(),
            );
          },
          end() {
            before = 0.5;
          },
        };
      };
    },
    done(at) {
      done[at] = 1;
    },
    end: () => whole.end(),
  };
}

/** Checks the import of several files. */
async function tryBatch(io: Io, files: readonly string[], options: ImportOptions): Promise<void> {
  const sent: SentFiles = new Map();
  const check = async (file: string) => {
    let answer: object | undefined;
    let text = '';
    const part: Io = {
      ...io,
      note: () => {},
      show: ({ body }, human) => {
        answer = body as object;
        text = layOut(human(body) as Shown).text;
      },
    };
    await startWithFile(part, IMPORT, await importRequest(part, file, options, sent), options);
    return { file, text, answer };
  };
  const { results, failures } = await inBatch(files, check, { ends: concernsAll });
  const tried = results.filter((one) => one !== undefined);
  io.show(
    composedAnswer([
      ...tried.map(({ file, answer }) => ({ file, ...answer })),
      ...failures.map(({ file, message }) => ({ file, status: 'Error', errorMessage: message })),
    ]),
    () => tried.map(({ file, text }) => `${file}:\n${text}`),
  );
  endBatch(io, files.length, failures);
}
