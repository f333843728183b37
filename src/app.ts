import type { FastifyBaseLogger } from 'fastify';
import Fastify from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { BlobStore } from './blobs/blobs.ts';
import type { Config } from './config.ts';
import type { Database } from './db.ts';
import type { FindCaller } from './http/auth.ts';
import { healthRoutes } from './http/health.ts';
import { closeMethods } from './http/methods.ts';
import { openapiRoute } from './http/openapi.ts';
import type { App } from './http/route.ts';
import { serverOptions } from './http/server-options.ts';
import { wire } from './http/wire.ts';
import { openSigner } from './signing-keys.ts';
import { blobRoutes } from './uploads/blob.routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

export interface AppParts {
  config: Config;
  db: Database;
  blobs: BlobStore;
  log: FastifyBaseLogger;
}

/** The whole HTTP server, not listening yet: wire rules first, then one line per room. */
export async function buildApp({ config, db, blobs, log }: AppParts): Promise<App> {
  const app: App = Fastify(serverOptions(config, log));
  app.setSerializerCompiler(serializerCompiler);
  const findCaller: FindCaller = () => undefined;
  await app.register(wire, { config, db, findCaller });

  const room = <Parts>(routes: (app: App, parts: Parts) => Promise<void>, parts: Parts) =>
    app.register((scope, _options, done) => void routes(scope, parts).then(() => done(), done));

  const signer = await openSigner(db, 'address');
  const { publicUrl } = config;

  await room(healthRoutes, { db });
  await room(uploadRoutes, { db, signer, publicUrl });
  await room(blobRoutes, {
    db,
    blobs,
    signer,
    maxSize: config['uploads.maxSize'],
    findBytes: { dataset: async () => undefined, export: async (name) => `export/${name}` },
  });

  openapiRoute(app);
  closeMethods(app);
  return app;
}
