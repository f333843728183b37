import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import { AppError, asAppError } from '../../errors.ts';
import { databaseErrorKind, databaseRefusal } from '../../platform/sql/error-kind.ts';
import { pathAsSent, splitPath } from '../rules/names.ts';
import { asInvalid, FormError } from '../rules/validation.ts';
import { html, sendPage } from './page.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { httpStatus } from './status.ts';

/** Answers errors as problems (RFC 9457). The details of outages and bugs are logged with the request id, not sent. */
export const problems = fp(async (app) => {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    send(request, reply, refusalOf(error, request)),
  );
  app.setNotFoundHandler((request, reply) => send(request, reply, noRoute(request)));
});

const noRoute = ({ method, url }: FastifyRequest) =>
  new AppError('notFound', `The route ${method} ${url.split('?')[0]} does not exist.`);

/** For URLs that the router cannot parse. No hook runs for them. */
export function refuseUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const detail = error.code === 'FST_ERR_BAD_URL' ? 'The URL is not well-formed.' : error.message;
  const kind = error.statusCode === 404 ? 'notFound' : 'invalid';
  return send(request, reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id }), new AppError(kind, detail));
}

function refusalOf(
  error: FastifyError | AppError | ConversionError | FormError | FormatError,
  request: FastifyRequest,
): AppError | undefined {
  if (error instanceof AppError) return withNamesAsSent(error, request);
  if (error instanceof ConversionError) return withNamesAsSent(asAppError(error), request);
  if (error instanceof FormError) {
    const where = (error as FormError & { validationContext?: string }).validationContext ?? 'body';
    return asInvalid(error, where === 'querystring' ? request.sentQuery : request.sentBody, where);
  }
  if (error instanceof FormatError) {
    request.log.warn({ err: error }, 'content that cannot be read');
    return new AppError('unprocessable', error.message);
  }
  switch (error.statusCode) {
    case 400:
      return new AppError('invalid', error.message);
    // of static files: a name that is not allowed, or that no file has
    case 403:
    case 404:
      return noRoute(request);
    case 413:
      return new AppError('tooLarge', 'The body is larger than this route allows.');
    case 415: {
      const type = request.headers['content-type'];
      const sentence =
        type === undefined ? 'The request has no content type' : `The content type '${type}' is not supported`;
      return new AppError('unsupportedMediaType', `${sentence}. Send application/json.`);
    }
  }
  const refusal = databaseRefusal(error);
  if (refusal) {
    const { message, ...details } = refusal;
    return new AppError('conflict', message, details);
  }
  const trouble = databaseErrorKind(error);
  if (trouble === 'outage') {
    // without the stack: a restart of Postgres fails many requests, and their stacks are of no use
    const { cause } = error;
    const reason = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
    request.log.error({ reason }, 'the database or the blob store is not available');
    return new AppError('unavailable', 'The service is temporarily unavailable. Try again.', { retryAfter: 2 });
  }
  if (trouble === 'again') {
    request.log.warn({ err: error }, 'conflict with a concurrent request');
    return new AppError('unavailable', 'Concurrent requests changed the same objects. Try again.', { retryAfter: 1 });
  }
  if (trouble === 'conflict') {
    request.log.warn({ err: error }, 'violation of a constraint');
    return new AppError('conflict', 'The request conflicts with an object that exists or was just deleted.');
  }
  request.log.error({ err: error }, 'request failed');
  return undefined;
}

/** Replaces declared member names by their spelling in the request. */
function withNamesAsSent(error: AppError, request: FastifyRequest): AppError {
  const { errors } = error.details;
  if (!errors) return error;
  const sent = request.sentBody ?? request.sentQuery;
  const spelt = Object.entries(errors).map(([path, sentences]) => [pathAsSent(sent, splitPath(path)), sentences]);
  return new AppError(error.kind, error.message, { ...error.details, errors: Object.fromEntries(spelt) });
}

/** Whether a browser shows the answer. Programs that call the API always get a problem. */
const wantsPage = ({ url, method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/api(?:[/?]|$)/.test(url) &&
  (headers.accept ?? '').split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === 'text/html');

function send(request: FastifyRequest, reply: FastifyReply, error: AppError | undefined) {
  const status = error ? httpStatus(error.kind) : 500;
  const code = error ? (error.details.code ?? error.kind[0]?.toUpperCase() + error.kind.slice(1)) : 'Internal';
  if (status === 404 && wantsPage(request))
    return sendPage(
      reply,
      'Not found',
      html`<p>There is nothing at this address.</p><p><a href="/">Start page</a> · <a href="/docs/guide">Guide</a></p>`,
      status,
    );
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error?.details.retryAfter !== undefined) reply.header('retry-after', String(error.details.retryAfter));
  if (error?.details.headers) reply.headers(error.details.headers);
  return reply
    .code(status)
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send({
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      detail: error ? error.message : 'The server has an internal error. Report the traceId to the operator.',
      instance: request.url.split('?')[0],
      ...(error?.details.errors ? { errors: error.details.errors } : {}),
      code,
      traceId: request.id,
      ...error?.details.members,
    });
}
