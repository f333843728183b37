import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { text, textUpTo } from '../http/rules/members.ts';
import { cursorPage, cursorPageOf, cursorQuery, listOf } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import { EVENT_TYPES } from '../outbox.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { DELIVERY_STATES, Delivery, listDeliveries, listWebhooks, Webhook } from './webhook.queries.ts';
import {
  createWebhook,
  ownTenant,
  ownWebhook,
  removeWebhook,
  replay,
  type TestParts,
  testWebhook,
} from './webhooks.ts';

export interface WebhookRoutes extends TestParts {
  /** Signs cursors. */
  cursors: Signer;
}

/** A new webhook with its secret, which is shown once. */
const NewWebhook = Webhook.extend({
  secret: text(
    'Key of the signature. Only the answer to the creation contains it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ),
});
export type NewWebhook = z.infer<typeof NewWebhook>;
const Tested = z.object({
  status: z.int().optional().meta({ description: 'HTTP status of the answer; absent without one.', example: 204 }),
  milliseconds: z.int().describe('Time until the answer or the failure, in milliseconds.'),
  error: text('Why the test event was not delivered.', 'The receiver answered 503.').optional(),
});
export type Tested = z.infer<typeof Tested>;
const Replayed = z.object({ replayed: z.int().describe('Number of deliveries that were restarted.') });
export type Replayed = z.infer<typeof Replayed>;

export async function webhookRoutes(app: App, parts: WebhookRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'eventing', tags: ['events'] });
  const { db, cursors } = parts;
  routes.post('/api/eventing/webhook', {
    operationId: 'createWebhook',
    summary: 'Creates a webhook for events of the tenant (tenant Owners)',
    description: [
      'Sends each event as a POST of a CloudEvent (`application/cloudevents+json`), signed as Standard Webhooks specify, and retries',
      'until the receiver answers 2xx. Without `types`, sends all events but change events (those of projects, members, datasets and credits), which only',
      'webhooks get that name their types. The secret is returned only here. A webhook whose attempts have',
      'all failed for days (`webhooks.disableAfter`) is `Disabled` and gets no events until a test or a replay enables it.',
    ].join(' '),
    body: z.object({
      url: z
        .string()
        .trim()
        .min(1)
        .max(2048)
        .meta({ description: 'URL that receives the events.', example: 'https://example.org/hook' }),
      types: z
        .array(z.enum(EVENT_TYPES))
        .max(100)
        .optional()
        .describe('Types of events to deliver. Absent: all but change events.'),
      secret: textUpTo(
        200,
        'Key of the signature. Absent: the platform makes one.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ).optional(),
    }),
    response: { 201: NewWebhook },
    config: { secretAnswer: true },
    handler: ({ caller, body }) => createWebhook(db, parts, caller, body),
  });

  routes.get('/api/eventing/webhook', {
    operationId: 'listWebhooks',
    summary: 'Lists the webhooks of the tenant (tenant Owners)',
    response: { 200: listOf(Webhook) },
    handler: async ({ caller }) => ({ data: [...(await listWebhooks(db, ownTenant(caller)))] }),
  });

  routes.get('/api/eventing/webhook/:id', {
    operationId: 'getWebhook',
    summary: 'Returns a webhook, without its secret (tenant Owners)',
    params: idParam('webhook'),
    response: { 200: Webhook },
    handler: async ({ caller, params }) => ownWebhook(db, caller, params.id),
  });

  routes.delete('/api/eventing/webhook/:id', {
    operationId: 'deleteWebhook',
    summary: 'Deletes a webhook (tenant Owners)',
    params: idParam('webhook'),
    response: { 204: z.null() },
    handler: ({ caller, params }) => removeWebhook(db, caller, params.id),
  });

  routes.get('/api/eventing/webhook/:id/delivery/list', {
    operationId: 'listWebhookDeliveries',
    summary: 'Lists deliveries of a webhook, newest first (tenant Owners)',
    params: idParam('webhook'),
    querystring: z.object({
      state: queryEnum(DELIVERY_STATES).optional().describe('Only deliveries in this state.'),
      ...cursorQuery,
    }),
    response: { 200: cursorPageOf(Delivery) },
    handler: async ({ caller, params, query }) => {
      const { id } = await ownWebhook(db, caller, params.id);
      const { state } = query;
      return cursorPage(
        cursors,
        query,
        ['deliveries', caller.userId, id, state ?? ''],
        (position, limit) => listDeliveries(db, id, { state, before: position?.id, limit }),
        ({ createdAt, eventId }) => ({ value: createdAt, id: eventId }),
      );
    },
  });

  routes.post('/api/eventing/webhook/:id/replay', {
    operationId: 'replayWebhook',
    summary: 'Delivers all events behind an offset again (tenant Owners)',
    description: 'A disabled webhook is enabled.',
    params: idParam('webhook'),
    body: z.object({ after: z.int().min(0).describe('Offset of the last received event.') }),
    response: { 202: Replayed },
    handler: async ({ caller, params, body }) => ({ replayed: await replay(db, caller, params.id, body.after) }),
  });

  routes.post('/api/eventing/webhook/:id/test', {
    operationId: 'createWebhookTest',
    summary: 'Sends a test event to a webhook and tells what its receiver answered (tenant Owners)',
    description: [
      'The event has the type `svc.platform.events.webhooktestevent`, is signed like others, and is sent once. If the receiver answers',
      '2xx, a failing or disabled webhook is active again.',
    ].join(' '),
    params: idParam('webhook'),
    response: { 200: Tested },
    handler: async ({ caller, params }) => testWebhook(parts, caller, params.id),
  });
}
