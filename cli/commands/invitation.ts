import type { Command } from 'commander';
import { moment, UsageError } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { AcceptedInvitation, OwnInvitation } from '../../src/projects/invitations/routes.ts';
import type { Io } from '../io.ts';

export function invitationCommands(invitation: Command, io: Io): void {
  invitation
    .command('list')
    .description('list the open invitations of your login id')
    .action(() => listOwn(io));
  invitation
    .command('accept [id]')
    .description('accept an invitation of your login id, or of a mail')
    .option('--token <token>', 'token of the mail')
    .action((id, { token }) => accept(io, id, token));
}

async function listOwn(io: Io): Promise<void> {
  const answer = await io.api.call<List<OwnInvitation>>('GET', '/api/iam/invitation');
  io.list(answer, ['ID', 'PROJECT', 'ROLE', 'EXPIRES'], (one) => [
    one.id,
    one.projectName,
    one.role,
    moment(one.expiresAt),
  ]);
}

async function accept(io: Io, id: string | undefined, token: string | undefined): Promise<void> {
  if ((id === undefined) === (token === undefined))
    throw new UsageError('Name the id of an invitation, or the --token of a mail.');
  const answer = await io.api.call<AcceptedInvitation>('POST', '/api/iam/invitation/accept', { body: { id, token } });
  io.show(answer, ({ projectName, role }) => `You are ${role} of the project '${projectName}' now.`);
}
