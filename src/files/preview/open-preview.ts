import type { FeatureCollection } from '../data/feature-collection.ts';
import { type Grid, layersOf } from '../data/grid.ts';
import { Once } from '../data/load-once.ts';
import type { Mesh } from '../data/mesh.ts';
import type { MultiArray } from '../data/multi-array.ts';
import type { Series } from '../data/series.ts';
import { stepsOf } from '../data/time-axis.ts';
import { ConversionError, FormatError, RequestError } from '../errors.ts';
import { geoTiffReader } from '../formats/geotiff/format.ts';
import { readOverviews } from '../formats/geotiff/read-overviews.ts';
import { describeDrawn } from './describe.ts';
import { describeArray, describeSeries } from './describe-values.ts';
import type { DrawnData } from './drawn-data.ts';
import { describeFeatures } from './features/describe-features.ts';
import { type IndexedFeatures, indexFeatures } from './features/indexed-features.ts';
import { keptSeries } from './kept-series.ts';
import { itemNumber, itemsOf, refused, stepNumber } from './numbers/choose.ts';
import { type OpenInputOptions, openInput, type ReadInput } from './open-input.ts';
import {
  OWN_COLOURS,
  type PreviewDescription,
  type PreviewInput,
  type PreviewTile,
  type PreviewVectorTile,
} from './preview.ts';
import { arrayAsDrawn } from './raster/array-as-drawn.ts';
import { drawRasterTile } from './raster/draw-tile.ts';
import { MOST_CELLS } from './raster/grid-levels.ts';
import { gridRaster } from './raster/grid-raster.ts';
import { meshRaster } from './raster/mesh-raster.ts';
import type { Raster } from './raster/raster.ts';
import { drawVectorTile } from './vector/draw-vector-tile.ts';
import { drawFeatures } from './vector/features.ts';

/** What tiles are drawn of, or why there are none. */
type Drawn = { readonly raster: Raster; readonly reason?: undefined } | { readonly raster?: undefined; reason: string };

/** Opened data that can be described and drawn. */
export class OpenPreview implements AsyncDisposable {
  /** Arrays with a placement are a grid or a mesh of the items that have a value in each cell. */
  readonly data: Grid | Mesh | FeatureCollection | Series | MultiArray;
  readonly #input: ReadInput;
  readonly #overview: Grid | undefined;
  readonly #open: AsyncDisposableStack;
  // a job that is cancelled while it reads ends none of those after it
  readonly #drawn = new Once<Drawn>();
  readonly #indexed = new Once<IndexedFeatures>();
  readonly #description = new Once<PreviewDescription>();

  private constructor(
    data: OpenPreview['data'],
    { input, overview, open }: { input: ReadInput; overview: Grid | undefined; open: AsyncDisposableStack },
  ) {
    this.data = data;
    this.#input = input;
    this.#overview = overview;
    this.#open = open;
  }

  /**
   * @param options folder for temporary files; a signal that ends reading
   * @throws FormatError for malformed content, ConversionError for content that has no preview
   */
  static async open(input: PreviewInput, options: OpenInputOptions): Promise<OpenPreview> {
    const open = new AsyncDisposableStack();
    try {
      const read = await openInput(input, options, open);
      const data = read.data.kind === 'series' ? keptSeries(read.data) : read.data;
      if (data.kind === 'bytes') throw new ConversionError('There is no preview of a file that is stored as it is.');
      const coarse = input.overview && (await openInput({ ...input.overview, kind: 'store' }, options, open)).data;
      return new OpenPreview(data.kind === 'array' ? (arrayAsDrawn(data) ?? data) : data, {
        input: read,
        overview: coarse?.kind === 'grid' ? coarse : undefined,
        open,
      });
    } catch (error) {
      await open.disposeAsync();
      throw error;
    }
  }

  describe(): Promise<PreviewDescription> {
    return this.#description.get(() => this.#describe());
  }

