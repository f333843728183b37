import { createHash } from 'node:crypto';
import { bundleConsole } from '@data-platform/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SHOWS_PAGE } from '../http/answers/page.ts';
import { vary } from '../http/answers/vary.ts';
import { isCurrent } from '../http/cache/cached.ts';
import { type App, Routes } from '../http/route.ts';
import { ASKED_AGAIN, basemapElement, type OutsideBasemap, policyOf, sendAsset } from '../tiles/map/assets.ts';
import { ADDRESSES } from './addresses.ts';

/** For programs that ask for JSON at the root. */
const LINKS = { guide: '/docs/guide', docs: '/docs', api: '/openapi.json', health: '/health/ready' };

/** One page without data for all addresses of the console, the same for everybody, and its files. */
export async function consoleRoutes(app: App, { outside }: { outside?: OutsideBasemap | undefined }) {
  const policy = policyOf(outside);
  const basemap = basemapElement(outside);
  const access = { access: 'public', service: 'none', limit: 'free' } as const;
  const routes = new Routes(app, { ...access, tags: ['platform'] });

  async function sendConsole(request: FastifyRequest, reply: FastifyReply) {
    const { page, version } = await bundleConsole();
    const text = page.replaceAll('{root}', rootFrom(request.url)).replaceAll('{assets}', version);
    const html = text.replace('{basemap}', () => basemap);
    const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
    reply.headers({
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': ASKED_AGAIN,
      etag,
    });
    if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply
      .type('text/html; charset=utf-8')
      .serializer((body: string) => body)
      .send(html);
  }

  // a server that listens has its page before anybody asks for it; a failure is told when the page is asked for
  app.addHook('onListen', (done) => {
    bundleConsole().catch((error: unknown) => app.log.error({ err: error }, 'the console was not bundled'));
    done();
  });

  routes.get('/', {
    operationId: 'getWelcome',
    summary: 'Shows the console',
    description: 'With `Accept: application/json`, returns links to the guide and the description of the API as JSON.',
    config: { described: SHOWS_PAGE },
    handler: async (request, reply) => {
      vary(reply, 'Accept');
      if (prefersJson(request.headers.accept)) return { name: 'Data platform', ...LINKS };
      return sendConsole(request, reply);
    },
  });
  for (const url of ADDRESSES)
    app.get(url, { schema: { hide: true }, config: access }, async (request, reply) => {
      // whoever has the link of a share may read it; search engines must not list it
      if (url.startsWith('/s/')) reply.header('x-robots-tag', 'noindex');
      return sendConsole(request, reply);
    });

  routes.get('/assets/:version/:file', {
    operationId: 'getConsoleAsset',
    summary: 'Returns a script, style sheet or font of the console',
    params: z.object({
      version: z.string().describe('Version of all files.'),
      file: z.string().describe('File of the console.'),
    }),
    config: { described: { responses: { 200: { description: 'The file.' }, 304: { description: 'Not modified.' } } } },
    handler: async (request, reply) => sendAsset(request, reply, { bundle: await bundleConsole(), policy }),
  });
}

/** The root as seen from an address, since a proxy may serve the platform below a path: `/projects/1` → `../`. */
function rootFrom(url: string): string {
  const depth = url.split(/[?#]/, 1)[0]!.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

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
