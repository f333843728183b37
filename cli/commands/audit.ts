import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { moment, table } from '../table.ts';

interface Entry {
  time: string;
  action: string;
  accountId?: string;
  subject: string;
  address?: string;
  reason?: string;
}

interface AuditOptions {
  account?: string;
  after?: string;
  cursor?: string;
  limit?: string;
}

export function auditCommands(program: Command, io: Io): void {
  const audit = program
    .command('audit')
    .description('who did what to accounts, groups, tenants and keys (administrators)');
  audit
    .command('list')
    .description('list the trail, newest first')
    .option('--account <account>', 'login id or user id: what was done by it or to it')
    .option('--after <time>', 'only later than this time (UTC), or than the entry with this id')
    .option('--limit <number>', 'how many at most')
    .option('--cursor <cursor>', 'go on where the last list ended')
    .action((options) => listAudit(io, options));
}

async function listAudit(io: Io, { account, after, limit, cursor }: AuditOptions): Promise<void> {
  const query = { account, after, limit, cursor };
  const answer = await io.api.call<{ data: Entry[]; cursor?: string }>('GET', '/api/audit/list', { query });
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
