import type { FastifyReply, FastifyRequest } from 'fastify';

/** Hook of routes that give secrets: their answers are kept by nobody on the way, and neither are refusals. */
export async function noStore(_: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
}
