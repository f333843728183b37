import type { FastifyBaseLogger } from 'fastify';
import fp from 'fastify-plugin';
import { infoLines, loggedUrl } from '../../platform/telemetry/log.ts';
import { callerOf } from '../rules/auth.ts';

/** An answered request, for the log. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string | undefined;
}

/** Returns a function that writes one line per request. */
export function requestLogger(parent: FastifyBaseLogger): (request: LoggedRequest) => void {
  // redaction costs more than writing the line, and is not needed: `loggedUrl` removes the only secrets
  const log = parent.child({}, { redact: [] });
  const lines = infoLines(log);
  return ({ requestId, method, url, status, ms, caller }) => {
    if (lines?.isOn() === false) return;
    const rounded = Math.round(ms * 10) / 10;
    const shown = loggedUrl(url);
    if (lines === undefined) {
      const ofCaller = caller === undefined ? {} : { caller };
      log.info({ requestId, method, url: shown, status, ms: rounded, ...ofCaller }, 'request');
      return;
    }
    const text = JSON.stringify;
    const ofCaller = caller === undefined ? '' : `,"caller":${text(caller)}`;
    lines.write(
      `"requestId":${text(requestId)},"method":"${method}","url":${text(shown)},"status":${status},"ms":${rounded}${ofCaller},"msg":"request"`,
    );
  };
}

/** Logs one line per request when its answer was sent. */
export const requestLog = fp(async (app) => {
  const write = requestLogger(app.log);
  app.addHook('onResponse', (request, reply, done) => {
    write({
      requestId: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
      caller: callerOf(request)?.accountId,
    });
    done();
  });
});
