import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { Project, ProjectItem } from '../../src/projects/record.ts';
import type { Answer } from '../client.ts';
import type { Confirmed } from '../confirm.ts';
import { confirmed } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, choices, limit } from '../options.ts';
import type { Principals } from '../principals.ts';
import { principalsOf } from '../principals.ts';
import type { Shown } from '../table.ts';
import { moment, record, table } from '../table.ts';
import { memberTable, projectMemberCommands } from './project-members.ts';
import { projectTreeCommands } from './project-tree.ts';
import { revokeGrantsCommand } from './revoke-grants.ts';

interface ListOptions {
  namePrefix?: string;
  role?: string[];
  sortBy?: string;
  sortOrder?: string;
  limit: number;
  cursor?: string;
  parent?: string;
}

const ACCESS_LEVELS = ['Confidential', 'Private', 'Shared'];

export function projectCommands(project: Command, io: Io): void {
  project
    .command('create')
    .description('create a project; you become its owner')
    .requiredOption('--name <name>', 'its name')
    .option('--description <text>', 'what it is about')
    .addOption(choice('--access-level <level>', 'who sees it', ACCESS_LEVELS))
    .option('--parent <project>', 'make it a subproject of this one')
    .option('--inherit', 'a subproject with the members of its parent')
    .action((options) => createProject(io, options));
  project
    .command('list')
    .description('list the projects in which you have a role, or those directly below one')
    .option('--parent <project>', 'only those directly below this one')
    .option('--name-prefix <text>', 'only those whose names begin with it')
    .addOption(choices('--role <role>', 'only where you are', ['Owner', 'Contributor', 'Reader']))
    .addOption(choice('--sort-by <field>', 'order', ['Name', 'CreatedAt', 'UpdatedAt']))
    .addOption(choice('--sort-order <order>', 'order', ['Asc', 'Desc']))
    .option('--limit <count>', 'maximum number', limit, 1000)
    .option('--cursor <cursor>', 'go on where a list ended')
    .action((options) => listProjects(io, options));
  project
    .command('show')
    .description('show a project and its members')
    .argument('<id>')
    .action((id) => showProject(io, id));
  project
    .command('update')
    .description('change what is said of a project; what is not named stays')
    .argument('<id>')
    .option('--name <name>', 'another name')
    .option('--description <text>', 'empty: none')
    .addOption(choice('--access-level <level>', 'who sees it', ACCESS_LEVELS))
    .option('--thumbnail <file>', 'a PNG, JPEG or WEBP image of up to 1 MiB')
    .option('--no-thumbnail', 'take the image away')
    .action((id, options) => updateProject(io, id, options));
  revokeGrantsCommand(
    project,
    io,
    'make every address void that was signed before for the project, its folders and datasets',
    path,
  );
  project
    .command('delete')
    .description('move a project and all in it to the recycle bin')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action((id, options) => deleteProject(io, id, options));
  projectTreeCommands(project, io);
  projectMemberCommands(project, io);
}

const path = (id: string) => `/api/metadata/project/${encodeURIComponent(id)}`;

async function createProject(
  io: Io,
  { parent, inherit, ...body }: { name: string; parent?: string; inherit?: boolean },
): Promise<void> {
  const url = parent === undefined ? '/api/metadata/project' : `${path(parent)}/subproject`;
  await show(io, await io.api.call<Project>('POST', url, { body: { ...body, inheritsMembers: inherit } }));
}

async function listProjects(io: Io, { parent, ...options }: ListOptions): Promise<void> {
  const list = parent === undefined ? '/api/metadata/project/list' : `${path(parent)}/subproject/list`;
  const answer = await io.api.call<CursorPage<ProjectItem>>('GET', list, { query: { ...options } });
  io.show(answer, ({ data }) =>
    table(
      ['ID', 'NAME', 'ACCESS', 'UPDATED'],
      data.map((project) => [project.id, project.name, project.accessLevel, moment(project.updatedAt)]),
    ),
  );
  if (answer.body.cursor !== undefined) io.note(`There are more: --cursor ${answer.body.cursor}`);
}

async function showProject(io: Io, id: string): Promise<void> {
  await show(io, await io.api.call<Project>('GET', path(id)));
}

interface Change {
  name?: string;
  description?: string;
  accessLevel?: string;
  /** Of `--thumbnail` a path, of `--no-thumbnail` false; commander says true where neither was given. */
  thumbnail: string | boolean;
}

/** The server replaces the whole record but for its permissions, so the rest of it is sent as it was read, and refused when it has changed meanwhile. */
async function updateProject(io: Io, id: string, { thumbnail, description, ...change }: Change): Promise<void> {
  if (typeof thumbnail === 'string') {
    const thumbnailBase64 = (await readFile(thumbnail)).toString('base64');
    await io.api.call('PUT', `${path(id)}/thumbnail`, { body: { thumbnailBase64 } });
  } else if (!thumbnail) await io.api.call('PUT', `${path(id)}/thumbnail`, { body: { thumbnailBase64: '' } });
  const before = (await io.api.call<Project>('GET', path(id))).body;
  const body = {
    id: before.id,
    name: change.name ?? before.name,
    description: (description ?? before.description) || undefined,
    metadata: before.metadata,
    settings: before.settings,
    accessLevel: change.accessLevel ?? before.accessLevel,
    rowVersion: before.rowVersion,
  };
  await show(io, await io.api.call<Project>('PUT', '/api/metadata/project', { body }));
}

async function deleteProject(io: Io, id: string, options: Confirmed): Promise<void> {
  const { name } = (await io.api.call<Project>('GET', path(id))).body;
  await confirmed(io, `Move the project '${name}' and all in it to the recycle bin?`, options);
  const answer = await io.api.call('DELETE', path(id));
  io.show(answer, () => `The project '${name}' is in the recycle bin.`, { id, name, deleted: true });
}

async function show(io: Io, answer: Answer<Project>): Promise<void> {
  const { createdBy, updatedBy, members = [] } = answer.body;
  const people = await principalsOf(io, [createdBy, updatedBy, ...members.map(({ userId }) => userId)]);
  io.show(answer, (project) => describe(project, people));
}

function describe(project: Project, people: Principals): Shown {
  const head = record({
    id: project.id,
    name: project.name,
    description: project.description,
    access: project.accessLevel,
    parent: project.parentProjectId,
    created: `${moment(project.createdAt)} by ${people.called(project.createdBy)}`,
    updated: `${moment(project.updatedAt)} by ${people.called(project.updatedBy)}`,
  });
  return project.members?.length ? [head, memberTable(project.members, people)] : head;
}
