import type { FastifyRequest } from 'fastify';

/**
 * Calls `listener` when the client has hung up, immediately if it already has. Returns a function that unsubscribes.
 */
export type WhenGone = (listener: () => void) => () => void;

/** Origin of a request, for rate limits, detection of token reuse and the audit trail. */
export interface Origin {
  address: string;
  requestId: string;
  /** Absent without a connection. */
  whenGone?: WhenGone;
}

export const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  requestId: request.id,
  whenGone(listener) {
    // not `close` of the request, which is emitted as soon as the body was read
    const { socket } = request.raw;
    if (socket.destroyed) listener();
    else socket.once('close', listener);
    return () => socket.off('close', listener);
  },
});
