import { addProtocol, type LayerSpecification, type Map as MapLibreMap, type StyleSpecification } from 'maplibre-gl';
import { cssColour } from './dom.ts';

const PROTOCOL = 'basemap';
const SOURCE = 'world';
const FONT = 'Open Sans';
/** The deepest level with tiles. */
const DEEPEST = 6;

const paints = {
  background: () => ({ 'background-color': cssColour('--water') }),
  land: () => ({ 'fill-color': cssColour('--land') }),
  borders: () => ({ 'line-color': cssColour('--border') }),
  coast: () => ({ 'line-color': cssColour('--coast') }),
  names: () => ({ 'text-color': cssColour('--name'), 'text-halo-color': cssColour('--land') }),
};

/**
 * The style of a map with the world: water, land, borders and names of countries, from tiles of the platform.
 * @param base address of the platform, with a slash at its end
 */
function worldStyle(base: string): StyleSpecification {
  // scripts of the page may load from the platform, and the worker of MapLibre may not
  addProtocol(PROTOCOL, async ({ url }, { signal }) => {
    const answer = await fetch(`${base}assets/basemap/${url.slice(PROTOCOL.length + 3)}.pbf`, {
      signal,
      credentials: 'omit',
    });
    if (!answer.ok) throw new Error(`The base map is not available: the server answered ${answer.status}.`);
    return { data: await answer.arrayBuffer() };
  });
  return {
    version: 8,
    'font-faces': { [FONT]: new URL('open-sans.woff2', import.meta.url).href },
    sources: { [SOURCE]: { type: 'vector', tiles: [`${PROTOCOL}://{z}/{x}/{y}`], maxzoom: DEEPEST } },
    layers: [{ id: 'background', type: 'background', paint: paints.background() }, ...worldLayers()],
  };
}

function worldLayers(): LayerSpecification[] {
  const from = (layer: string) => ({ id: layer, source: SOURCE, 'source-layer': layer });
  const round = { 'line-join': 'round', 'line-cap': 'round' } as const;
  return [
    // without antialiasing, tiles meet without a gap; the coast has its line
    { type: 'fill', ...from('land'), paint: { 'fill-antialias': false, ...paints.land() } },
    {
      type: 'line',
      ...from('borders'),
      layout: round,
      paint: { 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.6, 8, 1.6], ...paints.borders() },
    },
    {
      type: 'line',
      ...from('coast'),
      layout: round,
      paint: { 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 0.4, 8, 1.2], ...paints.coast() },
    },
    {
      type: 'symbol',
      ...from('names'),
      filter: ['<=', ['get', 'level'], ['zoom']],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': [FONT],
        'text-size': ['interpolate', ['linear'], ['zoom'], 1, 11, 6, 14],
        'text-max-width': 8,
        'text-padding': 4,
        'symbol-sort-key': ['-', ['get', 'size']],
      },
      paint: { 'text-halo-width': 1.4, ...paints.names() },
    },
  ];
}

/** A base map of another host, which the operator has chosen. */
interface OutsideBasemap {
  readonly url: string;
  readonly attribution: string;
}

export interface Basemap {
  readonly style: StyleSpecification;
  /** Of a base map of another host. */
  readonly attribution?: string;
}

/** The base map of the page: the world, or what its markup names. An outside style that fails is told to `onError`. */
export async function readBasemap(base: string, onError: (error: unknown) => void): Promise<Basemap> {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=basemap]');
  if (meta === null) return { style: worldStyle(base) };
  const { url, attribution } = JSON.parse(meta.content) as OutsideBasemap;
  if (url.includes('{z}')) return { style: rasterStyle(url), attribution };
  try {
    const answer = await fetch(url, { credentials: 'omit' });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return { style: (await answer.json()) as StyleSpecification, attribution };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onError(new Error(`The base map of ${new URL(url).host} is not available: ${why}.`));
    return { style: worldStyle(base) };
  }
}

const rasterStyle = (url: string): StyleSpecification => ({
  version: 8,
  sources: { [SOURCE]: { type: 'raster', tiles: [url], tileSize: 256 } },
  layers: [
    { id: 'background', type: 'background', paint: paints.background() },
    { id: 'outside', type: 'raster', source: SOURCE },
  ],
});

/** Colours the world anew, when the reader changes between light and dark. */
export function colourWorld(map: MapLibreMap): void {
  if (map.getSource(SOURCE)?.type !== 'vector') return;
  for (const [layer, paint] of Object.entries(paints)) {
    if (map.getLayer(layer) === undefined) continue;
    for (const [name, colour] of Object.entries(paint())) map.setPaintProperty(layer, name as 'fill-color', colour);
  }
}
