import type { Db } from './db.ts';
import { sql } from './db.ts';

/** Who did what to which identity object. Never holds a secret. */
export interface AuditEntry {
  /** `account.create`, `tenant.member.set`, … */
  action: string;
  /** Login id of who did it; absent for the command line's bootstrap and for cron. */
  accountId?: string;
  /** What it was done to: login id, tenant id, … */
  subject: string;
  tenantId?: string;
  address?: string;
  requestId?: string;
  /** In the words of who did it. */
  reason?: string | undefined;
  details?: Record<string, unknown>;
}

/** Writes an audit row in the transaction of the change. */
export async function record(tx: Db, entry: AuditEntry) {
  await tx.query(sql.unsafe`
    insert into audit (action, account_id, subject, tenant_id, address, request_id, reason, details)
    values (${entry.action}, ${entry.accountId ?? null}, ${entry.subject}, ${entry.tenantId ?? null}, ${entry.address ?? null},
      ${entry.requestId ?? null}, ${entry.reason ?? null}, ${sql.jsonb((entry.details ?? {}) as never)})`);
}

/** Who did it, from where and why. */
type Actor = Required<Pick<AuditEntry, 'accountId' | 'address' | 'requestId'>> & Pick<AuditEntry, 'reason'>;

/** The parts of an entry that a caller fills. */
export const by = ({ accountId, address, requestId, reason }: Actor) => ({ accountId, address, requestId, reason });
