import { type GeoJSONSource, Map as MapLibreMap, Marker, ScaleControl } from 'maplibre-gl';
import type { Preview } from '../../client/api.ts';
import type { PreviewSource } from '../../client/preview.ts';
import { colourWorld, readBasemap } from '../basemap.ts';
import { cssColour } from '../dom.ts';
import { addLayersBelow, type LayersBelow } from '../layers-below.ts';
import { tilesShown } from '../raster-layer.ts';
import { DatasetLayers, type DrawnView } from './dataset-layers.ts';
import { fitted, paddingOf } from './framing.ts';

export type Point = readonly [longitude: number, latitude: number];
export type Box = readonly [west: number, south: number, east: number, north: number];

export interface ShownData {
  /** Unique on the map, for a dataset that is drawn twice; absent: the id of its source. */
  readonly key?: string;
  readonly source: PreviewSource;
  readonly preview: Preview;
  readonly view: DrawnView;
  /** Another one has other tiles. */
  readonly version?: string | undefined;
}

export interface Center {
  readonly zoom: number;
  readonly latitude: number;
  readonly longitude: number;
}

interface MapOptions {
  /** Address of the platform, with a slash at its end. */
  readonly base: string;
  readonly start: Center | undefined;
  readonly box: Box | undefined;
  readonly label: string;
  /** Ends the map, also while it opens. */
  readonly signal: AbortSignal;
  onMove(center: Center): void;
  onClick(point: Point): void;
  onHover(point: Point | undefined): void;
  onError(error: unknown): void;
}

const LINE = 'drawn-line';

/** A map of datasets in an element of a page. */
export class PreviewMap {
  readonly #map: MapLibreMap;
  readonly #layers = new Map<string, { readonly layers: DatasetLayers; readonly version: string | undefined }>();
  readonly #ended = new AbortController();
  readonly #onError: (error: unknown) => void;
  #below: LayersBelow | undefined;
  #marker: Marker | undefined;

  private constructor(map: MapLibreMap, onError: (error: unknown) => void) {
    this.#map = map;
    this.#onError = onError;
  }

