import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { ErrorKind } from '../errors.ts';
import { AppError } from '../errors.ts';

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  gone: 410,
  preconditionFailed: 412,
  tooLarge: 413,
  unsupportedMediaType: 415,
  rangeNotSatisfiable: 416,
  unprocessable: 422,
  tooManyRequests: 429,
  notImplemented: 501,
  unavailable: 503,
};

/** RFC 9457 for everything that is refused or fails. Outages and bugs say nothing of themselves; they are logged with the request's id. */
export const problems = fp(async (app) => {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) =>
    send(request, reply, asAppError(error, request)),
  );
  app.setNotFoundHandler((request, reply) =>
    send(request, reply, new AppError('notFound', `There is no ${request.method} ${request.url.split('?')[0]}.`)),
  );
});

function asAppError(error: FastifyError | AppError, request: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors: Record<string, string[]> = {};
    for (const issue of error.validation) {
      const path = issue.instancePath
        .slice(1)
        .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
        .replace(/\//g, '.');
      const key = path || (error.validationContext ?? 'body');
      errors[key] = [...(errors[key] ?? []), issue.message ?? 'is not valid'];
    }
    const [first] = Object.entries(errors);
    return new AppError('invalid', first ? `${first[0]}: ${first[1][0]}` : 'The request is not valid.', { errors });
  }
  switch (error.statusCode) {
    case 400:
      return new AppError('invalid', error.message);
    case 413:
      return new AppError('tooLarge', error.message);
    case 415:
      return new AppError('unsupportedMediaType', error.message);
    default:
      request.log.error({ err: error }, 'request failed');
      return undefined;
  }
}

function send(request: FastifyRequest, reply: FastifyReply, error: AppError | undefined) {
  const status = error ? STATUS[error.kind] : 500;
  const code = error ? (error.details.code ?? error.kind[0]?.toUpperCase() + error.kind.slice(1)) : 'Internal';
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
      detail: error ? error.message : 'Something went wrong on our side.',
      instance: request.url.split('?')[0],
      ...(error?.details.errors ? { errors: error.details.errors } : {}),
      code,
      traceId: request.id,
    });
}
