import { AppError } from '../../errors.ts';
import type { App } from '../route.ts';
import type { Service } from './versions.ts';

/**
 * Paths that clients use but the platform does not implement. `/*`: the path, and all paths below it without a route.
 */
const PATHS: Partial<Record<Service, readonly string[]>> = {
  conversion: [
    '/api/conversion/exporter/*',
    '/api/conversion/importer/*',
    '/api/conversion/item/*',
    '/api/conversion/unit/*',
    '/api/conversion/project/:id/file/upload',
  ],
  metadata: [
    '/api/metadata/item/*',
    '/api/metadata/unit/*',
    '/api/metadata/project/:id/billing-information',
    '/api/metadata/project/:id/sastoken',
    '/api/metadata/dataset/:id/sastoken',
  ],
  crs: ['/api/crs/project/*'],
  filesync: ['/api/filesync/*'],
  iam: ['/api/iam/billing-information/*'],
  raw: ['/api/raw/*'],
  security: ['/api/security/*'],
  services: ['/api/sharing/*', '/api/process/*', '/api/compute/*'],
};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The routes of `PATHS`. */
export const NOT_IMPLEMENTED = (Object.entries(PATHS) as [Service, readonly string[]][]).flatMap(([service, paths]) =>
  paths
    .flatMap((path) => (path.endsWith('/*') ? [path.slice(0, -2), path] : [path]))
    .map((url) => ({ service, method: [...METHODS], url })),
);

/** Answers 501 to all methods, for authenticated callers: 404 or 405 would look like a mistake of the client. */
export async function notImplementedRoutes(app: App) {
  for (const { service, method, url } of NOT_IMPLEMENTED) {
    app.route({
      method,
      url,
      config: { access: 'signedIn', service },
      schema: { hide: true },
      onRequest: (request, _reply, done) => {
        const route = `${request.method} ${request.url.replace(/\?.*$/s, '')}`;
        done(new AppError('notImplemented', `The platform does not implement ${route}.`));
      },
      handler: () => {},
    });
  }
}
