import type { FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { AppError, invalid } from '../../errors.ts';
import { unreadable } from './body.ts';
import { text } from './members.ts';
import { foldFor } from './names.ts';
import { queryFoldFor } from './query.ts';
import type { Rule } from './rules.ts';
import { defOf } from './shapes.ts';

/** A UUID in the path, of whatever version, as in Postgres and most languages. Any other text is 404. */
export const uuidParam = () => z.guid().toLowerCase();

/** Parameters of a path with the id of one `noun`. */
export const idParam = (noun: string) => z.object({ id: uuidParam().describe(`Id of the ${noun}.`) });

/** An answer that contains one text, such as a signed address. */
export const textAnswer = (description: string, example: string) => z.object({ data: text(description, example) });
export type TextAnswer = z.infer<ReturnType<typeof textAnswer>>;

/** Project id of the header `svc-project-id`, for routes that name the project nowhere else. */
export function projectInHeader(request: FastifyRequest): string {
  const id = request.platformHeader('project-id');
  if (id === undefined) throw invalid('The header svc-project-id is missing. Send the id of a project.');
  const parsed = uuidParam().safeParse(id);
  if (!parsed.success) throw new AppError('notFound', `Project '${id}' was not found.`);
  return parsed.data;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The body before its names were folded. */
    sentBody: unknown;
    /** The query before its names were folded. */
    sentQuery: unknown;
  }
}

/**
 * Checks before the validation with a route's schemas: ids of the path, then the body's syntax. Folds names to their
 * declared spelling.
 */
export const forms: Rule = (route) => {
  const { params, body, querystring } = (route.schema ?? {}) as Record<string, z.core.$ZodType | undefined>;
  checkAnswersAreNotNull(route);
  const ids = params ? uuidNames(params) : [];
  const foldBody = body && foldFor(body);
  const foldQuery = querystring && queryFoldFor(querystring);
  return {
    preValidation(request, _reply, done) {
      for (const name of ids) {
        const id = (request.params as Record<string, string>)[name] ?? '';
        if (!UUID.test(id)) return done(new AppError('notFound', `'${id}' is not a UUID, so no object has this id.`));
      }
      const failure = unreadable(request);
      if (failure) return done(failure);
      // RFC 9110, 14.5: a part would be stored as the whole
      if (request.method === 'PUT' && request.headers['content-range'] !== undefined)
        return done(new AppError('invalid', 'A PUT with Content-Range is not supported. Send the whole content.'));
      if (request.raw.url?.includes('%00')) return done(new AppError('invalid', 'The URL contains a NUL character.'));
      try {
        fold(request, foldBody, foldQuery);
      } catch (error) {
        return done(error as Error);
      }
      done();
    },
  };
};

// zod's expression, which the schemas use, too
const UUID = z.regexes.guid;

function fold(
  request: FastifyRequest,
  foldBody: ((body: unknown) => unknown) | undefined,
  foldQuery: ((query: Record<string, unknown>) => Record<string, unknown>) | undefined,
) {
  if (foldBody) {
    request.sentBody = request.body;
    request.body = foldBody(request.body);
  }
  if (foldQuery) {
    request.sentQuery = request.query;
    request.query = foldQuery(request.query as Record<string, unknown>);
  }
}

function uuidNames(params: z.core.$ZodType): string[] {
  return Object.entries(defOf(params).shape ?? {})
    .filter(([, schema]) => (schema._zod.def as { format?: string }).format === 'guid')
    .map(([name]) => name);
}

/**
 * Throws if a schema of an answer allows a null member: members without a value are omitted. Elements of arrays may be
 * null.
 */
function checkAnswersAreNotNull(route: RouteOptions) {
  const answers = (route.schema as { response?: Record<string, unknown> } | undefined)?.response ?? {};
  for (const [status, schema] of Object.entries(answers)) {
    if (!(schema instanceof z.core.$ZodType)) continue;
    const path = nullMember(schema, '', new Set());
    if (path !== undefined)
      throw new Error(
        `${route.method} ${route.url}: member '${path}' of answer ${status} may be null; make it optional.`,
      );
  }
}

function nullMember(schema: z.core.$ZodType, path: string, seen: Set<z.core.$ZodType>): string | undefined {
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  const def = defOf(schema);
  if (def.type === 'object') {
    for (const [name, member] of Object.entries(def.shape)) {
      const below = path === '' ? name : `${path}.${name}`;
      if (allowsNull(member)) return below;
      const found = nullMember(member, below, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const parts = [
    def.element,
    def.valueType,
    def.innerType,
    def.in,
    def.out,
    def.left,
    def.right,
    ...(def.options ?? []),
  ];
  if (def.type === 'lazy') parts.push(def.getter());
  for (const part of parts) {
    const found = part && nullMember(part, def.type === 'array' ? `${path}[]` : path, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function allowsNull(schema: z.core.$ZodType): boolean {
  const def = defOf(schema);
  if (def.type === 'nullable' || def.type === 'null') return true;
  if (def.type === 'union') return def.options.some(allowsNull);
  return def.innerType !== undefined && allowsNull(def.innerType);
}
