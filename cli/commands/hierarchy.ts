import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { formatOfName } from 'hydrofiles/command';
import { bytes, moment, type Table, table, UsageError } from 'hydrofiles/terminal';
import type { Results } from '../../src/datasets/hierarchy.routes.ts';
import type { Dataset } from '../../src/datasets/record.ts';
import type { List } from '../../src/http/rules/paging.ts';
import type { ProjectItem } from '../../src/projects/record.ts';
import type { Transfer } from '../../src/transfers/views/record.ts';
import { type Answer, composedAnswer } from '../client.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { DownloadTarget } from '../download.ts';
import type { Io } from '../io.ts';
import { findAt, itemAt } from '../names.ts';
import { allPages } from '../pages.ts';
import { cleanName, pathSegment, segmentName } from '../paths.ts';
import { checkFileFirst, openInputFile, uploadWithProgress } from '../staged-file.ts';
import { noteSentences } from '../watch.ts';
import { downloadDataset } from './dataset.ts';
import { importWhole } from './transfer-import.ts';
import { updateWhole } from './transfer-update.ts';

interface Below {
  project: string;
}

export function hierarchyCommands(hierarchy: Command, io: Io): void {
  const below = (name: string, description: string) =>
    hierarchy
      .command(name)
      .description(description)
      .requiredOption('--project <id>', 'project that paths are relative to');

  below('list', 'list the folders and files at a path')
    .argument('[path]', 'default: the project')
    .action((path, { project }) => listPath(io, path, project));
  below('get', 'download the file at a path')
    .argument('<path>')
    .option('-o, --output <file>', "file or folder, - for stdout; default: the file's name, in the current folder")
    .option('--force', 'replace an existing file')
    .action((path, { project, output, force }) => getFile(io, path, project, { path: output, force }));
  below('mkdir', 'create folders and their parents; existing ones are kept')
    .argument('<paths...>')
    .action((paths: string[], { project }) => makeFolders(io, paths, project));
  checkFileFirst(
    below('put', 'import a file at a path: a new dataset, or new content of an existing one; unknown formats are kept'),
  )
    .argument('<file>')
    .argument('[path]', "path of the file, or of a folder if it ends with a slash; default: the file's name")
    .option('--raw', 'keep the bytes of the file, whatever its format')
    .action((file, path, options) => putFile(io, file, path, options));
  below('move', 'move or rename a file, or a folder with its content')
    .argument('<path>')
    .argument('<new-path>')
    .action(async (path, newPath, { project }) =>
      io.show(await send(io, project, { actions: [{ type: 'PathActionMove', path, newPath }] }), describe),
    );
  below('delete', 'move a file, or a folder with its content, to the recycle bin')
    .argument('<path>')
    .option('--yes', 'do not ask for confirmation')
    .action((path, options) => deletePath(io, path, options));
  below('apply', 'apply a list of actions in one transaction')
    .argument(
      '<file>',
      'JSON: an array of {type, path, newPath, isFolder}, or an object with this array as `actions`; - for stdin',
    )
    .action((file, { project }) => applyFile(io, file, project));
}

async function listPath(io: Io, path: string | undefined, project: string): Promise<void> {
  const whole = path === undefined || path === '/';
  const item = whole
    ? { id: project, itemType: 'Project' }
    : await itemAt(io, project, path, path.endsWith('/') ? 'Project' : undefined);
  if (item.itemType === 'Dataset') {
    const answer = await io.api.call<Dataset>('GET', `/api/metadata/dataset/${item.id}`);
    return io.show(answer, (dataset) => listing([], [dataset]));
  }
  const at = `/api/metadata/project/${encodeURIComponent(item.id)}`;
  const folders = await allPages<ProjectItem>(io, `${at}/subproject/offset-list`);
  const { data: datasets } = (await io.api.call<List<Dataset>>('GET', `${at}/dataset/list`)).body;
  io.show(composedAnswer({ projects: folders, datasets }), () => listing(folders, datasets));
}

/** Table of folders and files with their names as in paths; folders end with a slash. */
const listing = (folders: readonly ProjectItem[], datasets: readonly Dataset[]): Table =>
  table(
    ['NAME', 'FORMAT', 'SIZE', 'UPDATED', 'ID'],
    [
      ...folders.map(({ id, name, updatedAt }) => [`${pathSegment(name)}/`, '', '', moment(updatedAt), id]),
      ...datasets.map((one) => [
        pathSegment(one.name),
        one.datasetFormat,
        bytes(one.storageSize),
        moment(one.updatedAt),
        one.id,
      ]),
    ],
  );

