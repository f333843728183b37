import { sql, type Transaction } from './db.ts';

/** A row of the audit trail: who did what to which account, group, tenant or key. Contains no secret. */
export interface AuditEntry {
  /** `account.create`, `tenant.member.set`, … */
  action: string;
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

/** Writes an audit row in the caller's transaction. */
export const audit = (tx: Transaction, entry: AuditEntry) => auditAll(tx, [entry]);

/** Writes audit rows in the caller's transaction, in one statement. */
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
  ]);
  await tx.query(sql.unsafe`
    insert into audit (action, account_id, subject, tenant_id, address, agent, request_id, reason, details)
    select * from ${sql.unnest(rows, ['text', 'text', 'text', 'uuid', 'text', 'text', 'text', 'text', 'jsonb'])}`);
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
