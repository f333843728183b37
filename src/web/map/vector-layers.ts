import type { ExpressionSpecification, MapGeoJSONFeature, Map as MapLibreMap, VectorTileSource } from 'maplibre-gl';
import type { VectorTileJson } from './answers.ts';
import { cssColour } from './dom.ts';
import { tileAddress } from './map-view.ts';

const SOURCE = 'features';
const geometry = (...types: string[]): ExpressionSpecification => ['in', ['geometry-type'], ['literal', types]];
const polygons = geometry('Polygon', 'MultiPolygon');
const points = geometry('Point', 'MultiPoint');
const DRAWN = ['areas', 'edges', 'points'];

/** Draws features of any kind: areas, their edges, lines and points. */
export function addVectorLayers(
  map: MapLibreMap,
  { vector_layers, bounds, maxzoom }: VectorTileJson,
  key: string = SOURCE,
): void {
  const [layer] = vector_layers;
  if (layer === undefined) return;
  map.addSource(SOURCE, {
    type: 'vector',
    tiles: [tileAddress(key)],
    bounds: [...bounds] as [number, number, number, number],
    maxzoom,
  });
  const from = { source: SOURCE, 'source-layer': layer.id };
  const colour = cssColour('--feature');
  map.addLayer({
    id: 'areas',
    type: 'fill',
    ...from,
    filter: polygons,
    paint: { 'fill-color': colour, 'fill-opacity': 0.35 },
  });
  map.addLayer({
    id: 'edges',
    type: 'line',
    ...from,
    filter: ['!', points],
    paint: { 'line-color': colour, 'line-width': ['interpolate', ['linear'], ['zoom'], 4, 0.7, 14, 2] },
  });
  map.addLayer({
    id: 'points',
    type: 'circle',
    ...from,
    filter: points,
    paint: {
      'circle-color': colour,
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 2.5, 12, 6],
      'circle-stroke-color': cssColour('--ground'),
      'circle-stroke-width': 1,
    },
  });
  const chosen = { 'line-color': cssColour('--chosen'), 'line-width': 3 };
  map.addLayer({
    id: 'chosen-edges',
    type: 'line',
    ...from,
    filter: chosenFilter(undefined, ['!', points]),
    paint: chosen,
  });
  map.addLayer({
    id: 'chosen-points',
    type: 'circle',
    ...from,
    filter: chosenFilter(undefined, points),
    paint: { 'circle-color': cssColour('--chosen'), 'circle-radius': 8 },
  });
}

const chosenFilter = (id: number | string | undefined, kind: ExpressionSpecification): ExpressionSpecification => [
  'all',
  kind,
  ['==', ['id'], id ?? -1],
];

/** Highlights a feature; undefined: none. */
export function choose(map: MapLibreMap, id: number | string | undefined): void {
  map.setFilter('chosen-edges', chosenFilter(id, ['!', points]));
  map.setFilter('chosen-points', chosenFilter(id, points));
}

/** Loads the tiles again, of another step, layer or attribute. The old ones stay until the new ones are there. */
export function showVectorSlice(map: MapLibreMap, key: string): void {
  map.getSource<VectorTileSource>(SOURCE)?.setTiles([tileAddress(key)]);
}

/** Elements of a mesh side by side: no edges, no gaps. */
export function setMeshOpacity(map: MapLibreMap, opacity: number): void {
  map.setPaintProperty('areas', 'fill-opacity', opacity);
  map.setPaintProperty('edges', 'line-opacity', 0);
}

/** Viridis (CC0). */
export const COLOURS = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'] as const;

/** The least and greatest value of an attribute among the features that are loaded; undefined without any number. */
export function rangeOf(map: MapLibreMap, sourceLayer: string, attribute: string): [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const { properties } of map.querySourceFeatures(SOURCE, { sourceLayer })) {
    const value: unknown = properties[attribute];
    if (typeof value !== 'number') continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? undefined : [low, high];
}

/**
 * Colours features by an attribute; undefined: all alike.
 * @param plain colour of features without a number
 */
export function colourBy(
  map: MapLibreMap,
  by: { attribute: string; low: number; high: number } | undefined,
  plain = cssColour('--feature'),
): void {
  const colour = by === undefined ? plain : rampExpression(by, plain);
  map.setPaintProperty('areas', 'fill-color', colour);
  map.setPaintProperty('edges', 'line-color', colour);
  map.setPaintProperty('points', 'circle-color', colour);
}

function rampExpression(
  { attribute, low, high }: { attribute: string; low: number; high: number },
  otherwise: string,
): ExpressionSpecification {
  const top = high > low ? high : low + 1;
  const stops = COLOURS.flatMap((colour, n) => [low + ((top - low) * n) / (COLOURS.length - 1), colour]);
  const number: ExpressionSpecification = ['==', ['typeof', ['get', attribute]], 'number'];
  return [
    'case',
    number,
    ['interpolate', ['linear'], ['number', ['get', attribute], 0], ...stops],
    otherwise,
  ] as ExpressionSpecification;
}

/** @param coloured areas have colours of values, which must be told apart */
export function setVectorOpacity(map: MapLibreMap, opacity: number, coloured: boolean): void {
  map.setPaintProperty('areas', 'fill-opacity', (coloured ? 0.8 : 0.35) * opacity);
  map.setPaintProperty('edges', 'line-opacity', opacity);
  map.setPaintProperty('points', 'circle-opacity', opacity);
  map.setPaintProperty('points', 'circle-stroke-opacity', opacity);
}

const REACH = 5;

/** The uppermost feature at a place on the screen, a few pixels around it. */
export function featureAt(map: MapLibreMap, { x, y }: { x: number; y: number }): MapGeoJSONFeature | undefined {
  const layers = DRAWN.filter((id) => map.getLayer(id) !== undefined);
  const exact = map.queryRenderedFeatures([x, y], { layers });
  if (exact.length > 0) return exact[0];
  const box: [[number, number], [number, number]] = [
    [x - REACH, y - REACH],
    [x + REACH, y + REACH],
  ];
  return map.queryRenderedFeatures(box, { layers })[0];
}

/** The attributes of a feature as text; reals with ten digits, which is more than they are known to. */
export const attributesOf = ({ properties }: MapGeoJSONFeature): [string, string][] =>
  Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(Number(value.toPrecision(10))) : String(value),
  ]);
