import type { RouteOptions } from 'fastify';
import type { JsonSchema } from './json-schema.ts';

const header = (name: string, description: string, schema: JsonSchema = { type: 'string' }, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
});
const uuid: JsonSchema = { type: 'string', format: 'uuid' };

/** Headers of many routes. Each prefix of the setting `headerPrefixes` may replace `svc-`. */
export const PARAMETERS = {
  tenantId: header('svc-tenant-id', 'Acts in this tenant instead of the home tenant.', uuid),
  projectId: header('svc-project-id', 'The project of the request, if neither path nor body names it.', uuid),
  datasetId: header('svc-dataset-id', 'The dataset of the request; must match the path.'),
  serviceId: header('svc-service-id', 'The service of the request, such as `metadata`.'),
  auditReason: header('svc-audit-reason', 'Reason of the change, for the audit trail.', {
    type: 'string',
    maxLength: 1000,
  }),
  requestId: header(
    'x-request-id',
    'Id of the request, 1 to 128 visible ASCII characters; generated if absent, and sent back.',
    {
      type: 'string',
      maxLength: 128,
    },
  ),
  idempotencyKey: header(
    'Idempotency-Key',
    'Makes a retry safe: the same request with the same key gets the first answer again for 24 hours.',
    { type: 'string', maxLength: 255 },
  ),
  prefer: header('Prefer', '`wait=N`: answers when the transfer has ended, or after N seconds (maximum 60).'),
  ifNoneMatch: header('If-None-Match', 'ETag of a cached answer: 304 if it is current.'),
};

export const HEADERS = {
  'x-request-id': { description: 'Id of the request, as in logs.', schema: { type: 'string' } },
  'api-supported-versions': { description: 'Versions of this route, such as `1.0, 2.0`.', schema: { type: 'string' } },
  ETag: { description: 'Version of the answer; send it in If-None-Match.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be cached.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry (429, 503).', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description: 'Limits of the caller, such as `"default";q=6000;w=60`: requests in seconds.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Remaining requests of each limit, and the seconds until it is reset, such as `"default";r=5990;t=42`.',
    schema: { type: 'string' },
  },
};

/** Parameters of some routes. */
export const SESSION = header(
  'svc-session',
  'Always `1`: pages of other origins cannot send it unasked.',
  { type: 'string', const: '1' },
  true,
);
export const PREFER = { $ref: '#/components/parameters/prefer' };
export const LAST_EVENT_ID = header('Last-Event-ID', 'Resumes a stream after this offset.');
/** An answer that can be a stream of events. */
export const EVENT_STREAM = { content: { 'text/event-stream': { schema: { type: 'string' } } } };
export const BINARY: JsonSchema = { type: 'string', format: 'binary' };

const of = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

/** Header parameters of a route. */
export function headerParameters(
  { url, method, config = {} }: RouteOptions,
  versions: readonly number[] | undefined,
): object[] {
  const parameters: object[] = [];
  if (versions) {
    const values = versions.map((version) => `${version}.0`);
    const description = `Version of the API. Default: the newest, ${values.at(-1)}.`;
    parameters.push(
      header('api-version', description, { type: 'string', enum: values }, config.versionRequired === true),
    );
  }
  parameters.push(of('requestId'));
  if (config.access === 'public') return parameters;
  parameters.push(of('tenantId'), of('serviceId'));
  if (!url.includes('/project/:')) parameters.push(of('projectId'));
  if (url.includes('/dataset/:')) parameters.push(of('datasetId'));
  if (method !== 'GET') parameters.push(of('auditReason'));
  if (method !== 'GET' && !config.repeatable) parameters.push(of('idempotencyKey'));
  if (config.cached) parameters.push(of('ifNoneMatch'));
  return parameters;
}

const problem = (description: string, schema: JsonSchema, headers: readonly (keyof typeof HEADERS)[] = []) => ({
  description,
  headers: Object.fromEntries(
    ['x-request-id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/problem+json': { schema } },
});

export const RESPONSES = (schema: JsonSchema) => ({
  Invalid: problem('The request is not valid, or names an unknown version.', schema),
  Unauthenticated: problem('The request has no valid token or API key.', schema, ['WWW-Authenticate']),
  Forbidden: problem('The caller may not do this.', schema),
  NotFound: problem('Unknown, or not visible to the caller.', schema),
  Conflict: problem(
    'The state of an object prevents the change: stale row version, name in use, locked dataset.',
    schema,
  ),
  Refused: problem(
    'Any other refusal: 405 wrong method, 413 too large, 415 not JSON, 422 key used for another request, 429 too many requests, 501 not implemented, 503 not available.',
    schema,
    ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
  ),
});

/** Refusals that are problems, or for some clients a text of another type; for `described`. */
export const refusedAs = (type: string, description: string, statuses: readonly (number | 'default')[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description,
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          [type]: { schema: { type: 'string' } },
        },
      },
    ]),
  );
