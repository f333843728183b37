import { queueMail } from '../../accounts/send-mail.ts';
import { audit, by } from '../../audit.ts';
import type { Reads, Transaction } from '../../db.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { type Role, requireCapability } from '../access.ts';
import { recordProjectActivity } from '../activity.queries.ts';
import { type MemberParts, projectForMembers } from '../members.ts';
import { visibleProject } from '../visibility.queries.ts';
import {
  countRecent,
  endExpired,
  endInvitationRow,
  type InvitationRow,
  type Invited,
  insertInvitation,
  invitationExists,
  listInvitations,
  lockInviter,
  mayBeMailed,
} from './queries.ts';

/** Invitations in 24 hours. Prevents abuse for filling mailboxes of others. */
const MAX_A_DAY = { ofProject: 50, ofInviter: 100, toRecipient: 5 };

/**
 * Invites somebody to a project. Answer and time do not tell whether an account has the address or login id: no address
 * is looked up, and the statement is the same for each login id. A recipient of too many invitations gets no further
 * mail, which the answer does not tell either.
 */
export const invite = (
  { db, guests }: MemberParts,
  caller: Caller,
  projectId: string,
  { invited, role }: { invited: Invited; role: Role },
): Promise<InvitationRow> =>
  db.transaction(async (tx) => {
    const { id, tenantId, name } = await projectForMembers(tx, caller, projectId);
    await refuseTooMany(tx, id, caller.userId);
    await endExpired(tx, id, invited);
    const made = await insertInvitation(tx, {
      projectId: id,
      tenantId,
      invited,
      role,
      createdBy: caller.userId,
      guests,
    });
    const recipient = 'email' in invited ? invited.email : invited.loginId;
    if (made === null)
      throw conflict(`'${recipient}' is invited to project '${id}' already. End that invitation to make another.`, {
        code: 'InvitationExists',
      });
    if ('email' in invited && (await mayBeMailed(tx, invited.email, MAX_A_DAY.toRecipient)))
      await queueMail(tx, { kind: 'invitation', recipient: invited.email, identifier: made.id });
    const details = { projectId: id, project: name, ...invited, role };
    await audit(tx, { action: 'project.invitation.create', subject: made.id, tenantId, ...by(caller), details });
    const activity = { action: 'project.invitation.create', projectId: id, userId: caller.userId, after: { role } };
    await recordProjectActivity(tx, [activity]);
    return made;
  });

/** Invitations of a project, newest first. */
export async function listProjectInvitations(
  db: Reads,
  caller: Caller,
  projectId: string,
  window: Parameters<typeof listInvitations>[2],
) {
  const project = await visibleProject(db, caller, projectId);
  requireCapability(project, 'canGrantAccess');
  return listInvitations(db, project.id, window);
}

/** Ends an invitation that is open. Does nothing if it was accepted, has ended or expired. */
export const endInvitation = ({ db }: Pick<MemberParts, 'db'>, caller: Caller, projectId: string, id: string) =>
  db.transaction(async (tx) => {
    const { tenantId, name, ...project } = await projectForMembers(tx, caller, projectId);
    if ((await endInvitationRow(tx, project.id, id, caller.userId)) === null) {
      if (!(await invitationExists(tx, project.id, id))) throw notFound('Invitation', id);
      return;
    }
    const details = { projectId: project.id, project: name };
    await audit(tx, { action: 'project.invitation.end', subject: id, tenantId, ...by(caller), details });
    const activity = { action: 'project.invitation.end', projectId: project.id, userId: caller.userId };
    await recordProjectActivity(tx, [activity]);
  });

/** Throws `tooManyRequests` if the project or the caller has reached `MAX_A_DAY`. Exact for concurrent calls. */
async function refuseTooMany(tx: Transaction, projectId: string, userId: string) {
  await lockInviter(tx, userId);
  const { ofProject, ofInviter, wait } = await countRecent(tx, projectId, userId);
  const sentence =
    ofProject >= MAX_A_DAY.ofProject
      ? `A project invites at most ${MAX_A_DAY.ofProject} times in 24 hours.`
      : ofInviter >= MAX_A_DAY.ofInviter
        ? `You may invite at most ${MAX_A_DAY.ofInviter} times in 24 hours.`
        : undefined;
  if (sentence !== undefined)
    throw new AppError('tooManyRequests', `${sentence} Try again later.`, {
      code: 'TooManyInvitations',
      retryAfter: Math.max(1, wait),
    });
}
