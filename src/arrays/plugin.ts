import type { App } from '../http/route.ts';
import type { StoreParts } from './dataset.ts';
import { multidimensionalRoutes } from './routes.ts';

export async function arraysPlugin(app: App, options: StoreParts) {
  await app.register(multidimensionalRoutes, options);
}
