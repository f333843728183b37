import type { FastifyRequest } from 'fastify';
import { withoutTrailingSlashes } from '../../platform/text/trim-end.ts';

/**
 * Base of all URLs in answers, without a trailing slash: the setting `publicUrl`, else scheme and host of the request.
 */
export function publicBase(publicUrl: string | undefined, request: FastifyRequest): string {
  if (publicUrl !== undefined) return withoutTrailingSlashes(publicUrl);
  return `${request.protocol}://${request.host}`;
}
