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
 * The signature of a request: the header `sas-token`, else the parameters of a signed address in the query. Undefined
 * for a request without.
 */
function readSignature(request: FastifyRequest): URLSearchParams | undefined {
  const token = request.platformHeader('sas-token');
  const text = token ?? queryOf(request.url);
  const own = [...parseQuery(text)].filter(([name]) => SIGNATURE_MEMBERS.has(name));
  return token !== undefined || own.some(([name]) => name === 'sig') ? new URLSearchParams(own) : undefined;
}

/** Who asks: the holder of a signed link, or a caller. */
export type Asker = { readonly signature: URLSearchParams } | { readonly caller: Caller };

export function readAsker(request: FastifyRequest): Asker {
  const signature = readSignature(request);
  return signature === undefined ? { caller: request.caller } : { signature };
}

/** Whose share of a fair queue a request takes: its tenant's, or that of all holders of links to the dataset. */
export const shareOf = (asker: Asker, datasetId: string): string =>
  'caller' in asker ? (asker.caller.tenantId ?? asker.caller.userId) : `link to ${datasetId}`;

/** Milliseconds since 1970: when the credentials of a request expire; 0 for a time that is not well-formed. */
export const expiryOf = (asker: Asker): number =>
  'caller' in asker
    ? (asker.caller.expires ?? Number.POSITIVE_INFINITY)
    : Date.parse(asker.signature.get('se') ?? '') || 0;

/** Whether the query of a URL may be the signature of its request, however it is encoded. */
export const hasSignature = (url: string): boolean => url.includes('?') && parseQuery(queryOf(url)).has('sig');

/** Whether a request has a signature. Its validity is the route's matter. */
export const isSigned = (request: FastifyRequest): boolean =>
  hasSignature(request.url) || request.platformHeader('sas-token') !== undefined;

const parseQuery = (text: string) => new URLSearchParams(text.replace(/^\?/, ''));

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
