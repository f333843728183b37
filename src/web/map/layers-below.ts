import { addProtocol, type Map as MapLibreMap, removeProtocol } from 'maplibre-gl';
import { cssColour } from './dom.ts';

interface BasemapLayers {
  readonly layers: readonly {
    readonly number: number;
    readonly type: 'raster' | 'vector';
    readonly bounds: [number, number, number, number];
    readonly minzoom: number;
    readonly maxzoom: number;
  }[];
}

/** Where the datasets of the operator are read that lie below a map. */
export interface LayersBelow {
  list(signal: AbortSignal): Promise<BasemapLayers>;
  /** @param place `{layer}/{zoom}/{column}/{row}` */
  tile(place: string, signal: AbortSignal): Promise<Response>;
}

let last = 0;

/**
 * Adds the datasets of the operator, in their order.
 * @param above tells the id of the layer that they lie below, once they are known; undefined: they lie on top
 */
export async function addLayersBelow(
  map: MapLibreMap,
  source: LayersBelow,
  above: () => string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { layers } = await source.list(signal);
  if (signal.aborted || layers.length === 0) return;
  const protocol = `below${++last}`;
  addProtocol(protocol, async ({ url }, control) => {
    const answer = await source.tile(url.slice(protocol.length + 3), control.signal);
    return { data: await answer.arrayBuffer() };
  });
  signal.addEventListener('abort', () => removeProtocol(protocol));
  const names = above();
  const colour = cssColour('--below');
  for (const { number, type, bounds, minzoom, maxzoom } of layers) {
    const id = `below-${number}`;
    map.addSource(id, {
      type,
      tiles: [`${protocol}://${number}/{z}/{x}/{y}`],
      bounds,
      minzoom,
      maxzoom,
      ...(type === 'raster' && { tileSize: 256 }),
    });
    if (type === 'raster') {
      map.addLayer({ id, type, source: id }, names);
      continue;
    }
    const from = { source: id, 'source-layer': 'features' };
    const isArea: ['==', ['geometry-type'], 'Polygon'] = ['==', ['geometry-type'], 'Polygon'];
    const isPoint: ['==', ['geometry-type'], 'Point'] = ['==', ['geometry-type'], 'Point'];
    map.addLayer(
      {
        id: `${id}-areas`,
        type: 'fill',
        ...from,
        filter: isArea,
        paint: { 'fill-color': colour, 'fill-opacity': 0.4 },
      },
      names,
    );
    map.addLayer(
      {
        id: `${id}-lines`,
        type: 'line',
        ...from,
        filter: ['!', isPoint],
        paint: { 'line-color': colour, 'line-width': 1 },
      },
      names,
    );
    map.addLayer(
      {
        id: `${id}-points`,
        type: 'circle',
        ...from,
        filter: isPoint,
        paint: { 'circle-color': colour, 'circle-radius': 2.5 },
      },
      names,
    );
  }
}
