import type { Map as MapLibreMap, RasterTileSource, VectorTileSource } from 'maplibre-gl';
import type { Preview } from '../../client/api.ts';
import type { PreviewSource } from '../../client/preview.ts';
import { type Colours, Painter } from './colours.ts';
import { hillshade, metresOf } from './hillshade.ts';
import { Particles } from './particles.ts';
import { addLoader, type Load, removeLoader, setTiles, tilesOf } from './tile-loaders.ts';
import { queryOf, type Slice, ValueTiles } from './value-tiles.ts';
import { addArrow, featureLayers, greatestSpeed, overlayLayers } from './vector-styles.ts';

/** What is drawn over the colours. */
export type Overlay = 'arrows' | 'particles' | 'elements' | 'isolines' | 'hillshade';

/** How a dataset is drawn. */
export interface DrawnView extends Slice {
  readonly colours: Colours;
  /** 0 to 1. */
  readonly opacity: number;
  readonly overlays: readonly Overlay[];
}

let made = 0;

const empty = () => createImageBitmap(new OffscreenCanvas(1, 1));
/** Layers of vector tiles that overlays need: particles drift along the arrows. */
const vectorLayersOf = (overlays: readonly Overlay[]): string[] =>
  [...new Set(overlays.flatMap((one) => (one === 'hillshade' ? [] : one === 'particles' ? 'arrows' : one)))].sort();
const isPicture = ({ colors }: Colours) => colors.length === 0;

/** The layers of one dataset on a map: colours, lines and arrows over them, or features. */
export class DatasetLayers {
  readonly #map: MapLibreMap;
  readonly #preview: Preview;
  readonly #source: PreviewSource;
  readonly #values: ValueTiles;
  readonly #id: string;
  readonly #ids: string[] = [];
  readonly #loaders: string[];
  #view: DrawnView;
  #painter: Painter;
  #particles: Particles | undefined;

  /** @param before id of the layer above it */
  constructor(map: MapLibreMap, source: PreviewSource, preview: Preview, view: DrawnView, before: string | undefined) {
    this.#map = map;
    this.#preview = preview;
    this.#source = source;
    this.#view = view;
    this.#painter = new Painter(isPicture(view.colours) ? { ...view.colours, colors: ['#000', '#fff'] } : view.colours);
    this.#values = new ValueTiles(source);
    this.#id = `data-${++made}`;
    this.#loaders = [addLoader(this.#picture), addLoader(this.#vector), addLoader(this.#shade)];
    map.on('movestart', this.#forget);
    if (preview.tiles?.raster !== undefined) this.#addRaster(before);
    this.#updateShade(before);
    if (preview.tiles?.vector !== undefined) this.#addVector(before);
  }

  /** Ids of its layers, from the lowest. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  readonly #forget = () => this.#values.forgetPlaces();

  readonly #picture: Load = async (key, place, signal) => {
    const { colours, ...slice } = JSON.parse(key) as Slice & { colours: string };
    const wanted = JSON.parse(colours) as Colours;
    if (!isPicture(wanted) && this.#preview.tiles?.values !== undefined) {
      const values = await this.#values.load(place, slice, signal);
      return values === undefined ? empty() : this.#painter.paint(values);
    }
    const [zoom, column, row] = place;
    const answer = await this.#source.tile(zoom, column, `${row}.png`, queryOf(slice), signal);
    return answer === undefined ? empty() : answer.arrayBuffer();
  };

  readonly #vector: Load = async (key, [zoom, column, row], signal) => {
    const query = JSON.parse(key) as Record<string, string>;
    const answer = await this.#source.tile(zoom, column, `${row}.vector.pbf`, query, signal);
    return answer === undefined ? new ArrayBuffer(0) : answer.arrayBuffer();
  };

  /** Heights of the item as light and shadow. */
  readonly #shade: Load = async (key, place, signal) => {
    const slice = JSON.parse(key) as Slice;
    const values = await this.#values.load(place, slice, signal);
    if (values === undefined) return empty();
    const unit = this.#preview.items?.find(({ id }) => id === slice.item)?.unit;
    return createImageBitmap(hillshade(values, place, metresOf(unit) ?? 1));
  };

