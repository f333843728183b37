import type { FastifyReply, FastifyRequest } from 'fastify';

/** Maximum time that a request waits, in seconds. */
export const MAX_WAIT_S = 60;

/**
 * Milliseconds of `Prefer: wait=N` (RFC 7240), at most a minute; undefined without this preference. Sets
 * `Preference-Applied`. Ignores malformed preferences, as the RFC requires.
 */
export function preferredWait(request: FastifyRequest, reply: FastifyReply): number | undefined {
  const preferences = [request.headers.prefer ?? []].flat().join(',');
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i.exec(preferences) ?? [];
  if (seconds === undefined) return undefined;
  const applied = Math.min(Number(seconds), MAX_WAIT_S);
  reply.header('preference-applied', `wait=${applied}`);
  return applied * 1000;
}