async function getFile(io: Io, path: string, project: string, target: DownloadTarget): Promise<void> {
  const { id } = await itemAt(io, project, path, 'Dataset');
  await downloadDataset(io, id, target);
}

const send = (io: Io, project: string, body: object): Promise<Answer<Results>> =>
  io.api.call('POST', `/api/hierarchy/project/${encodeURIComponent(project)}`, { body });

const describe = ({ results }: { results: Pick<Results['results'][number], 'path' | 'projectId' | 'datasetId'>[] }) =>
  table(
    ['PATH', 'PROJECT', 'DATASET'],
    results.map(({ path, projectId, datasetId }) => [path, projectId, datasetId]),
  );

async function makeFolders(io: Io, paths: string[], project: string): Promise<void> {
  const actions = paths.map((path) => ({ type: 'PathActionCreateIfNotExists', path, isFolder: true }));
  io.show(await send(io, project, { actions }), describe);
}

interface PutOptions extends Below {
  raw?: boolean;
}

/**
 * Imports a file of a known format at a path, and uploads others. What is there gets new content, and keeps bytes if it
 * had kept them.
 */
async function putFile(io: Io, file: string, given: string | undefined, { project, raw }: PutOptions): Promise<void> {
  const path =
    given === undefined || given.endsWith('/') ? `${given ?? ''}${pathSegment(cleanName(basename(file)))}` : given;
  if (raw || (await findFormat(io, file)) === undefined) return putBytes(io, file, path, project);
  const [present, another] = await findAt(io, { path, projectId: project, itemType: 'Dataset' });
  if (present === undefined) return importAt(io, file, path, project);
  if (another !== undefined)
    throw new UsageError(`There is more than one dataset at '${path}'. Use 'transfer update' with an id.`);
  const { datasetFormat } = (await io.api.call<Dataset>('GET', `/api/metadata/dataset/${present.id}`)).body;
  if (datasetFormat === 'file') return putBytes(io, file, path, project);
  const transfer = await updateWhole(io, present.id, file);
  showPut(io, path, transfer, present.id);
}

/** The format of a local file that has a reader. */
async function findFormat(io: Io, path: string): Promise<string | undefined> {
  const { content, name } = await openInputFile(io, path);
  return content?.format ?? (content?.name === undefined ? formatOfName(name) : undefined);
}

async function importAt(io: Io, file: string, path: string, project: string): Promise<void> {
  const segments = path.split('/').filter((segment) => segment !== '');
  const name = segmentName(segments.pop() ?? '');
  const folder = segments.length === 0 ? project : await folderAt(io, segments.join('/'), project);
  const transfer = await importWhole(io, file, { project: folder, name });
  showPut(io, path, transfer, transfer.importResults?.[0]?.datasetId);
}

async function folderAt(io: Io, path: string, project: string): Promise<string> {
  const actions = [{ type: 'PathActionCreateIfNotExists', path, isFolder: true }];
  const folder = (await send(io, project, { actions })).body.results.at(-1);
  if (folder === undefined) throw new Error(`The folder '${path}' could not be created.`);
  return folder.projectId;
}

function showPut(io: Io, path: string, transfer: Transfer, datasetId: string | undefined): void {
  noteSentences(io, transfer);
  io.show(composedAnswer({ results: [{ path, projectId: transfer.projectId ?? '', datasetId }] }), describe);
}

async function putBytes(io: Io, file: string, path: string, project: string): Promise<void> {
  const actions = [{ type: 'PathActionCreateIfNotExists', path, isFolder: false }];
  // a day for the upload of a large file
  const answer = await send(io, project, { actions, sasTokenExpiration: '1.00:00:00' });
  const { datasetId = '', sasToken = '' } = answer.body.results[0] ?? {};
  await uploadWithProgress(io, file, `${io.api.url}/api/blob/dataset/${datasetId}?${sasToken}`);
  io.show(answer, describe);
}

async function deletePath(io: Io, path: string, { project, yes }: Below & ConfirmOptions): Promise<void> {
  await confirm(io, `Move '${path}' (for a folder, with its content) to the recycle bin?`, { yes });
  const answer = await send(io, project, { actions: [{ type: 'PathActionDelete', path }] });
  io.show(answer, ({ results }) =>
    results.length === 0 ? `There is no '${path}'.` : `'${path}' is in the recycle bin.`,
  );
}

async function applyFile(io: Io, file: string, project: string): Promise<void> {
  const text = file === '-' ? await io.stdin() : await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new UsageError(`There is no file ${file}.`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  io.show(await send(io, project, Array.isArray(body) ? { actions: body } : Object(body)), describe);
}
