import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { count, formerly, limit } from '../options.ts';
import { plain, record, table } from '../table.ts';
import { userIdOf } from './account.ts';

interface Below {
  totalCount: number;
  offset: number;
  data: { id: string; parentProjectId: string; name: string; relativePath: string }[];
}

interface Access {
  role?: string;
  reasons: { capability: string; allowed: boolean; rules: Rule[] }[];
}

interface Rule {
  rule: string;
  effect: string;
  projectId?: string;
  role?: string;
  principal?: string;
  operation?: string;
}

export function projectTreeCommands(project: Command, io: Io): void {
  project
    .command('tree')
    .description('show everything below a project')
    .argument('<project>')
    .option('--limit <count>', 'maximum number', limit, 1000)
    .option('--offset <count>', 'leave out this many', count)
    .action((id, { limit, offset }) => showTree(io, id, { limit, offset }));
  project
    .command('move')
    .description('move a subproject with all below it to another place in the same root project')
    .argument('<project>')
    .argument('<target>', 'the project that it shall lie in')
    .action((id, target) => move(io, id, target));
  const explainCommand = project
    .command('explain')
    .alias('access-explain')
    .description('tell which rule gives or denies somebody each capability (owners)')
    .argument('<project>')
    .option('--account <account>', 'login id or user id; default: you');
  formerly(explainCommand, '--user <account>', '--account').action((id, options) => explain(io, id, options));
}

const path = (id: string) => `/api/metadata/project/${encodeURIComponent(id)}`;

async function showTree(io: Io, id: string, query: { limit: number; offset?: number }): Promise<void> {
  const answer = await io.api.call<Below>('GET', `${path(id)}/offset-list-recursive`, { query: { ...query } });
  const { data, offset, totalCount } = answer.body;
  // a level is a name of the path; rows come by path, so each stands below the one that holds it only after sorting by whole paths
  const whole = ({ relativePath, name }: Below['data'][number]) =>
    relativePath === '' ? [name] : [...relativePath.split('/'), name];
  const rows = data.map((row) => ({ ...row, names: whole(row) }));
  rows.sort((one, other) => compare(one.names, other.names) || (one.id < other.id ? -1 : 1));
  io.show(answer, () =>
    table(
      ['PROJECT', 'ID'],
      rows.map(({ id: below, name, names }) => [`${'  '.repeat(names.length - 1)}${plain(name)}`, below]),
    ),
  );
  const next = offset + data.length;
  if (next < totalCount) io.note(`There are ${totalCount - next} more: --offset ${next}`);
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
  const query = account === undefined ? {} : { userId: await userIdOf(io, account) };
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
