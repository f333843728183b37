import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { component, createdAt, text, texts, timeText, updatedAt, uuidText } from '../http/rules/members.ts';

/** A webhook in answers, without its secret. */
export const Webhook = component('Webhook', {
  id: uuidText('Id of the webhook.'),
  url: text('URL that receives the events.', 'https://example.org/hook'),
  types: texts('Types of events to deliver. Absent: all but change events.', [
    'svc.platform.events.transferfinishedevent',
  ]),
  status: z
    .enum(['Active', 'Failing', 'Disabled'])
    .describe(
      'State of the webhook. `Failing`: the last attempt failed; `Disabled`: attempts failed for days, and none follow.',
    ),
  failingSince: timeText('Time of the first failure since the last success, UTC.').optional(),
  createdAt,
});
export type Webhook = z.infer<typeof Webhook>;
const columns = sql.fragment`id, url, types, failing_since, created_at,
  case when disabled_at is not null then 'Disabled' when failing_since is not null then 'Failing' else 'Active' end as status`;

/** Locks the tenant against new webhooks until the transaction ends, and counts its webhooks. */
export async function lockAndCount(tx: Transaction, tenantId: string): Promise<number> {
  await tx.query(sql.unsafe`select from tenants where id = ${tenantId} for no key update`);
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from webhooks where tenant_id = ${tenantId}`);
}

export interface NewWebhook {
  id: string;
  tenantId: string;
  url: string;
  /** Empty for all types but change events. */
  types: readonly string[];
  sealedSecret: Buffer;
  createdBy: string;
}

export const insertWebhook = (tx: Transaction, webhook: NewWebhook) =>
  tx.one(sql.write(Webhook)`
    insert into webhooks (id, tenant_id, url, types, sealed_secret, created_by)
    values (${webhook.id}, ${webhook.tenantId}, ${webhook.url}, ${sql.array(webhook.types, 'text')},
      ${sql.binary(webhook.sealedSecret)}, ${webhook.createdBy})
    returning ${columns}`);

/** Condition: the caller is an Owner of the webhook's tenant. Others do not see it. */
const owned = (caller: Caller) => sql.fragment`tenant_id = any(${sql.array(ownedTenants(caller), 'uuid')})`;

export const listWebhooks = (db: Reads, tenantId: string) =>
  db.any(sql.type(Webhook)`select ${columns} from webhooks where tenant_id = ${tenantId} order by id`);

export const findWebhook = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(sql.type(Webhook.extend({ tenantId: z.string() }))`
    select ${columns}, tenant_id from webhooks where id = ${id} and ${owned(caller)}`);

const Secret = z.object({
  sealedSecret: z.instanceof(Buffer).optional(),
  /** In clear: from a process of an older version. */
  secret: z.instanceof(Buffer).optional(),
});

export const findSecret = (db: Reads, id: string) =>
  db.one(sql.type(Secret)`select sealed_secret, secret from webhooks where id = ${id}`);

/** Makes a failing or disabled webhook active: events are sent to it without delay. */
export const activateWebhook = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`
    update webhooks set failing_since = null, failures = 0, retry_at = null, disabled_at = null
    where id = ${id} and failing_since is not null`);

/** Deletes a webhook and its deliveries. Attempts in flight end without an outcome. */
export const deleteWebhook = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`delete from webhooks where id = ${id}`);

/**
 * Schedules all events behind this offset for a new delivery, delivered before or not, with all attempts. Returns the
 * number of events.
 */
export const replayDeliveries = (tx: Transaction, id: string, after: number) =>
  tx.oneFirst(sql.write(z.object({ count: z.number() }))`
    with again as (
      insert into deliveries (webhook_id, event_id)
      select w.id, e.id from webhooks w join events e on e.tenant_id = w.tenant_id
      where w.id = ${id} and e."offset" > ${after} and (w.types = '{}' and e.transaction_id is null or e.type = any(w.types))
      order by e."offset"
      on conflict (webhook_id, event_id) do update
      set state = 'Pending', attempts = 0, next_at = now(), worker = null, claim = deliveries.claim + 1, status = null, error = null,
        updated_at = now()
      returning 1)
    select count(*) from again`);

export const DELIVERY_STATES = ['Pending', 'Delivered', 'Failed'] as const;

export const Delivery = component('Delivery', {
  eventId: uuidText('Id of the event.'),
  offset: z.int().describe('Position of the event in the sequence.'),
  type: text('Type of the event.', 'svc.platform.events.transferfinishedevent'),
  state: z.enum(DELIVERY_STATES).describe('State of the delivery.'),
  attempts: z.int().describe('Number of attempts to deliver it.'),
  status: z.int().optional().meta({ description: 'HTTP status of the last attempt.', example: 204 }),
  error: text('Error of the last attempt.', 'The receiver answered 503.').optional(),
  nextAttemptAt: timeText('Time of the next attempt, UTC.').optional(),
  createdAt,
  updatedAt,
});
export type Delivery = z.infer<typeof Delivery>;

export interface DeliveryFilter {
  state?: string | undefined;
  /** Id of the last event of the page before. */
  before?: string | undefined;
  limit: number;
}

/** Newest events first. */
export const listDeliveries = (db: Reads, id: string, { state, before, limit }: DeliveryFilter) =>
  db.any(sql.type(Delivery)`
    select d.event_id, e."offset", e.type, d.state, d.attempts, d.status, d.error, d.next_at as next_attempt_at, d.created_at,
      d.updated_at
    from deliveries d join events e on e.id = d.event_id
    where d.webhook_id = ${id}
      and ${state === undefined ? sql.fragment`true` : sql.fragment`d.state = ${state}`}
      and ${before === undefined ? sql.fragment`true` : sql.fragment`d.event_id < ${before}::uuid`}
    order by d.event_id desc limit ${limit}`);
