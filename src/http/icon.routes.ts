import { BINARY } from './openapi/headers.ts';
import { type App, Routes } from './route.ts';

/** Six tiles and a river, as on `/docs`. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="5" fill="#1d2b36"/>
<path d="M6 4h9v9H6zM17 4h9v9h-9zM6 15h9v9H6zM17 15h9v9h-9z" fill="#dfe9ef"/>
<path d="M21 2c-9 7 5 11-2 17s-8 6-6 12" fill="none" stroke="#3b8fc4" stroke-width="5"/></svg>`;

/** The icon that browsers show. */
export async function iconRoutes(app: App) {
  const routes = new Routes(app, { access: 'public', service: 'none', limit: 'free', tags: ['platform'] });
  // browsers ask for it at this address, and take a picture of any type
  routes.get('/favicon.ico', {
    operationId: 'getFaviconIco',
    summary: 'Returns the icon that browsers show',
    config: {
      described: {
        responses: { 200: { description: 'The icon.', content: { 'image/svg+xml': { schema: BINARY } } } },
      },
    },
    handler: async (_request, reply) =>
      reply
        .type('image/svg+xml')
        .header('cache-control', 'public, max-age=86400')
        .serializer((text: string) => text)
        .send(ICON),
  });
}
