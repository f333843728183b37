import type { Command } from 'commander';
import { count, moment, repeated } from 'hydrofiles/terminal';
import type { ListedEvent } from '../../src/events/routes.ts';
import type { List } from '../../src/http/rules/paging.ts';
import { queryString } from '../client.ts';
import { followStream } from '../event-stream.ts';
import { about, EVENTS, eventLine, longEventType, shortEventType } from '../events.ts';
import type { Io } from '../io.ts';
import { limit } from '../options.ts';

export function eventCommands(event: Command, io: Io): void {
  event
    .command('list')
    .description('list the newest events, oldest first; --after: the first ones after an offset')
    .option('--after <offset>', 'only events after this offset', count)
    .option('--type <type>', TYPE, repeated)
    .option('--project <id>', PROJECT)
    .option('--limit <count>', 'maximum number', limit, 50)
    .action((options) => listEvents(io, options));
  event
    .command('follow')
    .description('print events as they happen; reconnects after breaks; --json: one CloudEvent per line')
    .option('--after <offset>', 'start after this offset instead of now', count)
    .option('--type <type>', TYPE, repeated)
    .option('--project <id>', PROJECT)
    .option('--limit <count>', 'stop after this many events', count)
    .action((options) => followEvents(io, options));
}

const TYPE = 'only events of this type, such as datasetcreated; may be repeated';
const PROJECT = 'only events of this project and of the projects below it';

interface Chosen {
  after?: number;
  type?: string[];
  project?: string;
}

const filterOf = ({ type, project }: Chosen) => ({ types: type?.map(longEventType), projectId: project });

async function listEvents(io: Io, { after, limit, ...chosen }: Chosen & { limit: number }): Promise<void> {
  const query = { ...(after === undefined ? { last: limit } : { after, limit }), ...filterOf(chosen) };
  const answer = await io.api.call<List<ListedEvent>>('GET', EVENTS, { query });
  io.list(answer, ['OFFSET', 'TIME', 'TYPE', 'RESOURCE', 'WHAT'], (event) => [
    event.offset,
    moment(event.time),
    shortEventType(event.type),
    event.resourceid,
    about(event),
  ]);
}

async function followEvents(io: Io, { after, limit, ...chosen }: Chosen & { limit?: number }): Promise<void> {
  let printed = 0;
  if (limit === 0) return;
  const path = `${EVENTS}?${queryString(filterOf(chosen))}`;
  for await (const { id, data } of followStream(io.api, path, after === undefined ? undefined : String(after))) {
    io.out(io.json ? data : eventLine(id, JSON.parse(data)));
    printed++;
    if (printed === limit) return;
  }
}
