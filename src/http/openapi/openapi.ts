import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { readBuild } from '../../platform/telemetry/build.ts';
import { withoutTrailingSlashes } from '../../platform/text/trim-end.ts';
import type { App } from '../route.ts';
import { describeRoutes } from './document.ts';

const { version } = readBuild();

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 190 40"><g fill="#dfe9ef"><path d="M2 2h11v11H2zM15 2h11v11H15zM28 2h11v11H28z
M2 15h11v11H2zM15 15h11v11H15zM28 15h11v11H28zM2 28h11v11H2zM15 28h11v11H15zM28 28h11v11H28z"/></g>
<path d="M20 2c-9 8 9 12 1 19s-13 8-9 18" fill="none" stroke="#3b8fc4" stroke-width="5"/>
<text x="50" y="27" font-family="sans-serif" font-size="19" fill="#fff">Data platform</text></svg>`;

const DESCRIPTION = `Projects, datasets, and their conversion between formats.

Names of members and query parameters are case-insensitive. Answers omit members without a value; they are never \`null\`.
Times are UTC without a zone (\`2026-01-24T08:17:02.4350000\`) unless their format is \`date-time\`. Errors are problems (RFC 9457).
Deprecated operations are legacy forms of others; they will not be removed.`;

/** In the order of Swagger UI: what most readers look for comes first. */
const TAGS = [
  'projects',
  'datasets',
  'transfers',
  'readers and writers',
  'coordinate systems',
  'time series',
  'multidimensional data',
  'tiles',
  'OGC API Features',
  'conversion',
  'raw',
  'shares',
  'recycle bin',
  'events',
  'tokens',
  'accounts',
  'groups',
  'iam',
  'keys',
  'features',
  'credit',
  'audit',
  'services',
  'operations',
  'platform',
  'health',
];

const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of POST /api/tokens.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'svc-open-api-key', description: 'An API key of a tenant.' },
  basic: { type: 'http', scheme: 'basic', description: 'Login id and password; only for one legacy list.' },
  signedLink: {
    type: 'apiKey',
    in: 'query',
    name: 'sig',
    description:
      'The query string of GET /api/security/sastoken for the dataset, in the query or the header svc-sas-token.',
  },
};

/** Serves the OpenAPI document of all routes (`/openapi.json`) and Swagger UI (`/docs`). */
export const openapi = fp<{ publicUrl: string | undefined }>(async (app, { publicUrl }) => {
  // `publicUrl` may have a path, behind a proxy
  const base = publicUrl === undefined ? '' : withoutTrailingSlashes(publicUrl);
  const createDocument = () => ({
    openapi: '3.1.0',
    info: { title: 'Data platform', version, description: DESCRIPTION },
    servers: [{ url: base || '/' }],
    tags: TAGS.map((name) => ({ name })),
    externalDocs: {
      description: 'Guide: concepts, commands, formats, settings and operations',
      url: `${base}/docs/guide`,
    },
    ...withSecurity(describeRoutes(documentedRoutes(app))),
  });
  await app.register(swagger, {
    openapi: { openapi: '3.1.0' },
    // the plugin only serves the document; `describeRoutes` creates it
    transform: ({ url }) => ({ schema: { hide: true }, url }),
    transformObject: createDocument as never,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy(base),
    theme: {
      title: 'Data platform',
      css: [{ filename: 'narrow.css', content: NARROW }],
      js: [{ filename: 'narrow.js', content: VIEWPORT }],
    },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: `${base}/docs`, target: '_self' },
  });
});

/** The page of Swagger UI says no width for phones. */
const VIEWPORT = `const meta = document.createElement('meta');
meta.name = 'viewport';
meta.content = 'width=device-width, initial-scale=1';
document.head.append(meta);`;
const NARROW = `@media (max-width: 45rem) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere; }
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui table { display: block; overflow-x: auto; }
  .swagger-ui .info .title, .swagger-ui .info a, .swagger-ui .markdown p { overflow-wrap: anywhere; }
}`;

/**
 * Content security policy of Swagger UI, which has styles in its elements, and sends requests to the servers of the
 * document.
 */
const contentSecurityPolicy = (base: string) => ({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'", ...(base === '' ? [] : [new URL(base).origin])],
  'form-action': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
});

const withSecurity = ({ paths, components }: ReturnType<typeof describeRoutes>) => ({
  paths,
  components: { ...components, securitySchemes: SECURITY },
});

/** Routes with a service that are not hidden. Skips the HEAD routes that Fastify derives from GET. */
function* documentedRoutes(app: FastifyInstance) {
  for (const { methods } of app.paths.values())
    for (const [method, route] of methods) {
      const { config, schema } = route;
      if (config?.service === undefined || config.closed || (schema as { hide?: boolean } | undefined)?.hide) continue;
      const { summary } = (schema ?? {}) as { summary?: string };
      const { summary: ofGet } = (methods.get('GET')?.schema ?? {}) as { summary?: string };
      if (method === 'HEAD' && summary === ofGet) continue;
      yield { ...route, method: method as 'GET' };
    }
}

/** `/openapi.json`, created at the first request. Register it after all other routes. */
export function openapiRoute(app: App) {
  let text: string | undefined;
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public', service: 'none', limit: 'free' } },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply
        .type('application/json')
        .serializer((body: string) => body)
        .send(text);
    },
  );
}
