import type { DestinationStream } from 'pino';
import pino from 'pino';

/** Names of members and headers that hold secrets, wherever they may turn up in a log entry. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'refreshToken',
  'accessToken',
  'otp',
  'key',
  'secret',
  'sig',
  'sasToken',
];

/** JSON lines, on standard error unless said otherwise; what a log entry is given by mistake of secrets is not written. */
export function createLog(level: string, destination: DestinationStream = pino.destination({ dest: 2, sync: true })) {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      serializers: { err: plainError, headers: withoutSecrets },
    },
    destination,
  );
}

/** Header fields as they may be logged, under whatever prefix ours are sent. */
const withoutSecrets = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /authorization|cookie|token|key$/i.test(name) ? '[secret]' : value,
    ]),
  );

/** Message and stack of an error and of its causes; nothing of its other members, which may hold a statement's values. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  return {
    type: name,
    message,
    ...code,
    stack,
    ...(error.cause === undefined ? {} : { cause: plainError(error.cause) }),
  };
}

/** An address as it may be logged: without the signature of a grant, or a token in the query. */
export const loggedUrl = (url: string) =>
  url.includes('?') ? url.replace(/([?&](?:sig|token|api-key|key|password)=)[^&]*/gi, '$1[secret]') : url;