  async #describe(): Promise<PreviewDescription> {
    const { data } = this;
    const { signal } = this.#input.context;
    if (data.kind === 'features') return describeFeatures(data, () => this.indexed(data), signal);
    if (data.kind === 'series') return describeSeries(data, signal);
    if (data.kind === 'array') return describeArray(data);
    const { raster, reason } = await this.#raster(data);
    return describeDrawn(data, raster, reason);
  }

  /** The features in a FlatGeobuf with a spatial index, which is made at the first call unless the input is one. */
  indexed(features: FeatureCollection): Promise<IndexedFeatures> {
    return this.#indexed.get(() => indexFeatures(features, this.#input));
  }

  /**
   * Draws a tile of a grid or mesh. Undefined for one without data.
   * @param throwIfCancelled called between parts of the work
   * @throws RequestError for an item, step, layer or colours that the data do not have
   * @throws ConversionError if there are no tiles
   */
  async drawTile(tile: PreviewTile, throwIfCancelled: () => void): Promise<Uint8Array | undefined> {
    const { data, raster, step, layer } = await this.#slice(tile, 'raster tiles');
    const item = findItem(data, raster, tile);
    return drawRasterTile(raster, tile, { item, step, layer }, throwIfCancelled);
  }

  /**
   * Draws a vector tile, gzipped. Undefined for one in which nothing lies.
   * @param throwIfCancelled called between parts of the work
   * @throws RequestError for an item, step, layer or levels that the data do not have
   * @throws ConversionError if there are no tiles
   */
  async drawVectorTile(tile: PreviewVectorTile, throwIfCancelled: () => void): Promise<Uint8Array | undefined> {
    if (this.data.kind === 'features') {
      const number = { level: tile.z, column: tile.x, row: tile.y };
      return drawFeatures(this.data, await this.indexed(this.data), number, throwIfCancelled);
    }
    const { data, raster, step, layer } = await this.#slice(tile, 'isolines, arrows or elements');
    const items = data.kind === 'grid' ? data.bands : data.items;
    const isEmpty = !items.some((_, n) => raster.hasValues(n));
    const item = isEmpty ? undefined : (findItem(data, raster, { item: tile.item, format: 'values' }) as number);
    return drawVectorTile(
      { raster, crs: data.crs!, items, ...affineMember(data) },
      tile,
      { item, step, layer },
      throwIfCancelled,
    );
  }

  /** The data of a tile, its step and layer. */
  async #slice(tile: Pick<PreviewTile, 'step' | 'layer'>, what: string) {
    const { data } = this;
    if (data.kind !== 'grid' && data.kind !== 'mesh') throw refused(data, what);
    const { raster, reason } = await this.#raster(data);
    if (raster === undefined) throw new ConversionError(reason);
    const { layer } = tile;
    const step = stepNumber(data, tile.step);
    const { layers } = raster;
    if (!(Number.isInteger(layer) && layer >= 0 && layer < layers))
      throw new RequestError(`There is no layer ${layer}. The data have ${layers}, from 0.`);
    return { data, raster, step, layer };
  }

  #raster(data: DrawnData): Promise<Drawn> {
    return this.#drawn.get(() => this.#makeRaster(data));
  }

  async #makeRaster(data: DrawnData): Promise<Drawn> {
    try {
      const raster = await (data.kind === 'grid' ? gridRaster(data, await this.#overviewsOf(data)) : meshRaster(data));
      this.#open.defer(async () => raster.close());
      return { raster };
    } catch (error) {
      // Data without a place on the earth have tables, but no tiles.
      if (error instanceof ConversionError || error instanceof FormatError) return { reason: error.message };
      throw error;
    }
  }

  /** Those of a GeoTIFF, and the overview of the input if it has the slices of the grid. */
  async #overviewsOf(grid: Grid): Promise<readonly Grid[]> {
    const overview = this.#overview;
    const slices = (one: Grid) => [one.bands.length, stepsOf(one), layersOf(one)].join();
    const made = overview !== undefined && slices(overview) === slices(grid) ? [overview] : [];
    const { reader, source, parameters } = this.#input;
    if (reader.name !== geoTiffReader.name || grid.width * grid.height * grid.bands.length <= MOST_CELLS) return made;
    return [...(await readOverviews(source, grid, parameters.Band as number | undefined)), ...made];
  }

  close(): Promise<void> {
    return this.#open.disposeAsync();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const affineMember = (data: DrawnData) => (data.kind === 'grid' ? { affine: data.affine } : {});

/** The item that a tile shows: by its id, or by a name that no other one has. */
function findItem(
  data: DrawnData,
  raster: Raster,
  { item, format }: Pick<PreviewTile, 'item' | 'format'>,
): number | 'colours' {
  if (item === OWN_COLOURS && raster.hasColours) {
    if (format === 'values') throw new RequestError(`'${OWN_COLOURS}' has no values. Choose one of the other items.`);
    return 'colours';
  }
  const number = itemNumber(itemsOf(data), item);
  if (!raster.hasValues(number)) throw new RequestError(`'${item}' has several values per place, which have no tiles.`);
  return number;
}
