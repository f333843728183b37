import type { Command } from 'commander';
import { count, moment, record, repeated } from 'hydrofiles/terminal';
import type { Delivery, Webhook } from '../../src/events/webhook.queries.ts';
import type { NewWebhook, Replayed, Tested } from '../../src/events/webhook.routes.ts';
import type { CursorPage, List } from '../../src/http/rules/paging.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import { longEventType } from '../events.ts';
import type { Io } from '../io.ts';
import { choice, limit } from '../options.ts';

const HOOKS = '/api/eventing/webhook';
const path = (id: string) => `${HOOKS}/${encodeURIComponent(id)}`;

export function webhookCommands(webhook: Command, io: Io): void {
  webhook
    .command('create <url>')
    .description(
      'create a webhook, which sends events to an address, signed as Standard Webhooks; prints its secret once',
    )
    .option('--type <type>', 'only events of this type, such as transferfinished; may be repeated', repeated)
    .option('--secret-stdin', 'read the secret (whsec_…) from stdin instead of generating one')
    .action((url, options) => createWebhook(io, url, options));
  webhook
    .command('list')
    .description('list the webhooks of the tenant')
    .action(() => listWebhooks(io));
  webhook
    .command('show <id>')
    .description('show one webhook')
    .action(async (id) => io.show(await io.api.call<Webhook>('GET', path(id)), describe));
  webhook
    .command('delete <id>')
    .description('delete a webhook with its pending deliveries')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteWebhook(io, id, options));
  webhook
    .command('deliveries <id>')
    .description('list the deliveries of events, newest first')
    .addOption(choice('--state <state>', 'only deliveries in this state', ['Pending', 'Delivered', 'Failed']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .action((id, { state, limit }) => listDeliveries(io, id, { state, limit }));
  webhook
    .command('replay <id>')
    .description('send all events after an offset again')
    .requiredOption('--after <offset>', 'offset of the last event to skip; 0: send all stored events', count)
    .action((id, { after }) => replay(io, id, after));
  webhook
    .command('test <id>')
    .description('send a test event now; a failing or disabled webhook is active again if its receiver accepts it')
    .action((id) => testWebhook(io, id));
  webhook
    .command('listen')
    .description(
      'print events as a webhook would get them, until Ctrl-C; --to: send each to a receiver on this machine',
    )
    .option('--to <url>', 'send each event there, signed, and print the answer')
    .option('--secret-stdin', 'read the secret of the signatures (whsec_…) from stdin instead of generating one')
    .option('--type <type>', 'only events of this type, such as transferfinished; may be repeated', repeated)
    .option('--after <offset>', 'start after this offset instead of now', count)
    .option('--limit <count>', 'stop after this many events', count)
    .action(async (options) => (await import('./webhook-listen.ts')).listen(io, options));
}

const describe = ({ id, url, types, status, failingSince, createdAt, secret }: Webhook & Partial<NewWebhook>) =>
  record({
    id,
    url,
    types: types.join(', ') || 'all but change events',
    status,
    'failing since': moment(failingSince),
    created: moment(createdAt),
    secret,
  });

async function createWebhook(io: Io, url: string, options: { type?: string[]; secretStdin?: boolean }): Promise<void> {
  const body = {
    url,
    ...(options.type ? { types: options.type.map(longEventType) } : {}),
    ...(options.secretStdin ? { secret: await io.stdin() } : {}),
  };
  io.show(await io.api.call<NewWebhook>('POST', HOOKS, { body }), describe);
}

async function deleteWebhook(io: Io, id: string, { yes = !io.interactive }: ConfirmOptions): Promise<void> {
  if (!yes) {
    const { url } = (await io.api.call<Webhook>('GET', path(id))).body;
    await confirm(io, `Delete the webhook to ${url} for ever? Its pending deliveries are not sent.`, { yes });
  }
  const answer = await io.api.call('DELETE', path(id));
  io.show(answer, () => `Webhook ${id} is deleted.`, { id, deleted: true });
}

async function listWebhooks(io: Io): Promise<void> {
  const answer = await io.api.call<List<Webhook>>('GET', HOOKS);
  io.list(
    answer,
    ['ID', 'STATUS', 'URL', 'TYPES', 'FAILING SINCE', 'CREATED'],
    ({ id, url, types, status, failingSince, createdAt }) => [
      id,
      status,
      url,
      types.join(', ') || 'all but change events',
      moment(failingSince),
      moment(createdAt),
    ],
  );
}

async function listDeliveries(io: Io, id: string, query: { state?: string; limit: number }): Promise<void> {
  const answer = await io.api.call<CursorPage<Delivery>>('GET', `${path(id)}/delivery/list`, { query: { ...query } });
  io.list(answer, ['OFFSET', 'EVENT', 'STATE', 'TRIES', 'STATUS', 'NEXT TRY', 'ERROR'], (one) => [
    one.offset,
    one.eventId,
    one.state,
    one.attempts,
    one.status,
    moment(one.nextAttemptAt),
    one.error,
  ]);
}

async function replay(io: Io, id: string, after: number): Promise<void> {
  const answer = await io.api.call<Replayed>('POST', `${path(id)}/replay`, { body: { after } });
  io.show(answer, ({ replayed }) => `${replayed} events are sent again.`);
}

async function testWebhook(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<Tested>('POST', `${path(id)}/test`);
  const { status, milliseconds, error } = answer.body;
  io.show(answer, () => record({ status, time: `${milliseconds} ms` }));
  if (error !== undefined) throw new Error(error);
}
