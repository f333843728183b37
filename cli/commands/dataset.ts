import type { Command } from 'commander';
import { bytes, moment, repeated, UsageError } from 'hydrofiles/terminal';
import type { Dataset } from '../../src/datasets/record.ts';
import type { TextAnswer } from '../../src/http/rules/forms.ts';
import type { List } from '../../src/http/rules/paging.ts';
import type { Answer } from '../client.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import { describeDataset } from '../datasets.ts';
import type { DownloadTarget } from '../download.ts';
import { downloadWithProgress } from '../download-with-progress.ts';
import type { Io } from '../io.ts';
import { jsonObject } from '../options.ts';
import { lookUpPrincipals } from '../principals.ts';
import { historyCommand } from './dataset-history.ts';
import { lineageCommand } from './dataset-lineage.ts';
import { mapCommand } from './dataset-map.ts';
import { moveAndCopyCommands } from './dataset-move-copy.ts';
import { previewCommand } from './dataset-preview.ts';
import { revokeGrantsCommand } from './revoke-grants.ts';
import { shareCommand } from './share.ts';
import { thumbnailCommand } from './thumbnail.ts';

export function datasetCommands(dataset: Command, io: Io): void {
  dataset
    .command('list')
    .description('list the datasets of a project')
    .requiredOption('--project <id>', 'project of the datasets')
    .action(({ project }) => listDatasets(io, project));
  dataset
    .command('show <id>')
    .description('show one dataset')
    .action(async (id) => showRecord(io, await io.api.call<Dataset>('GET', path(id))));
  dataset
    .command('update <id>')
    .description('update the description of a dataset; only the given options change')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'description')
    .option('--tag <tag>', 'replaces the tags; may be repeated', repeated)
    .option('--metadata <json>', 'replaces the metadata', jsonObject)
    .action((id, options) => updateDataset(io, id, options));
  dataset
    .command('raw <id>')
    .description('print a signed address from which anybody can download the dataset for an hour')
    .action((id) => showAddress(io, id));
  dataset
    .command('download <id>')
    .description('download the stored file of a dataset')
    .option('-o, --output <file>', "file or folder, - for stdout; default: the dataset's name, in the current folder")
    .option('--force', 'replace an existing file')
    .action((id, { output, force }) => downloadDataset(io, id, { path: output, force }));
  thumbnailCommand(dataset, io, 'save the small picture of a dataset (PNG)', path);
  previewCommand(dataset, io);
  historyCommand(dataset, io, path);
  lineageCommand(dataset, io, path);
  mapCommand(dataset, io, path);
  shareCommand(dataset, io, path);
  revokeGrantsCommand(dataset, io, 'revoke all signed addresses of a dataset', path);
  moveAndCopyCommands(dataset, io);
  dataset
    .command('delete <id>')
    .description('move a dataset to the recycle bin')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteDataset(io, id, options));
}

const path = (id: string) => `/api/metadata/dataset/${encodeURIComponent(id)}`;

async function listDatasets(io: Io, project: string): Promise<void> {
  const from = `/api/metadata/project/${encodeURIComponent(project)}/dataset/list`;
  const answer = await io.api.call<List<Dataset>>('GET', from);
  io.list(
    answer,
    ['ID', 'NAME', 'FORMAT', 'SIZE', 'UPDATED'],
    ({ id, name, datasetFormat, storageSize, updatedAt }) => [
      id,
      name,
      datasetFormat,
      bytes(storageSize),
      moment(updatedAt),
    ],
  );
}

async function showRecord(io: Io, answer: Answer<Dataset>): Promise<void> {
  const people = await lookUpPrincipals(io, [answer.body.createdBy, answer.body.updatedBy]);
  io.show(answer, (dataset) => describeDataset(dataset, people));
}

interface DatasetChange {
  name?: string;
  description?: string;
  tag?: string[];
  metadata?: object;
}

async function updateDataset(io: Io, id: string, { name, description, tag, metadata }: DatasetChange): Promise<void> {
  if ([name, description, tag, metadata].every((one) => one === undefined))
    throw new UsageError('Nothing to change. Use --name, --description, --tag or --metadata.');
  const before = (await io.api.call<Dataset>('GET', path(id))).body;
  const to = `/api/metadata/project/${before.projectId}/dataset`;
  // the API replaces all members; rowVersion makes it refuse the update if the dataset changed meanwhile
  const body = {
    id: before.id,
    name: name ?? before.name,
    description: description ?? before.description,
    tags: tag ?? before.tags,
    metadata: metadata ?? before.metadata,
    properties: before.properties,
    temporalInformation: before.temporalInformation,
    spatialInformation: before.spatialInformation,
    rowVersion: before.rowVersion,
  };
  await showRecord(io, await io.api.call<Dataset>('PUT', to, { body }));
}

async function showAddress(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<TextAnswer>('GET', `/api/raw/dataset/${encodeURIComponent(id)}`);
  io.show(answer, ({ data }) => data);
}

export async function downloadDataset(io: Io, id: string, target: DownloadTarget): Promise<void> {
  const answer = await io.api.call<TextAnswer>('GET', `/api/raw/dataset/${encodeURIComponent(id)}`);
  const files = await downloadWithProgress(io, answer.body.data, target);
  if (files !== undefined) io.show(answer, () => files.join('\n'));
}

async function deleteDataset(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  const { name, storageSize } = (await io.api.call<Dataset>('GET', path(id))).body;
  await confirm(io, `Move the dataset '${name}' (${bytes(storageSize ?? 0)}) to the recycle bin?`, options);
  const answer = await io.api.call('DELETE', path(id));
  io.show(answer, () => `The dataset '${name}' is in the recycle bin.`, { id, name, deleted: true });
}
