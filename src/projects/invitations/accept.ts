import { hashOfMailToken } from '../../accounts/mail-token.ts';
import { audit, by } from '../../audit.ts';
import type { Reads } from '../../db.ts';
import { AppError, forbidden } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { findPresentCaller } from '../../keys/issuers.ts';
import { may, ROLE_RIGHTS, type Role } from '../access.ts';
import { findRole } from '../members.queries.ts';
import { giveRole, type MemberParts } from '../members.ts';
import { lockProjectTrees } from '../tree.ts';
import { findVisibleProject } from '../visibility.queries.ts';
import { findOpenInvitation, listOpenInvitations, type OpenInvitation, useInvitation } from './queries.ts';

/** Invitations of one account that its list shows. */
const MAX_SHOWN = 100;
const NOWHERE = { scopes: [], address: '', requestId: '' };

export interface Accepted {
  projectId: string;
  projectName: string;
  /** The caller's role in the project now. */
  role: Role;
}

/**
 * Makes the caller a member, with the role of the invitation or a greater one that the caller has already. Who invited
 * must still be able to add this member. One and the same error for all invitations that cannot be accepted.
 */
export const acceptInvitation = (
  { db, guests }: MemberParts,
  caller: Caller,
  given: { token: string } | { id: string },
) =>
  db.transaction(async (tx): Promise<Accepted> => {
    refuseKey(caller);
    const wanted = 'token' in given ? { hash: hashOfMailToken(given.token) } : { ...given, userId: caller.userId };
    const found = await findOpenInvitation(tx, wanted);
    if (!found) throw notValid();
    const { id, projectId, role } = found;
    await lockProjectTrees(tx, projectId);
    const granted = await findGranted(tx, found);
    if (!granted || !(await useInvitation(tx, id, caller.userId))) throw notValid();
    const { project, granter } = granted;
    const { tenantId, name: projectName } = project;
    const had = (await findRole(tx, project.memberSourceId, caller.userId)) as Role | null;
    const keeps = had !== null && (ROLE_RIGHTS[had] & ROLE_RIGHTS[role]) === ROLE_RIGHTS[role];
    if (!keeps) await giveRole(tx, { granter, actor: caller, guests }, project, { userId: caller.userId, role });
    const details = { projectId, project: projectName, invitedBy: granter.accountId };
    await audit(tx, { action: 'project.invitation.accept', subject: id, tenantId, ...by(caller), details });
    return { projectId, projectName, role: keeps ? had : role };
  });

/** Invitations of the caller by login id that can be accepted, newest first. */
export async function listOwnInvitations(db: Reads, caller: Caller): Promise<OpenInvitation[]> {
  refuseKey(caller);
  const own: OpenInvitation[] = [];
  for (const invitation of await listOpenInvitations(db, caller.userId, MAX_SHOWN))
    if (await findGranted(db, invitation)) own.push(invitation);
  return own;
}

/** The project, and who invited with the present rights. Undefined if these do not suffice any more. */
async function findGranted(db: Reads, { projectId, createdBy }: OpenInvitation) {
  const granter = await findPresentCaller(db, createdBy, NOWHERE);
  const project = granter && (await findVisibleProject(db, granter, projectId));
  return project && may(project, 'canGrantAccess') ? { project, granter } : undefined;
}

function refuseKey({ key }: Caller) {
  if (key) throw forbidden('API keys have no invitations. Sign in as the person who is invited.');
}

const notValid = () =>
  new AppError('notFound', 'The invitation is unknown, was accepted or ended, or has expired. Ask for another one.', {
    code: 'InvitationNotValid',
  });
