import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import { LogController } from 'fastify';
import type { Config } from '../config.ts';
import { contains, parseAddress, parseNetwork } from '../platform/net/networks.ts';
import { refuseUnroutable } from './answers/problems.ts';
import { requestId } from './observe/request-ids.ts';

/** What must be said when the server is made: the rules that hold before a route is found. */
export function serverOptions(config: Pick<Config, 'trustedProxies'>, log: FastifyBaseLogger) {
  return {
    loggerInstance: log,
    // `request-log.ts` writes one line, not two
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: config.trustedProxies.length > 0 ? trustIn(config.trustedProxies) : false,
    routerOptions: {
      ignoreTrailingSlash: true,
      // names of blobs are the longest parameters
      maxParamLength: 1024,
      querystringParser: (text: string) => parse(text, '&', '=', { maxKeys: 2000 }),
    },
    // a connection that is kept open while the server closes gets its answer, and is closed with it
    return503OnClosing: false,
    frameworkErrors: refuseUnroutable as never,
    clientErrorHandler: refuseUnreadable,
  } satisfies FastifyServerOptions;
}

/** Decides on an address as it was forwarded, with a port or without. */
function trustIn(proxies: readonly string[]) {
  const networks = proxies.map(parseNetwork);
  return (forwarded: string) => {
    const address = parseAddress(forwarded);
    return address !== undefined && networks.some((network) => contains(network, address));
  };
}

const UNREADABLE: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The address and header fields are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

/** What is no HTTP never becomes a request; its sender gets the same kind of answer. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const [status, title, detail] = UNREADABLE[error.code ?? ''] ?? [400, 'Bad Request', 'This is not well-formed HTTP.'];
  const code = title.replace(/ /g, '');
  const body = JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    traceId: requestId({ headers: {} }),
  });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
