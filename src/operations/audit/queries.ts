import { z } from 'zod';
import { AUDIT_KINDS } from '../../audit.ts';
import { type Reads, sql } from '../../db.ts';
import { number, text, timeText, uuidText } from '../../http/rules/members.ts';

export const AuditRow = z.object({
  id: number('Number of the entry, increasing.'),
  time: timeText('Time of the action, UTC.'),
  action: text('What was done.', 'account.created'),
  accountId: text('Login id of the account that acted.', 'ann').optional(),
  subject: text('Object of the action: login id, group, tenant or key.', 'ann'),
  tenantId: uuidText('Id of the tenant of the action.').optional(),
  address: text('Network address of the client.', '203.0.113.9').optional(),
  agent: text('User-Agent of the request, at most 256 characters.', 'curl/8.14.1').optional(),
  requestId: uuidText('`x-request-id` of the request.').optional(),
  reason: text('Reason given by the caller.', 'Leaves the company.').optional(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditRow = z.infer<typeof AuditRow>;

export interface AuditFilter {
  tenantId?: string | undefined;
  /** Only entries about what a tenant has: those of accounts and of the platform are for administrators. */
  ofTenantAlone?: boolean;
  /** Login id or user id of the actor or the subject; the account may be deleted. */
  account?: string | undefined;
  /** An action, or what actions begin with before a dot: `tenant.member`. */
  action?: string | undefined;
  /** Rows with a greater id, or later than this time. */
  after?: { id: number } | { time: string } | undefined;
  /** Rows before this time. */
  before?: string | undefined;
}

const OF_TENANT = Object.entries(AUDIT_KINDS).flatMap(([action, { ofTenant }]) => (ofTenant ? [action] : []));

/** Lists rows, newest first. `last`: id of the last row of the previous page. */
export const listAudit = (db: Reads, filter: AuditFilter, last: number | undefined, limit: number) => {
  const { tenantId, account, action, after, before } = filter;
  const id = after && 'id' in after ? after.id : null;
  const time = after && 'time' in after ? after.time : null;
  return db.any(sql.type(AuditRow)`
    select id, time, action, account_id, subject, tenant_id, address, agent, request_id, reason, details from audit
    where (${last ?? null}::bigint is null or id < ${last ?? null}::bigint)
      and (${id}::bigint is null or id > ${id}::bigint)
      and (${time}::timestamptz is null or time > ${time}::timestamptz)
      and (${before ?? null}::timestamptz is null or time < ${before ?? null}::timestamptz)
      ${tenantId === undefined ? sql.fragment`` : sql.fragment`and tenant_id = ${tenantId}`}
      ${filter.ofTenantAlone ? sql.fragment`and action = any(${sql.array(OF_TENANT, 'text')})` : sql.fragment``}
      ${action === undefined ? sql.fragment`` : sql.fragment`and (action = ${action} or starts_with(action, ${action} || '.'))`}
      ${account === undefined ? sql.fragment`` : sql.fragment`and ${concerning(account)}`}
    order by id desc limit ${limit}`);
};

/** Rows identify an account by its login id or its user id. */
const concerning = (account: string) => sql.fragment`
  (fold_name(account_id) = any(${names(account)}) or fold_name(subject) = any(${names(account)}))`;

const names = (account: string) => sql.fragment`array(
  select fold_name(${account}::text)
  union select folded_id from accounts where user_id::text = fold_name(${account})
  union select user_id::text from accounts where folded_id = fold_name(${account}))`;
