import type { ErrorKind } from '../../errors.ts';

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
  damaged: 500,
  notImplemented: 501,
  unavailable: 503,
};

export const httpStatus = (kind: ErrorKind): number => STATUS[kind];
