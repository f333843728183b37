import { z } from 'zod';
import { notFound } from '../errors.ts';
import { publicBase } from './answers/public-base.ts';
import { type App, Routes } from './route.ts';
import { textAnswer } from './rules/forms.ts';
import { SERVICE_IDS } from './rules/headers.ts';
import { text, texts } from './rules/members.ts';

/** Service discovery for clients. All services have the same base URL. */
export async function serviceRoutes(app: App, { publicUrl }: { publicUrl: string | undefined }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'services', tags: ['services'] });

  routes.get('/api/data/services', {
    operationId: 'listServices',
    summary: 'Lists the names of the services',
    response: { 200: z.object({ data: texts('Names of the services.', ['metadata', 'raw']) }) },
    handler: async () => ({ data: SERVICE_IDS }),
  });

  routes.get('/api/services/:name/baseuri', {
    operationId: 'getServiceBaseUri',
    summary: 'Returns the base URL of a service',
    params: z.object({ name: text('Name of the service.') }),
    response: { 200: textAnswer('Base URL of the service.', 'https://platform.example/api') },
    handler: async (request) => {
      const { name } = request.params;
      if (!SERVICE_IDS.includes(name.toLowerCase())) throw notFound('Service', name);
      return { data: `${publicBase(publicUrl, request)}/api` };
    },
  });
}
