import type {
  CircleLayerSpecification,
  ExpressionSpecification,
  FillLayerSpecification,
  LineLayerSpecification,
  Map as MapLibreMap,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import type { Preview } from '../../client/api.ts';
import { cssColour } from '../dom.ts';
import { parseColour } from '../ramp.ts';
import { type Colours, placedColours, valueAtPlace } from './colours.ts';

type Layer = CircleLayerSpecification | FillLayerSpecification | LineLayerSpecification | SymbolLayerSpecification;

const is = (...types: string[]): ExpressionSpecification => ['in', ['geometry-type'], ['literal', types]];
const areas = is('Polygon', 'MultiPolygon');
const points = is('Point', 'MultiPoint');

/**
 * Layers of features: areas, their edges, lines and points.
 * @param field whose numbers have the colours; undefined: all features are alike
 */
export function featureLayers(
  source: string,
  field: string | undefined,
  { colours, opacity }: { colours: Colours; opacity: number },
): Layer[] {
  const from = { source, 'source-layer': 'features' };
  const colour = featureColour(field, colours);
  const id = (name: string) => `${source}-${name}`;
  return [
    {
      id: id('areas'),
      type: 'fill',
      ...from,
      filter: areas,
      paint: { 'fill-color': colour, 'fill-opacity': 0.6 * opacity },
    },
    {
      id: id('edges'),
      type: 'line',
      ...from,
      filter: ['!', points],
      paint: {
        'line-color': colour,
        'line-opacity': opacity,
        'line-width': ['interpolate', ['linear'], ['zoom'], 4, 0.7, 14, 2.5],
      },
    },
    {
      id: id('points'),
      type: 'circle',
      ...from,
      filter: points,
      paint: {
        'circle-color': colour,
        'circle-opacity': opacity,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 4, 2.5, 12, 6],
        'circle-stroke-color': cssColour('--map-halo'),
        'circle-stroke-width': 1,
        'circle-stroke-opacity': opacity,
      },
    },
  ];
}

/** Features without a number have the colour of all. */
function featureColour(field: string | undefined, colours: Colours): ExpressionSpecification | string {
  const plain = cssColour('--map-feature');
  if (field === undefined) return plain;
  const stops = placedColours(colours).flatMap(([place, colour]) => {
    const [red, green, blue, alpha] = parseColour(colour);
    return [valueAtPlace(colours, place), `rgba(${red}, ${green}, ${blue}, ${alpha / 255})`];
  });
  return [
    'case',
    ['==', ['typeof', ['get', field]], 'number'],
    ['interpolate', ['linear'], ['number', ['get', field], 0], ...stops],
    plain,
  ] as unknown as ExpressionSpecification;
}

/**
 * Layers over the colours of a grid or mesh: dry cells, lines of cells, isolines and their levels, arrows.
 * @param speed the greatest one of the arrows
 */
export function overlayLayers(source: string, speed: number): Layer[] {
  const from = (layer: string) => ({ source, 'source-layer': layer });
  const id = (name: string) => `${source}-${name}`;
  const quiet = cssColour('--map-line');
  return [
    {
      // dry or without a value, and yet a part of the mesh
      id: id('dry'),
      type: 'fill',
      ...from('elements'),
      filter: ['!', ['has', 'value']],
      paint: { 'fill-color': cssColour('--map-dry'), 'fill-opacity': 0.6 },
    },
    {
      id: id('elements'),
      type: 'line',
      ...from('elements'),
      paint: { 'line-color': quiet, 'line-opacity': 0.45, 'line-width': 0.6 },
    },
    { id: id('isolines'), type: 'line', ...from('isolines'), paint: { 'line-color': quiet, 'line-width': 1 } },
    {
      id: id('levels'),
      type: 'symbol',
      ...from('isolines'),
      layout: {
        'symbol-placement': 'line',
        'text-field': ['to-string', ['get', 'level']],
        'text-font': ['Open Sans'],
        'text-size': 11,
      },
      paint: { 'text-color': quiet, 'text-halo-color': cssColour('--map-halo'), 'text-halo-width': 1.4 },
    },
    {
      id: id('arrows'),
      type: 'symbol',
      ...from('arrows'),
      layout: {
        'icon-image': ARROW,
        'icon-rotate': ['get', 'direction'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
        'icon-size': arrowSize(speed),
      },
    },
  ];
}

/** Fast flow has long arrows: the greatest speed has the whole length. */
const arrowSize = (speed: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['get', 'speed'],
  0,
  0.35,
  Math.max(1e-6, speed),
  1,
];

const ARROW = 'arrow';
const SIDE = 48;

/** A white arrow with a dark edge, which is seen on every colour. It points to the north. */
export function addArrow(map: MapLibreMap): void {
  if (map.hasImage(ARROW)) return;
  const context = new OffscreenCanvas(SIDE, SIDE).getContext('2d')!;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const [colour, width] of [
    ['rgb(20 30 40 / 0.75)', 7],
    ['white', 3.5],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(SIDE / 2, SIDE - 5);
    context.lineTo(SIDE / 2, 6);
    context.moveTo(SIDE / 2 - 7, 15);
    context.lineTo(SIDE / 2, 6);
    context.lineTo(SIDE / 2 + 7, 15);
    context.stroke();
  }
  map.addImage(ARROW, context.getImageData(0, 0, SIDE, SIDE), { pixelRatio: 2 });
}

/** Of the components of vectors, about. */
export function greatestSpeed({ items = [] }: Preview): number {
  const ends = items.filter(({ id, vector }) => vector !== undefined || items.some((one) => one.vector === id));
  return Math.max(0, ...ends.flatMap(({ min = 0, max = 0 }) => [Math.abs(min), Math.abs(max)]));
}
