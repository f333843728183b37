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

/** Headers that routes have in common. Each prefix of the setting `headerPrefixes` is taken in place of `svc-`. */
export const PARAMETERS = {
  tenantId: header('svc-tenant-id', 'Acts in this tenant instead of the home tenant.', uuid),
  projectId: header(
    'svc-project-id',
    'The project that the request is about, where neither path nor body names it.',
    uuid,
  ),
  datasetId: header('svc-dataset-id', 'The dataset that the request is about; must agree with the path.'),
  serviceId: header('svc-service-id', 'The service that an API key is used for, such as `metadata`.'),
  auditReason: header('svc-audit-reason', 'Why the change is made; stands in the audit trail.', {
    type: 'string',
    maxLength: 1000,
  }),
  requestId: header(
    'x-request-id',
    'An id for the request, 1 to 128 visible ASCII characters; made when absent, and sent back.',
    {
      type: 'string',
      maxLength: 128,
    },
  ),
  idempotencyKey: header(
    'Idempotency-Key',
    'Makes repeating the request safe: the same key with the same request gets the first answer again for 24 hours.',
    { type: 'string', maxLength: 255 },
  ),
  prefer: header('Prefer', '`wait=N`: answer when the transfer has ended, after at most N seconds (60 at most).'),
  ifNoneMatch: header('If-None-Match', 'ETag of the answer that the caller has: 304 when it is still current.'),
};

export const HEADERS = {
  'x-request-id': { description: 'The id of the request, as it stands in logs.', schema: { type: 'string' } },
  'api-supported-versions': { description: 'Versions of this route, such as `1.0, 2.0`.', schema: { type: 'string' } },
  ETag: { description: 'Names this state of the answer; send it in If-None-Match.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which to try again (429, 503).', schema: { type: 'integer' } },
};

/** Parameters of the few routes that take them. */
export const PREFER = { $ref: '#/components/parameters/prefer' };
export const LAST_EVENT_ID = header('Last-Event-ID', 'Goes on behind this offset, when a stream was lost.');
/** An answer that can come as a stream instead. */
export const EVENT_STREAM = { content: { 'text/event-stream': { schema: { type: 'string' } } } };
/** Bytes of any kind. */
export const BINARY: JsonSchema = { type: 'string', format: 'binary' };

const of = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` });

/** The headers that a route reads besides its own parameters. */
export function parametersOf(
  { url, method, config = {} }: RouteOptions,
  versions: readonly number[] | undefined,
): object[] {
  const parameters: object[] = [];
  if (versions) {
    const values = versions.map((version) => `${version}.0`);
    const description = `The version of the API; without it the newest, ${values.at(-1)}.`;
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
  Invalid: problem('The request is not valid, or asks for an unknown version.', schema),
  Unauthenticated: problem('No valid token or API key was sent.', schema, ['WWW-Authenticate']),
  Forbidden: problem('The caller may not do this.', schema),
  NotFound: problem('Unknown, or not visible to the caller.', schema),
  Conflict: problem('The state of things does not allow it: stale row version, taken name, locked dataset.', schema),
  Refused: problem(
    'Any other refusal: 405 wrong method, 413 too large, 415 no JSON, 422 key used for another request, 429 too many, 501 not offered, 503 not available.',
    schema,
    ['Retry-After'],
  ),
});
