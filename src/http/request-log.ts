import fp from 'fastify-plugin';
import { loggedUrl } from '../log.ts';
import { callerOf } from './auth.ts';

/** One line per request, when its answer is out. */
export const requestLog = fp(async (app) => {
  app.addHook('onResponse', (request, reply, done) => {
    const caller = callerOf(request);
    request.log.info(
      {
        method: request.method,
        url: loggedUrl(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(caller ? { caller: caller.accountId } : {}),
      },
      'request',
    );
    done();
  });
});
