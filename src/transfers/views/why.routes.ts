import type { Reads } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { explainWaitingTo, Why } from './why.ts';

export async function whyRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'signedIn', tags: ['transfers'] });
  for (const { url, service, ...named } of [
    { url: '/api/conversion/transfer/:id/why', service: 'conversion', operationId: 'getTransferWhy' },
    { url: '/api/transfer/:id/why', service: 'metadata', operationId: 'getTransferWhyLegacy', deprecated: true },
  ] as const) {
    routes.get(url, {
      ...named,
      summary:
        'Explains why a transfer has not been started (position, what blocks it, which worker could run it) or has failed',
      params: idParam('transfer'),
      response: { 200: Why },
      config: { service },
      handler: async (request) => explainWaitingTo(db, request.caller, request.params.id),
    });
  }
}
