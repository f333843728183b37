import { createHash } from 'node:crypto';
import { type Bundle, bundleMap } from '@data-platform/web';
import { z } from 'zod';
import { SHOWS_PAGE } from '../../http/answers/page.ts';
import { isCurrent } from '../../http/cache/cached.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { ASKED_AGAIN, basemapElement, type OutsideBasemap, policyOf, sendAsset } from './assets.ts';

/**
 * `/map/dataset/{id}`: a page without data, the same for everybody, which reads the API with the right of its reader.
 */
export async function mapRoutes(app: App, { outside }: { outside?: OutsideBasemap | undefined }) {
  const policy = policyOf(outside);
  const routes = new Routes(app, { access: 'public', service: 'none', limit: 'free', tags: ['tiles'] });
  let reading: Promise<Bundle & { etag: string }> | undefined;
  const read = () => {
    reading ??= readPage(outside);
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };

  routes.get('/map/dataset/:id', {
    operationId: 'getMapDataset',
    summary: 'Shows a map of a dataset',
    description:
      'A page for browsers: tiles, features or series of the dataset, with the signature of its own query or after a login.',
    params: idParam('dataset'),
    config: { described: SHOWS_PAGE },
    handler: async (request, reply) => {
      const [path = '', query] = request.url.split('?', 2);
      if (path.endsWith('/')) return reply.redirect(`../${request.params.id}${query === undefined ? '' : `?${query}`}`);
      const { page, etag } = await read();
      reply.headers({
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': ASKED_AGAIN,
        etag,
      });
      if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply
        .type('text/html; charset=utf-8')
        .serializer((text: string) => text)
        .send(page);
    },
  });

  routes.get('/map/assets/:version/:file', {
    operationId: 'getMapAsset',
    summary: 'Returns a script, style sheet or font of the map page',
    params: z.object({
      version: z.string().describe('Version of all files.'),
      file: z.string().describe('File of the page.'),
    }),
    config: { described: { responses: { 200: { description: 'The file.' }, 304: { description: 'Not modified.' } } } },
    handler: async (request, reply) => sendAsset(request, reply, { bundle: await read(), policy }),
  });
}

async function readPage(outside: OutsideBasemap | undefined) {
  const bundle = await bundleMap();
  const page = bundle.page
    .replaceAll('{assets}', `../assets/${bundle.version}`)
    .replace('{basemap}', () => basemapElement(outside));
  return { ...bundle, page, etag: `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"` };
}
