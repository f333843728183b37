import type { FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';

/** Parameters of the query of a signed address. */
export const SIGNATURE_MEMBERS: ReadonlySet<string> = new Set([
  'sv',
  'sr',
  'sp',
  'se',
  'st',
  'si',
  'sig',
  'rscd',
  'rsct',
]);

/**
 * The signature of a request: the header `sas-token`, else the parameters of a signed address in the query. Undefined for
 * a request without.
 */
function signatureOf(request: FastifyRequest): URLSearchParams | undefined {
  const token = request.platformHeader('sas-token');
  const text = token ?? queryOf(request.url);
  const own = [...new URLSearchParams(text.replace(/^\?/, ''))].filter(([name]) => SIGNATURE_MEMBERS.has(name));
  return token !== undefined || own.some(([name]) => name === 'sig') ? new URLSearchParams(own) : undefined;
}

/** Who asks: the holder of a signed link, or a caller. */
export type Asker = { readonly signature: URLSearchParams } | { readonly caller: Caller };

export function askerOf(request: FastifyRequest): Asker {
  const signature = signatureOf(request);
  return signature === undefined ? { caller: request.caller } : { signature };
}

/** Whether a request has a signature. Its validity is the route's matter. */
export const isSigned = (request: FastifyRequest): boolean =>
  /[?&]sig=/.test(request.url) || request.platformHeader('sas-token') !== undefined;

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
