import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Answers up to this length are sent as one text, which the cache keeps. */
const WHOLE_ANSWER = 2 ** 20;

/** Already text. */
const asIs = (text: unknown) => text as string;

/**
 * Sends a text that comes in pieces: a short one as one text, a long one as a stream. Other requests get their turn between two pieces.
 */
export async function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterator<string> | Iterator<string>,
  type = 'application/json; charset=utf-8',
): Promise<never> {
  const begun: string[] = [];
  let length = 0;
  // errors so far are refusals; later ones can only break the stream
  while (length <= WHOLE_ANSWER) {
    const { value, done } = await pieces.next();
    if (done) return reply.type(type).serializer(asIs).send(begun.join('')) as never;
    begun.push(value);
    length += value.length;
    if (begun.length % 4 === 0) await turn();
  }
  async function* all() {
    yield begun.join('');
    try {
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
        yield next.value;
        await turn();
      }
    } finally {
      // a caller who leaves ends what makes the pieces, too
      await pieces.return?.();
    }
  }
  return reply.type(type).send(Readable.from(all())) as never;
}
