import type { Command } from 'commander';
import type { AuditEntry } from '../../src/accounts/audit.routes.ts';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { Io } from '../io.ts';
import { formerly, limit, pastTime } from '../options.ts';
import { moment, table } from '../table.ts';

interface AuditOptions {
  account?: string;
  since?: string;
  cursor?: string;
  limit: number;
}

/** A time, an age, or the number of an entry. */
const after = (text: string) => (/^\d+$/.test(text) ? text : pastTime(text));

export function auditCommands(audit: Command, io: Io): void {
  const list = audit
    .command('list')
    .description('list the trail, newest first')
    .option('--account <account>', 'login id or user id: what was done by it or to it')
    .option(
      '--since <time>',
      'only later than this time (UTC or an age such as 2h), or than the entry with this id',
      after,
    )
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'go on where the last list ended');
  formerly(list, '--after <time>', '--since').action((options) => listAudit(io, options));
}

async function listAudit(io: Io, { account, since, limit: most, cursor }: AuditOptions): Promise<void> {
  const query = { account, after: since, limit: most, cursor };
  const answer = await io.api.call<CursorPage<AuditEntry>>('GET', '/api/audit/list', { query });
  io.show(answer, ({ data }) =>
    table(
      ['TIME', 'WHO', 'ACTION', 'WHAT', 'FROM', 'REASON'],
      data.map((entry) => [
        moment(entry.time),
        entry.accountId,
        entry.action,
        entry.subject,
        entry.address,
        entry.reason,
      ]),
    ),
  );
  if (answer.body.cursor !== undefined && !io.json) io.note(`There is more: --cursor ${answer.body.cursor}`);
}
