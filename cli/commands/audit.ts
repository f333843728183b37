import type { Command } from 'commander';
import { moment } from 'hydrofiles/terminal';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { AuditEntry } from '../../src/operations/audit/routes.ts';
import { changesIn } from '../changes.ts';
import type { Io } from '../io.ts';
import { legacyOption, limit, pastTime } from '../options.ts';

interface AuditOptions {
  tenant?: string;
  account?: string;
  action?: string;
  until?: string;
  since?: string;
  cursor?: string;
  limit: number;
}

/** Parser of a time, an age, or the id of an entry. */
const after = (text: string) => (/^\d+$/.test(text) ? text : pastTime(text));

export function auditCommands(audit: Command, io: Io): void {
  const list = audit
    .command('list')
    .description('list the audit trail, newest first')
    .option('--tenant <id>', 'only of this tenant; needed by its Owners, who see this part alone')
    .option('--account <account>', 'login id or user id: only actions by or on this account')
    .option('--action <action>', 'only this action, or those that begin with it before a dot: tenant.member')
    .option(
      '--since <time>',
      'only after this time (UTC, or an age such as 2h), or after the entry with this id',
      after,
    )
    .option('--until <time>', 'only before this time (UTC, or an age such as 2h)', pastTime)
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page');
  legacyOption(list, '--after <time>', '--since').action((options) => listAudit(io, options));
}

const named = (id: string, name: string | undefined) => (name === undefined ? id : `${id} (${name})`);

async function listAudit(io: Io, options: AuditOptions): Promise<void> {
  const { tenant, account, action, since, until, limit, cursor } = options;
  const query = { tenantId: tenant, account, action, after: since, before: until, limit, cursor };
  const answer = await io.api.call<CursorPage<AuditEntry>>('GET', '/api/audit/list', { query });
  io.list(answer, ['TIME', 'WHO', 'ACTION', 'WHAT', 'CHANGED', 'FROM', 'REASON', 'AGENT'], (entry) => [
    moment(entry.time),
    entry.accountId && named(entry.accountId, entry.accountName),
    entry.action,
    named(entry.subject, entry.subjectName),
    changesIn(entry.details),
    entry.address,
    entry.reason,
    entry.agent,
  ]);
  if (answer.body.cursor !== undefined && !io.json) io.note(`More entries: --cursor ${answer.body.cursor}`);
}
