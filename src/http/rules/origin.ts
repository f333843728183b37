import type { FastifyRequest } from 'fastify';
import { storableText } from '../../platform/text/storable.ts';

/**
 * Calls `listener` when the client has hung up, immediately if it already has. Returns a function that unsubscribes.
 */
export type WhenGone = (listener: () => void) => () => void;

/** Origin of a request, for rate limits, detection of token reuse and the audit trail. */
export interface Origin {
  address: string;
  requestId: string;
  /** User-Agent, at most 256 characters. */
  agent?: string | undefined;
  /** Absent without a connection. */
  whenGone?: WhenGone;
}

const MAX_AGENT = 256;

/** The User-Agent without control characters, which would reach a terminal with the audit trail. */
const printableAgent = ({ headers }: FastifyRequest) =>
  storableText(headers['user-agent'] ?? '')
    .replace(/\p{Cc}/gu, '')
    .slice(0, MAX_AGENT) || undefined;

export const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  requestId: request.id,
  agent: printableAgent(request),
  whenGone(listener) {
    // not `close` of the request, which is emitted as soon as the body was read
    const { socket } = request.raw;
    if (socket.destroyed) listener();
    else socket.once('close', listener);
    return () => socket.off('close', listener);
  },
});
