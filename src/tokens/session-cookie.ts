import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../errors.ts';
import type { Family } from './queries.ts';

/**
 * The cookie with the refresh token of a browser. Only the routes of the session read it, so that a page of another
 * origin could forge these requests at most. The prefix binds the cookie to this host (RFC 6265bis, 4.1.3).
 */
const SECURE_NAME = '__Host-session';
/** Beside it for pages over plain HTTP, where some browsers drop the other one. */
const PLAIN_NAME = 'session';

/**
 * Whether the page came over plain HTTP. Behind a proxy that ends TLS the request does, too, but not the page: its
 * origin tells. There, a cookie without the prefix could leave the browser in clear, and a neighbouring host could set
 * it.
 */
const isPlain = ({ headers, protocol }: FastifyRequest, publicUrl: string | undefined): boolean =>
  protocol === 'http' && !(headers.origin ?? publicUrl ?? '').startsWith('https:');

/** The refresh token that the browser sent. */
export function sessionToken(request: FastifyRequest, publicUrl: string | undefined): string | undefined {
  const cookies = parseCookie(request.headers.cookie ?? '');
  return cookies[SECURE_NAME] ?? (isPlain(request, publicUrl) ? cookies[PLAIN_NAME] : undefined);
}

interface Keeping {
  /** Absent: the cookie is deleted. */
  readonly kept?: { readonly token: string; readonly family: Family };
  /** Address of the platform behind a proxy. */
  readonly publicUrl: string | undefined;
}

/** Has the browser keep a refresh token until its login ends, or until the browser ends. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, { kept, publicUrl }: Keeping) {
  const cookie = (name: string, secure: boolean) =>
    stringifySetCookie({
      name,
      value: kept?.token ?? '',
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure,
      ...maxAge(kept?.family),
    });
  const plain = isPlain(request, publicUrl) ? [cookie(PLAIN_NAME, false)] : [];
  reply.header('set-cookie', [cookie(SECURE_NAME, true), ...plain]);
}

function maxAge(family: Family | undefined): { maxAge?: number } {
  if (family === undefined) return { maxAge: 0 };
  if (family.cookie !== 'persistent') return {};
  return { maxAge: Math.max(0, Math.floor((family.until - Date.now()) / 1000)) };
}

/**
 * Hook that refuses requests which pages of other origins could have sent: a form cannot send the header
 * `svc-session`, and a script of another origin has to ask first (CORS).
 * @param publicUrl address of the platform behind a proxy
 */
export const fromOwnPage =
  (publicUrl: string | undefined) =>
  async (request: FastifyRequest): Promise<void> => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (request.platformHeader('session') !== '1')
      throw invalid('Send the header svc-session: 1.', { code: 'SessionHeaderMissing' });
    if (site !== undefined && site !== 'same-origin') throw foreign(`Sec-Fetch-Site is '${site}'`);
    if (origin !== undefined && !isOwn(origin, request, publicUrl)) throw foreign(`Origin is '${origin}'`);
  };

const foreign = (what: string) =>
  new AppError('forbidden', `Only pages of this platform may use the session of a browser: ${what}.`, {
    code: 'ForeignOrigin',
  });

/** A proxy may have ended TLS: then the scheme of the request is not that of the page. */
function isOwn(origin: string, { host, protocol }: FastifyRequest, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
  return origin === `https://${host}` || (protocol === 'http' && origin === `http://${host}`);
}
