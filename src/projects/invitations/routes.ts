import { z } from 'zod';
import { Email } from '../../accounts/account.ts';
import { invalid } from '../../errors.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam, uuidParam } from '../../http/rules/forms.ts';
import { component, createdAt, createdBy, text, textUpTo, timeText, uuidText } from '../../http/rules/members.ts';
import { listOf, offsetQuery } from '../../http/rules/paging.ts';
import { ROLES, roleText } from '../access.ts';
import type { MemberParts } from '../members.ts';
import { acceptInvitation, listOwnInvitations } from './accept.ts';
import { endInvitation, invite, listProjectInvitations } from './invite.ts';
import { InvitationStatus, type Invited } from './queries.ts';

const role = z.enum(ROLES).describe('Role in the project that it gives.');
const expiresAt = timeText('Time when it expires, UTC: seven days after its creation.');
const Invitation = component('Invitation', {
  id: uuidText('Id of the invitation.'),
  email: text('E-mail address that is invited.', 'ann@example.org').optional(),
  loginId: text('Login id that is invited, as it was entered.', 'ann').optional(),
  role,
  createdAt,
  createdBy,
  expiresAt,
  status: InvitationStatus.describe('`open`, `accepted`, `ended` by somebody, or `expired`.'),
  acceptedAt: timeText('Time when it was accepted, UTC.').optional(),
  acceptedBy: uuidText('User id of who has accepted it.').optional(),
  endedAt: timeText('Time when somebody ended it, UTC.').optional(),
  endedBy: uuidText('User id of who ended it.').optional(),
});
export type Invitation = z.infer<typeof Invitation>;
const OwnInvitation = component('OwnInvitation', {
  id: uuidText('Id of the invitation; it is accepted with it.'),
  projectId: uuidText('Id of the project.'),
  projectName: text('Name of the project.', 'Upper valley'),
  role,
  createdAt,
  createdBy,
  expiresAt,
});
export type OwnInvitation = z.infer<typeof OwnInvitation>;
const AcceptedInvitation = component('AcceptedInvitation', {
  projectId: uuidText('Id of the project.'),
  projectName: text('Name of the project.', 'Upper valley'),
  role: z.enum(ROLES).describe('Role of the caller in the project now.'),
});
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>;

/** Invitations to projects. Answers do not reveal whether an account exists. */
export async function invitationRoutes(app: App, parts: MemberParts) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });

  routes.post('/api/metadata/project/:id/invitation', {
    operationId: 'createProjectInvitation',
    summary: 'Invites an e-mail address or a login id to a project',
    description:
      'Needs canGrantAccess. Send `email` or `loginId`: a mail with a link goes to the address, the holder of the login id finds the invitation with `GET /api/iam/invitation`. The answer is the same whether an account has it or not. It is good for seven days and for one person, while its creator may add that person as a member. 409 `InvitationExists`: an invitation of the same address or login id is open. 429 `TooManyInvitations`: 50 of the project or 100 of the caller in 24 hours; an address gets at most 5 mails in 24 hours.',
    params: idParam('project'),
    body: component('NewInvitation', {
      email: Email.optional().meta({ description: 'E-mail address to invite.', example: 'ann@example.org' }),
      loginId: textUpTo(255, 'Login id to invite, in any letter case.', 'ann').trim().min(1).optional(),
      role: roleText().describe('Role in the project.'),
    }),
    response: { 201: Invitation },
    handler: ({ caller, params, body }) =>
      invite(parts, caller, params.id, { invited: invitedIn(body), role: body.role }),
  });

  routes.get('/api/metadata/project/:id/invitation', {
    operationId: 'listProjectInvitations',
    summary: 'Lists the invitations to a project, newest first',
    description: 'Needs canGrantAccess. Those that were accepted, ended or expired are kept for 30 days.',
    params: idParam('project'),
    querystring: z.object(offsetQuery),
    response: { 200: listOf(Invitation) },
    handler: async ({ caller, params, query }) => ({
      data: [...(await listProjectInvitations(parts.db, caller, params.id, query))],
    }),
  });

  routes.delete('/api/metadata/project/:id/invitation/:invitationId', {
    operationId: 'deleteProjectInvitation',
    summary: 'Ends an invitation at once',
    description: 'Needs canGrantAccess. Changes nothing if the invitation was accepted, has ended or expired.',
    params: z.object({
      id: uuidParam().describe('Id of the project.'),
      invitationId: uuidParam().describe('Id of the invitation.'),
    }),
    response: { 204: z.null() },
    handler: ({ caller, params }) => endInvitation(parts, caller, params.id, params.invitationId),
  });

  routes.get('/api/iam/invitation', {
    operationId: 'listOwnInvitations',
    summary: "Lists the open invitations of the caller's login id, newest first",
    response: { 200: listOf(OwnInvitation) },
    config: { service: 'iam' },
    handler: async ({ caller }) => ({ data: await listOwnInvitations(parts.db, caller) }),
  });

  routes.post('/api/iam/invitation/accept', {
    operationId: 'acceptInvitation',
    summary: 'Accepts an invitation: the caller becomes a member of the project',
    description:
      'Send the `token` of the mail, or the `id` of an invitation of the own login id. A greater role that the caller has stays. A subproject that inherits its members stops inheriting and keeps a copy of them. 404 `InvitationNotValid`: unknown, accepted, ended or expired, its project is deleted, or its creator may not grant access any more. 403 `GuestsNotAllowed`: the caller is of another tenant, and its creator may not add guests.',
    body: component('AcceptInvitation', {
      token: textUpTo(1000, 'Token of the mail.').optional(),
      id: z.guid().toLowerCase().optional().describe('Id of an invitation of the own login id.'),
    }),
    response: { 200: AcceptedInvitation },
    config: { service: 'iam' },
    handler: ({ caller, body: { token, id } }) => {
      if ((token === undefined) === (id === undefined)) throw invalid('Send either token or id.');
      return acceptInvitation(parts, caller, token === undefined ? { id: id as string } : { token });
    },
  });
}

function invitedIn({ email, loginId }: { email?: string | undefined; loginId?: string | undefined }): Invited {
  if (email !== undefined && loginId === undefined) return { email };
  if (loginId !== undefined && email === undefined) return { loginId };
  throw invalid('Send either email or loginId.');
}