  /** @throws Error without WebGL */
  static async open(container: HTMLElement, options: MapOptions): Promise<PreviewMap> {
    const { base, start, box, label, signal, onMove, onClick, onHover, onError } = options;
    const basemap = await readBasemap(base, onError);
    signal.throwIfAborted();
    const map = new MapLibreMap({
      container,
      style: basemap.style,
      ...(start === undefined
        ? { bounds: fitted(box ?? [-180, -60, 180, 75]), fitBoundsOptions: { padding: paddingOf(container) } }
        : { zoom: start.zoom, center: [start.longitude, start.latitude] as [number, number] }),
      maxZoom: 22,
      attributionControl: basemap.attribution === undefined ? false : { customAttribution: basemap.attribution },
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      rollEnabled: false,
      fadeDuration: 0,
      refreshExpiredTiles: false,
      locale: { 'Map.Title': label },
    });
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    map.addControl(new ScaleControl({ maxWidth: 100 }), 'bottom-right');
    map.on('error', ({ error }) => {
      if (!(error instanceof DOMException && (error as DOMException).name === 'AbortError')) onError(error);
    });
    map.on('moveend', () => {
      const { lng: longitude, lat: latitude } = map.getCenter();
      onMove({ zoom: map.getZoom(), latitude, longitude });
    });
    map.on('click', ({ lngLat }) => onClick([lngLat.lng, lngLat.lat]));
    map.on('mousemove', ({ lngLat }) => {
      // who drags the map does not read values
      if (!map.isMoving()) onHover([lngLat.lng, lngLat.lat]);
    });
    map.on('mouseout', () => onHover(undefined));
    skipSky(map);
    const made = new PreviewMap(map, onError);
    signal.addEventListener('abort', () => made.#remove(), { once: true });
    await new Promise<void>((resolve, reject) => {
      map.once('load', () => resolve());
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    made.#addLine();
    return made;
  }

  get map(): MapLibreMap {
    return this.#map;
  }

  get center(): Point {
    const { lng, lat } = this.#map.getCenter();
    return [lng, lat];
  }

  /** Draws these datasets, the last one on top. */
  show(data: readonly ShownData[]): void {
    const versions = new Map(data.map((one) => [keyOf(one), one.version]));
    for (const [id, { version }] of this.#layers) if (!versions.has(id) || versions.get(id) !== version) this.#drop(id);
    const before = this.#before;
    for (const one of data) {
      const { source, preview, view, version } = one;
      const known = this.#layers.get(keyOf(one));
      if (known !== undefined) known.layers.update(view, before);
      else {
        const layers = new DatasetLayers(this.#map, source, preview, view, before);
        this.#layers.set(keyOf(one), { layers, version });
      }
    }
    this.#order(data.map(keyOf));
    const below = data.find(({ source }) => source.below !== undefined)?.source.below;
    if (this.#below !== undefined || below === undefined) return;
    // those of the operator are the same below each dataset
    this.#below = below;
    addLayersBelow(this.#map, below, () => this.#lowest, this.#ended.signal).catch((error: unknown) => {
      if (!this.#ended.signal.aborted) this.#onError(error);
    });
  }

  /** The lowest layer of data, or what lies above all data. */
  get #lowest(): string {
    const ids = [...this.#layers.values()].flatMap(({ layers }) => layers.ids);
    return this.#map.getLayersOrder().find((id) => ids.includes(id)) ?? this.#before;
  }

  /** Moves the layers of datasets that are not where they should be. @param keys from the lowest */
  #order(keys: readonly string[]): void {
    const wanted = keys.flatMap((key) => this.#layers.get(key)?.layers.ids ?? []);
    const present = this.#map.getLayersOrder().filter((id) => wanted.includes(id));
    if (present.join() !== wanted.join()) for (const id of wanted) this.#map.moveLayer(id, this.#before);
  }

  /** Data lie below the names of countries. */
  get #before(): string {
    return this.#map.getLayer('names') === undefined ? LINE : 'names';
  }

  #drop(id: string): void {
    this.#layers.get(id)?.layers.remove();
    this.#layers.delete(id);
  }

  async valueAt(key: string, point: Point, signal: AbortSignal): Promise<number | undefined> {
    return this.#layers.get(key)?.layers.valueAt(point, signal);
  }

  /** Loads what other steps need in this view. @param steps by key */
  async prefetch(steps: ReadonlyMap<string, number>): Promise<void> {
    const { signal } = this.#ended;
    await Promise.all([...steps].map(([key, step]) => this.#layers.get(key)?.layers.prefetch(step, signal)));
  }

  /** Resolves when the tiles of the view are drawn. */
  shown(): Promise<void> {
    return tilesShown(this.#map);
  }

  zoom(by: number): void {
    this.#map.zoomTo(this.#map.getZoom() + by, { animate: !isStill() });
  }

  whole(box: Box): void {
    const padding = paddingOf(this.#map.getContainer());
    this.#map.fitBounds(fitted(box), { padding, animate: !isStill() });
  }

  mark(point: Point | undefined): void {
    if (point === undefined) {
      this.#marker?.remove();
      this.#marker = undefined;
      return;
    }
    const element = document.createElement('div');
    element.className = 'map-mark';
    this.#marker ??= new Marker({ element });
    this.#marker.setLngLat([point[0], point[1]]).addTo(this.#map);
    // the marker calls itself a button, which it is not
    for (const name of ['role', 'aria-label', 'tabindex']) this.#marker.getElement().removeAttribute(name);
  }

  #addLine(): void {
    this.#map.addSource(LINE, { type: 'geojson', data: lineOf([]) });
    this.#map.addLayer({
      id: LINE,
      type: 'line',
      source: LINE,
      // a layer that is hidden costs no mask for its tiles in each picture
      layout: { 'line-cap': 'round', 'line-join': 'round', visibility: 'none' },
      paint: { 'line-color': cssColour('--map-chosen'), 'line-width': 3 },
    });
    this.#map.addLayer({
      id: `${LINE}-ends`,
      type: 'circle',
      source: LINE,
      layout: { visibility: 'none' },
      paint: { 'circle-color': cssColour('--map-chosen'), 'circle-radius': 4 },
    });
  }

  /** Draws the line of a profile. */
  line(points: readonly Point[]): void {
    this.#map.getSource<GeoJSONSource>(LINE)?.setData(lineOf(points));
    const visibility = points.length > 0 ? 'visible' : 'none';
    for (const id of [LINE, `${LINE}-ends`]) this.#map.setLayoutProperty(id, 'visibility', visibility);
  }

  /** A picture of the map as it is shown. */
  picture(): Promise<HTMLCanvasElement> {
    return new Promise((resolve) => {
      this.#map.once('render', () => {
        const from = this.#map.getCanvas();
        const copy = document.createElement('canvas');
        copy.width = from.width;
        copy.height = from.height;
        copy.getContext('2d')!.drawImage(from, 0, 0);
        resolve(copy);
      });
      this.#map.triggerRepaint();
    });
  }

  /** The reader has chosen light or dark. */
  recolour(): void {
    colourWorld(this.#map);
    for (const { layers } of this.#layers.values()) layers.recolour(this.#before);
  }

  /** Frees the WebGL context, and aborts requests for tiles. */
  #remove(): void {
    this.#ended.abort();
    for (const id of [...this.#layers.keys()]) this.#drop(id);
    this.#map.remove();
  }
}

const keyOf = ({ key, source }: ShownData): string => key ?? source.id;

const lineOf = (points: readonly Point[]) => ({
  type: 'FeatureCollection' as const,
  features: [
    ...(points.length > 1
      ? [
          {
            type: 'Feature' as const,
            properties: {},
            geometry: { type: 'LineString' as const, coordinates: points.map(([x, y]) => [x, y]) },
          },
        ]
      : []),
    ...points.map(([x, y]) => ({
      type: 'Feature' as const,
      properties: {},
      geometry: { type: 'Point' as const, coordinates: [x, y] },
    })),
  ],
});

/**
 * MapLibre draws a transparent sky over the whole picture of a map that is seen from above: in software WebGL half of
 * the time of a picture.
 */
function skipSky({ painter }: MapLibreMap): void {
  painter.drawFunctions.sky = () => {};
}

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
