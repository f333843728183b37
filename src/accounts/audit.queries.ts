import { z } from 'zod';
import { type Db, sql } from '../db.ts';

export const AuditRow = z.object({
  id: z.number(),
  time: z.string(),
  action: z.string(),
  accountId: z.string().optional(),
  subject: z.string(),
  tenantId: z.string().optional(),
  address: z.string().optional(),
  agent: z.string().optional(),
  requestId: z.string().optional(),
  reason: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditRow = z.infer<typeof AuditRow>;

export interface AuditFilter {
  /** Login id or user id of the actor or the subject; the account may be deleted. */
  account?: string | undefined;
  /** Rows with a greater id, or later than this time. */
  after?: { id: number } | { time: string } | undefined;
}

/** Lists rows, newest first. `before`: id of the last row of the previous page. */
export const listAudit = (db: Db, { account, after }: AuditFilter, before: number | undefined, limit: number) => {
  const id = after && 'id' in after ? after.id : null;
  const time = after && 'time' in after ? after.time : null;
  return db.any(sql.type(AuditRow)`
    select id, time, action, account_id, subject, tenant_id, address, agent, request_id, reason, details from audit
    where (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
      and (${id}::bigint is null or id > ${id}::bigint)
      and (${time}::timestamptz is null or time > ${time}::timestamptz)
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
