import type { RouteOptions } from 'fastify';
import type { z } from 'zod';
import { SERVICES } from '../rules/versions.ts';
import { makeExample } from './example.ts';
import { HEADERS, headerParameters, PARAMETERS, RESPONSES } from './headers.ts';
import { type JsonSchema, SCHEMAS, Schemas } from './json-schema.ts';
import { Problem } from './problem.ts';

type Reference = { $ref: string };
interface Media {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Reference>;
}
interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  deprecated?: true;
  security?: Record<string, []>[];
  parameters?: object[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
  /** Maximum size of the body. */
  'x-max-body-bytes'?: number;
}

interface RouteSchema {
  operationId?: string;
  deprecated?: true;
  summary?: string;
  description?: string;
  tags?: string[];
  hide?: boolean;
  params?: z.core.$ZodType;
  querystring?: z.core.$ZodType;
  body?: z.core.$ZodType;
  response?: Record<string, z.core.$ZodType>;
}

const STATUS_DESCRIPTIONS: Record<string, string> = {
  200: 'The answer.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done. The answer has no body.',
};

/** `paths` and `components` of an OpenAPI 3.1 document for these routes. */
export function describeRoutes(routes: Iterable<RouteOptions>) {
  const schemas = new Schemas();
  const problem = schemas.of(Problem, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.url.replace(/(.)\/$/, '$1').replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][String(route.method).toLowerCase()] = describeOperation(route, path, schemas);
  }
  const { components, name } = schemas.finish();
  const described = name(paths);
  const operations = Object.values(described).flatMap((methods) => Object.values(methods));
  for (const operation of operations) nameBodies(operation, components);
  const sorted = Object.fromEntries(Object.entries(components).sort(([one], [two]) => (one < two ? -1 : 1)));
  const examples: Record<string, { value: unknown }> = {};
  for (const operation of operations) addExamples(operation, sorted, examples);
  return {
    paths: described,
    components: {
      schemas: sorted,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES(name(problem)),
      examples,
    },
  };
}

/** Schemas of answers stay inline in the operation, because client generators expect them there. */
function describeOperation(route: RouteOptions, path: string, schemas: Schemas): Operation {
  const { config = {}, schema } = route;
  const {
    operationId,
    summary,
    description,
    tags,
    deprecated,
    params,
    querystring,
    body,
    response = {},
  } = (schema ?? {}) as RouteSchema;
  if (operationId === undefined) throw new Error(`${route.method} ${path} has no operationId.`);
  const { service = 'none', access } = config;
  const operation: Operation = {
    operationId,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    tags: tags ?? [service === 'none' ? 'platform' : service],
    ...(deprecated ? { deprecated } : {}),
    ...(access === 'public'
      ? {}
      : {
          security: [
            { bearer: [] },
            { apiKey: [] },
            ...(config.basic ? [{ basic: [] as [] }] : []),
            ...(config.signedLinks ? [{ signedLink: [] as [] }] : []),
          ],
        }),
    parameters: [
      ...(params ? schemaParameters('path', schemas.of(params, 'input')) : []),
      ...(querystring ? schemaParameters('query', schemas.of(querystring, 'input')) : []),
      ...headerParameters(route, service === 'none' ? undefined : (config.versions ?? SERVICES[service])),
    ],
    ...(body ? { requestBody: { required: true, content: json(schemas.of(body, 'input')) } } : {}),
    responses: {},
  };
  for (const [status, answer] of Object.entries(response))
    operation.responses[status] = describeResponse(answer, status, route, schemas);
  if (!Object.keys(response).some((status) => status.startsWith('2')))
    operation.responses['200'] = { description: 'The answer.' };
  addErrorResponses(operation, route);
  const described = merged(operation, config.described ?? {}) as Operation;
  if (described.requestBody) described['x-max-body-bytes'] ??= route.bodyLimit;
  return described;
}

const pascal = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const json = (schema: JsonSchema, mediaType = 'application/json'): Record<string, Media> => ({
  [mediaType]: { schema },
});

