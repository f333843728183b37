import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Answers up to this length are sent as one text, which the cache keeps. */
const WHOLE_ANSWER = 2 ** 20;

/** Already text. */
const asIs = (text: unknown) => text as string;

/** Text, or UTF-8. */
export type Piece = string | Uint8Array;

const joined = (pieces: readonly Piece[]): string =>
  pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))).toString();

/**
 * Sends a text that comes in pieces: a short one as one text, a long one as a stream. Other requests get their turn
 * between two pieces.
 */
export async function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterator<Piece> | Iterator<Piece>,
  type = 'application/json; charset=utf-8',
): Promise<never> {
  const begun: Piece[] = [];
  let length = 0;
  // errors so far are refusals; later ones can only break the stream
  while (length <= WHOLE_ANSWER) {
    const { value, done } = await pieces.next();
    if (done) return reply.type(type).serializer(asIs).send(joined(begun)) as never;
    begun.push(value);
    length += value.length;
    if (begun.length % 4 === 0) await turn();
  }
  async function* all() {
    yield joined(begun);
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
