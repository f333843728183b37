import type { Command } from 'commander';
import type { CloudEvent } from '../../src/events/cloud-event.ts';
import type { ListedEvent } from '../../src/events/routes.ts';
import type { List } from '../../src/http/rules/paging.ts';
import { followStream } from '../event-stream.ts';
import type { Io } from '../io.ts';
import { count, limit } from '../options.ts';
import { moment, plain, table } from '../table.ts';

const LIST = '/api/eventing/event/list';

export function eventCommands(event: Command, io: Io): void {
  event
    .command('list')
    .description('list events in order, from the oldest that is kept')
    .option('--after <offset>', 'only those behind this one', count)
    .option('--limit <count>', 'maximum number', limit, 50)
    .action((options) => listEvents(io, options));
  event
    .command('follow')
    .description('tell events as they happen, through every break; --json: a CloudEvent on each line')
    .option('--after <offset>', 'begin behind this one instead of now', count)
    .option('--limit <count>', 'end after this many', count)
    .action((options) => followEvents(io, options));
}

/** `svc.platform.events.transferstartedevent` → `transferstarted`. */
const shortType = (type: string) => type.replace(/^svc\.platform\.events\.(\w+)event$/, '$1');
const about = ({ data }: CloudEvent) => data.ErrorMessage ?? data.Status ?? data.Name;

async function listEvents(io: Io, query: { after?: number; limit: number }): Promise<void> {
  const answer = await io.api.call<List<ListedEvent>>('GET', LIST, { query: { ...query } });
  io.show(answer, ({ data }) =>
    table(
      ['OFFSET', 'TIME', 'TYPE', 'RESOURCE', 'WHAT'],
      data.map((event) => [event.offset, moment(event.time), shortType(event.type), event.resourceid, about(event)]),
    ),
  );
}

async function followEvents(io: Io, { after, limit }: { after?: number; limit?: number }): Promise<void> {
  let told = 0;
  if (limit === 0) return;
  for await (const { id, data } of followStream(io.api, LIST, after === undefined ? undefined : String(after))) {
    const event = JSON.parse(data) as CloudEvent;
    const cells = [id, moment(event.time), shortType(event.type), event.resourceid, about(event)];
    io.out(
      io.json
        ? data
        : cells
            .filter((cell) => cell !== undefined)
            .map(plain)
            .join('  '),
    );
    told++;
    if (told === limit) return;
  }
}
