import type { FastifyReply, FastifyRequest } from 'fastify';

/** Hook for routes with secrets: forbids caching of all answers, also of errors. */
export async function noStore(_: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
}
