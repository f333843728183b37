import fp from 'fastify-plugin';
import { loggedUrl } from '../../platform/telemetry/log.ts';
import { callerOf } from '../rules/auth.ts';

/** One line per request, when its answer is out. */
export const requestLog = fp(async (app) => {
  // looking for secrets in an entry costs more than writing it, and these hold none but what `loggedUrl` takes out
  const log = app.log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const caller = callerOf(request);
    log.info(
      {
        requestId: request.id,
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
