import type { FastifyRequest } from 'fastify';
import { hasSignature } from '../rules/signed-link.ts';

/** What the answer to a GET request depends on besides the version of its resource. */
export interface CacheKey {
  /** Everything that rights depend on: address of the client, credentials, tenant, and the platform's other headers. */
  readonly rights: string;
  /** Address, and the headers that choose the form of the answer. */
  readonly response: string;
}

const FORM = ['accept-encoding', 'origin', 'api-version'];

/** @param platformHeaders names of the platform's headers, with each prefix */
export function cacheKeys(platformHeaders: readonly string[]): (request: FastifyRequest) => CacheKey {
  const credentials = ['authorization', ...platformHeaders];
  // header fields have no line breaks, so that different fields never give the same text
  const fieldsOf = ({ headers }: FastifyRequest, names: readonly string[]) => {
    let text = '';
    for (const name of names) if (headers[name] !== undefined) text += `\n${name}:${headers[name]}`;
    return text;
  };
  return (request) => {
    const { url, ip } = request;
    // the query of a signed address is a credential
    const signature = hasSignature(url) ? `\n${url.slice(url.indexOf('?'))}` : '';
    return { rights: ip + fieldsOf(request, credentials) + signature, response: url + fieldsOf(request, FORM) };
  };
}
