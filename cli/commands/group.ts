import type { Command } from 'commander';
import type { GroupAnswer as Group } from '../../src/groups/routes.ts';
import type { Confirmed } from '../confirm.ts';
import { confirmed, counted } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { formerly, repeated } from '../options.ts';
import { record, table } from '../table.ts';
import { setSecondFactorCommand } from './group-second-factor.ts';

interface GroupOptions {
  id?: string;
  name?: string;
  member?: string[];
  members?: boolean;
  metadata?: string;
}

const PATH = '/api/usergroups';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;
const pathOfUser = (user: string) => `${PATH}/user/${encodeURIComponent(user)}`;

export function groupCommands(group: Command, io: Io): void {
  const create = group
    .command('create')
    .description('create a group')
    .requiredOption('--name <name>', 'its name')
    .option('--id <id>', 'default: the name')
    .option('--member <account>', 'login id or user id; may be repeated', repeated)
    .option('--metadata <json>', 'an object, such as {"2FAMetadata":["CIDR:10.0.0.0/8"]}');
  formerly(create, '--user <account>', '--member').action((options) => createGroup(io, options));
  const list = group
    .command('list')
    .description('list the groups')
    .option('--account <account>', 'only the ids of groups that this account is in');
  formerly(list, '--user <account>', '--account').action((options) => listGroups(io, options));
  group
    .command('show')
    .description('show one group')
    .argument('<id>')
    .action((id) => showGroup(io, id));
  const update = group
    .command('update')
    .description('change a group; what is not named stays')
    .argument('<id>')
    .option('--name <name>', 'another name')
    .option('--member <account>', 'these are the members from now on; may be repeated', repeated)
    .option('--no-members', 'nobody is a member from now on')
    .option('--metadata <json>', 'an object, in place of the present one');
  formerly(formerly(update, '--user <account>', '--member'), '--no-users', '--no-members').action((id, options) =>
    updateGroup(io, id, options),
  );
  group
    .command('delete')
    .description('delete a group; its members stay as accounts')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action((id, options) => deleteGroup(io, id, options));
  memberCommands(group, io);
  setSecondFactorCommand(group, io);
}

function memberCommands(group: Command, io: Io): void {
  const members = group.command('members').description('who is in a group');
  members
    .command('list', { isDefault: true })
    .description('list the members')
    .argument('<id>')
    .action(async (id) => io.show(await io.api.call<Group>('GET', pathOf(id)), ({ users }) => users.join('\n')));
  // the words of older versions stand directly below the noun
  for (const [below, former] of [
    [members, false],
    [group, true],
  ] as const) {
    below
      .command(former ? 'add-user' : 'add', { hidden: former })
      .description('put an account into a group')
      .argument('<id>')
      .argument('<account>', 'login id or user id')
      .action((id, account) => addUser(io, id, account));
    below
      .command(former ? 'remove-user' : 'remove', { hidden: former })
      .description('take an account out of a group')
      .argument('<id>')
      .argument('<account>', 'login id or user id')
      .action((id, account) => removeUser(io, id, account));
  }
}

async function createGroup(io: Io, { id, name, member, metadata }: GroupOptions): Promise<void> {
  const body = { id, name, users: member, metadata: metadataFrom(metadata) };
  io.show(await io.api.call<Group>('POST', PATH, { body }), describe);
}

async function listGroups(io: Io, { account }: { account?: string }): Promise<void> {
  if (account !== undefined) {
    const answer = await io.api.call<string[]>('GET', `${PATH}/ids`, { query: { userId: account } });
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

async function updateGroup(io: Io, id: string, { name, member, members, metadata }: GroupOptions): Promise<void> {
  if (member !== undefined && members === false) throw new UsageError('Give either --member or --no-members.');
  const body = { id, name, users: members === false ? [] : member, metadata: metadataFrom(metadata) };
  io.show(await io.api.call<Group>('PUT', PATH, { body }), describe);
}

async function deleteGroup(io: Io, id: string, options: Confirmed): Promise<void> {
  if (!options.yes) {
    const { users } = (await io.api.call<Group>('GET', pathOf(id))).body;
    const question = `Delete the group '${id}' for ever? ${counted(users.length, 'member loses', 'members lose')} what it allows.`;
    await confirmed(io, question, options);
  }
  io.show(await io.api.call('DELETE', pathOf(id)), () => `The group ${id} is deleted.`, { id, deleted: true });
}

async function addUser(io: Io, id: string, account: string): Promise<void> {
  io.show(await io.api.call('POST', pathOfUser(account), { body: [id] }), () => `${account} is in ${id} now.`, {
    id,
    account,
    member: true,
  });
}

async function removeUser(io: Io, id: string, account: string): Promise<void> {
  const answer = await io.api.call('DELETE', pathOfUser(account), { query: { groupId: id } });
  io.show(answer, () => `${account} is not in ${id} any more.`, { id, account, member: false });
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
