import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { repeated } from '../options.ts';
import { moment, record, table } from '../table.ts';
import { projectMemberCommands } from './project-members.ts';
import { projectTreeCommands } from './project-tree.ts';

interface Project {
  id: string;
  name: string;
  description?: string;
  accessLevel: string;
  parentProjectId?: string;
  createdAt: string;
  updatedAt: string;
  members?: { userId: string; role: string }[];
  permissions?: unknown;
}

interface Page {
  cursor?: string;
  data: Project[];
}

interface ListOptions {
  namePrefix?: string;
  role?: string[];
  sortBy?: string;
  sortOrder?: string;
  limit?: string;
  cursor?: string;
  parent?: string;
}

export function projectCommands(program: Command, io: Io): void {
  const project = program
    .command('project')
    .description('projects: what holds datasets, and who may do what with them');
  project
    .command('create')
    .description('create a project; you become its owner')
    .requiredOption('--name <name>')
    .option('--description <text>')
    .option('--access-level <level>', 'Confidential, Private or Shared')
    .option('--parent <project>', 'make it a subproject of this one')
    .option('--inherit', 'a subproject with the members of its parent')
    .action((options) => createProject(io, options));
  project
    .command('list')
    .description('list the projects in which you have a role, or those directly below one')
    .option('--parent <project>', 'only those directly below this one')
    .option('--name-prefix <text>')
    .option('--role <role>', 'only where you are Owner, Contributor or Reader; may be repeated', repeated)
    .option('--sort-by <field>', 'Name, CreatedAt or UpdatedAt')
    .option('--sort-order <order>', 'Asc or Desc')
    .option('--limit <count>', 'at most this many, up to 1000')
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
    .option('--name <name>')
    .option('--description <text>', 'empty: none')
    .option('--access-level <level>', 'Confidential, Private or Shared')
    .option('--thumbnail <file>', 'a PNG, JPEG or WEBP image of up to 1 MiB')
    .option('--no-thumbnail', 'take the image away')
    .action((id, options) => updateProject(io, id, options));
  project
    .command('revoke-grants')
    .description('make every address void that was signed before for the project, its folders and datasets')
    .argument('<id>')
    .action((id) => revokeGrants(io, id));
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
  io.show(await io.api.call<Project>('POST', url, { body: { ...body, inheritsMembers: inherit } }), describe);
}

async function listProjects(io: Io, { parent, ...options }: ListOptions): Promise<void> {
  const query = { limit: '1000', ...options };
  const list = parent === undefined ? '/api/metadata/project/list' : `${path(parent)}/subproject/list`;
  const answer = await io.api.call<Page>('GET', list, { query });
  io.show(answer, ({ data }) =>
    table(
      ['ID', 'NAME', 'ACCESS', 'UPDATED'],
      data.map((project) => [project.id, project.name, project.accessLevel, moment(project.updatedAt)]),
    ),
  );
  if (answer.body.cursor !== undefined) io.note(`There are more: --cursor ${answer.body.cursor}`);
}

async function showProject(io: Io, id: string): Promise<void> {
  io.show(await io.api.call<Project>('GET', path(id)), describe);
}

interface Change {
  name?: string;
  description?: string;
  accessLevel?: string;
  /** Of `--thumbnail` a path, of `--no-thumbnail` false; commander says true where neither was given. */
  thumbnail: string | boolean;
}

/** The server replaces the whole record, so the rest of it is sent as it was read, and refused when it has changed meanwhile. */
async function updateProject(io: Io, id: string, { thumbnail, description, ...change }: Change): Promise<void> {
  if (typeof thumbnail === 'string') {
    const thumbnailBase64 = (await readFile(thumbnail)).toString('base64');
    await io.api.call('PUT', `${path(id)}/thumbnail`, { body: { thumbnailBase64 } });
  } else if (!thumbnail) await io.api.call('PUT', `${path(id)}/thumbnail`, { body: { thumbnailBase64: '' } });
  const before = (await io.api.call<Project>('GET', path(id))).body;
  const said = description === undefined ? {} : { description: description === '' ? undefined : description };
  const { permissions: _, ...body } = { ...before, ...change, ...said };
  io.show(await io.api.call<Project>('PUT', '/api/metadata/project', { body }), describe);
}

async function revokeGrants(io: Io, id: string): Promise<void> {
  const answer = await io.api.call('POST', `${path(id)}/revoke-grants`);
  io.show(answer, () => 'The addresses that were signed before open nothing any more.');
}

async function deleteProject(io: Io, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const { name } = (await io.api.call<Project>('GET', path(id))).body;
  if (!yes && !(await io.confirm(`Move the project '${name}' and all in it to the recycle bin?`, 'give --yes'))) return;
  io.show(await io.api.call('DELETE', path(id)), () => `The project '${name}' is in the recycle bin.`);
}

function describe(project: Project): string {
  const head = record({
    id: project.id,
    name: project.name,
    description: project.description,
    access: project.accessLevel,
    parent: project.parentProjectId,
    created: moment(project.createdAt),
    updated: moment(project.updatedAt),
  });
  if (!project.members?.length) return head;
  const rows = project.members.map(({ userId, role }) => [userId, role]);
  return `${head}\n\n${table(['MEMBER', 'ROLE'], rows)}`;
}
