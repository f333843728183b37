import { by, record } from '../audit.ts';
import type { Db } from '../db.ts';
import { conflict, forbidden, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import type { Outbound } from '../platform/net/outbound.ts';
import { publish } from './publish.ts';
import { newSecret, readSecret, secretText } from './signature.ts';
import type { Webhook } from './webhook.queries.ts';
import { deleteWebhook, findWebhook, insertWebhook, lockAndCount, replayDeliveries } from './webhook.queries.ts';

const MOST_PER_TENANT = 100;

/** The tenant that the caller acts in, if he owns it. */
export function ownTenant(caller: Caller): string {
  if (caller.tenantId === undefined || !ownedTenants(caller).includes(caller.tenantId))
    throw forbidden('Only Owners of the tenant may do this.');
  return caller.tenantId;
}

/** The webhook, if the caller owns its tenant; else it is not there. */
export async function ownWebhook(db: Db, caller: Caller, id: string) {
  const found = await findWebhook(db, caller, id);
  if (!found) throw notFound('Webhook', id);
  return found;
}

export interface WantedWebhook {
  url: string;
  types?: readonly string[] | undefined;
  secret?: string | undefined;
}

/** Has the tenant's events delivered to an address from now on. The only answer that holds the secret. */
export async function createWebhook(
  db: Db,
  outbound: Outbound,
  caller: Caller,
  { url, types = [], secret }: WantedWebhook,
): Promise<Webhook & { secret: string }> {
  const { username, password } = outbound.check(url, 'url');
  if (username !== '' || password !== '')
    throw invalidMember(
      'url',
      'The address of a webhook is shown to others, so it holds no user name and no password.',
    );
  const key = secret === undefined ? newSecret() : readSecret(secret);
  if (key === undefined)
    throw invalidMember(
      'secret',
      'A secret is whsec_ followed by 24 to 64 bytes in base64; leave it out to get a new one.',
    );
  const tenantId = ownTenant(caller);
  return db.transaction(async (tx) => {
    if ((await lockAndCount(tx, tenantId)) >= MOST_PER_TENANT)
      throw conflict(`The tenant has ${MOST_PER_TENANT} webhooks, which is as many as there may be.`);
    const wanted = { tenantId, url, types: [...new Set(types)], secret: key, createdBy: caller.userId };
    const webhook = await insertWebhook(tx, wanted);
    const details = { url: new URL(url).origin, types: wanted.types };
    await record(tx, { action: 'webhook.create', subject: webhook.id, tenantId, ...by(caller), details });
    return { ...webhook, secret: secretText(key) };
  });
}

/** Nothing is delivered to it any more. */
export const removeWebhook = (db: Db, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { tenantId } = await ownWebhook(tx, caller, id);
    await deleteWebhook(tx, id);
    await record(tx, { action: 'webhook.delete', subject: id, tenantId, ...by(caller) });
  });

/** Has the events behind an offset delivered again, all that have happened by now among them. How many these are. */
export async function replay(db: Db, caller: Caller, id: string, after: number): Promise<number> {
  const { tenantId } = await ownWebhook(db, caller, id);
  await publish(db);
  return db.transaction(async (tx) => {
    const count = await replayDeliveries(tx, id, after);
    await record(tx, { action: 'webhook.replay', subject: id, tenantId, ...by(caller), details: { after, count } });
    return count;
  });
}
