import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from '../../errors.ts';
import { checkSize } from './json-size.ts';
import type { Service } from './versions.ts';

/** Maximum size of a body in bytes, unless its service or route has another one. */
const LIMIT = 256 * 2 ** 10;
/** Services whose bodies have free-form members (1 MiB each), pictures, or long lists of actions. */
const LIMITS: Partial<Record<Service, number>> = {
  metadata: 4.5 * 2 ** 20,
  conversion: 4 * 2 ** 20,
  hierarchy: 4 * 2 ** 20,
  ts: 4.5 * 2 ** 20,
};

const JSON_TYPES = ['application/json', 'text/json', /^application\/[\w.!#$&^-]+\+json(?:;|$)/i];
const utf8 = new TextDecoder('utf-8', { fatal: true });

const failures = new WeakMap<FastifyRequest, AppError>();

/**
 * Error of a malformed body. The rule `forms` throws it after the check of the path, so that a wrong path is reported
 * first.
 */
export const unreadable = (request: FastifyRequest) => failures.get(request);

/** Parses JSON bodies. Other content types are 415, unless routes add a parser. */
export const body = fp(async (app) => {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= LIMITS[route.config?.service ?? 'none'] ?? LIMIT;
  });
  app.removeAllContentTypeParsers();
  for (const type of JSON_TYPES) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      try {
        done(null, read(bytes, request.headers, request.routeOptions.config.maxMembers));
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'invalid') return done(error as Error);
        failures.set(request, error);
        done(null, undefined);
      }
    });
  }
});

function read(bytes: Buffer, headers: IncomingHttpHeaders, maxMembers?: number): unknown {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new AppError(
      'unsupportedMediaType',
      `The content encoding '${encoding}' is not supported. Send the body uncompressed.`,
    );
  const text = decode(bytes, headers['content-type']);
  if (text.trim() === '') return undefined;
  checkSize(text, maxMembers);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', `The body is not valid JSON: ${(error as Error).message}`, { code: 'MalformedJson' });
  }
  // characters that Postgres cannot store can only be escaped
  if (/\\u(?:0000|d[89a-f])/i.test(text)) refuseUnstorable(value, '');
  return value;
}

function decode(bytes: Buffer, contentType = ''): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  let decoder = utf8;
  if (!/^utf-?8$/i.test(charset)) {
    try {
      decoder = new TextDecoder(charset, { fatal: true });
    } catch {
      throw new AppError('unsupportedMediaType', `The character set '${charset}' is not supported. Use utf-8.`);
    }
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AppError('invalid', `The body is not valid ${charset} text.`, { code: 'MalformedJson' });
  }
}

function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      const where = path || 'The body';
      const sentence = `${where} contains a NUL character or half of a surrogate pair.`;
      throw new AppError('invalid', sentence, path === '' ? {} : { errors: { [path]: [sentence] } });
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseUnstorable(item, `${path}[${index}]`);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      refuseUnstorable(name, path);
      refuseUnstorable(item, path === '' ? name : `${path}.${name}`);
    }
  }
}
