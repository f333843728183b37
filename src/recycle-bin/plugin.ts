import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import { binItemRoutes } from './item.routes.ts';
import { binListRoutes } from './list.routes.ts';

export async function recycleBinPlugin(
  app: App,
  { db, settings }: { db: Database; settings: Pick<Config, 'publicUrl' | 'recycleBin.retention'> },
) {
  const { publicUrl, 'recycleBin.retention': retention } = settings;
  await app.register(binListRoutes, { db, publicUrl, retention });
  await app.register(binItemRoutes, { db, publicUrl });
}
