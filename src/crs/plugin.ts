import type { App } from '../http/route.ts';
import { crsRoutes } from './routes.ts';

export async function crsPlugin(app: App) {
  await app.register(crsRoutes);
}
