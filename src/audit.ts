import { sql, type Transaction } from './db.ts';

/**
 * What the object of an action is: an account by `login` id, a `principal` (account or API key) by user id, `content`
 * (project or dataset), …; `other`: nothing that has a name.
 */
export type SubjectKind =
  | 'login'
  | 'principal'
  | 'group'
  | 'tenant'
  | 'project'
  | 'dataset'
  | 'content'
  | 'feature'
  | 'webhook'
  | 'other';

/** `ofTenant`: Owners of the tenant of an entry read it. Entries of the platform are for administrators. */
interface Kind {
  ofTenant: boolean;
  subject: SubjectKind;
}
const ofTenant = (subject: SubjectKind): Kind => ({ ofTenant: true, subject });
const ofPlatform = (subject: SubjectKind): Kind => ({ ofTenant: false, subject });

/** All actions that are recorded. */
export const AUDIT_KINDS = {
  'account.activate': ofPlatform('login'),
  'account.change': ofPlatform('login'),
  'account.create': ofPlatform('login'),
  'account.delete': ofPlatform('login'),
  'account.file.read': ofPlatform('other'),
  'account.password.reset': ofPlatform('login'),
  'account.password.resetAsked': ofPlatform('login'),
  'account.register': ofPlatform('login'),
  'account.registration.expire': ofPlatform('other'),
  'admin.bootstrap': ofPlatform('login'),
  'blobs.adopt': ofPlatform('other'),
  'blobs.sweep.confirm': ofPlatform('other'),
  'dataset.grants.revoke': ofTenant('dataset'),
  'dataset.purge': ofTenant('dataset'),
  'feature.change': ofPlatform('feature'),
  'feature.define': ofPlatform('feature'),
  'feature.delete': ofPlatform('feature'),
  'feature.disable': ofTenant('feature'),
  'feature.enable': ofTenant('feature'),
  'feature.license': ofTenant('feature'),
  'feature.unlicense': ofTenant('feature'),
  'grant.issue': ofTenant('content'),
  'group.change': ofPlatform('group'),
  'group.create': ofPlatform('group'),
  'group.delete': ofPlatform('group'),
  'group.member.add': ofPlatform('login'),
  'group.member.remove': ofPlatform('login'),
  'group.set-second-factor': ofPlatform('group'),
  'group.show-secrets': ofPlatform('group'),
  'integrity.repair': ofPlatform('other'),
  'job.cancel': ofPlatform('other'),
  'job.retry': ofPlatform('other'),
  'job.retry.stop': ofPlatform('other'),
  'key.create': ofTenant('principal'),
  'key.revoke': ofTenant('principal'),
  'keys.rotate': ofPlatform('other'),
  login: ofPlatform('login'),
  'login.failed': ofPlatform('login'),
  'otp.recovery-code.use': ofPlatform('login'),
  'otp.recovery-codes.make': ofPlatform('login'),
  'otp.register': ofPlatform('login'),
  'otp.reset': ofPlatform('login'),
  'project.grants.revoke': ofTenant('project'),
  'project.invitation.accept': ofTenant('other'),
  'project.invitation.create': ofTenant('other'),
  'project.invitation.end': ofTenant('other'),
  'project.member.remove': ofTenant('principal'),
  'project.member.set': ofTenant('principal'),
  'project.purge': ofTenant('project'),
  'secret.rotate': ofPlatform('other'),
  'share.create': ofTenant('other'),
  'share.end': ofTenant('other'),
  'tenant.change': ofTenant('tenant'),
  'tenant.create': ofTenant('tenant'),
  'tenant.delete': ofTenant('tenant'),
  'tenant.member.remove': ofTenant('principal'),
  'tenant.member.set': ofTenant('principal'),
  'token.reuse': ofPlatform('login'),
  'token.revoke': ofPlatform('login'),
  'token.revoke-all': ofPlatform('login'),
  'webhook.create': ofTenant('webhook'),
  'webhook.delete': ofTenant('webhook'),
  'webhook.disable': ofTenant('webhook'),
  'webhook.replay': ofTenant('webhook'),
  'webhook.test': ofTenant('webhook'),
  'worker.drain': ofPlatform('other'),
  'worker.drain.end': ofPlatform('other'),
  'worker.pause': ofPlatform('other'),
  'worker.pause.end': ofPlatform('other'),
} satisfies Record<string, Kind>;
export type AuditAction = keyof typeof AUDIT_KINDS;