  #shadeAddress(): string {
    const { item, step, layer } = this.#view;
    return tilesOf(this.#loaders[2]!, { item, step, layer });
  }

  #pictureAddress(): string {
    const { item, step, layer, colours } = this.#view;
    return tilesOf(this.#loaders[0]!, { item, step, layer, colours: JSON.stringify(colours) });
  }

  #vectorAddress(): string {
    const { overlays, colours } = this.#view;
    const { min, max, log, steps } = colours;
    const isFeatures = this.#preview.kind === 'features';
    const query = isFeatures
      ? {}
      : {
          ...queryOf(this.#view),
          layers: vectorLayersOf(overlays).join(','),
          ...(overlays.includes('isolines') && {
            min: String(min),
            max: String(max),
            log: String(log),
            ...(steps !== undefined && { steps: String(steps) }),
          }),
        };
    return tilesOf(this.#loaders[1]!, query);
  }

  #bounds() {
    const { bbox } = this.#preview;
    if (bbox === undefined) return {};
    const [west = -180, south = -90, east = 180, north = 90] = bbox;
    const wraps = west > east;
    const [low, high] = [Math.max(-85.0511, south), Math.min(85.0511, north)];
    const bounds: [number, number, number, number] = wraps ? [-180, low, 180, high] : [west, low, east, high];
    return { bounds };
  }

