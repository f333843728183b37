import type { Command } from 'commander';
import { moment, plain } from 'hydrofiles/terminal';
import type { CursorPage, List } from '../../src/http/rules/paging.ts';
import type { LoggedLine, Summary } from '../../src/transfers/queries.ts';
import type { Transfer } from '../../src/transfers/views/record.ts';
import type { Answer } from '../client.ts';
import type { DownloadTarget } from '../download.ts';
import { downloadWithProgress } from '../download-with-progress.ts';
import type { Io } from '../io.ts';
import { choice, choices, legacyOption, limit, pastTime } from '../options.ts';
import { noteCosts, showDryRun } from '../start-transfer.ts';
import { describeTransfer, followTransfer, noteSentences, showEnded, transferPath } from '../watch.ts';
import { convertCommand } from './transfer-convert.ts';
import { exportCommand } from './transfer-export.ts';
import { importCommand } from './transfer-import.ts';
import { updateCommand } from './transfer-update.ts';
import { whyCommand } from './transfer-why.ts';

export function transferCommands(transfer: Command, io: Io): void {
  importCommand(transfer, io);
  exportCommand(transfer, io);
  convertCommand(transfer, io);
  updateCommand(transfer, io, 'update');
  updateCommand(transfer, io, 'append');
  const list = transfer
    .command('list')
    .description('list the transfers that you started, newest first')
    .addOption(
      choices('--status <status>', 'only transfers with this status', ['Pending', 'InProgress', 'Completed', 'Error']),
    )
    .option(
      '--since <time>',
      'only those started at or after this time (UTC), or within this age, such as 2h',
      pastTime,
    )
    .option('--until <time>', 'only those started before this time or age', pastTime)
    .option('--limit <count>', 'maximum number', limit, 50);
  legacyOption(list, '--from <time>', '--since');
  legacyOption(list, '--to <time>', '--until').action((options) => listTransfers(io, options));
  transfer
    .command('show <id>')
    .description('show one transfer')
    .action(async (id) => io.show(await io.api.call<Transfer>('GET', transferPath(id)), describeTransfer));
  transfer
    .command('watch <id>')
    .description('follow a transfer to its end; exit code 1 if it ends in an error')
    .action(async (id) => showEnded(io, await followTransfer(io, id)));
  transfer
    .command('download <id>')
    .description('download the file of an export, which is stored for seven days')
    .option('-o, --output <file>', "file or folder, - for stdout; default: the export's name, in the current folder")
    .option('--force', 'replace an existing file')
    .action((id, { output, force }) => downloadExport(io, id, { path: output, force }));
  transfer
    .command('cancel <id>')
    .description('cancel a transfer; partial output is discarded')
    .action((id) => cancelTransfer(io, id));
  transfer
    .command('retry <id>')
    .description('retry a failed transfer, as a new one')
    .option('--dry-run', 'only check the retry and show what it costs')
    .action((id, options) => retry(io, id, options));
  whyCommand(transfer, io);
  transfer
    .command('log <id>')
    .description('show the log of a transfer')
    .addOption(choice('--level <level>', 'minimum severity', ['debug', 'info', 'warning', 'error']))
    .action((id, { level }) => showLog(io, id, level));
}

interface ListOptions {
  status?: string[];
  since?: string;
  until?: string;
  limit: number;
}

async function listTransfers(io: Io, { status, since, until, limit }: ListOptions): Promise<void> {
  const query = { status, from: since, to: until, limit };
  const from = '/api/conversion/transfer/list-summaries';
  const answer = await io.api.call<List<Summary>>('GET', from, { query });
  io.list(
    answer,
    ['NAME', 'STATUS', 'ID', 'TYPE', 'STARTED', 'FORMAT'],
    ({ name, status, id, type, createdAt, format }) => [name, status, id, type, moment(createdAt), format],
    { shortIds: 'ID' },
  );
}

async function downloadExport(io: Io, id: string, target: DownloadTarget): Promise<void> {
  const answer = await io.api.call<Transfer>('GET', transferPath(id));
  const files = await downloadWithProgress(io, exportAddress(answer.body), target);
  noteSentences(io, answer.body);
  if (files !== undefined) io.show(answer, () => files.join('\n'));
}

/** Address of the file of an export. If there is none, throws what to do instead. */
function exportAddress({ id, status, errorMessage, downloadPath, importResults = [] }: Transfer): string {
  if (downloadPath !== undefined) return downloadPath;
  if (status === 'Error') throw new Error(`Transfer ${id} failed and has no file: ${errorMessage}`);
  if (status !== 'Completed')
    throw new Error(`Transfer ${id} is still ${status}. Follow it with 'platform transfer watch ${id}'.`);
  const [made] = importResults;
  throw new Error(
    made
      ? `Transfer ${id} has written a dataset. Download it with 'platform dataset download ${made.datasetId}'.`
      : `The file of transfer ${id} is no longer stored, or you may not read it.`,
  );
}

async function cancelTransfer(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<Summary>('POST', `${transferPath(id)}/cancel`);
  io.show(answer, () => `Transfer ${id} is being cancelled.`);
}

async function retry(io: Io, id: string, { dryRun }: { dryRun?: boolean }): Promise<void> {
  const to = `${transferPath(id)}/retry`;
  if (dryRun) return showDryRun(io, to, undefined);
  await noteCosts(io, to, undefined);
  const answer = await io.api.call<Summary>('POST', to);
  io.show(answer, (made) => made.id);
}

/** Prints the whole log; with `--json` only its first page of at most 1000 lines. */
async function showLog(io: Io, id: string, level: string | undefined): Promise<void> {
  let cursor: string | undefined;
  do {
    const query = { level, limit: 1000, cursor };
    const answer: Answer<CursorPage<LoggedLine>> = await io.api.call('GET', `${transferPath(id)}/log`, { query });
    io.show(answer, ({ data }) =>
      data.map((line) => `${moment(line.time)}  ${line.level.padEnd(7)}  ${plain(line.message)}`).join('\n'),
    );
    cursor = io.json ? undefined : answer.body.cursor;
  } while (cursor !== undefined);
}