function schemaParameters(location: 'path' | 'query', { properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function describeResponse(answer: z.core.$ZodType, status: string, route: RouteOptions, schemas: Schemas): Response {
  const { type } = answer._zod.def;
  const headers = ['x-request-id', ...(route.config?.service === 'none' ? [] : ['api-supported-versions'])];
  if (route.config?.cached) headers.push('ETag', 'Cache-Control');
  return {
    description: STATUS_DESCRIPTIONS[status] ?? 'The answer.',
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(type === 'null' || type === 'undefined' || type === 'void'
      ? {}
      : { content: json(schemas.of(answer, 'output'), route.config?.mediaType) }),
  };
}

/** Adds the error responses of a route. */
function addErrorResponses({ responses }: Operation, { config = {}, schema, method }: RouteOptions) {
  const signedIn = config.access !== 'public';
  const { params } = (schema ?? {}) as RouteSchema;
  const addError = (status: number, name: string) => {
    responses[status] ??= { $ref: `#/components/responses/${name}` };
  };
  if (config.cached) responses[304] ??= { description: 'Not modified: If-None-Match contains the current ETag.' };
  if (config.service !== 'none') addError(400, 'Invalid');
  if (signedIn) addError(401, 'Unauthenticated');
  if (signedIn) addError(403, 'Forbidden');
  if (params) addError(404, 'NotFound');
  if (signedIn && method !== 'GET') addError(409, 'Conflict');
  responses.default ??= { $ref: '#/components/responses/Refused' };
}

/** Deep merge: members of `two` win, lists are concatenated. */
function merged(one: unknown, two: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(two)) return [...one, ...two];
  if (!isPlain(one) || !isPlain(two) || '$ref' in one) return two;
  const names = [...new Set([...Object.keys(one), ...Object.keys(two)])];
  return Object.fromEntries(names.map((name) => [name, name in two ? merged(one[name], two[name]) : one[name]]));
}
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves inline objects of bodies to named components, so that generated clients have types for them. */
function nameBodies({ operationId, requestBody, responses }: Operation, components: Record<string, JsonSchema>) {
  nameIn(requestBody?.content, `${pascal(operationId)}Body`, components);
  for (const [status, response] of Object.entries(responses))
    if (status.startsWith('2') && 'content' in response)
      nameIn(response.content, `${pascal(operationId)}Answer`, components);
}

function nameIn(content: Record<string, Media> | undefined, fallback: string, components: Record<string, JsonSchema>) {
  const media = content?.['application/json'] ?? content?.['application/x-www-form-urlencoded'];
  if (media?.schema.type !== 'object' || !media.schema.properties) return;
  const id = listName(media.schema.properties) ?? fallback;
  components[id] ??= media.schema;
  media.schema = { $ref: `${SCHEMAS}${id}` };
}

/** Name of a list or page: the name of its items and a suffix. Undefined for other objects. */
function listName({ data, cursor, totalCount }: Record<string, JsonSchema>): string | undefined {
  const id = data?.items?.$ref?.slice(SCHEMAS.length);
  if (id === undefined) return undefined;
  return `${id}${totalCount ? 'OffsetPage' : cursor ? 'CursorPage' : 'List'}`;
}

/** Adds examples of JSON bodies. Bodies with the same schema share an example. */
function addExamples(
  { operationId, requestBody, responses }: Operation,
  components: Record<string, JsonSchema>,
  examples: Record<string, { value: unknown }>,
) {
  addExample(requestBody?.content, `${operationId}Body`, components, examples);
  for (const response of Object.values(responses))
    if ('content' in response) addExample(response.content, `${operationId}Answer`, components, examples);
}

function addExample(
  content: Record<string, Media> | undefined,
  fallback: string,
  components: Record<string, JsonSchema>,
  examples: Record<string, { value: unknown }>,
) {
  const [, media] = Object.entries(content ?? {}).find(([type]) => /^application\/(.+\+)?json\b/.test(type)) ?? [];
  if (!media) return;
  const name = media.schema.$ref?.slice(SCHEMAS.length) ?? pascal(fallback);
  const value = makeExample(media.schema, components);
  if (value === undefined) return;
  examples[name] = { value };
  media.examples = { plain: { $ref: `#/components/examples/${name}` } };
}
