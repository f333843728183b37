import type { Command } from 'commander';
import { record, repeated, table, UsageError } from 'hydrofiles/terminal';
import type { GroupAnswer as Group } from '../../src/groups/routes.ts';
import { type ConfirmOptions, confirm, pluralize } from '../confirm.ts';
import type { Io } from '../io.ts';
import { legacyOption } from '../options.ts';
import { secondFactorCommands } from './group-second-factor.ts';

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
    .option('--metadata <json>', 'JSON object, such as {"2FAMetadata":["CIDR:10.0.0.0/8"]}');
  legacyOption(create, '--user <account>', '--member').action((options) => createGroup(io, options));
  const list = group
    .command('list')
    .description('list the groups')
    .option('--account <account>', 'only the ids of groups of this account');
  legacyOption(list, '--user <account>', '--account').action((options) => listGroups(io, options));
  group
    .command('show <id>')
    .description('show one group')
    .option('--show-secrets', 'print the metadata with the setup codes of authenticators; recorded in the audit trail')
    .action((id, options) => showGroup(io, id, options));
  const update = group
    .command('update <id>')
    .description('update a group; only the given options change')
    .option('--name <name>', 'new name')
    .option('--member <account>', 'replaces the members; may be repeated', repeated)
    .option('--no-members', 'remove all members')
    .option('--metadata <json>', 'JSON object; replaces the metadata');
  legacyOption(legacyOption(update, '--user <account>', '--member'), '--no-users', '--no-members').action(
    (id, options) => updateGroup(io, id, options),
  );
  group
    .command('delete <id>')
    .description('delete a group; the accounts of its members are kept')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteGroup(io, id, options));
  memberCommands(group, io);
  secondFactorCommands(group, io);
}

function memberCommands(group: Command, io: Io): void {
  const members = group.command('members').description('members of a group');
  members
    .command('list <id>', { isDefault: true })
    .description('list the members')
    .action(async (id) => io.show(await io.api.call<Group>('GET', pathOf(id)), ({ users }) => users.join('\n')));
  // older versions had these verbs directly below the noun
  for (const [below, legacyNames] of [
    [members, false],
    [group, true],
  ] as const) {
    below
      .command(legacyNames ? 'add-user' : 'add', { hidden: legacyNames })
      .description('add an account to a group')
      .argument('<id>')
      .argument('<account>', 'login id or user id')
      .action((id, account) => addUser(io, id, account));
    below
      .command(legacyNames ? 'remove-user' : 'remove', { hidden: legacyNames })
      .description('remove an account from a group')
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

async function showGroup(io: Io, id: string, { showSecrets }: { showSecrets?: boolean }): Promise<void> {
  if (!showSecrets) return io.show(await io.api.call<Group>('GET', pathOf(id)), describe);
  const answer = await io.api.call<Group>('GET', pathOf(id), { query: { showSecrets: true } });
  io.show(answer, (group) => [describe(group), JSON.stringify(group.metadata, null, 2)]);
}

async function updateGroup(io: Io, id: string, { name, member, members, metadata }: GroupOptions): Promise<void> {
  if (member !== undefined && members === false) throw new UsageError('Use --member or --no-members, not both.');
  const body = { id, name, users: members === false ? [] : member, metadata: metadataFrom(metadata) };
  io.show(await io.api.call<Group>('PUT', PATH, { body }), describe);
}

async function deleteGroup(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  if (!options.yes) {
    const { users } = (await io.api.call<Group>('GET', pathOf(id))).body;
    const question = `Delete the group '${id}' for ever? ${pluralize(users.length, 'member loses', 'members lose')} its permissions.`;
    await confirm(io, question, options);
  }
  io.show(await io.api.call('DELETE', pathOf(id)), () => `The group ${id} is deleted.`, { id, deleted: true });
}

async function addUser(io: Io, id: string, account: string): Promise<void> {
  io.show(
    await io.api.call('POST', pathOfUser(account), { body: [id] }),
    () => `${account} is a member of ${id} now.`,
    {
      id,
      account,
      member: true,
    },
  );
}

async function removeUser(io: Io, id: string, account: string): Promise<void> {
  const answer = await io.api.call('DELETE', pathOfUser(account), { query: { groupId: id } });
  io.show(answer, () => `${account} is no longer a member of ${id}.`, { id, account, member: false });
}

function metadataFrom(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // the message below does not repeat the value, which may contain a secret
  }
  throw new UsageError('--metadata must be a JSON object such as {"2FAMetadata":["CIDR:10.0.0.0/8"]}.');
}

/** Omits the values of metadata, which may be large; `--json` prints them. */
const describe = ({ id, name, users, metadata }: Group) =>
  record({ id, name, users: users.join(', '), metadata: Object.keys(metadata).join(', ') });
