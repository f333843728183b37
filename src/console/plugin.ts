import type { Config } from '../config.ts';
import type { App } from '../http/route.ts';
import { consoleRoutes } from './routes.ts';

type Settings = Pick<Config, 'map.basemap' | 'map.basemapAttribution' | 'map.basemapHosts'>;

export async function consolePlugin(app: App, { settings }: { settings: Settings }) {
  const url = settings['map.basemap'];
  const attribution = settings['map.basemapAttribution'] ?? '';
  const hosts = settings['map.basemapHosts'];
  await app.register(consoleRoutes, { outside: url === undefined ? undefined : { url, attribution, hosts } });
}
