import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifySchema, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { App } from './route.ts';
import { SERVICES } from './versions.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  code: z.string(),
  traceId: z.string(),
});

/** A grid with a river through it. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 190 40"><g fill="#dfe9ef"><path d="M2 2h11v11H2zM15 2h11v11H15zM28 2h11v11H28z
M2 15h11v11H2zM15 15h11v11H15zM28 15h11v11H28zM2 28h11v11H2zM15 28h11v11H15zM28 28h11v11H28z"/></g>
<path d="M20 2c-9 8 9 12 1 19s-13 8-9 18" fill="none" stroke="#3b8fc4" stroke-width="5"/>
<text x="50" y="27" font-family="sans-serif" font-size="19" fill="#fff">Data platform</text></svg>`;

const transform = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: 'any' } });
const problemAnswer = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** Collects the routes that are added from now on; `/openapi.json` shows them, `/docs` is a page over it. */
export const openapi = fp(async (app) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Data platform',
        version,
        description: 'Projects, datasets, and their conversion from format to format.',
      },
      servers: [{ url: '/' }],
      components: {
        schemas: { Problem: z.toJSONSchema(Problem) as never },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'svc-open-api-key' },
        },
      },
    },
    transform: (document) => {
      const { config = {}, schema: { hide } = { hide: false } } = document.route as RouteOptions;
      // plugins' own routes say nothing of themselves
      if (hide || config.service === undefined) return { schema: { hide: true }, url: document.url };
      const given = { ...document, schema: document.schema ?? {} };
      const { schema, url } = transform(given as never) as { schema: Record<string, unknown>; url: string };
      return { schema: describe(schema, config) as FastifySchema, url };
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Data platform' },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs', target: '_self' },
  });
});

type RouteConfig = NonNullable<RouteOptions['config']>;

/** What the wire rules add to every route: who may call it, its version header, the problems it can answer. */
function describe(schema: Record<string, unknown>, config: RouteConfig) {
  const signedIn = config.access !== 'public';
  const answers = { ...(schema.response as Record<string, unknown> | undefined) };
  if (!Object.keys(answers).some((status) => status.startsWith('2'))) answers['2XX'] = { description: 'Done.' };
  const problem = (status: number, description: string) => {
    answers[status] ??= problemAnswer(description);
  };
  if (config.service !== 'none') problem(400, 'The request is not valid, or asks for an unknown version.');
  if (signedIn) problem(401, 'Nobody valid is asking.');
  if (signedIn) problem(403, 'The caller may not do this.');
  if (schema.params) problem(404, 'Unknown, or not visible to the caller.');
  if (schema.body) problem(413, 'The body is too large.');
  if (schema.body) problem(415, 'The body is no JSON.');
  answers.default ??= problemAnswer('Any other refusal.');
  return {
    ...schema,
    tags: schema.tags ?? [config.service === 'none' ? 'platform' : config.service],
    response: answers,
    ...(signedIn ? { security: [{ bearer: [] }, { apiKey: [] }] } : {}),
    ...(config.service === 'none' ? {} : { headers: withVersion(schema.headers, config) }),
  };
}

function withVersion(headers: unknown, config: RouteConfig) {
  const declared = (headers ?? { type: 'object', properties: {} }) as { properties: object; required?: string[] };
  const versions = SERVICES[config.service as keyof typeof SERVICES].map((each) => `${each}.0`);
  return {
    ...declared,
    properties: { ...declared.properties, 'api-version': { type: 'string', enum: versions } },
    ...(config.versionRequired ? { required: [...(declared.required ?? []), 'api-version'] } : {}),
  };
}

/** Last of all routes. */
export function openapiRoute(app: App) {
  let text: string | undefined;
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public', service: 'none' } },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply
        .type('application/json')
        .serializer((body: string) => body)
        .send(text);
    },
  );
}
