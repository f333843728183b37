import type { Command } from 'commander';
import { moment, record } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { NewShare, Share, TenantShare } from '../../src/shares/routes.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, futureTime } from '../options.ts';

interface ShareOptions {
  name?: string;
  expires?: string;
  downloads?: string;
}

/** `dataset share`. `pathOf`: path of a dataset's id in the API. */
export function shareCommand(dataset: Command, io: Io, pathOf: (id: string) => string): void {
  dataset
    .command('share <id>')
    .description('make a link by which anybody who has it sees the dataset; prints it once')
    .option('--name <name>', 'what the link is for; its holders do not see it')
    .option('--expires <time>', 'UTC, such as 2026-12-31, or a duration such as 7d; default: 30d', futureTime)
    .addOption(
      choice('--downloads <what>', 'what its holders may take; default: None', ['None', 'Original', 'Formats']),
    )
    .action((id, options) => createShare(io, pathOf(id), options));
}

export function shareCommands(share: Command, io: Io): void {
  share
    .command('list')
    .description('list the links of a dataset, or of all datasets of the tenant (its owners)')
    .option('--dataset <dataset>', 'links of this dataset alone')
    .action(({ dataset }) => listShares(io, dataset));
  share
    .command('end')
    .description('end a link at once')
    .argument('<id>', 'id of the link, not its address')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => endShare(io, id, options));
}

async function createShare(io: Io, path: string, { name, expires, downloads }: ShareOptions): Promise<void> {
  const answer = await io.api.call<NewShare>('POST', `${path}/share`, {
    body: { name, expiresAt: expires, downloads },
  });
  io.show(answer, ({ id, url, name, downloads, expiresAt }) =>
    record({ id, url, name, downloads, expires: moment(expiresAt) }),
  );
  io.note('The address is shown only now.');
}

async function listShares(io: Io, dataset: string | undefined): Promise<void> {
  const path = dataset === undefined ? '/api/iam/share' : `/api/metadata/dataset/${encodeURIComponent(dataset)}/share`;
  const answer = await io.api.call<List<Share & Partial<TenantShare>>>('GET', path);
  io.list(answer, ['ID', 'NAME', 'DATASET', 'DOWNLOADS', 'EXPIRES', 'ENDED', 'OPENS', 'LAST OPENED'], (share) => [
    share.id,
    share.name,
    share.datasetName ?? share.datasetId,
    share.downloads,
    moment(share.expiresAt),
    moment(share.endedAt),
    String(share.opens),
    moment(share.lastOpenedAt),
  ]);
}

async function endShare(io: Io, id: string, { yes = !io.interactive }: ConfirmOptions): Promise<void> {
  await confirm(io, `End the link ${id}? Whoever has it sees nothing any more.`, { yes }, 'Nothing was ended.');
  const answer = await io.api.call('DELETE', `/api/metadata/share/${encodeURIComponent(id)}`);
  io.show(answer, () => `The link ${id} has ended.`, { id, ended: true });
}
