import type { FastifyRequest } from 'fastify';
import { hasSignature } from '../rules/signed-link.ts';

const FORM = ['accept-encoding', 'origin', 'api-version'];

/** The address and the headers that choose the form of the answer to a GET request. */
export const responseKey = (request: FastifyRequest): string => request.url + fieldsOf(request, FORM);

/**
 * Returns a function for everything that the rights of a request depend on: address of the client, credentials,
 * tenant, and the platform's other headers.
 * @param platformHeaders their names, with each prefix
 */
export function rightsKeys(platformHeaders: readonly string[]): (request: FastifyRequest) => string {
  const credentials = ['authorization', ...platformHeaders];
  return (request) => {
    const { url, ip } = request;
    // the query of a signed address is a credential
    const signature = hasSignature(url) ? `\n${url.slice(url.indexOf('?'))}` : '';
    return ip + fieldsOf(request, credentials) + signature;
  };
}

/** Header fields have no line breaks, so that different fields never give the same text. */
function fieldsOf({ headers }: FastifyRequest, names: readonly string[]): string {
  let text = '';
  for (const name of names) if (headers[name] !== undefined) text += `\n${name}:${headers[name]}`;
  return text;
}