  /** The field whose numbers colour features; undefined without one. */
  #field(): string | undefined {
    const { item, colours } = this.#view;
    const field = this.#preview.items?.find(({ id }) => id === item);
    return field?.min === undefined || isPicture(colours) ? undefined : field.name;
  }

  #add(layer: Parameters<MapLibreMap['addLayer']>[0], before: string | undefined): void {
    this.#map.addLayer(layer, before);
    this.#ids.push(layer.id);
  }

  #addRaster(before: string | undefined): void {
    const source = `${this.#id}-raster`;
    this.#map.addSource(source, {
      type: 'raster',
      tiles: [this.#pictureAddress()],
      tileSize: 256,
      maxzoom: this.#preview.deepest ?? 22,
      ...this.#bounds(),
    });
    const paint = {
      'raster-opacity': this.#view.opacity,
      'raster-fade-duration': 0,
      // a pixel is a value: nobody must take smoothing for detail
      'raster-resampling': 'nearest',
    } as const;
    this.#add({ id: source, type: 'raster', source, paint }, before);
  }

  #addVector(before: string | undefined): void {
    const source = `${this.#id}-vector`;
    const isFeatures = this.#preview.kind === 'features';
    if (!isFeatures && vectorLayersOf(this.#view.overlays).length === 0) return;
    this.#map.addSource(source, {
      type: 'vector',
      tiles: [this.#vectorAddress()],
      maxzoom: Math.min(22, this.#preview.deepest ?? 22),
      ...this.#bounds(),
    });
    if (!isFeatures) addArrow(this.#map);
    const layers = isFeatures
      ? featureLayers(source, this.#field(), this.#view)
      : overlayLayers(source, greatestSpeed(this.#preview));
    for (const layer of layers) this.#add(layer, before);
    if (!isFeatures) this.#updateFlow();
  }

  /** Arrows, particles along them, or both. */
  #updateFlow(): void {
    const source = `${this.#id}-vector`;
    const { overlays } = this.#view;
    const visibility = overlays.includes('arrows') ? 'visible' : 'none';
    this.#map.setLayoutProperty(`${source}-arrows`, 'visibility', visibility);
    if (overlays.includes('particles'))
      this.#particles ??= new Particles(
        this.#map,
        source,
        Math.min(22, this.#preview.deepest ?? 22),
        greatestSpeed(this.#preview),
      );
    else this.#endParticles();
  }

  #endParticles(): void {
    this.#particles?.remove();
    this.#particles = undefined;
  }

  #updateShade(before: string | undefined): void {
    const id = `${this.#id}-shade`;
    const { overlays, opacity } = this.#view;
    const source = this.#map.getSource<RasterTileSource>(id);
    if (!overlays.includes('hillshade')) {
      if (source !== undefined) this.#removeSource(id);
      return;
    }
    if (source !== undefined) {
      const address = this.#shadeAddress();
      setTiles(source, address);
      return void this.#map.setPaintProperty(id, 'raster-opacity', opacity);
    }
    // two levels below are those at which a cell is about a pixel: closer, its border would be a cliff
    const maxzoom = Math.max(0, (this.#preview.deepest ?? 22) - 2);
    const common = { type: 'raster', tileSize: 256, maxzoom, ...this.#bounds() } as const;
    this.#map.addSource(id, { ...common, tiles: [this.#shadeAddress()] });
    const paint = { 'raster-opacity': opacity, 'raster-fade-duration': 0, 'raster-resampling': 'linear' } as const;
    const above = this.#ids.find((one) => one.startsWith(`${this.#id}-vector`)) ?? before;
    this.#add({ id, type: 'raster', source: id, paint }, above);
    // lines lie above it
    this.#ids.sort((one, other) => rankOf(one) - rankOf(other));
  }

  /** Shows another view. The old tiles stay until the new ones are there. */
  update(view: DrawnView, before: string | undefined): void {
    const old = this.#view;
    this.#view = view;
    if (JSON.stringify(old) === JSON.stringify(view)) return;
    if (!isPicture(view.colours)) this.#painter = new Painter(view.colours);
    const raster = this.#map.getSource<RasterTileSource>(`${this.#id}-raster`);
    const isOther = (['item', 'step', 'layer', 'colours'] as const).some(
      (name) => JSON.stringify(old[name]) !== JSON.stringify(view[name]),
    );
    if (raster !== undefined) {
      if (isOther) raster.setTiles([this.#pictureAddress()]);
      this.#map.setPaintProperty(`${this.#id}-raster`, 'raster-opacity', view.opacity);
    }
    this.#updateShade(before);
    const name = `${this.#id}-vector`;
    const vector = this.#map.getSource<VectorTileSource>(name);
    if (vector === undefined) {
      if (this.#preview.tiles?.vector !== undefined) this.#addVector(before);
    } else if (this.#preview.kind === 'features') {
      for (const { id, paint } of featureLayers(name, this.#field(), view))
        for (const [property, value] of Object.entries(paint ?? {}))
          this.#map.setPaintProperty(id, property as 'fill-color', value);
    } else if (vectorLayersOf(view.overlays).length === 0) this.#removeSource(name);
    else {
      const address = this.#vectorAddress();
      setTiles(vector, address);
      this.#updateFlow();
    }
  }

  /** Lines have the colours of light or dark. */
  recolour(before: string | undefined): void {
    const source = `${this.#id}-vector`;
    if (this.#map.getSource(source) === undefined) return;
    this.#removeSource(source);
    this.#addVector(before);
  }

  #removeSource(source: string): void {
    if (source.endsWith('-vector')) this.#endParticles();
    for (const id of this.#ids.filter((one) => one.startsWith(source))) {
      this.#map.removeLayer(id);
      this.#ids.splice(this.#ids.indexOf(id), 1);
    }
    this.#map.removeSource(source);
  }

  /** The value of the view at a place; undefined where there are none. */
  async valueAt(point: readonly [number, number], signal: AbortSignal): Promise<number | undefined> {
    if (this.#preview.tiles?.values === undefined || isPicture(this.#view.colours)) return undefined;
    const zoom = Math.max(0, Math.min(this.#preview.deepest ?? 22, Math.round(this.#map.getZoom() + 1)));
    return this.#values.valueAt(point, zoom, this.#view, signal);
  }

  /** Loads what another step needs in this view. */
  async prefetch(step: number, signal: AbortSignal): Promise<void> {
    if (this.#preview.tiles?.values === undefined || isPicture(this.#view.colours)) return;
    await this.#values.prefetch({ ...this.#view, step }, signal);
  }

  remove(): void {
    this.#map.off('movestart', this.#forget);
    this.#endParticles();
    for (const id of this.#ids.toReversed()) this.#map.removeLayer(id);
    for (const kind of ['raster', 'shade', 'vector'])
      if (this.#map.getSource(`${this.#id}-${kind}`)) this.#map.removeSource(`${this.#id}-${kind}`);
    for (const loader of this.#loaders) removeLoader(loader);
  }
}

const rankOf = (id: string): number => (id.endsWith('-raster') ? 0 : id.endsWith('-shade') ? 1 : 2);
