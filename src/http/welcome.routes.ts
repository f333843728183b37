import type { FastifyInstance } from 'fastify';
import { html, SHOWS_PAGE, sendPage } from './answers/page.ts';
import { vary } from './answers/vary.ts';
import { BINARY } from './openapi/headers.ts';
import { type App, Routes } from './route.ts';

const LINKS = [
  ['guide', '/docs/guide', 'Guide: concepts, commands, formats, settings and operations'],
  ['docs', '/docs', 'REST API reference'],
  ['api', '/openapi.json', 'OpenAPI document, to generate clients'],
  ['health', '/health/ready', 'Readiness of the server'],
  ['console', '/console', 'Web console'],
] as const;

/** Six tiles and a river, as on `/docs`. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="5" fill="#1d2b36"/>
<path d="M6 4h9v9H6zM17 4h9v9h-9zM6 15h9v9H6zM17 15h9v9h-9z" fill="#dfe9ef"/>
<path d="M21 2c-9 7 5 11-2 17s-8 6-6 12" fill="none" stroke="#3b8fc4" stroke-width="5"/></svg>`;

/** The start page: links as HTML, or as JSON for clients that prefer it. */
export async function welcomeRoutes(app: App) {
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
  routes.get('/', {
    operationId: 'getWelcome',
    summary: 'Shows the start page with links',
    description: 'With `Accept: application/json`, returns the links as JSON.',
    config: { described: SHOWS_PAGE },
    handler: async (request, reply) => {
      const links = LINKS.filter(([, path]) => hasRoute(app, path));
      vary(reply, 'Accept');
      if (prefersJson(request.headers.accept))
        return {
          name: 'Data platform',
          ...Object.fromEntries(links.map(([name, path]) => [name, path])),
        };
      return sendPage(
        reply,
        'Data platform',
        html`<p>Projects contain datasets. Transfers import, convert and export them in many formats and coordinate systems.</p>
<ul>${links.map(([, path, sentence]) => html`<li><a href=".${path}">${path}</a>: ${sentence}</li>`)}</ul>
<p>Command line: <code>platform --help</code></p>`,
      );
    },
  });
}

const hasRoute = (app: FastifyInstance, path: string) =>
  app.hasRoute({ method: 'GET', url: path }) || app.hasRoute({ method: 'GET', url: `${path}/` });

/** Whether the Accept header prefers `application/json` to `text/html`. */
function prefersJson(accept = ''): boolean {
  const quality = (type: string) =>
    Math.max(
      0,
      ...accept
        .toLowerCase()
        .split(',')
        .map((part) => part.split(';').map((each) => each.trim()))
        .filter(([name]) => name === type)
        .map(([, ...rest]) => Number(rest.find((each) => each.startsWith('q='))?.slice(2) ?? 1)),
    );
  return quality('application/json') > quality('text/html');
}
