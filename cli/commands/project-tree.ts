import type { Command } from 'commander';
import { count, plain, record, type Table, table } from 'hydrofiles/terminal';
import type { PlacedDataset } from '../../src/datasets/record.ts';
import type { OffsetPage } from '../../src/http/rules/paging.ts';
import type { ProjectDescendant } from '../../src/projects/descendants.queries.ts';
import type { Access, Rule } from '../../src/projects/explain.ts';
import { composedAnswer } from '../client.ts';
import type { Io } from '../io.ts';
import { legacyOption, limit } from '../options.ts';
import { pathSegment } from '../paths.ts';
import { findUserId } from '../principals.ts';

interface TreeOptions {
  limit: number;
  offset?: number;
  datasets?: boolean;
}

export function projectTreeCommands(project: Command, io: Io): void {
  project
    .command('tree <project>')
    .description('show everything below a project')
    .option('--limit <count>', 'maximum number', limit, 1000)
    .option('--offset <count>', 'skip this many', count)
    .option('--datasets', 'include datasets')
    .action((id, { limit, offset, datasets }) => showTree(io, id, { limit, offset, datasets }));
  project
    .command('move <project>')
    .description('move a subproject with its content to another project of the same root project')
    .argument('<target>', 'new parent project')
    .action((id, target) => move(io, id, target));
  const explainCommand = project
    .command('explain <project>')
    .alias('access-explain')
    .description('explain the access of an account to a project, capability by capability (owners)')
    .option('--account <account>', 'login id or user id; default: you');
  legacyOption(explainCommand, '--user <account>', '--account').action((id, options) => explain(io, id, options));
}

const path = (id: string) => `/api/metadata/project/${encodeURIComponent(id)}`;

async function showTree(io: Io, id: string, { datasets, ...query }: TreeOptions): Promise<void> {
  const folders = await io.api.call<OffsetPage<ProjectDescendant>>('GET', `${path(id)}/offset-list-recursive`, {
    query: { ...query },
  });
  if (!datasets) {
    io.show(folders, ({ data }) => tree(data.map((row) => ({ ...row, suffix: '' }))));
    return noteRest(io, folders.body);
  }
  const files = await io.api.call<OffsetPage<PlacedDataset>>('GET', `${path(id)}/dataset/recursive-list`, {
    query: { ...query },
  });
  const answer = composedAnswer({ projects: folders.body, datasets: files.body });
  io.show(answer, ({ projects, datasets }) =>
    // a slash marks projects
    tree([
      ...projects.data.map((row) => ({ ...row, suffix: '/' })),
      ...datasets.data.map((row) => ({ ...row, suffix: '' })),
    ]),
  );
  noteRest(io, folders.body.totalCount > files.body.totalCount ? folders.body : files.body);
}

function noteRest(io: Io, { offset, data, totalCount }: OffsetPage<unknown>): void {
  const next = offset + data.length;
  if (next < totalCount) io.note(`${totalCount - next} more: --offset ${next}`);
}

type Row = Pick<ProjectDescendant, 'id' | 'name' | 'relativePath'> & { suffix: string };

/** Indents rows by their path. Sorts by whole paths, so that each row is below its parent. */
function tree(data: readonly Row[]): Table {
  const rows = data.map((row) => ({
    ...row,
    names: [...(row.relativePath === '' ? [] : row.relativePath.split('/')), pathSegment(row.name)],
  }));
  rows.sort((one, other) => compare(one.names, other.names) || (one.id < other.id ? -1 : 1));
  return table(
    ['PROJECT', 'ID'],
    rows.map(({ id, name, names, suffix }) => [`${'  '.repeat(names.length - 1)}${plain(name)}${suffix}`, id]),
  );
}

function compare(one: readonly string[], other: readonly string[]): number {
  for (const [at, name] of one.entries()) {
    const there = other[at];
    if (there === undefined) return 1;
    if (name !== there) return name < there ? -1 : 1;
  }
  return one.length - other.length;
}

async function move(io: Io, id: string, targetProjectId: string): Promise<void> {
  const answer = await io.api.call('POST', `${path(id)}/move`, { body: { targetProjectId } });
  io.show(answer, () => `The project is in ${targetProjectId} now.`, { id, targetProjectId, moved: true });
}

async function explain(io: Io, id: string, { account }: { account?: string }): Promise<void> {
  const query = account === undefined ? {} : { userId: await findUserId(io, account) };
  const answer = await io.api.call<Access>('GET', `${path(id)}/access`, { query });
  io.show(answer, ({ role, reasons }) => {
    const rows = reasons.map(({ capability, allowed, rules }) => [
      capability,
      allowed ? 'yes' : 'no',
      rules.map(sentence).join('; '),
    ]);
    return [record({ role: role ?? 'none' }), table(['CAPABILITY', 'ALLOWED', 'BECAUSE'], rows)];
  });
}

function sentence({ rule, effect, projectId, role, principal, operation }: Rule): string {
  if (rule === 'TenantOwner') return 'Owner of the tenant';
  if (rule === 'Key') return `the key is ${role} in all of its tenant`;
  if (rule === 'Member') return `${role} in ${projectId}`;
  return `${projectId} ${effect === 'Denies' ? 'denies' : 'allows'} ${operation} to '${principal}'`;
}
