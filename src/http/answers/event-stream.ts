import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { Caller } from '../caller.ts';
import { actingIn } from '../caller.ts';
import type { FindCaller } from '../rules/auth.ts';

/** A client that takes nothing for so long is gone. */
const STALLED_MS = 60_000;
const COMMENT_EVERY_MS = 15_000;
/** Whoever wakes every few seconds is not exact; rather a moment early than seconds late. */
const EARLY_MS = 1000;

/** Whether the client wants what happens, as server-sent events, rather than an answer. */
export const wantsEvents = ({ method, headers }: FastifyRequest) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');

/** Sends pieces of a stream of events, each made when the one before was taken. */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, pieces: AsyncIterable<string>): FastifyReply {
  request.raw.socket.setTimeout(STALLED_MS, () => request.raw.socket.destroy());
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(pieces, { objectMode: false, highWaterMark: 1 }));
}

/**
 * Who follows, for a stream to ask again and again: nobody or a refusal when the token has expired, its account was disabled or left the
 * tenant.
 */
export function follower(request: FastifyRequest, findCaller: FindCaller): () => Promise<Caller | undefined> {
  const tenantId = request.platformHeader('tenant-id');
  return async () => {
    const caller = await findCaller(request);
    return caller && tenantId !== undefined ? actingIn(caller, tenantId, { anyTenant: false }) : caller;
  };
}

/** Says when a stream that has been silent must say something, so that nobody between the two takes it for dead. */
export function silence() {
  let since = performance.now();
  return {
    broken() {
      since = performance.now();
    },
    isLong: () => performance.now() - since > COMMENT_EVERY_MS - EARLY_MS,
  };
}

/** Streams that a process serves at once. */
export interface Places {
  taken(): number;
  /** One more of somebody; gives how to leave. Throws when there are too many, his or all. */
  take(userId: string): () => void;
}

/** @param what follows the words "You follow" */
export function openPlaces(what: string, most: { ofOne: number; ofAll: number }): Places {
  const streams = new Map<string, number>();
  let all = 0;
  return {
    taken: () => all,
    take(userId) {
      const own = streams.get(userId) ?? 0;
      if (own >= most.ofOne) {
        const sentence = `You follow ${what} ${own} times already, which is as often as one may.`;
        throw new AppError('tooManyRequests', sentence, { retryAfter: 10 });
      }
      if (all >= most.ofAll) throw noPlace();
      all++;
      streams.set(userId, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all--;
        const count = (streams.get(userId) ?? 1) - 1;
        if (count > 0) streams.set(userId, count);
        else streams.delete(userId);
      };
    },
  };
}

export const noPlace = () => new AppError('unavailable', 'No more streams can be served here now.', { retryAfter: 10 });
