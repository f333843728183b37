import type { Asset, Bundle } from '@data-platform/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../errors.ts';
import { escapeHtml } from '../../http/answers/page.ts';
import { vary } from '../../http/answers/vary.ts';
import { isCurrent } from '../../http/cache/cached.ts';

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
export function policyOf(outside: OutsideBasemap | undefined): string {
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
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const FOREVER = 'public, max-age=31536000, immutable';
export const ASKED_AGAIN = 'public, max-age=0, must-revalidate';

/** The element of a page that names an outside base map. */
export function basemapElement(outside: OutsideBasemap | undefined): string {
  if (outside === undefined) return '';
  const { url, attribution } = outside;
  return `<meta name="basemap" content="${escapeHtml(JSON.stringify({ url, attribution }))}">\n`;
}

/** Answers with a file of a bundle, which browsers keep for ever if they ask for it under its version. */
export function sendAsset(
  request: FastifyRequest<{ Params: { version: string; file: string } }>,
  reply: FastifyReply,
  { bundle, policy }: { bundle: Pick<Bundle, 'version' | 'files'>; policy: string },
) {
  const asset = bundle.files.get(request.params.file);
  if (asset === undefined) throw notFound('File', request.params.file.slice(0, 100));
  const { bytes, etag } = encoded(asset, request.headers['accept-encoding']);
  reply.headers({
    etag,
    // a worker has the policy of its script, not that of the page
    'content-security-policy': policy,
    // while servers are replaced, a page of one may ask another, which has other files
    'cache-control': request.params.version === bundle.version ? FOREVER : ASKED_AGAIN,
  });
  vary(reply, 'accept-encoding');
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (bytes === asset.gzip) reply.header('content-encoding', 'gzip');
  return reply.type(asset.type).send(bytes);
}

/** The gzipped or the plain form, each with an ETag of its own. */
function encoded(asset: Asset, accepted: string | string[] | undefined) {
  return asset.gzip !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(accepted ?? ''))
    ? { bytes: asset.gzip, etag: `"${asset.etag}-gz"` }
    : { bytes: asset.bytes, etag: `"${asset.etag}"` };
}
