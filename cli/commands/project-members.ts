import { type Command, InvalidArgumentError } from 'commander';
import { type Table, table } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Member } from '../../src/projects/record.ts';
import type { Io } from '../io.ts';
import { choice } from '../options.ts';
import { findUserId, lookUpPrincipals, type Principals } from '../principals.ts';

interface Given {
  account: string;
  role: string;
}

const ROLES = ['Owner', 'Contributor', 'Reader'];

export function projectMemberCommands(project: Command, io: Io): void {
  const members = project.command('members').description('members of a project');
  members
    .command('list <project>', { isDefault: true })
    .description('list the members, including inherited ones')
    .action((id) => listMembers(io, id));
  members
    .command('add <project>')
    .description('add a member, or change the role of one')
    .argument('<account>', 'login id or user id')
    .addOption(choice('--role <role>', 'role of the member', ROLES).default('Reader'))
    .action((id, account, { role }) => addMember(io, id, { account, role }));
  members
    .command('remove <project>')
    .description('remove a member')
    .argument('<account>', 'login id or user id')
    .action((id, account) => removeMember(io, id, account));
  members
    .command('set <project>')
    .description('replace all members; a subproject no longer inherits members')
    .argument('<account:role...>', 'login id or user id, a colon, Owner, Contributor or Reader', given)
    .action((id, all: Given[]) => setMembers(io, id, all));
  members
    .command('inherit <project>')
    .description('remove the own members of a subproject, so that it inherits those of its parent')
    .action((id) => inherit(io, id));
}

const path = (id: string) => `/api/metadata/project/${encodeURIComponent(id)}`;

function given(text: string, before: Given[] | undefined): Given[] {
  const at = text.lastIndexOf(':');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It must be an account and a role: ann:Reader.');
  const role = ROLES.find((one) => one.toLowerCase() === text.slice(at + 1).toLowerCase());
  if (role === undefined)
    throw new InvalidArgumentError(`The role is ${ROLES.join(', ')}, not '${text.slice(at + 1)}'.`);
  return [...(before ?? []), { account: text.slice(0, at), role }];
}

async function listMembers(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<List<Member>>('GET', `${path(id)}/member`);
  const people = await lookUpPrincipals(
    io,
    answer.body.data.map(({ userId }) => userId),
  );
  io.show(answer, ({ data }) => memberTable(data, people));
}

/** Table of members with login id and name. */
export const memberTable = (members: readonly Omit<Member, 'principalType'>[], people: Principals): Table =>
  table(
    ['LOGIN ID', 'NAME', 'ROLE', 'KIND', 'USER ID'],
    members.map((one: Partial<Member> & { userId: string }) => [
      people.loginIdOf(one.userId),
      people.nameOf(one.userId),
      one.role,
      one.guest ? `${one.principalType}, guest` : one.principalType,
      one.userId,
    ]),
  );

async function addMember(io: Io, id: string, { account, role }: Given): Promise<void> {
  const body = { userId: await findUserId(io, account), role };
  const answer = await io.api.call<Member>('POST', `${path(id)}/member`, { body });
  io.show(
    answer,
    ({ role, guest }) => `${account} is ${role} now.${guest ? ' It is a guest, of another tenant.' : ''}`,
  );
}

async function removeMember(io: Io, id: string, account: string): Promise<void> {
  const answer = await io.api.call('DELETE', `${path(id)}/member/${await findUserId(io, account)}`);
  io.show(answer, () => `${account} is no longer a member.`, { id, account, member: false });
}

async function setMembers(io: Io, id: string, all: readonly Given[]): Promise<void> {
  const members: { userId: string; role: string }[] = [];
  for (const { account, role } of all) members.push({ userId: await findUserId(io, account), role });
  const answer = await io.api.call('PUT', `${path(id)}/members`, { body: { members } });
  io.show(
    answer,
    () => `The project has ${members.length === 1 ? 'this member' : `these ${members.length} members`} now.`,
  );
}

async function inherit(io: Io, id: string): Promise<void> {
  const answer = await io.api.call('PUT', `${path(id)}/members/inherit`, { body: {} });
  io.show(answer, () => 'The project inherits the members of its parent now.');
}
