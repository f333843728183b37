import { findAuditKind, type SubjectKind } from '../../audit.ts';
import type { Reads } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { isUuid } from '../../platform/text/uuid.ts';
import { listPrincipals } from '../../projects/principals.queries.ts';
import { listContentNames, listNames, type Named } from './names.queries.ts';
import type { AuditRow } from './queries.ts';

export type NamedRow = AuditRow & { subjectName?: string; accountName?: string };

/**
 * Entries with the names of objects and actors. The caller gets the names of what it sees now; of the rest the name
 * that the entry recorded, which is among its details.
 */
export async function withNames(db: Reads, caller: Caller, rows: readonly AuditRow[]): Promise<NamedRow[]> {
  const subjects = (...kinds: SubjectKind[]) => [
    ...new Set(rows.filter((row) => kinds.includes(kindOf(row))).map(({ subject }) => subject)),
  ];
  const actors = [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))];
  const principals = [...subjects('principal', 'login'), ...actors];
  const [people, contents, others] = await Promise.all([
    principals.length === 0
      ? []
      : listPrincipals(db, caller, {
          ids: principals.filter(isUuid),
          loginIds: principals.filter((id) => !isUuid(id)),
        }),
    listContentNames(db, caller, {
      projects: subjects('project', 'content').filter(isUuid),
      datasets: subjects('dataset', 'content').filter(isUuid),
    }),
    listNames(db, caller, {
      groups: subjects('group'),
      tenants: subjects('tenant').filter(isUuid),
      features: subjects('feature').filter(isUuid),
      webhooks: subjects('webhook').filter(isUuid),
    }),
  ]);
  const byId = new Map<string, string>();
  const add = (id: string, name: string) => byId.set(id.toLowerCase(), name);
  for (const { id, loginId, name } of people) {
    add(id, name || (loginId ?? id));
    if (loginId !== undefined) add(loginId, name);
  }
  const things = new Map([...contents, ...others].map(({ id, name }: Named) => [id, name]));
  return rows.map((row) => {
    const kind = kindOf(row);
    const isPrincipal = kind === 'principal' || kind === 'login';
    const present = isPrincipal ? byId.get(row.subject.toLowerCase()) : things.get(row.subject);
    const { name: recorded } = row.details;
    const subjectName = present ?? (typeof recorded === 'string' ? recorded : undefined);
    const accountName = row.accountId === undefined ? undefined : byId.get(row.accountId.toLowerCase());
    return {
      ...row,
      ...(subjectName && subjectName !== row.subject && { subjectName }),
      ...(accountName && accountName !== row.accountId && { accountName }),
    };
  });
}

const kindOf = ({ action }: AuditRow): SubjectKind => findAuditKind(action)?.subject ?? 'other';
