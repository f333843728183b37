import type { Command } from 'commander';
import type { Delivery, Webhook } from '../../src/events/webhook.queries.ts';
import type { NewWebhook, Replayed } from '../../src/events/webhook.routes.ts';
import type { CursorPage, List } from '../../src/http/rules/paging.ts';
import type { ConfirmOptions } from '../confirm.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, count, limit, repeated } from '../options.ts';
import { moment, record, table } from '../table.ts';

const HOOKS = '/api/eventing/webhook';
const path = (id: string) => `${HOOKS}/${encodeURIComponent(id)}`;

export function webhookCommands(webhook: Command, io: Io): void {
  webhook
    .command('create')
    .description(
      'create a webhook, which sends events to an address, signed as Standard Webhooks; prints its secret once',
    )
    .argument('<url>')
    .option('--type <type>', 'only events of this type, such as transferfinished; may be repeated', repeated)
    .option('--secret-stdin', 'read the secret (whsec_…) from stdin instead of generating one')
    .action((url, options) => createWebhook(io, url, options));
  webhook
    .command('list')
    .description('list the webhooks of the tenant')
    .action(() => listWebhooks(io));
  webhook
    .command('show')
    .description('show one webhook')
    .argument('<id>')
    .action(async (id) => io.show(await io.api.call<Webhook>('GET', path(id)), describe));
  webhook
    .command('delete')
    .description('delete a webhook with its pending deliveries')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action((id, options) => deleteWebhook(io, id, options));
  webhook
    .command('deliveries')
    .description('list the deliveries of events, newest first')
    .argument('<id>')
    .addOption(choice('--state <state>', 'only deliveries in this state', ['Pending', 'Delivered', 'Failed']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .action((id, { state, limit }) => listDeliveries(io, id, { state, limit }));
  webhook
    .command('replay')
    .description('send all events after an offset again')
    .argument('<id>')
    .requiredOption('--after <offset>', 'offset of the last event to skip; 0: send all stored events', count)
    .action((id, { after }) => replay(io, id, after));
}

const describe = ({ id, url, types, createdAt, secret }: Webhook & Partial<NewWebhook>) =>
  record({ id, url, types: types.join(', ') || 'all', created: moment(createdAt), secret });

/** Expands a short type such as `transferfinished`. */
const longType = (type: string) => (type.includes('.') ? type : `svc.platform.events.${type}event`);

async function createWebhook(io: Io, url: string, options: { type?: string[]; secretStdin?: boolean }): Promise<void> {
  const body = {
    url,
    ...(options.type ? { types: options.type.map(longType) } : {}),
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
  io.show(answer, ({ data }) =>
    table(
      ['ID', 'URL', 'TYPES', 'CREATED'],
      data.map(({ id, url, types, createdAt }) => [id, url, types.join(', ') || 'all', moment(createdAt)]),
    ),
  );
}

async function listDeliveries(io: Io, id: string, query: { state?: string; limit: number }): Promise<void> {
  const answer = await io.api.call<CursorPage<Delivery>>('GET', `${path(id)}/delivery/list`, { query: { ...query } });
  io.show(answer, ({ data }) =>
    table(
      ['OFFSET', 'EVENT', 'STATE', 'TRIES', 'STATUS', 'NEXT TRY', 'ERROR'],
      data.map((one) => [
        one.offset,
        one.eventId,
        one.state,
        one.attempts,
        one.status,
        moment(one.nextAttemptAt),
        one.error,
      ]),
    ),
  );
}

async function replay(io: Io, id: string, after: number): Promise<void> {
  const answer = await io.api.call<Replayed>('POST', `${path(id)}/replay`, { body: { after } });
  io.show(answer, ({ replayed }) => `${replayed} events are sent again.`);
}
