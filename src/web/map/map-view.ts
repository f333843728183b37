import {
  addProtocol,
  Map as MapLibreMap,
  type MapMouseEvent,
  Marker,
  NavigationControl,
  ScaleControl,
} from 'maplibre-gl';
import { isAbort } from './api.ts';
import { type Basemap, colourWorld } from './basemap.ts';
import { cssColour, element } from './dom.ts';
import { addGraticule } from './graticule.ts';

export type Point = readonly [longitude: number, latitude: number];
export type Box = readonly [west: number, south: number, east: number, north: number];

export interface StartView {
  readonly zoom?: number;
  readonly latitude?: number;
  readonly longitude?: number;
}

type Load = (
  place: readonly [zoom: number, x: number, y: number],
  key: string,
  signal: AbortSignal,
) => Promise<ArrayBuffer | ImageBitmap>;

const PROTOCOL = 'platform';

/** Lets sources ask the page for their tiles, so that requests carry its token or signature. */
export function serveTiles(load: Load): void {
  addProtocol(PROTOCOL, async ({ url }, controller) => {
    const [key = '', zoom, x, y] = url.slice(PROTOCOL.length + 3).split('/');
    return { data: await load([Number(zoom), Number(x), Number(y)], decodeURIComponent(key), controller.signal) };
  });
}

/** Address of tiles for a source. Another key makes the map load the tiles again. */
export const tileAddress = (key: string): string => `${PROTOCOL}://${encodeURIComponent(key)}/{z}/{x}/{y}`;

export interface MapOptions {
  readonly basemap: Basemap;
  readonly start: StartView;
  /** Extent of the data. */
  readonly box: Box | undefined;
  onError(this: void, error: unknown): void;
}

/** A base map, on which data are shown. @throws Error without WebGL */
export function openMap({ basemap, start, box, onError }: MapOptions): MapLibreMap {
  const known = start.zoom !== undefined && start.latitude !== undefined && start.longitude !== undefined;
  const map = new MapLibreMap({
    container: element('map'),
    style: basemap.style,
    ...(known
      ? { zoom: start.zoom!, center: [start.longitude!, start.latitude!] }
      : { bounds: fitted(box ?? [-180, -70, 180, 75]), fitBoundsOptions: { padding: paddingOf() } }),
    maxZoom: 22,
    attributionControl: basemap.attribution === undefined ? false : { customAttribution: basemap.attribution },
    dragRotate: false,
    pitchWithRotate: false,
    rollEnabled: false,
    touchPitch: false,
    fadeDuration: 0,
    cancelPendingTileRequestsWhileZooming: true,
    refreshExpiredTiles: false,
    locale: { 'Map.Title': 'Map. Arrow keys move it, plus and minus zoom, Enter reads the value in the middle.' },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new ScaleControl({ maxWidth: 120 }), 'bottom-right');
  map.on('error', ({ error }) => {
    if (!isAbort(error)) onError(error);
  });
  addGraticule(map);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colourWorld(map));
  return map;
}

/** Space for the panel beside or below the data. */
function paddingOf() {
  const narrow = matchMedia('(max-width: 40rem)').matches;
  return narrow ? { top: 130, bottom: 110, left: 20, right: 20 } : { top: 40, bottom: 120, left: 340, right: 60 };
}

function fitted([west, south, east, north]: Box): [number, number, number, number] {
  const within = (latitude: number) => Math.min(85, Math.max(-85, latitude));
  return [west, within(south), east, within(north)];
}

export function showWhole(map: MapLibreMap, box: Box): void {
  map.fitBounds(fitted(box), { padding: paddingOf(), animate: !isStill() });
}

/** Whether the reader asks for less motion. */
export const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The outline of the data. */
export function showOutline(map: MapLibreMap, [west, south, east, north]: Box): void {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  map.addSource('outline', {
    type: 'geojson',
    data: { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: ring } },
  });
  map.addLayer({
    id: 'outline',
    type: 'line',
    source: 'outline',
    paint: { 'line-color': cssColour('--accent'), 'line-width': 1.5, 'line-dasharray': [4, 3] },
  });
}

/** The mark of the place whose values are shown. */
export function placeMark(map: MapLibreMap): (point: Point | undefined) => void {
  const mark = document.createElement('div');
  mark.className = 'mark';
  mark.setAttribute('aria-hidden', 'true');
  const marker = new Marker({ element: mark });
  return (point) => {
    if (point === undefined) marker.remove();
    else marker.setLngLat([point[0], point[1]]).addTo(map);
    // the marker calls itself a button, which it is not
    for (const name of ['role', 'aria-label', 'tabindex']) mark.removeAttribute(name);
  };
}

/** Calls with the place under the mouse, `undefined` when it leaves, at most once a frame. */
export function onHover(map: MapLibreMap, show: (point: Point | undefined, event?: MapMouseEvent) => void): void {
  let waiting: MapMouseEvent | undefined;
  map.on('mousemove', (event) => {
    if (waiting === undefined)
      requestAnimationFrame(() => {
        const last = waiting;
        waiting = undefined;
        if (last !== undefined) show([last.lngLat.lng, last.lngLat.lat], last);
      });
    waiting = event;
  });
  map.on('mouseout', () => {
    waiting = undefined;
    show(undefined);
  });
}
