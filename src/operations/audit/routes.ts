import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { forbidden, invalidMember, notFound } from '../../errors.ts';
import { type Caller, isAdministrator } from '../../http/caller.ts';
import { type App, Routes } from '../../http/route.ts';
import { uuidParam } from '../../http/rules/forms.ts';
import { text, textUpTo } from '../../http/rules/members.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../../http/rules/paging.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { timestampFromText } from '../../platform/text/time.ts';
import { governs } from '../../tenants/access.ts';
import { withNames } from './names.ts';
import { type AuditFilter, AuditRow, listAudit } from './queries.ts';

const AuditEntry = AuditRow.extend({
  subjectName: text(
    'Name of the object, if the caller may see it; of one that is gone, as the entry recorded it.',
    'Ann Example',
  ).optional(),
  accountName: text('Name of the account or API key that acted, if the caller may see it.', 'Ann Example').optional(),
  details: z.any().meta({ description: 'Details of the action.', type: 'object', additionalProperties: true }),
}).meta({
  id: 'AuditEntry',
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export async function auditRoutes(app: App, { db, cursors }: { db: Reads; cursors: Signer }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'audit', tags: ['audit'] });
  routes.get('/api/audit/list', {
    operationId: 'listAuditEntries',
    summary: 'Lists the audit trail of accounts, groups, tenants and keys, newest first',
    description:
      'Administrators read all of it. Owners of a tenant read the entries of their tenant (`tenantId`), without those ' +
      'of accounts alone, such as logins.',
    querystring: z.object({
      tenantId: uuidParam().optional().describe('Only entries of this tenant. Needed by all but administrators.'),
      account: textUpTo(255, 'Login id or user id of the actor or the subject').optional(),
      action: textUpTo(255, 'Action, or the beginning of actions before a dot: `tenant.member`').optional(),
      after: textUpTo(64, 'Keeps entries after this time or after the entry with this id').optional(),
      before: textUpTo(64, 'Keeps entries before this time').optional(),
      ...cursorQuery,
    }),
    response: { 200: cursorPageOf(AuditEntry) },
    handler: async ({ caller, query }) => {
      const { tenantId, account, action, after, before } = query;
      const filter = {
        ...whose(caller, tenantId),
        account,
        action: action || undefined,
        after: parsePosition(after),
        before: before ? parseTime('before', before, 'not a time such as 2026-01-24T08:17:02') : undefined,
      };
      return cursorPage(
        cursors,
        query,
        ['audit', caller.userId, filter],
        async (position, limit) =>
          withNames(db, caller, await listAudit(db, filter, position && Number(position.id), limit)),
        ({ id, time }) => ({ value: time, id: String(id) }),
      );
    },
  });
}

/** What of the trail the caller reads. Throws `forbidden` or `notFound` for what others read. */
function whose(caller: Caller, tenantId: string | undefined): AuditFilter {
  if (isAdministrator(caller)) return { tenantId };
  if (tenantId === undefined)
    throw forbidden('Only administrators may read the whole audit trail. Owners name their tenant with tenantId.');
  if (!governs(caller, tenantId)) throw notFound('Tenant', tenantId);
  return { tenantId, ofTenantAlone: true };
}

function parsePosition(text: string | undefined): AuditFilter['after'] {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) };
  return { time: parseTime('after', text, 'neither a time such as 2026-01-24T08:17:02 nor the id of an entry') };
}

function parseTime(name: string, text: string, wrong: string): string {
  const time = timestampFromText(text);
  if (time === undefined) throw invalidMember(name, `'${text}' is ${wrong}.`);
  return `${time}Z`;
}
