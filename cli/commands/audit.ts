import type { Command } from 'commander';
import { moment } from 'hydrofiles/terminal';
import type { AuditEntry } from '../../src/accounts/audit.routes.ts';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import { changesIn } from '../changes.ts';
import type { Io } from '../io.ts';
import { legacyOption, limit, pastTime } from '../options.ts';

interface AuditOptions {
  account?: string;
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
    .option('--account <account>', 'login id or user id: only actions by or on this account')
    .option(
      '--since <time>',
      'only after this time (UTC, or an age such as 2h), or after the entry with this id',
      after,
    )
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page');
  legacyOption(list, '--after <time>', '--since').action((options) => listAudit(io, options));
}

async function listAudit(io: Io, { account, since, limit, cursor }: AuditOptions): Promise<void> {
  const query = { account, after: since, limit, cursor };
  const answer = await io.api.call<CursorPage<AuditEntry>>('GET', '/api/audit/list', { query });
  io.list(answer, ['TIME', 'WHO', 'ACTION', 'WHAT', 'CHANGED', 'FROM', 'REASON', 'AGENT'], (entry) => [
    moment(entry.time),
    entry.accountId,
    entry.action,
    entry.subject,
    changesIn(entry.details),
    entry.address,
    entry.reason,
    entry.agent,
  ]);
  if (answer.body.cursor !== undefined && !io.json) io.note(`More entries: --cursor ${answer.body.cursor}`);
}
