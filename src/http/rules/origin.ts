import type { FastifyRequest } from 'fastify';

/** Calls once when the client has hung up, at once when it has already; gives what takes that back. */
export type WhenGone = (then: () => void) => () => void;

/** Where a request came from, for limits, reuse of tokens and the audit trail. */
export interface Origin {
  address: string;
  requestId: string;
  /** Absent where nobody can hang up. */
  whenGone?: WhenGone;
}

export const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  requestId: request.id,
  whenGone(then) {
    // the request itself is closed as soon as its body was read
    const { socket } = request.raw;
    if (socket.destroyed) then();
    else socket.once('close', then);
    return () => socket.off('close', then);
  },
});
