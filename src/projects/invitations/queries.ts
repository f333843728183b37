import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../../db.ts';
import { ROLES, type Role } from '../access.ts';

const STATUSES = ['open', 'accepted', 'ended', 'expired'] as const;
export const InvitationStatus = z.enum(STATUSES);

const Row = z.object({
  id: z.string(),
  email: z.string().optional(),
  loginId: z.string().optional(),
  role: z.enum(ROLES),
  createdAt: z.string(),
  createdBy: z.string(),
  expiresAt: z.string(),
  status: InvitationStatus,
  acceptedAt: z.string().optional(),
  acceptedBy: z.string().optional(),
  endedAt: z.string().optional(),
  endedBy: z.string().optional(),
});
/** An invitation without its token. */
export type InvitationRow = z.infer<typeof Row>;

const isOpen = sql.fragment`i.accepted_at is null and i.ended_at is null and i.expires_at > now()`;
const columns = sql.fragment`
  i.id, i.email, i.login_id, i.role, i.created_at, i.created_by, i.expires_at, i.accepted_at, i.accepted_by,
  case when i.accepted_at is not null then 'accepted' when i.ended_by is not null then 'ended'
    when i.expires_at <= now() then 'expired' else 'open' end as status,
  case when i.ended_by is not null then i.ended_at end as ended_at, i.ended_by`;

/** Who is invited: an e-mail address, or the holder of a login id. */
export type Invited = { email: string } | { loginId: string };

export interface NewInvitation {
  projectId: string;
  tenantId: string;
  invited: Invited;
  role: Role;
  createdBy: string;
  /** Accounts of other tenants may be invited by login id. */
  guests: boolean;
}

/** Condition: invitation `i` of the project goes to the same address or login id. */
const sameRecipient = (invited: Invited): Fragment =>
  'email' in invited
    ? sql.fragment`lower(i.email) = lower(${invited.email})`
    : sql.fragment`fold_name(i.login_id) = fold_name(${invited.loginId})`;

/** Marks an invitation that has expired as ended, so that the same address or login id can be invited again. */
export const endExpired = (tx: Transaction, projectId: string, invited: Invited) =>
  tx.query(sql.unsafe`
    update project_invitations i set ended_at = expires_at
    where i.project_id = ${projectId} and ${sameRecipient(invited)} and i.accepted_at is null and i.ended_at is null
      and i.expires_at <= now()`);

/** Null if an invitation of the same address or login id is open. */
export const insertInvitation = (
  tx: Transaction,
  { projectId, tenantId, invited, role, createdBy, guests }: NewInvitation,
) => {
  const [email, loginId] = 'email' in invited ? [invited.email, null] : [null, invited.loginId];
  return tx.maybeOne(sql.write(Row)`
    insert into project_invitations as i (project_id, email, login_id, user_id, role, created_by)
    values (${projectId}, ${email}, ${loginId}, (
      select a.user_id from accounts a where a.folded_id = fold_name(${loginId}) and (${guests} or exists (
        select from tenant_members m where m.tenant_id = ${tenantId} and m.user_id = a.user_id))), ${role}, ${createdBy})
    on conflict do nothing
    returning ${columns}`);
};

const Recent = z.object({ ofProject: z.number(), ofInviter: z.number(), wait: z.number() });
/** Invitations of a project and of who invites in the last 24 hours, and seconds until the first of them is older. */
export const countRecent = (tx: Transaction, projectId: string, createdBy: string) =>
  tx.one(sql.type(Recent)`
    select count(*) filter (where project_id = ${projectId}) as of_project, count(*) filter (where created_by = ${createdBy}) as of_inviter,
      coalesce(ceil(extract(epoch from min(created_at) + interval '1 day' - now())), 0)::int as wait
    from project_invitations
    where (project_id = ${projectId} or created_by = ${createdBy}) and created_at > now() - interval '1 day'`);

/** Serializes the invitations of who invites, in all projects. */
export const lockInviter = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('invitations of ' || ${userId}, 0))`);

/**
 * Whether this e-mail address was invited at most `most` times in the last 24 hours, by whomever. Exact for concurrent
 * calls that have inserted the invitation in the same transaction.
 */
export async function mayBeMailed(tx: Transaction, email: string, most: number): Promise<boolean> {
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('invitation to ' || lower(${email}), 0))`);
  return tx.exists(sql.unsafe`
    select from project_invitations where lower(email) = lower(${email}) and created_at > now() - interval '1 day'
    having count(*) <= ${most}`);
}

/** Invitations of a project, newest first. */
export const listInvitations = (
  db: Reads,
  projectId: string,
  { offset = 0, limit }: { offset?: number | undefined; limit?: number | undefined },
) =>
  db.any(sql.type(Row)`
    select ${columns} from project_invitations i where i.project_id = ${projectId}
    order by i.created_at desc, i.id desc offset ${offset} limit ${limit ?? null}::bigint`);

const Ended = z.object({ id: z.string() });
/** Ends an invitation that nobody has accepted. Null if the project has none with this id, or it has ended before. */
export const endInvitationRow = (tx: Transaction, projectId: string, id: string, userId: string) =>
  tx.maybeOne(sql.write(Ended)`
    update project_invitations i set ended_at = now(), ended_by = ${userId}
    where i.id = ${id} and i.project_id = ${projectId} and ${isOpen} returning i.id`);

export const invitationExists = (tx: Transaction, projectId: string, id: string) =>
  tx.exists(sql.unsafe`select from project_invitations where id = ${id} and project_id = ${projectId}`);

const Open = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  role: z.enum(ROLES),
  createdAt: z.string(),
  createdBy: z.string(),
  expiresAt: z.string(),
});
/** An invitation that can be accepted, as far as its row tells. */
export type OpenInvitation = z.infer<typeof Open>;
const open = sql.fragment`
  select i.id, i.project_id, p.name as project_name, i.role, i.created_at, i.created_by, i.expires_at
  from project_invitations i join projects p on p.id = i.project_id`;

/** Invitations of an account by login id, newest first. */
export const listOpenInvitations = (db: Reads, userId: string, limit: number) =>
  db.any(
    sql.type(
      Open,
    )`${open} where i.user_id = ${userId} and ${isOpen} order by i.created_at desc, i.id desc limit ${limit}`,
  );

/** The invitation of the SHA-256 of a mailed token, or of an account by its id. */
export const findOpenInvitation = (db: Reads, given: { hash: Buffer } | { id: string; userId: string }) =>
  db.maybeOne(
    sql.type(Open)`${open} where ${isOpen} and ${
      'hash' in given
        ? sql.fragment`i.id = (select invitation_id from project_invitation_tokens where hash = ${sql.binary(given.hash)})`
        : sql.fragment`i.id = ${given.id} and i.user_id = ${given.userId}`
    }`,
  );

/** Of concurrent calls one returns true. */
export const useInvitation = async (tx: Transaction, id: string, userId: string): Promise<boolean> =>
  (
    await tx.query(sql.unsafe`
    update project_invitations i set accepted_at = now(), accepted_by = ${userId} where i.id = ${id} and ${isOpen}`)
  ).rowCount === 1;

/** Deletes invitations that were accepted, ended or expired a month ago. */
export const deleteOldInvitations = (tx: Transaction) =>
  tx.query(sql.unsafe`
    delete from project_invitations where least(accepted_at, ended_at, expires_at) < now() - interval '30 days'`);
