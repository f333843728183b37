import type { FastifyBaseLogger } from 'fastify';
import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { BlobStore } from './blobs/blobs.ts';
import type { Config } from './config.ts';
import type { Database } from './db.ts';
import { auth } from './http/auth.ts';
import { problems } from './http/problems.ts';
import type { App } from './http/route.ts';

export interface AppParts {
  config: Config;
  db: Database;
  blobs: BlobStore;
  log: FastifyBaseLogger;
}

/** The whole HTTP server, not listening yet: wire rules first, then one line per room. */
export async function buildApp({ log }: AppParts): Promise<App> {
  const app: App = Fastify({ loggerInstance: log });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  await app.register(problems);
  await app.register(auth, { findCaller: async () => undefined });
  return app;
}
