import type { FastifyInstance } from 'fastify';
import { html, SHOWS_PAGE, sendPage } from './answers/page.ts';
import type { App } from './route.ts';

const WAYS = [
  ['guide', '/docs/guide', 'Concepts, commands, formats, settings and operations'],
  ['docs', '/docs', 'The REST API, to read and to try'],
  ['api', '/openapi.json', 'Its description, to generate clients from'],
  ['health', '/health/ready', 'Whether requests can be served'],
  ['console', '/console', 'The console, to work in a browser'],
] as const;

/** What stands at the address that the start prints: links for people, the same as JSON for programs that ask for it. */
export async function welcomeRoutes(app: App) {
  app.get(
    '/',
    {
      config: { access: 'public', service: 'none', described: SHOWS_PAGE },
      schema: {
        tags: ['platform'],
        summary: 'What this is, with links',
        description: 'A page; with `Accept: application/json` the links alone.',
      },
    },
    async (request, reply) => {
      const ways = WAYS.filter(([, path]) => isThere(app, path));
      reply.header('vary', 'Accept');
      if (asksForJson(request.headers.accept))
        return {
          name: 'Data platform',
          ...Object.fromEntries(ways.map(([name, path]) => [name, path])),
        };
      return sendPage(
        reply,
        'Data platform',
        html`<p>Projects hold datasets; transfers convert them from format to format, in any coordinate system.</p>
<ul>${ways.map(([, path, sentence]) => html`<li><a href=".${path}">${path}</a>: ${sentence}</li>`)}</ul>
<p>On a command line: <code>platform --help</code></p>`,
      );
    },
  );
}

const isThere = (app: FastifyInstance, path: string) =>
  app.hasRoute({ method: 'GET', url: path }) || app.hasRoute({ method: 'GET', url: `${path}/` });

/** `application/json`, and pages not, or less. */
function asksForJson(accept = ''): boolean {
  const weight = (type: string) =>
    Math.max(
      0,
      ...accept
        .toLowerCase()
        .split(',')
        .map((part) => part.split(';').map((each) => each.trim()))
        .filter(([name]) => name === type)
        .map(([, ...rest]) => Number(rest.find((each) => each.startsWith('q='))?.slice(2) ?? 1)),
    );
  return weight('application/json') > weight('text/html');
}
