import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { moment, record, type Shown } from 'hydrofiles/terminal';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { Project, ProjectItem } from '../../src/projects/record.ts';
import type { Answer } from '../client.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, choices, limit } from '../options.ts';
import { lookUpPrincipals, type Principals } from '../principals.ts';
import { projectInvitationCommands } from './project-invitations.ts';
import { memberTable, projectMemberCommands } from './project-members.ts';
import { projectTreeCommands } from './project-tree.ts';
import { revokeGrantsCommand } from './revoke-grants.ts';
import { thumbnailCommand } from './thumbnail.ts';

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
    .option('--inherit', 'for a subproject: inherit the members of its parent')
    .action((options) => createProject(io, options));
  project
    .command('list')
    .description('list your projects, or the direct subprojects of one')
    .option('--parent <project>', 'only direct subprojects of this project')
    .option('--name-prefix <text>', 'only names with this prefix')
    .addOption(
      choices('--role <role>', 'only projects in which you have this role', ['Owner', 'Contributor', 'Reader']),
    )
    .addOption(choice('--sort-by <field>', 'order', ['Name', 'CreatedAt', 'UpdatedAt']))
    .addOption(choice('--sort-order <order>', 'order', ['Asc', 'Desc']))
    .option('--limit <count>', 'maximum number', limit, 1000)
    .option('--cursor <cursor>', 'continue after the previous page')
    .action((options) => listProjects(io, options));
  project
    .command('show <id>')
    .description('show a project and its members')
    .action(async (id) => show(io, await io.api.call<Project>('GET', path(id))));
  project
    .command('update <id>')
    .description('update a project; only the given options change')
    .option('--name <name>', 'new name')
    .option('--description <text>', "new description; '' for none")
    .addOption(choice('--access-level <level>', 'who sees it', ACCESS_LEVELS))
    .option('--thumbnail <file>', 'a PNG, JPEG or WEBP image of up to 1 MiB')
    .option('--no-thumbnail', 'remove the image')
    .action((id, options) => updateProject(io, id, options));
  thumbnailCommand(project, io, 'save the small picture of a project, or of its newest dataset', path);
  revokeGrantsCommand(project, io, 'revoke all signed addresses of a project, its folders and its datasets', path);
  project
    .command('delete <id>')
    .description('move a project with its content to the recycle bin')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteProject(io, id, options));
  projectTreeCommands(project, io);
  projectMemberCommands(project, io);
  projectInvitationCommands(project, io);
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
  io.list(answer, ['ID', 'NAME', 'ACCESS', 'UPDATED'], (project) => [
    project.id,
    project.name,
    project.accessLevel,
    moment(project.updatedAt),
  ]);
  if (answer.body.cursor !== undefined) io.note(`More projects: --cursor ${answer.body.cursor}`);
}

interface Change {
  name?: string;
  description?: string;
  accessLevel?: string;
  /** Path of `--thumbnail`; false for `--no-thumbnail`; commander sets true if neither is used. */
  thumbnail: string | boolean;
}

/**
 * The API replaces all members, so unchanged ones are sent as well; rowVersion makes it refuse the update if the
 * project changed meanwhile.
 */
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

async function deleteProject(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  const { name } = (await io.api.call<Project>('GET', path(id))).body;
  await confirm(io, `Move the project '${name}' with its content to the recycle bin?`, options);
  const answer = await io.api.call('DELETE', path(id));
  io.show(answer, () => `The project '${name}' is in the recycle bin.`, { id, name, deleted: true });
}

async function show(io: Io, answer: Answer<Project>): Promise<void> {
  const { createdBy, updatedBy, members = [] } = answer.body;
  const people = await lookUpPrincipals(io, [createdBy, updatedBy, ...members.map(({ userId }) => userId)]);
  io.show(answer, (project) => describe(project, people));
}

function describe(project: Project, people: Principals): Shown {
  const head = record({
    id: project.id,
    name: project.name,
    description: project.description,
    access: project.accessLevel,
    parent: project.parentProjectId,
    created: `${moment(project.createdAt)} by ${people.displayName(project.createdBy)}`,
    updated: `${moment(project.updatedAt)} by ${people.displayName(project.updatedBy)}`,
  });
  return project.members?.length ? [head, memberTable(project.members, people)] : head;
}
