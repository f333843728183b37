import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { withoutTrailingSlashes } from '../../platform/text/trim-end.ts';
import type { App } from '../route.ts';
import { describeRoutes } from './document.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** A grid with a river through it. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 190 40"><g fill="#dfe9ef"><path d="M2 2h11v11H2zM15 2h11v11H15zM28 2h11v11H28z
M2 15h11v11H2zM15 15h11v11H15zM28 15h11v11H28zM2 28h11v11H2zM15 28h11v11H15zM28 28h11v11H28z"/></g>
<path d="M20 2c-9 8 9 12 1 19s-13 8-9 18" fill="none" stroke="#3b8fc4" stroke-width="5"/>
<text x="50" y="27" font-family="sans-serif" font-size="19" fill="#fff">Data platform</text></svg>`;

const DESCRIPTION = `Projects, datasets, and their conversion from format to format.

Names of members and query parameters are read in any letter case; members without a value are left out of answers, never \`null\`.
Times are UTC without a zone (\`2026-01-24T08:17:02.4350000\`) unless their format is \`date-time\`. Refusals are problems of RFC 9457.
Operations that are deprecated stay; they are older forms of others.`;

const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of POST /api/tokens.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'svc-open-api-key', description: 'An API key of a tenant.' },
  basic: { type: 'http', scheme: 'basic', description: 'Login id and password; taken by one older list alone.' },
};

/** Describes all routes there are: `/openapi.json`, and `/docs`, a page over it. Made at the first request, kept from then on. */
export const openapi = fp<{ publicUrl: string | undefined }>(async (app, { publicUrl }) => {
  // behind a proxy paths may begin below a folder
  const base = publicUrl === undefined ? '' : withoutTrailingSlashes(publicUrl);
  const whole = () => ({
    openapi: '3.1.0',
    info: { title: 'Data platform', version, description: DESCRIPTION },
    servers: [{ url: base || '/' }],
    externalDocs: {
      description: 'Guide: concepts, commands, formats, settings and operations',
      url: `${base}/docs/guide`,
    },
    ...withSecurity(describeRoutes(shownRoutes(app))),
  });
  await app.register(swagger, {
    openapi: { openapi: '3.1.0' },
    // this plugin only knows where the document is; nothing in it is its own
    transform: ({ url }) => ({ schema: { hide: true }, url }),
    transformObject: whole as never,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Data platform' },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: `${base}/docs`, target: '_self' },
  });
});

const withSecurity = ({ paths, components }: ReturnType<typeof describeRoutes>) => ({
  paths,
  components: { ...components, securitySchemes: SECURITY },
});

/** Routes that say what they are. A HEAD that was made of a GET is the same to a reader. */
function* shownRoutes(app: FastifyInstance) {
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
