import type { FastifyReply } from 'fastify';
import { AppError } from '../../errors.ts';

/**
 * Calls `act` when the answer is complete or the client closes the connection; at once if that has happened. After an
 * `await` the connection may be closed already, and a listener for `close` would never be called.
 */
export function whenClosed({ raw }: FastifyReply, act: () => void): void {
  if (raw.destroyed) act();
  else raw.once('close', act);
}

/** Aborted when the client closes the connection before the answer is complete. */
export function clientLeft(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenClosed(reply, () => {
    if (!reply.raw.writableFinished) controller.abort(new AppError('unavailable', 'The client has left.'));
  });
  return controller.signal;
}
