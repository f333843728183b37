import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from '../../errors.ts';

/** Bytes of a JSON body. */
const LIMIT = 30_000_000;
const SMALL_LIMIT = 2 ** 20;
/** Lists and objects within each other: what comes after, the database included, walks them by recursion. */
const DEEPEST = 500;
const SMALL_SERVICES = new Set(['tokens', 'accounts']);

const JSON_TYPES = ['application/json', 'text/json', /^application\/[\w.!#$&^-]+\+json(?:;|$)/i];
const utf8 = new TextDecoder('utf-8', { fatal: true });

const failures = new WeakMap<FastifyRequest, AppError>();

/** Why the body could not be read. It is told after the path's ids were looked at, as the order of refusals wants it. */
export const unreadable = (request: FastifyRequest) => failures.get(request);

/** Bodies are JSON under any of its names; every other type is 415, unless a room adds a parser of its own for its routes. */
export const body = fp(async (app) => {
  app.addHook('onRoute', (route) => {
    const small = SMALL_SERVICES.has(route.config?.service ?? '');
    route.bodyLimit ??= small ? SMALL_LIMIT : LIMIT;
  });
  app.removeAllContentTypeParsers();
  for (const type of JSON_TYPES) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      try {
        done(null, read(bytes, request.headers));
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'invalid') return done(error as Error);
        failures.set(request, error);
        done(null, undefined);
      }
    });
  }
});

function read(bytes: Buffer, headers: IncomingHttpHeaders): unknown {
  const packed = headers['content-encoding'];
  if (packed !== undefined && packed.toLowerCase() !== 'identity')
    throw new AppError(
      'unsupportedMediaType',
      `Bodies in content-encoding '${packed}' are not read; send them unpacked.`,
    );
  const text = decode(bytes, headers['content-type']);
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', `The body is not valid JSON: ${(error as Error).message}`, { code: 'MalformedJson' });
  }
  if (isDeeper(value, DEEPEST)) {
    const sentence = `The body has more than ${DEEPEST} lists and objects within each other.`;
    throw new AppError('invalid', sentence, { code: 'MalformedJson' });
  }
  // only text with such an escape can hold what a database cannot store
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
      throw new AppError('unsupportedMediaType', `The character set '${charset}' is unknown.`);
    }
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AppError('invalid', `The body is not valid ${charset} text.`, { code: 'MalformedJson' });
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      const where = path || 'The body';
      const sentence = `${where} holds a NUL character or half of a surrogate pair.`;
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
