import pino, { type DestinationStream } from 'pino';

/** Names of members and headers that contain secrets. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'token',
  'refreshToken',
  'accessToken',
  'otp',
  'key',
  'secret',
  'sig',
  'sasToken',
];

const DESTINATION = Symbol('destination');

/** A log of JSON lines, by default on standard error. Redacts secrets that are logged by mistake. */
export function createLog(level: string, destination: DestinationStream = standardError()) {
  const log = pino(
    {
      level,
      base: null,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      serializers: { err: plainError, headers: withoutSecrets },
    },
    destination,
  );
  return Object.assign(log, { [DESTINATION]: destination });
}

const INFO = 30;

/** Writes lines of level info that are written for each request, at a fifth of the cost of the log. */
export interface InfoLines {
  isOn(): boolean;
  /** @param members text of the members of the line, without braces */
  write(members: string): void;
}

/** Undefined for a log that does not come from `createLog`. */
export function infoLines(log: object): InfoLines | undefined {
  const { [DESTINATION]: target } = log as { [DESTINATION]?: DestinationStream & { lastLevel?: number } };
  if (target === undefined) return undefined;
  return {
    isOn: () => (log as pino.Logger).isLevelEnabled('info'),
    write(members) {
      if (target.lastLevel !== undefined) target.lastLevel = INFO;
      target.write(`{"level":${INFO},"time":${Date.now()},${members}}\n`);
    },
  };
}

/** Shared by all logs of the process. */
let errorStream: DestinationStream | undefined;
function standardError(): DestinationStream {
  errorStream ??= openErrorStream();
  return errorStream;
}

/**
 * Buffers the lines of one turn of the event loop and writes them at once, which halves the cost of a line for a busy
 * server. Flushes immediately for warnings and errors, and when the process exits.
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
    // makes pino set `lastLevel` before each line
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

/** Header fields without secrets. Matches suffixes, because the prefix of the platform's headers is configurable. */
const withoutSecrets = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /authorization|cookie|token|key$/i.test(name) ? '[secret]' : value,
    ]),
  );

/**
 * Name, message, code and stack of an error and of its causes. Drops other members: they may contain values of SQL
 * statements.
 */
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

/** Names of parameters that are secrets, in lower case and without marks between words. */
const SECRET_PARAMETER =
  /^(?:.*token|.*key|sig|.*signature|.*password|.*secret|.*otp|code|invitation|bootstrap|authorization)$/;
/** A secret in the value of another parameter, which is an address. */
const SECRET_INSIDE = /(?:^|[?&;])[\w-]*(?:token|key|sig|signature|password|secret|otp)=/i;

/**
 * A URL without the tokens of links to datasets in its path, and without signatures, tokens and keys in its query,
 * however they are encoded. The parser of queries takes `&` and
 * `?` as parts of what is between; both end a parameter here, so that nothing hides behind one.
 */
export function loggedUrl(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return loggedPath(url);
  return (
    loggedPath(url.slice(0, at)) +
    url.slice(at).replace(/[^?&;]+/g, (parameter) => {
      const equals = parameter.indexOf('=');
      if (equals < 0) return parameter;
      const [name, value] = [parameter.slice(0, equals), parameter.slice(equals + 1)];
      const isSecret =
        SECRET_PARAMETER.test(
          decoded(name)
            .toLowerCase()
            .replace(/[^a-z]/g, ''),
        ) || SECRET_INSIDE.test(decoded(value));
      return isSecret ? `${name}=[secret]` : parameter;
    })
  );
}

/** The paths of a link to a dataset, up to its token. The router decodes paths, too. */
const LINK = /^\/+(?:api\/+share|s)\/+/i;

function loggedPath(path: string): string {
  if (!path.includes('%')) return withoutToken(path);
  const plain = decoded(path);
  return LINK.test(plain) ? withoutToken(plain) : path;
}

const withoutToken = (path: string) => {
  const prefix = LINK.exec(path)?.[0];
  return prefix === undefined ? path : prefix + path.slice(prefix.length).replace(/^[^/]+/, '[secret]');
};

const MAX_ROUNDS = 3;

/** Text that was encoded once or more. Bytes that are not UTF-8 do not hide the others. */
function decoded(text: string): string {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS && current.includes('%'); round++)
    current = current.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return current;
}
