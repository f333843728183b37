import type { FastifyReply, FastifyRequest } from 'fastify';

const LONGEST_S = 60;

/**
 * Milliseconds that `Prefer: wait=N` asks for (RFC 7240), at most a minute; undefined when it asks for none. Says in the answer what is
 * applied; what cannot be read is ignored, as the RFC wants.
 */
export function preferredWait(request: FastifyRequest, reply: FastifyReply): number | undefined {
  const preferences = [request.headers.prefer ?? []].flat().join(',');
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i.exec(preferences) ?? [];
  if (seconds === undefined) return undefined;
  const applied = Math.min(Number(seconds), LONGEST_S);
  reply.header('preference-applied', `wait=${applied}`);
  return applied * 1000;
}
