import { setTimeout as sleep } from 'node:timers/promises';
import type { TestFn } from 'ava';
import { type EventType, emit } from '../../src/outbox.ts';
import { type Client, type World, world } from '../world.ts';
import { type Answering, answerWith, openReceiver, type Receiver } from './receiver.ts';

const HOOKS = '/api/eventing/webhook';
const STARTED: EventType = 'svc.platform.events.transferstartedevent';

interface Delivery {
  state: string;
  attempts: number;
  status?: number;
  error?: string;
}

/** A webhook in a new tenant. */
export interface Hook {
  /** Signed in as Owner of the tenant. */
  client: Client;
  /** Path of the webhook. */
  path: string;
  id: string;
  secret: string;
  receiver: Receiver;
  /** Writes an event for the webhook and returns its resource id. */
  happen(): Promise<string>;
  deliveries(): Promise<Delivery[]>;
  /** Waits until no delivery is pending. */
  settled(): Promise<Delivery[]>;
  /** Resource ids of the received events, in order. */
  received(): string[];
}

export interface HookWorld {
  w: World;
  /** Settings for workers: allow the receivers, short timeout and backoff. */
  settings: Record<string, string>;
  /** Creates a webhook with a receiver that answers like this. */
  newHook(answer: Answering): Promise<Hook>;
}

/** A world with up to `most` webhook receivers. Call it once at the top of a test file. */
export async function hookWorld(test: TestFn, most: number): Promise<HookWorld> {
  const places = Array.from({ length: most }, () => ({ answer: answerWith(204) }));
  const receivers = await Promise.all(places.map((place) => openReceiver((...request) => place.answer(...request))));
  const allowed = { 'outbound.allow': receivers.map(({ place }) => place).join(',') };
  const w = world(test, allowed);
  test.after.always('the receivers close', async () => {
    for (const receiver of receivers) await receiver.close();
  });
  let made = 0;
  let used = 0;

  async function newHook(answer: Answering): Promise<Hook> {
    const at = used++;
    const [place, receiver] = [places[at], receivers[at]];
    if (!place || !receiver) throw new Error('There are not enough receivers.');
    place.answer = answer;
    const { userId, tenantId } = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as({ userId });
    const answered = await client.post(HOOKS, { url: receiver.url });
    if (answered.status !== 201) throw new Error(JSON.stringify(answered.body));
    const { id, secret } = answered.body;
    const path = `${HOOKS}/${id}`;
    let happened = 0;
    const deliveries = async (): Promise<Delivery[]> =>
      (await client.get(`${path}/delivery/list?limit=1000`)).body.data;
    return {
      client,
      path,
      id,
      secret,
      receiver,
      deliveries,
      async happen() {
        const resourceId = `thing-${++made}`;
        await w.db.transaction((tx) =>
          emit(tx, { type: STARTED, source: '/test', tenantId, resourceId, data: { N: made } }),
        );
        happened++;
        return resourceId;
      },
      async settled() {
        for (;;) {
          const all = await deliveries();
          if (all.length >= happened && all.every(({ state }) => state !== 'Pending')) return all;
          await sleep(50);
        }
      },
      received: () => receiver.received.map(({ body }) => JSON.parse(body).resourceid),
    };
  }
  return {
    w,
    settings: {
      ...allowed,
      'webhooks.timeout': '3s',
      'webhooks.retryAfter': '50ms,100ms,200ms,400ms,600ms,600ms,600ms,600ms,600ms,600ms',
    },
    newHook,
  };
}

export const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(20);
};