/** The kind of an entry; undefined for what another version recorded. */
export const findAuditKind = (action: string): Kind | undefined =>
  (AUDIT_KINDS as Partial<Record<string, Kind>>)[action];

/** A row of the audit trail: who did what to which account, group, tenant or key. Contains no secret. */
export interface AuditEntry {
  action: AuditAction;
  /** Login id of the actor; absent for the bootstrap command and for cron. */
  accountId?: string;
  /** Object of the action: login id, tenant id, … */
  subject: string;
  tenantId?: string;
  address?: string;
  /** User-Agent of the request. */
  agent?: string | undefined;
  requestId?: string;
  /** Reason given by the actor. */
  reason?: string | undefined;
  details?: Record<string, unknown>;
}

const NAMED: readonly SubjectKind[] = ['principal', 'feature'];

/** Writes an audit row in the caller's transaction. */
export const audit = (tx: Transaction, entry: AuditEntry) => auditAll(tx, [entry]);

/**
 * Writes audit rows in the caller's transaction, in one statement. The details name accounts, keys and features that
 * the rows are about, which may be gone when somebody reads.
 */
export async function auditAll(tx: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => [
    entry.action,
    entry.accountId ?? null,
    entry.subject,
    entry.tenantId ?? null,
    entry.address ?? null,
    entry.agent ?? null,
    entry.requestId ?? null,
    entry.reason ?? null,
    JSON.stringify(entry.details ?? {}),
    NAMED.includes(AUDIT_KINDS[entry.action].subject),
  ]);
  await tx.query(sql.unsafe`
    insert into audit (action, account_id, subject, tenant_id, address, agent, request_id, reason, details)
    select action, account_id, subject, tenant_id, address, agent, request_id, reason,
      case when is_named then coalesce((
        select jsonb_build_object('name', name) from (
          select user_id as id, coalesce(nullif(name, ''), id) as name from accounts
          union all select id, name from api_keys
          union all select id, name from features) n
        where n.id = subject::uuid), '{}') || details else details end
    from ${sql.unnest(rows, ['text', 'text', 'text', 'uuid', 'text', 'text', 'text', 'text', 'jsonb', 'bool'])}
      as e (action, account_id, subject, tenant_id, address, agent, request_id, reason, details, is_named)`);
}

type Actor = Required<Pick<AuditEntry, 'accountId' | 'address' | 'requestId'>> & Pick<AuditEntry, 'reason' | 'agent'>;

/** The members of an entry that describe the caller. */
export const by = ({ accountId, address, agent, requestId, reason }: Actor) => ({
  accountId,
  address,
  agent,
  requestId,
  reason,
});

/**
 * The details of a change: the names of the members that differ, with their values before and after. `secret` names
 * members whose values are not shown.
 */
export function compareMembers<T extends object>(
  before: Partial<T>,
  after: Partial<T>,
  secret: readonly string[] = [],
) {
  const memberOf = (record: Partial<T>, name: string) => (record as Record<string, unknown>)[name];
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(memberOf(before, name)) !== JSON.stringify(memberOf(after, name)),
  );
  const shown = changed.filter((name) => !secret.includes(name));
  const pick = (record: Partial<T>) =>
    Object.fromEntries(
      shown.flatMap((name) => (memberOf(record, name) === undefined ? [] : [[name, memberOf(record, name)]])),
    );
  return { changed, before: pick(before), after: pick(after) };
}
