import { addProtocol, type Map as MapLibreMap } from 'maplibre-gl';
import type { Api } from './api.ts';
import { cssColour } from './dom.ts';

const PROTOCOL = 'below';

interface BasemapLayers {
  readonly layers: readonly {
    readonly number: number;
    readonly type: 'raster' | 'vector';
    readonly bounds: [number, number, number, number];
    readonly minzoom: number;
    readonly maxzoom: number;
  }[];
}

/** Adds the datasets of the operator, in their order, on the base map and below its names. */
export async function addLayersBelow(map: MapLibreMap, api: Api, datasetId: string): Promise<void> {
  const path = `api/tiles/dataset/${datasetId}/basemap`;
  const { layers } = await api.json<BasemapLayers>(path);
  addProtocol(PROTOCOL, async ({ url }, { signal }) => {
    const answer = await api.get(`${path}/${url.slice(PROTOCOL.length + 3)}`, { signal });
    return { data: await answer.arrayBuffer() };
  });
  const names = map.getLayer('names') === undefined ? undefined : 'names';
  const colour = cssColour('--below');
  for (const { number, type, bounds, minzoom, maxzoom } of layers) {
    const source = `below-${number}`;
    map.addSource(source, {
      type,
      tiles: [`${PROTOCOL}://${number}/{z}/{x}/{y}`],
      bounds,
      minzoom,
      maxzoom,
      ...(type === 'raster' && { tileSize: 256 }),
    });
    if (type === 'raster') {
      map.addLayer({ id: source, type, source }, names);
      continue;
    }
    const from = { source, 'source-layer': 'features' };
    const isArea: ['==', ['geometry-type'], 'Polygon'] = ['==', ['geometry-type'], 'Polygon'];
    const isPoint: ['==', ['geometry-type'], 'Point'] = ['==', ['geometry-type'], 'Point'];
    map.addLayer(
      {
        id: `${source}-areas`,
        type: 'fill',
        ...from,
        filter: isArea,
        paint: { 'fill-color': colour, 'fill-opacity': 0.4 },
      },
      names,
    );
    map.addLayer(
      {
        id: `${source}-lines`,
        type: 'line',
        ...from,
        filter: ['!', isPoint],
        paint: { 'line-color': colour, 'line-width': 1 },
      },
      names,
    );
    map.addLayer(
      {
        id: `${source}-points`,
        type: 'circle',
        ...from,
        filter: isPoint,
        paint: { 'circle-color': colour, 'circle-radius': 2.5 },
      },
      names,
    );
  }
}
