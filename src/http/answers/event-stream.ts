import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { actingIn, type Caller } from '../caller.ts';
import type { FindCaller } from '../rules/auth.ts';

/** A connection without progress for this time is closed. */
const STALLED_MS = 60_000;
const HEARTBEAT_MS = 15_000;
/** Callers poll every few seconds, so a heartbeat may be sent early to avoid sending it late. */
const TOLERANCE_MS = 1000;

/** Whether the client accepts server-sent events. */
export const wantsEvents = ({ method, headers }: FastifyRequest) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');

/** Sends a stream of server-sent events. Pulls the next piece when the client has received the previous one. */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, pieces: AsyncIterable<string>): FastifyReply {
  const { socket } = request.raw;
  const destroy = () => void socket.destroy();
  socket.setTimeout(STALLED_MS, destroy);
  // the connection may serve other requests after this one
  reply.raw.once('close', () => socket.off('timeout', destroy));
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(pieces, { objectMode: false, highWaterMark: 1 }));
}

/**
 * A function that authenticates the request of a stream again. It returns undefined or throws if the token has expired,
 * or if the account was disabled or has left the tenant.
 */
export function reauthenticator(request: FastifyRequest, findCaller: FindCaller): () => Promise<Caller | undefined> {
  const tenantId = request.platformHeader('tenant-id');
  return async () => {
    const caller = await findCaller(request);
    return caller && tenantId !== undefined ? actingIn(caller, tenantId, { anyTenant: false }) : caller;
  };
}

/** Tells when a silent stream must send a heartbeat, so that proxies do not close it. */
export function heartbeat() {
  let last = performance.now();
  return {
    /** Call it whenever something was sent. */
    reset() {
      last = performance.now();
    },
    isDue: () => performance.now() - last > HEARTBEAT_MS - TOLERANCE_MS,
  };
}

/** Limits the streams that a process serves at once. */
export class StreamSlots {
  readonly #topic: string;
  readonly #limits: { perUser: number; total: number };
  readonly #slots = new Map<string, number>();
  #used = 0;

  /** @param topic object of the sentence "You follow …" */
  constructor(topic: string, limits: { perUser: number; total: number }) {
    this.#topic = topic;
    this.#limits = limits;
  }

  /** Number of open streams. */
  get used(): number {
    return this.#used;
  }

  /** Takes a slot; returns a function that releases it. Throws if the user or the process has too many streams. */
  take(userId: string): () => void {
    const own = this.#slots.get(userId) ?? 0;
    if (own >= this.#limits.perUser) {
      const sentence = `You follow ${this.#topic} ${own} times already, which is the maximum. Close another stream first.`;
      throw new AppError('tooManyRequests', sentence, { retryAfter: 10 });
    }
    if (this.#used >= this.#limits.total) throw noFreeSlot();
    this.#used++;
    this.#slots.set(userId, own + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#used--;
      const count = (this.#slots.get(userId) ?? 1) - 1;
      if (count > 0) this.#slots.set(userId, count);
      else this.#slots.delete(userId);
    };
  }
}

export const noFreeSlot = () =>
  new AppError('unavailable', 'The server has reached its maximum number of streams. Try again later.', {
    retryAfter: 10,
  });
