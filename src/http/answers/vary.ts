import type { FastifyReply } from 'fastify';

/** Adds names of request headers to `Vary`, which the rule for other origins sets, too. */
export function vary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${before}, ${names}`);
}
