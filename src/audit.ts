import type { Db } from './db.ts';
import { sql } from './db.ts';

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
  requestId?: string;
  /** Reason given by the actor. */
  reason?: string | undefined;
  details?: Record<string, unknown>;
}

/** Writes an audit row in the caller's transaction. */
export async function record(tx: Db, entry: AuditEntry) {
  await tx.query(sql.unsafe`
    insert into audit (action, account_id, subject, tenant_id, address, request_id, reason, details)
    values (${entry.action}, ${entry.accountId ?? null}, ${entry.subject}, ${entry.tenantId ?? null}, ${entry.address ?? null},
      ${entry.requestId ?? null}, ${entry.reason ?? null}, ${sql.jsonb((entry.details ?? {}) as never)})`);
}

type Actor = Required<Pick<AuditEntry, 'accountId' | 'address' | 'requestId'>> & Pick<AuditEntry, 'reason'>;

/** The members of an entry that describe the caller. */
export const by = ({ accountId, address, requestId, reason }: Actor) => ({ accountId, address, requestId, reason });
