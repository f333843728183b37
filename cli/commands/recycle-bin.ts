import type { Command } from 'commander';
import { bytes, count, moment, record, table, UsageError } from 'hydrofiles/terminal';
import type { OffsetPage } from '../../src/http/rules/paging.ts';
import type { BinItem, DeletedDataset, DeletedProject, Preview } from '../../src/recycle-bin/record.ts';
import { type ConfirmOptions, confirmByName, pluralize } from '../confirm.ts';
import { Refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { choice, limit } from '../options.ts';
import { lookUpPrincipals } from '../principals.ts';
import { runCron } from './cron.ts';

/** A project or a dataset. */
type Deleted = Pick<DeletedProject | DeletedDataset, 'id' | 'name' | 'description' | 'deletedAt' | 'deletedBy'> &
  Partial<Pick<DeletedProject, 'parentProjectId'> & Pick<DeletedDataset, 'projectId' | 'datasetFormat'>>;

interface ListOptions {
  mine?: boolean;
  sortBy?: string;
  sortOrder?: string;
  limit: number;
  offset?: number;
}

export function recycleBinCommands(bin: Command, io: Io): void {
  bin
    .command('list')
    .description('list deleted projects and datasets that you had the right to delete, newest first')
    .option('--mine', 'only items that you deleted yourself')
    .addOption(choice('--sort-by <field>', 'order', ['Name', 'DeletedAt', 'StorageSize']))
    .addOption(choice('--sort-order <order>', 'order', ['Asc', 'Desc']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--offset <count>', 'skip this many', count)
    .action((options) => listItems(io, options));
  bin
    .command('show <id>')
    .description('show a deleted project or dataset')
    .action((id) => showItem(io, id));
  bin
    .command('preview <id>')
    .description(
      'show what a restore brings back, which privileges you lack and who can grant them, and what a purge deletes',
    )
    .action((id) => preview(io, id));
  bin
    .command('restore <id>')
    .description('restore a project or dataset, with its deleted parents')
    .option('--to <project>', 'restore it to this project instead')
    .option('--as-root', 'restore a project as your root project instead')
    .action((id, options) => restoreItem(io, id, options));
  bin
    .command('purge <id>')
    .description('delete a project with its content, or a dataset, for ever')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => purgeItem(io, id, options));
  bin
    .command('sweep')
    .description('delete expired items now (administrators)')
    .action(async () => io.show(await runCron(io, 'sweepRecycleBin'), () => 'The sweep is in the queue.'));
}

async function listItems(io: Io, { mine, ...query }: ListOptions): Promise<void> {
  const from = `/api/recycle-bin/${mine ? 'my' : 'all'}-deleted-items`;
  const answer = await io.api.call<OffsetPage<BinItem>>('GET', from, { query: { ...query } });
  const people = await lookUpPrincipals(
    io,
    answer.body.data.map(({ deletedBy }) => deletedBy),
  );
  io.list(answer, ['ID', 'NAME', 'TYPE', 'FORMAT', 'KB', 'DELETED', 'BY', 'BY NAME', 'BY ID'], (item) => [
    item.id,
    item.name,
    item.itemType,
    item.datasetFormat,
    item.sizeKB,
    moment(item.deletedAt),
    people.displayName(item.deletedBy),
    people.nameOf(item.deletedBy),
    item.deletedBy,
  ]);
  const { totalCount, offset, data } = answer.body;
  if (offset + data.length < totalCount && data.length > 0)
    io.note(`${totalCount} items in total. For more: --offset ${offset + data.length}`);
}

/** Finds a deleted project or dataset, because its id does not tell which it is. */
async function find(io: Io, id: string) {
  for (const [itemType, segment] of [
    ['Project', 'project'],
    ['Dataset', 'dataset'],
  ] as const) {
    const path = `/api/recycle-bin/${segment}/${encodeURIComponent(id)}`;
    try {
      return { path, itemType, answer: await io.api.call<Deleted>('GET', path) };
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
  }
  throw new Error(`'${id}' was not found in the recycle bin.`);
}

async function showItem(io: Io, id: string): Promise<void> {
  const { answer, itemType } = await find(io, id);
  const people = await lookUpPrincipals(io, [answer.body.deletedBy]);
  io.show(answer, (item) =>
    record({
      id: item.id,
      name: item.name,
      type: itemType,
      description: item.description,
      format: item.datasetFormat,
      in: item.projectId ?? item.parentProjectId,
      deleted: moment(item.deletedAt),
      by: people.displayName(item.deletedBy),
    }),
  );
}

async function preview(io: Io, id: string): Promise<void> {
  const { path } = await find(io, id);
  const answer = await io.api.call<Preview>('GET', `${path}/restore/preview`);
  const people = await lookUpPrincipals(
    io,
    answer.body.missing.flatMap(({ grantableBy }) => grantableBy),
  );
  io.show(answer, ({ restores, missing, removes }) => {
    const rows = restores.map((step) => [step.id, step.name, step.itemType]);
    const missingRows = missing.map((step) => [
      step.id,
      step.privilege,
      step.grantableBy.map(people.displayName).join(' '),
    ]);
    const back = table(['BRINGS BACK', 'NAME', 'TYPE'], rows);
    return [
      back,
      ...(missingRows.length === 0 ? [] : [table(['YOU LACK ON', 'PRIVILEGE', 'ASK'], missingRows)]),
      `A purge would delete ${contents(removes)} for ever.`,
    ];
  });
}

async function restoreItem(io: Io, id: string, { to, asRoot }: { to?: string; asRoot?: boolean }): Promise<void> {
  if (to !== undefined && asRoot) throw new UsageError('Use --to or --as-root, not both.');
  const { path, itemType, answer } = await find(io, id);
  if (asRoot && itemType === 'Dataset') throw new UsageError('A dataset must be in a project. Use --to.');
  const elsewhere = to !== undefined || asRoot === true;
  const body = to === undefined ? {} : { targetProjectId: to };
  const done = await io.api.call(elsewhere ? 'POST' : 'PUT', `${path}/restore`, elsewhere ? { body } : {});
  const { name } = answer.body;
  io.show(done, () => `The ${itemType.toLowerCase()} '${name}' is restored.`, { id, name, itemType, restored: true });
}

const contents = ({ projects, datasets, bytes: size }: Preview['removes']): string =>
  [
    ...(projects > 0 ? [pluralize(projects, 'project')] : []),
    `${pluralize(datasets, 'dataset')} (${bytes(size)})`,
  ].join(' and ');

async function purgeItem(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  const { path, itemType, answer } = await find(io, id);
  const { name } = answer.body;
  const what = itemType === 'Project' ? `project '${name}' with its content` : `dataset '${name}'`;
  if (!options.yes) {
    const { removes } = (await io.api.call<Preview>('GET', `${path}/restore/preview`)).body;
    const loss = `Deletes the ${what} for ever: ${contents(removes)}. This cannot be undone.`;
    await confirmByName(io, loss, name, options);
  }
  const done = await io.api.call('DELETE', path);
  io.show(done, () => `The ${what} is deleted for ever.`, { id, name, itemType, purged: true });
}
