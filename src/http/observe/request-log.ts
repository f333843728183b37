import fp from 'fastify-plugin';
import { loggedUrl } from '../../platform/telemetry/log.ts';
import { callerOf } from '../rules/auth.ts';

/** Logs one line per request when its answer was sent. */
export const requestLog = fp(async (app) => {
  // redaction costs more than writing the line, and is not needed: `loggedUrl` removes the only secrets
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
