import type { Map as MapLibreMap, RasterTileSource } from 'maplibre-gl';
import { type Box, tileAddress } from './map-view.ts';
import { type MapScheme, zoomRange } from './tile-grid.ts';
import type { Slice } from './tile-store.ts';

const ID = 'tiles';

/** Key of the tiles of a scheme and slice, as in their address. */
export const keyOf = (schemeId: string, { step, layer }: Slice): string => `${schemeId} ${step} ${layer}`;

export function parseKey(key: string): { schemeId: string; slice: Slice } {
  const [schemeId = '', step, layer] = key.split(' ');
  return { schemeId, slice: { step: Number(step), layer: Number(layer) } };
}

/** Shows a scheme instead of the one before. */
export function showScheme(
  map: MapLibreMap,
  shown: MapScheme,
  slice: Slice,
  { box, opacity }: { box: Box | undefined; opacity: number },
): void {
  if (map.getLayer(ID)) map.removeLayer(ID);
  if (map.getSource(ID)) map.removeSource(ID);
  const range = zoomRange(shown.grid);
  map.addSource(ID, {
    type: 'raster',
    tiles: [tileAddress(keyOf(shown.scheme.schemeId, slice))],
    tileSize: 256,
    ...range,
    ...(box === undefined ? {} : { bounds: boundsOf(box) }),
  });
  map.addLayer(
    {
      id: ID,
      type: 'raster',
      source: ID,
      paint: { 'raster-opacity': opacity, 'raster-fade-duration': 0, 'raster-resampling': 'linear' },
    },
    map.getLayer('graticule') ? 'graticule' : undefined,
  );
}

/** Sources take longitudes up to 180°: data across the antimeridian have tiles on both sides. */
function boundsOf([west, south, east, north]: Box): [number, number, number, number] {
  const [low, high] = [Math.max(-85.0511, south), Math.min(85.0511, north)];
  return east > 180 || west < -180 ? [-180, low, 180, high] : [west, low, east, high];
}

/** Shows another step or layer. The old tiles stay until the new ones are there. */
export function showSlice(map: MapLibreMap, schemeId: string, slice: Slice): void {
  map.getSource<RasterTileSource>(ID)?.setTiles([tileAddress(keyOf(schemeId, slice))]);
}

export function setOpacity(map: MapLibreMap, opacity: number): void {
  if (map.getLayer(ID)) map.setPaintProperty(ID, 'raster-opacity', opacity);
}

/** Beyond the finest level the pixels are shown as they are, so that nobody takes smoothing for detail. */
export function sharpenBeyond(map: MapLibreMap, maxzoom: number): void {
  if (!map.getLayer(ID)) return;
  const resampling = map.getZoom() > maxzoom + 0.5 ? 'nearest' : 'linear';
  if (map.getPaintProperty(ID, 'raster-resampling') !== resampling)
    map.setPaintProperty(ID, 'raster-resampling', resampling);
}

/** Resolves when the tiles of the view are there, after at most some seconds. */
export function tilesShown(map: MapLibreMap): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      map.off('idle', end);
      resolve();
    };
    const timer = setTimeout(end, 10_000);
    // a source asks for its new tiles in a later frame: being idle now says nothing
    map.on('idle', end);
    map.triggerRepaint();
  });
}
