import { setImmediate } from 'node:timers/promises';
import type { GeographicExtent } from 'hydrofiles/crs';
import { isFloat, type MeshItem, realValues, type Samples, stepCount, timeOf } from 'hydrofiles/data';
import { clockText } from 'hydrofiles/text';
import { type Chosen, FeatureChooser, itemsOf, type MeshElements, TileAreas } from 'hydrofiles/tile-drawing';
import type { Stores } from '../../arrays/stores.ts';
import type { ServedDataset } from '../../datasets/served.queries.ts';
import type { TileDrawing } from '../store/tile-store.ts';
import { type ElementJob, movedBuffers, NUMBERS } from './vector-job.ts';
import {
  extentOfBox,
  keysOf,
  storedAs,
  type TileField,
  type VectorSubject,
  type WantedVectorTile,
} from './vector-subject.ts';

/** Elements of a job that are put together without a pause. */
const PACKED_AT_ONCE = 4000;

/** Tiles of the elements of a mesh: each is a polygon with one attribute an item. */
export class ElementTiles implements VectorSubject {
  readonly layer = 'elements';
  readonly fields: readonly TileField[];
  readonly timeStamps: readonly string[];
  readonly layerIds: readonly number[];
  readonly #elements: MeshElements;
  readonly #dataset: ServedDataset;
  readonly #stores: Stores;

  /** @param stores bounds how many requests read values at a time */
  constructor(elements: MeshElements, dataset: ServedDataset, stores: Stores) {
    this.#elements = elements;
    this.#dataset = dataset;
    this.#stores = stores;
    const { mesh, layers } = elements;
    this.fields = itemsOf(mesh).map(({ item, index, name }) => ({ index, name, type: typeOf(item) }));
    const { time } = mesh;
    this.timeStamps =
      time === undefined ? [] : Array.from({ length: stepCount(time) }, (_, step) => clockText(timeOf(time, step)));
    this.layerIds = layers > 1 ? Array.from({ length: layers }, (_, layer) => layer) : [];
  }

  extent(): Promise<GeographicExtent | undefined> {
    return extentOfBox(this.#elements.box, this.#elements.crs);
  }

  drawing(wanted: WantedVectorTile): TileDrawing {
    return {
      ...storedAs(this.#dataset, this, wanted),
      draw: async (draw, signal) => {
        const job = await this.#stores.reading(() => this.#jobOf(wanted, signal));
        return job && draw(job, { moved: movedBuffers(job) });
      },
    };
  }

  /** Source of the drawing of a tile; undefined if no element lies in the tile. */
  async #jobOf(
    { tile, fields, slice: { step, layer } }: WantedVectorTile,
    signal: AbortSignal,
  ): Promise<ElementJob | undefined> {
    const elements = this.#elements;
    using areas = await TileAreas.create(elements.crs);
    const area = areas.of(tile);
    const chooser = new FeatureChooser(areas.pixel(tile, area.tile, elements.box), false);
    const { leaves, cells } = await elements.touching(layer, area.wanted);
    for await (const some of leaves) {
      signal.throwIfAborted();
      chooser.add(some);
    }
    const { features: chosen, side } = chooser.chosen();
    if (chosen.length === 0) return undefined;
    const chosenCells = Uint32Array.from(chosen, ({ number }) => cells[number]!);
    const values: Float64Array<ArrayBuffer>[] = [];
    for (const { index } of fields) {
      signal.throwIfAborted();
      values.push(await this.#values(index, step, chosenCells));
    }
    return {
      kind: 'elements',
      tile,
      crs: elements.crs,
      layer: { name: this.layer, keys: keysOf(fields), lines: false, side },
      ...(await this.#packed(chosen, chosenCells)),
      values,
    };
  }

  async #packed(chosen: readonly Chosen[], cells: Uint32Array) {
    const numbers = new Float64Array(NUMBERS * chosen.length);
    const coordinates: number[] = [];
    for (const [n, { side, size, coalesced }] of chosen.entries()) {
      // Other requests go on meanwhile.
      if (n % PACKED_AT_ONCE === PACKED_AT_ONCE - 1) await setImmediate();
      const from = coordinates.length;
      coordinates.push(...this.#elements.ring(cells[n]!));
      const id = this.#elements.id(cells[n]!);
      numbers.set([id, from, coordinates.length, side, size, Number(coalesced)], NUMBERS * n);
    }
    return { numbers, coordinates: Float64Array.from(coordinates) };
  }

  /** Values of an item in cells: of nodes the mean of those of the cell, none if one of them has none. */
  async #values(index: number, step: number, cells: Uint32Array): Promise<Float64Array<ArrayBuffer>> {
    const { mesh } = this.#elements;
    const item = mesh.items[index]!;
    const samples = await mesh.values(index, step);
    if (item.location === 'cell') return realAt(samples, cells, item);
    const nodes: number[] = [];
    const ends = Uint32Array.from(cells, (cell) => nodes.push(...this.#elements.corners(cell)));
    const atNodes = realAt(samples, nodes, item);
    return Float64Array.from(ends, (end, n) => {
      const from = n === 0 ? 0 : ends[n - 1]!;
      return atNodes.subarray(from, end).reduce((sum, value) => sum + value, 0) / (end - from);
    });
  }
}

/** Values at some places; NaN for no data. */
function realAt(samples: Samples, places: ArrayLike<number>, item: MeshItem): Float64Array<ArrayBuffer> {
  const picked = samples instanceof Float32Array ? new Float32Array(places.length) : new Float64Array(places.length);
  for (let n = 0; n < places.length; n++) picked[n] = samples[places[n]!]!;
  return Float64Array.from(realValues(picked, item));
}

/** Means of nodes and scaled values are no whole numbers. */
function typeOf({ location, type, scale = 1, offset = 0 }: MeshItem): TileField['type'] {
  const whole = type !== undefined && !isFloat(type) && location === 'cell' && scale === 1 && offset === 0;
  return whole ? 'integer' : 'real';
}
