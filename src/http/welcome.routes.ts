import type { FastifyInstance } from 'fastify';
import { html, SHOWS_PAGE, sendPage } from './answers/page.ts';
import { vary } from './answers/vary.ts';
import type { App } from './route.ts';

const LINKS = [
  ['guide', '/docs/guide', 'Guide: concepts, commands, formats, settings and operations'],
  ['docs', '/docs', 'REST API reference'],
  ['api', '/openapi.json', 'OpenAPI document, to generate clients'],
  ['health', '/health/ready', 'Readiness of the server'],
  ['console', '/console', 'Web console'],
] as const;

/** The start page: links as HTML, or as JSON for clients that prefer it. */
export async function welcomeRoutes(app: App) {
  app.get(
    '/',
    {
      config: { access: 'public', service: 'none', limit: 'free', described: SHOWS_PAGE },
      schema: {
        tags: ['platform'],
        summary: 'Shows the start page with links',
        description: 'With `Accept: application/json`, returns the links as JSON.',
      },
    },
    async (request, reply) => {
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
  );
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
