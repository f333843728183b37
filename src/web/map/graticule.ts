import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { degreeStep, degreeText, linesBetween } from './degrees.ts';
import { cssColour, element, make } from './dom.ts';

/** Pixels between two lines. */
const SPACE = 130;
const COLOUR = () => ({ 'line-color': cssColour('--grid'), 'line-width': 1 });

/** Lines of longitude and latitude, with degrees at the left and upper edge. */
export function addGraticule(map: MapLibreMap): void {
  const labels = element('degrees');
  const update = () => {
    const source = map.getSource<GeoJSONSource>('graticule');
    if (source === undefined) return;
    const { meridians, parallels } = linesOf(map);
    const [south, north] = [Math.max(-85, map.getBounds().getSouth()), Math.min(85, map.getBounds().getNorth())];
    const [west, east] = [map.getBounds().getWest(), map.getBounds().getEast()];
    source.setData({
      type: 'MultiLineString',
      coordinates: [
        ...meridians.map((x) => [
          [x, south],
          [x, north],
        ]),
        ...parallels.map((y) => [
          [west, y],
          [east, y],
        ]),
      ],
    });
  };
  map.on('load', () => {
    map.addSource('graticule', { type: 'geojson', data: { type: 'MultiLineString', coordinates: [] } });
    const names = map.getLayer('names') === undefined ? undefined : 'names';
    map.addLayer({ id: 'graticule', type: 'line', source: 'graticule', paint: COLOUR() }, names);
    update();
    label(map, labels);
  });
  map.on('moveend', update);
  map.on('move', () => label(map, labels));
  map.on('resize', () => label(map, labels));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (map.getLayer('graticule')) map.setPaintProperty('graticule', 'line-color', cssColour('--grid'));
  });
}

function linesOf(map: MapLibreMap) {
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const bounds = map.getBounds();
  const step = degreeStep(((bounds.getEast() - bounds.getWest()) * SPACE) / Math.max(1, width));
  const across = linesBetween(bounds.getWest(), bounds.getEast(), step);
  const down = degreeStep(((bounds.getNorth() - bounds.getSouth()) * SPACE) / Math.max(1, height));
  return { meridians: across, parallels: linesBetween(bounds.getSouth(), bounds.getNorth(), down) };
}

function label(map: MapLibreMap, into: HTMLElement): void {
  const { meridians, parallels } = linesOf(map);
  const middle = map.getCenter();
  const { clientHeight: height } = map.getContainer();
  const made = [
    ...meridians.map((x) => {
      const text = make('span', { class: 'meridian' }, degreeText(x, 'EW', meridians[1]! - meridians[0]!));
      text.style.left = `${map.project([x, middle.lat]).x}px`;
      return text;
    }),
    ...parallels.map((y) => {
      const text = make('span', { class: 'parallel' }, degreeText(y, 'NS', parallels[1]! - parallels[0]!));
      const top = map.project([middle.lng, y]).y;
      text.style.top = `${top}px`;
      text.hidden = top < 24 || top > height - 24;
      return text;
    }),
  ];
  into.replaceChildren(...made);
}
