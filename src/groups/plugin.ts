import type { App } from '../http/route.ts';
import type { GroupParts } from './manage.ts';
import { groupRoutes } from './routes.ts';

export async function groupsPlugin(app: App, options: GroupParts) {
  await app.register(groupRoutes, options);
}
