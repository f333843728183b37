import type { FastifyRequest } from 'fastify';
import { withoutTrailingSlashes } from '../../platform/text/trim-end.ts';

/**
 * Start of every address that is handed out, without a slash at its end: the setting `publicUrl`, else the scheme and host that the
 * request came by.
 */
export function publicBase(publicUrl: string | undefined, request: FastifyRequest): string {
  if (publicUrl !== undefined) return withoutTrailingSlashes(publicUrl);
  return `${request.protocol}://${request.host}`;
}
