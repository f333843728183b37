import type { FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from '../../errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'] as const;

interface Path {
  /** As one of its routes spells it. */
  url: string;
  /** What the route of each method says of itself. */
  methods: Map<string, RouteOptions>;
}

/** Notes which methods each path has. Register it before any route; call `closeMethods` after the last one. */
export const methods = fp(async (app) => {
  const paths = new Map<string, Path>();
  app.decorate('paths', paths);
  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    // `/project/:id` and `/project/:projectId` are one path
    const key = url.replace(/\/$/, '').replace(/:\w+/g, ':');
    const path = paths.get(key) ?? { url, methods: new Map() };
    paths.set(key, path);
    for (const name of [method].flat()) path.methods.set(name, route);
  });
});

declare module 'fastify' {
  interface FastifyInstance {
    /** All paths, each once, whatever its parameters are called. */
    paths: Map<string, Path>;
  }
}

/** Gives each path a closed route for every method it lacks: 405 with `Allow`, before anything else is looked at. */
export function closeMethods(app: FastifyInstance) {
  for (const { url, methods: present } of [...app.paths.values()]) {
    if (url.includes('*')) continue;
    const missing = METHODS.filter((method) => !present.has(method));
    const allow = [...METHODS.filter((method) => present.has(method)), 'OPTIONS'].join(', ');
    app.route({
      method: [...missing],
      url,
      schema: { hide: true },
      config: { access: 'public', service: 'none', closed: true },
      onRequest: (request, _reply, done) => {
        const detail = `${request.method} is not possible here, only ${allow}.`;
        done(new AppError('methodNotAllowed', detail, { headers: { allow } }));
      },
      handler: () => {},
    });
  }
}
