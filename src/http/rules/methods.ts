import type { FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from '../../errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'] as const;

interface Path {
  /** A path as one of its routes spells it. */
  url: string;
  methods: Map<string, RouteOptions>;
}

/** Records the methods of each path. Register it before any route; call `closeMethods` after the last one. */
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
    /** All paths. Paths that differ only in names of parameters are one. */
    paths: Map<string, Path>;
  }
}

/** Adds routes for the methods that a path does not have: they answer 405 with `Allow`, before any other check. */
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
        const detail = `This path does not support ${request.method}. Use ${allow}.`;
        done(new AppError('methodNotAllowed', detail, { headers: { allow } }));
      },
      handler: () => {},
    });
  }
}
