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
    .description('list events, oldest first')
    .option('--after <offset>', 'only events after this offset', count)
    .option('--limit <count>', 'maximum number', limit, 50)
    .action((options) => listEvents(io, options));
  event
    .command('follow')
    .description('print events as they happen; reconnects after breaks; --json: one CloudEvent per line')
    .option('--after <offset>', 'start after this offset instead of now', count)
    .option('--limit <count>', 'stop after this many events', count)
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
  let printed = 0;
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
    printed++;
    if (printed === limit) return;
  }
}
