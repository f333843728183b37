import type { Command } from 'commander';
import { bytes, moment } from 'hydrofiles/terminal';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { DatasetContent } from '../../src/transfers/views/history.routes.ts';
import type { Io } from '../io.ts';
import { limit } from '../options.ts';
import { lookUpPrincipals } from '../principals.ts';

interface Query {
  limit: number;
  cursor?: string;
}

export function historyCommand(dataset: Command, io: Io, path: (id: string) => string): void {
  dataset
    .command('history <id>')
    .description('show who wrote which content when, newest first')
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .action((id, query) => showHistory(io, `${path(id)}/history`, query));
}

async function showHistory(io: Io, url: string, query: Query): Promise<void> {
  const answer = await io.api.call<CursorPage<DatasetContent>>('GET', url, { query: { ...query } });
  const { data, cursor } = answer.body;
  const people = await lookUpPrincipals(
    io,
    data.map(({ by }) => by),
  );
  io.list(answer, ['TIME', 'WHO', 'SIZE', 'XXH3', 'TRANSFER'], ({ time, by, size, xxh3, transferId }) => [
    moment(time),
    people.displayName(by),
    size === undefined ? undefined : bytes(size),
    xxh3,
    transferId,
  ]);
  if (cursor !== undefined && !io.json) io.note(`More contents: --cursor ${cursor}`);
}
