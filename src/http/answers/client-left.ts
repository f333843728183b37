import type { FastifyReply } from 'fastify';
import { AppError } from '../../errors.ts';

/** Aborted when the client closes the connection before the answer is complete. */
export function clientLeft(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  const leave = () => {
    if (!raw.writableFinished) controller.abort(new AppError('unavailable', 'The client has left.'));
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return controller.signal;
}
