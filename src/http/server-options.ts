import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { contains, parseAddress, parseNetwork } from '../platform/net/networks.ts';
import { refuseUnroutable } from './answers/problems.ts';
import { SECURITY_HEADERS } from './answers/security-headers.ts';
import { serializerCompiler } from './answers/serializer.ts';
import { requestId } from './observe/request-ids.ts';
import { validatorCompiler } from './rules/validation.ts';

/** Options of the Fastify server: rules that apply before routing. */
export function serverOptions(config: Pick<Config, 'trustedProxies'>, log: FastifyBaseLogger) {
  return {
    loggerInstance: log,
    // `request-log.ts` writes one line per request
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    // a busy machine may need longer than Fastify's 10 s, and what routes wait for at the start has limits of its own
    pluginTimeout: 0,
    // without these, Fastify loads about a hundred modules of its own compilers
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => serializerCompiler as never,
      },
    },
    trustProxy: config.trustedProxies.length > 0 ? isTrustedProxy(config.trustedProxies) : false,
    routerOptions: {
      ignoreTrailingSlash: true,
      // blob names are the longest parameters
      maxParamLength: 1024,
      querystringParser: (text: string) => parse(text, '&', '=', { maxKeys: 2000 }),
    },
    // while the server closes, requests on open connections are answered, and then their connections are closed
    return503OnClosing: false,
    frameworkErrors: refuseUnroutable as never,
    clientErrorHandler: refuseMalformedHttp,
  } satisfies FastifyServerOptions;
}

/** Test for addresses of `x-forwarded-for`, which may have a port. */
function isTrustedProxy(proxies: readonly string[]) {
  const networks = proxies.map(parseNetwork);
  return (forwarded: string) => {
    const address = parseAddress(forwarded);
    return address !== undefined && networks.some((network) => contains(network, address));
  };
}

const SECURITY_LINES = Object.entries(SECURITY_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const HTTP_ERRORS: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The URL and the header fields are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

/** Answers data that is not HTTP with a problem (RFC 9457). No hook of Fastify runs for it. */
function refuseMalformedHttp(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const [status, title, detail] = HTTP_ERRORS[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'The request is not well-formed HTTP.',
  ];
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
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n${SECURITY_LINES}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
