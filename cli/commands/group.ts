import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { repeated } from '../options.ts';
import { record, table } from '../table.ts';
import { setSecondFactorCommand } from './group-second-factor.ts';

interface Group {
  id: string;
  name: string;
  users: string[];
  metadata: Record<string, unknown>;
}

interface GroupOptions {
  id?: string;
  name?: string;
  user?: string[];
  users?: boolean;
  metadata?: string;
}

const PATH = '/api/usergroups';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;
const pathOfUser = (user: string) => `${PATH}/user/${encodeURIComponent(user)}`;

export function groupCommands(program: Command, io: Io): void {
  const group = program.command('group').description('groups of users (administrators)');
  group
    .command('create')
    .description('create a group')
    .requiredOption('--name <name>')
    .option('--id <id>', 'default: the name')
    .option('--user <account>', 'login id or user id of a member; may be repeated', repeated)
    .option('--metadata <json>', 'an object, such as {"2FAMetadata":["CIDR:10.0.0.0/8"]}')
    .action((options) => createGroup(io, options));
  group
    .command('list')
    .description('list the groups')
    .option('--user <account>', 'only the ids of groups that this account is in')
    .action((options) => listGroups(io, options));
  group
    .command('show')
    .description('show one group')
    .argument('<id>')
    .action((id) => showGroup(io, id));
  group
    .command('update')
    .description('change a group; what is not named stays')
    .argument('<id>')
    .option('--name <name>')
    .option('--user <account>', 'these are the members from now on; may be repeated', repeated)
    .option('--no-users', 'nobody is a member from now on')
    .option('--metadata <json>', 'an object, in place of the present one')
    .action((id, options) => updateGroup(io, id, options));
  group
    .command('delete')
    .description('delete a group; its members stay as accounts')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action((id, options) => deleteGroup(io, id, options));
  group
    .command('add-user')
    .description('put an account into a group')
    .argument('<id>')
    .argument('<account>', 'login id or user id')
    .action((id, account) => addUser(io, id, account));
  group
    .command('remove-user')
    .description('take an account out of a group')
    .argument('<id>')
    .argument('<account>', 'login id or user id')
    .action((id, account) => removeUser(io, id, account));
  setSecondFactorCommand(group, io);
}

async function createGroup(io: Io, { id, name, user, metadata }: GroupOptions): Promise<void> {
  const body = { id, name, users: user, metadata: metadataFrom(metadata) };
  io.show(await io.api.call<Group>('POST', PATH, { body }), describe);
}

async function listGroups(io: Io, { user }: { user?: string }): Promise<void> {
  if (user !== undefined) {
    const answer = await io.api.call<string[]>('GET', `${PATH}/ids`, { query: { userId: user } });
    return io.show(answer, (ids) => ids.join('\n'));
  }
  const answer = await io.api.call<Group[]>('GET', PATH);
  io.show(answer, (groups) =>
    table(
      ['ID', 'NAME', 'USERS'],
      groups.map(({ id, name, users }) => [id, name, users.length]),
    ),
  );
}

async function showGroup(io: Io, id: string): Promise<void> {
  io.show(await io.api.call<Group>('GET', pathOf(id)), describe);
}

async function updateGroup(io: Io, id: string, { name, user, users, metadata }: GroupOptions): Promise<void> {
  if (user !== undefined && users === false) throw new UsageError('Give either --user or --no-users.');
  const body = { id, name, users: users === false ? [] : user, metadata: metadataFrom(metadata) };
  io.show(await io.api.call<Group>('PUT', PATH, { body }), describe);
}

async function deleteGroup(io: Io, id: string, { yes }: { yes?: boolean }): Promise<void> {
  if (!yes && !(await io.confirm(`Delete the group '${id}'?`, 'give --yes'))) return;
  io.show(await io.api.call('DELETE', pathOf(id)), () => `The group ${id} is deleted.`);
}

async function addUser(io: Io, id: string, account: string): Promise<void> {
  io.show(await io.api.call('POST', pathOfUser(account), { body: [id] }), () => `${account} is in ${id} now.`);
}

async function removeUser(io: Io, id: string, account: string): Promise<void> {
  const answer = await io.api.call('DELETE', pathOfUser(account), { query: { groupId: id } });
  io.show(answer, () => `${account} is not in ${id} any more.`);
}

function metadataFrom(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // said below; what was given may hold a secret and is not repeated
  }
  throw new UsageError('--metadata takes a JSON object such as {"2FAMetadata":["CIDR:10.0.0.0/8"]}.');
}

/** Values of metadata may be setup codes: `--json` shows them. */
const describe = ({ id, name, users, metadata }: Group) =>
  record({ id, name, users: users.join(', '), metadata: Object.keys(metadata).join(', ') });
