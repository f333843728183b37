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
export function createLog(level: string, destination: DestinationStream = standardError()) {
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

/** One for the process, however many logs it makes. */
let errorStream: DestinationStream | undefined;
function standardError(): DestinationStream {
  errorStream ??= openErrorStream();
  return errorStream;
}

/**
 * Lines of one turn of the event loop leave in one write, which halves what a line costs a busy server. Warnings and worse leave at once with
 * all that came before them, and so does what is left when the process exits.
 */
function openErrorStream(): DestinationStream {
  const target = pino.destination({ dest: 2, sync: true });
  let lines = '';
  const flush = () => {
    const all = lines;
    lines = '';
    if (all !== '') target.write(all);
  };
  process.once('exit', flush);
  const stream = {
    // pino tells the level of each line in `lastLevel`
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const isFirst = lines === '';
      lines += line;
      if (stream.lastLevel >= WARNING) flush();
      else if (isFirst) setImmediate(flush);
    },
  };
  return stream;
}

const WARNING = 40;

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
