import type { Command } from 'commander';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import type { SearchHit } from '../../src/search/hits.queries.ts';
import type { Io } from '../io.ts';
import { choice, limit, pastTime } from '../options.ts';

interface Options {
  kind?: string;
  project?: string;
  bbox?: string;
  changedAfter?: string;
  limit: number;
  cursor?: string;
}

export function searchCommand(command: Command, io: Io): void {
  command
    .argument('<words...>', 'beginnings of words of the name, the description, the tags, the items or the metadata')
    .addOption(choice('--kind <kind>', 'only projects or only datasets', ['Project', 'Dataset']))
    .option('--project <id>', 'only what lies in this project, at any depth')
    .option('--bbox <west,south,east,north>', 'only datasets whose location intersects this box, in degrees')
    .option('--changed-after <time>', 'only what was changed after this time (UTC), or age, such as 2h or 7d', pastTime)
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .action((words: string[], options: Options) => search(io, words, options));
}

async function search(io: Io, words: string[], options: Options): Promise<void> {
  const query = { q: words.join(' '), ...options };
  const answer = await io.api.call<CursorPage<SearchHit>>('GET', '/api/metadata/search', { query });
  io.list(answer, ['TYPE', 'PATH', 'FORMAT', 'ID'], ({ type, path, datasetFormat, id }) => [
    type,
    path,
    datasetFormat,
    id,
  ]);
  if (answer.body.cursor !== undefined && !io.json) io.note(`More: --cursor ${answer.body.cursor}`);
}
