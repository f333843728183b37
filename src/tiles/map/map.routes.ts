import { createHash } from 'node:crypto';
import { type Asset, type Bundle, bundleMap } from '@data-platform/web';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { escapeHtml, SHOWS_PAGE } from '../../http/answers/page.ts';
import { vary } from '../../http/answers/vary.ts';
import { isCurrent } from '../../http/cache/cached.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';

/** A base map of another host instead of the world of the platform. */
export interface OutsideBasemap {
  /** Raster tiles with {z}, {x} and {y}, or a style. */
  readonly url: string;
  readonly attribution: string;
  /** Addresses of more hosts that the style names. */
  readonly hosts: readonly string[];
}

/**
 * No inline script, no frame, and no other host than those of the base map that an operator has chosen. Pictures are
 * those of the style sheet and of the map.
 */
function policyOf(outside: OutsideBasemap | undefined): string {
  const addresses = outside === undefined ? [] : [outside.url, ...outside.hosts];
  const origins = [...new Set(addresses.map((address) => ` ${new URL(address).origin}`))].join('');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${origins}`,
    "worker-src 'self'",
    `img-src 'self' data: blob:${origins}`,
    "font-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const FOREVER = 'public, max-age=31536000, immutable';
const ASKED_AGAIN = 'public, max-age=0, must-revalidate';

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
    handler: async (request, reply) => {
      const { version, files } = await read();
      const asset = files.get(request.params.file);
      if (asset === undefined) throw notFound('File', request.params.file.slice(0, 100));
      const { bytes, etag } = encoded(asset, request.headers['accept-encoding']);
      reply.headers({
        etag,
        // a worker has the policy of its script, not that of the page
        'content-security-policy': policy,
        // while servers are replaced, a page of one may ask another, which has other files
        'cache-control': request.params.version === version ? FOREVER : ASKED_AGAIN,
      });
      vary(reply, 'accept-encoding');
      if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (bytes === asset.gzip) reply.header('content-encoding', 'gzip');
      return reply.type(asset.type).send(bytes);
    },
  });
}

/** The gzipped or the plain form, each with an ETag of its own. */
function encoded(asset: Asset, accepted: string | string[] | undefined) {
  return asset.gzip !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(accepted ?? ''))
    ? { bytes: asset.gzip, etag: `"${asset.etag}-gz"` }
    : { bytes: asset.bytes, etag: `"${asset.etag}"` };
}

async function readPage(outside: OutsideBasemap | undefined) {
  const bundle = await bundleMap();
  const { url, attribution } = outside ?? {};
  const basemap =
    outside === undefined
      ? ''
      : `<meta name="basemap" content="${escapeHtml(JSON.stringify({ url, attribution }))}">\n`;
  const page = bundle.page.replaceAll('{assets}', `../assets/${bundle.version}`).replace('{basemap}', () => basemap);
  return { ...bundle, page, etag: `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"` };
}
