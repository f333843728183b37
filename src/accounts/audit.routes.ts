import { z } from 'zod';
import type { Reads } from '../db.ts';
import { invalidMember } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { textUpTo } from '../http/rules/members.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../http/rules/paging.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { timestampFromText } from '../platform/text/time.ts';
import { type AuditFilter, AuditRow, listAudit } from './audit.queries.ts';

const AuditEntry = AuditRow.extend({
  details: z.any().meta({ description: 'Details of the action.', type: 'object', additionalProperties: true }),
}).meta({
  id: 'AuditEntry',
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export async function auditRoutes(app: App, { db, cursors }: { db: Reads; cursors: Signer }) {
  const routes = new Routes(app, { access: 'administrators', service: 'audit', tags: ['audit'] });
  routes.get('/api/audit/list', {
    operationId: 'listAuditEntries',
    summary: 'Lists the audit trail of accounts, groups, tenants and keys, newest first',
    querystring: z.object({
      account: textUpTo(255, 'Login id or user id of the actor or the subject').optional(),
      after: textUpTo(64, 'Keeps entries after this time or after the entry with this id').optional(),
      ...cursorQuery,
    }),
    response: { 200: cursorPageOf(AuditEntry) },
    handler: async ({ caller, query }) => {
      const filter = { account: query.account, after: parsePosition(query.after) };
      return cursorPage(
        cursors,
        query,
        ['audit', caller.userId, filter],
        (position, limit) => listAudit(db, filter, position && Number(position.id), limit),
        ({ id, time }) => ({ value: time, id: String(id) }),
      );
    },
  });
}

function parsePosition(text: string | undefined): AuditFilter['after'] {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) };
  const time = timestampFromText(text);
  if (time === undefined)
    throw invalidMember('after', `'${text}' is neither a time such as 2026-01-24T08:17:02 nor the id of an entry.`);
  return { time: `${time}Z` };
}
