import type { Command } from 'commander';
import type { OffsetPage } from '../../src/http/rules/paging.ts';
import type { BinItem, DeletedDataset, DeletedProject, Preview } from '../../src/recycle-bin/record.ts';
import type { Confirmed } from '../confirm.ts';
import { confirmedByName, counted } from '../confirm.ts';
import { Refused, UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { choice, count, limit } from '../options.ts';
import { principalsOf } from '../principals.ts';
import { bytes, moment, record, table } from '../table.ts';
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
    .description('list what you could have deleted, newest first')
    .option('--mine', 'only what you deleted yourself')
    .addOption(choice('--sort-by <field>', 'order', ['Name', 'DeletedAt', 'StorageSize']))
    .addOption(choice('--sort-order <order>', 'order', ['Asc', 'Desc']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--offset <count>', 'leave out this many', count)
    .action((options) => listItems(io, options));
  bin
    .command('show')
    .description('show a deleted project or dataset')
    .argument('<id>')
    .action((id) => showItem(io, id));
  bin
    .command('preview')
    .description('tell what restoring would bring back, whom to ask for what you lack, and what a purge would destroy')
    .argument('<id>')
    .action((id) => preview(io, id));
  bin
    .command('restore')
    .description('bring a project or dataset back, with what is deleted above it')
    .argument('<id>')
    .option('--to <project>', 'to another project instead')
    .option('--as-root', 'a project: as a root project of yours instead')
    .action((id, options) => restoreItem(io, id, options));
  bin
    .command('purge')
    .description('remove a deleted project with all in it, or a dataset, for ever')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action((id, options) => purgeItem(io, id, options));
  bin
    .command('sweep')
    .description('have a worker remove now what has been here too long (administrators)')
    .action(async () => io.show(await runCron(io, 'sweepRecycleBin'), () => 'The sweep is in the queue.'));
}

async function listItems(io: Io, { mine, ...query }: ListOptions): Promise<void> {
  const from = `/api/recycle-bin/${mine ? 'my' : 'all'}-deleted-items`;
  const answer = await io.api.call<OffsetPage<BinItem>>('GET', from, { query: { ...query } });
  const people = await principalsOf(
    io,
    answer.body.data.map(({ deletedBy }) => deletedBy),
  );
  io.show(answer, ({ data }) =>
    table(
      ['ID', 'NAME', 'TYPE', 'FORMAT', 'KB', 'DELETED', 'BY', 'BY NAME', 'BY ID'],
      data.map((item) => [
        item.id,
        item.name,
        item.itemType,
        item.datasetFormat,
        item.sizeKB,
        moment(item.deletedAt),
        people.called(item.deletedBy),
        people.nameOf(item.deletedBy),
        item.deletedBy,
      ]),
    ),
  );
  const { totalCount, offset, data } = answer.body;
  if (offset + data.length < totalCount && data.length > 0)
    io.note(`There are ${totalCount}: --offset ${offset + data.length}`);
}

/** An id alone does not tell what it is of. */
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
  const people = await principalsOf(io, [answer.body.deletedBy]);
  io.show(answer, (item) =>
    record({
      id: item.id,
      name: item.name,
      type: itemType,
      description: item.description,
      format: item.datasetFormat,
      in: item.projectId ?? item.parentProjectId,
      deleted: moment(item.deletedAt),
      by: people.called(item.deletedBy),
    }),
  );
}

async function preview(io: Io, id: string): Promise<void> {
  const { path } = await find(io, id);
  const answer = await io.api.call<Preview>('GET', `${path}/restore/preview`);
  const people = await principalsOf(
    io,
    answer.body.missing.flatMap(({ grantableBy }) => grantableBy),
  );
  io.show(answer, ({ restores, missing, removes }) => {
    const rows = restores.map((step) => [step.id, step.name, step.itemType]);
    const lacks = missing.map((step) => [step.id, step.privilege, step.grantableBy.map(people.called).join(' ')]);
    const back = table(['BRINGS BACK', 'NAME', 'TYPE'], rows);
    return [
      back,
      ...(lacks.length === 0 ? [] : [table(['YOU LACK ON', 'PRIVILEGE', 'ASK'], lacks)]),
      `A purge would destroy ${contents(removes)}.`,
    ];
  });
}

async function restoreItem(io: Io, id: string, { to, asRoot }: { to?: string; asRoot?: boolean }): Promise<void> {
  if (to !== undefined && asRoot) throw new UsageError('Give --to or --as-root, not both.');
  const { path, itemType, answer } = await find(io, id);
  if (asRoot && itemType === 'Dataset') throw new UsageError('A dataset lies in a project: give --to.');
  const elsewhere = to !== undefined || asRoot === true;
  const body = to === undefined ? {} : { targetProjectId: to };
  const done = await io.api.call(elsewhere ? 'POST' : 'PUT', `${path}/restore`, elsewhere ? { body } : {});
  const { name } = answer.body;
  io.show(done, () => `The ${itemType.toLowerCase()} '${name}' is restored.`, { id, name, itemType, restored: true });
}

const contents = ({ projects, datasets, bytes: size }: Preview['removes']): string =>
  [...(projects > 0 ? [counted(projects, 'project')] : []), `${counted(datasets, 'dataset')} (${bytes(size)})`].join(
    ' and ',
  );

async function purgeItem(io: Io, id: string, options: Confirmed): Promise<void> {
  const { path, itemType, answer } = await find(io, id);
  const { name } = answer.body;
  const what = itemType === 'Project' ? `project '${name}' and all in it` : `dataset '${name}'`;
  if (!options.yes) {
    const { removes } = (await io.api.call<Preview>('GET', `${path}/restore/preview`)).body;
    const loss = `The ${what} would be removed for ever: ${contents(removes)}. Nothing brings them back.`;
    await confirmedByName(io, loss, name, options);
  }
  const done = await io.api.call('DELETE', path);
  io.show(done, () => `The ${what} is gone for ever.`, { id, name, itemType, purged: true });
}
