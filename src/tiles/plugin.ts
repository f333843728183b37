import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { OpenParts } from '../shares/open.ts';
import { type BasemapParts, basemapLayerRoutes } from './basemap/layers.routes.ts';
import { belowDataset, belowShared } from './basemap/places.ts';
import { worldRoutes } from './basemap/world.routes.ts';
import { WorldTiles } from './basemap/world-tiles.ts';
import { mapRoutes } from './map/map.routes.ts';
import { tileRoutes } from './routes.ts';
import { namingDataset, type RightParts } from './serve.ts';
import type { TileServices } from './tile-services.ts';
import { tileUpkeepRoutes } from './upkeep.routes.ts';
import { vectorTileRoutes } from './vector.routes.ts';
import { vectorUpkeepRoutes } from './vector-upkeep.routes.ts';
import { wmtsRoutes } from './wmts.routes.ts';

export interface TilesOptions extends RightParts, Pick<OpenParts, 'strangerRefused'> {
  db: Database;
  drawn: TileServices;
  log: BasemapParts['log'];
  settings: Pick<
    Config,
    | 'publicUrl'
    | 'shares.allowed'
    | 'cache.lifetime'
    | 'cache.lifetimes'
    | 'map.basemap'
    | 'map.basemapDatasets'
    | 'map.basemapAttribution'
    | 'map.basemapHosts'
  >;
}

export async function tilesPlugin(app: App, { settings, drawn, log, strangerRefused, ...parts }: TilesOptions) {
  const { db, signer, responses } = parts;
  const world = new WorldTiles();
  app.addHook('onClose', () => world.close());
  const shared = { db, signer, responses, publicUrl: settings.publicUrl, store: drawn.store };
  const metadataLifetime = settings['cache.lifetimes'].tiles ?? settings['cache.lifetime'];
  const raster = { ...shared, metadataLifetime, open: drawn.open };
  const vector = { ...shared, sources: drawn.vector };
  app.setErrorHandler((error, request) => {
    throw namingDataset(error, request);
  });
  await app.register(tileRoutes, raster);
  await app.register(wmtsRoutes, raster);
  await app.register(tileUpkeepRoutes, raster);
  await app.register(vectorTileRoutes, vector);
  await app.register(vectorUpkeepRoutes, vector);
  const url = settings['map.basemap'];
  const attribution = settings['map.basemapAttribution'] ?? '';
  const hosts = settings['map.basemapHosts'];
  await app.register(mapRoutes, { outside: url === undefined ? undefined : { url, attribution, hosts } });
  await app.register(worldRoutes, world);
  const datasetIds = settings['map.basemapDatasets'];
  const below = { db, open: drawn.open, vector: drawn.vector, store: drawn.store, datasetIds, log };
  await app.register(basemapLayerRoutes, { ...below, place: belowDataset(shared) });
  const links = { db, allowed: settings['shares.allowed'], strangerRefused };
  await app.register(basemapLayerRoutes, { ...below, place: belowShared(links) });
}
