import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import { guideRoutes } from './guide/guide.routes.ts';
import { iconRoutes } from './icon.routes.ts';
import { healthRoutes } from './observe/health.ts';
import type { App } from './route.ts';
import { notImplementedRoutes } from './rules/not-implemented.ts';
import { serviceRoutes } from './services.ts';

/** Routes that belong to no room. */
export async function httpPlugin(app: App, { db, settings }: { db: Database; settings: Pick<Config, 'publicUrl'> }) {
  await app.register(healthRoutes, { db });
  await app.register(iconRoutes);
  await app.register(guideRoutes);
  await app.register(serviceRoutes, { publicUrl: settings.publicUrl });
  await app.register(notImplementedRoutes);
}
