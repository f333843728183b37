import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { audit, by } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { conflict, forbidden, invalidMember, notFound } from '../errors.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import type { Outbound } from '../platform/net/outbound.ts';
import { attempt } from './attempt.ts';
import { publish } from './publish.ts';
import { newSecret, readSecret, sealSecret, secretText } from './signature.ts';
import {
  activateWebhook,
  deleteWebhook,
  findSecret,
  findWebhook,
  insertWebhook,
  lockAndCount,
  replayDeliveries,
  type Webhook,
} from './webhook.queries.ts';

const MAX_PER_TENANT = 100;

/** The caller's current tenant. Throws `forbidden` unless the caller is one of its Owners. */
export function ownTenant(caller: Caller): string {
  if (caller.tenantId === undefined || !ownedTenants(caller).includes(caller.tenantId))
    throw forbidden('Only Owners of the tenant may manage its webhooks.');
  return caller.tenantId;
}

/** Returns a webhook, or throws `notFound` unless the caller is an Owner of its tenant. */
export async function ownWebhook(db: Reads, caller: Caller, id: string) {
  const found = await findWebhook(db, caller, id);
  if (!found) throw notFound('Webhook', id);
  return found;
}

export interface WebhookParts {
  outbound: Outbound;
  sealer: Sealer;
}

export interface WantedWebhook {
  url: string;
  types?: readonly string[] | undefined;
  secret?: string | undefined;
}

/** Creates a webhook for events of the tenant from now on. The only answer that contains the secret. */
export async function createWebhook(
  db: Database,
  { outbound, sealer }: WebhookParts,
  caller: Caller,
  { url, types = [], secret }: WantedWebhook,
): Promise<Webhook & { secret: string }> {
  const { username, password } = outbound.check(url, 'url');
  if (username !== '' || password !== '')
    throw invalidMember(
      'url',
      'The URL contains a user name or password, which other Owners would see. Send a URL without them.',
    );
  const key = secret === undefined ? newSecret() : readSecret(secret);
  if (key === undefined)
    throw invalidMember(
      'secret',
      'The secret is not whsec_ followed by 24 to 64 bytes in base64. Correct it, or omit it to get a new one.',
    );
  const tenantId = ownTenant(caller);
  return db.transaction(async (tx) => {
    if ((await lockAndCount(tx, tenantId)) >= MAX_PER_TENANT)
      throw conflict(`The tenant has ${MAX_PER_TENANT} webhooks, the maximum. Delete one first.`);
    const hookId = randomUUIDv7();
    const sealedSecret = sealSecret(sealer, hookId, key);
    const newWebhook = {
      id: hookId,
      tenantId,
      url,
      types: [...new Set(types)],
      sealedSecret,
      createdBy: caller.userId,
    };
    const webhook = await insertWebhook(tx, newWebhook);
    const details = { url: new URL(url).origin, types: newWebhook.types };
    await audit(tx, { action: 'webhook.create', subject: webhook.id, tenantId, ...by(caller), details });
    return { ...webhook, secret: secretText(key) };
  });
}

/** Deletes a webhook. */
export const removeWebhook = (db: Database, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { tenantId } = await ownWebhook(tx, caller, id);
    await deleteWebhook(tx, id);
    await audit(tx, { action: 'webhook.delete', subject: id, tenantId, ...by(caller) });
  });

/**
 * Publishes pending events, then schedules all events behind an offset for a new delivery, and enables the webhook.
 * Returns their number.
 */
export async function replay(db: Database, caller: Caller, id: string, after: number): Promise<number> {
  const { tenantId } = await ownWebhook(db, caller, id);
  await publish(db);
  return db.transaction(async (tx) => {
    await activateWebhook(tx, id);
    const count = await replayDeliveries(tx, id, after);
    await audit(tx, { action: 'webhook.replay', subject: id, tenantId, ...by(caller), details: { after, count } });
    return count;
  });
}

const TEST_EVENT = {
  offset: 0,
  type: 'svc.platform.events.webhooktestevent',
  source: '/svc/platform/eventing',
  subject: 'Test of a webhook',
  data: { Message: 'A test that an Owner of the tenant has asked for.' },
};

export interface TestParts extends WebhookParts {
  db: Database;
  /** Limit of the request, in milliseconds. */
  timeoutMs: number;
}

/**
 * Sends a signed test event to the webhook, once and at once. If the receiver accepts it, a failing or disabled webhook
 * is active again.
 */
export async function testWebhook({ db, timeoutMs, ...parts }: TestParts, caller: Caller, id: string) {
  const { tenantId, url } = await ownWebhook(db, caller, id);
  const now = new Date();
  const event = {
    ...TEST_EVENT,
    id: randomUUID(),
    time: now.toISOString().slice(0, -1),
    tenantId,
    userId: caller.userId,
    resourceId: id,
    webhookId: id,
    url,
    ...(await findSecret(db, id)),
  };
  const started = performance.now();
  const { delivered, status, error } = await attempt(event, { ...parts, timeoutMs });
  const milliseconds = Math.round(performance.now() - started);
  await db.transaction(async (tx) => {
    if (delivered) await activateWebhook(tx, id);
    await audit(tx, { action: 'webhook.test', subject: id, tenantId, ...by(caller), details: { status, error } });
  });
  return { status, milliseconds, error };
}
