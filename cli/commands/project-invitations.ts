import type { Command } from 'commander';
import { moment, record } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Invitation } from '../../src/projects/invitations/routes.ts';
import type { Io } from '../io.ts';
import { choice } from '../options.ts';

/** `project invite` and `project invitations`. */
export function projectInvitationCommands(project: Command, io: Io): void {
  project
    .command('invite <project>')
    .description('invite somebody, who becomes a member by accepting within seven days')
    .argument('<whom>', 'e-mail address, to which a mail is sent, or login id')
    .addOption(choice('--role <role>', 'role of the member', ['Owner', 'Contributor', 'Reader']).default('Reader'))
    .option('--login-id', 'it is a login id, although it contains an @')
    .action((id, whom, options) => invite(io, id, whom, options));
  const invitations = project.command('invitations').description('invitations to a project');
  invitations
    .command('list <project>', { isDefault: true })
    .description('list the invitations of the last 30 days')
    .action((id) => listInvitations(io, id));
  invitations
    .command('end <project>')
    .description('end an invitation at once')
    .argument('<id>', 'id of the invitation')
    .action((id, invitation) => endInvitation(io, id, invitation));
}

const path = (id: string) => `/api/metadata/project/${encodeURIComponent(id)}/invitation`;

async function invite(io: Io, id: string, whom: string, { role, loginId }: { role: string; loginId?: true }) {
  const who = whom.includes('@') && !loginId ? { email: whom } : { loginId: whom };
  const answer = await io.api.call<Invitation>('POST', path(id), { body: { ...who, role } });
  io.show(answer, ({ id, email, loginId, role, expiresAt }) =>
    record({ id, email, 'login id': loginId, role, expires: moment(expiresAt) }),
  );
}

async function listInvitations(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<List<Invitation>>('GET', path(id));
  io.list(answer, ['ID', 'INVITED', 'ROLE', 'STATUS', 'MADE', 'EXPIRES'], (one) => [
    one.id,
    one.email ?? one.loginId,
    one.role,
    one.status,
    moment(one.createdAt),
    moment(one.expiresAt),
  ]);
}

async function endInvitation(io: Io, id: string, invitation: string): Promise<void> {
  const answer = await io.api.call('DELETE', `${path(id)}/${encodeURIComponent(invitation)}`);
  io.show(answer, () => `The invitation ${invitation} is not open any more.`, { id: invitation, ended: true });
}
