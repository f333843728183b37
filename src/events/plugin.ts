import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { type EventRoutes, eventRoutes } from './routes.ts';
import { type WebhookRoutes, webhookRoutes } from './webhook.routes.ts';

export interface EventsOptions extends EventRoutes, Omit<WebhookRoutes, 'timeoutMs'> {
  settings: Pick<Config, 'webhooks.timeout'>;
}

export async function eventsPlugin(app: App, options: EventsOptions) {
  const { db, notifier, findCaller, outbound, sealer, cursors, settings } = options;
  await app.register(eventRoutes, { db, notifier, findCaller });
  await app.register(webhookRoutes, { db, outbound, sealer, cursors, timeoutMs: settings['webhooks.timeout'] });
}
