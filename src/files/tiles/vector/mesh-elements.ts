import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { distinctName } from '../../data/distinct-name.ts';
import { loadOnce } from '../../data/load-once.ts';
import { areaShapes, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { cellLayers, footprints, type MeshCells } from '../../data/mesh-columns.ts';
import { ConversionError } from '../../errors.ts';
import type { Leaves } from '../../formats/io/flatgeobuf/index-search.ts';
import type { Area } from '../../formats/io/flatgeobuf/schema.ts';
import { describeCrs, type KnownCrs } from '../../geo/crs/crs.ts';
import { Boxes } from '../../geo/vector/spatial-order.ts';

/** Layers of a mesh whose boxes are in memory. */
const mostLayers = 4;
const cellsAtOnce = 20_000;
/** Numbers of a box in `Leaves`. */
const numbersABox = 5;

/** Cells along a Hilbert curve. */
interface Layer {
  readonly cells: Uint32Array;
  readonly boxes: Float64Array;
}

/** The elements of a mesh that cover an area, by layer, with their boxes. */
export class MeshElements {
  readonly mesh: Mesh;
  /** Name of this version of the content. */
  readonly blob: string;
  readonly crs: KnownCrs;
  readonly layers: number;
  /** Bounding box of all nodes. */
  readonly box: Area;
  readonly #flat: MeshCells;
  readonly #layerOf: Int32Array | undefined;
  readonly #kept = new LRUCache<number, Promise<Layer>>({ max: mostLayers });
  #ownIds: boolean | undefined;

  private constructor(mesh: Mesh, blob: string, crs: KnownCrs) {
    this.mesh = mesh;
    this.blob = blob;
    this.crs = crs;
    this.#flat = footprints(mesh);
    const { count, of } = cellLayers(mesh);
    this.layers = count;
    this.#layerOf = of;
    this.box = boxOf(mesh.nodes, 3);
  }

  /** @throws ConversionError for a mesh that covers no area of the earth */
  static async of(mesh: Mesh, blob: string): Promise<MeshElements> {
    const refuse = (sentence: string) => new ConversionError(sentence);
    if (mesh.located === false || mesh.section !== undefined)
      throw refuse('The mesh covers no area of the earth, so it has no tiles.');
    if (mesh.crs === undefined) throw refuse('The mesh has no coordinate system, so it has no tiles.');
    const elements = new MeshElements(mesh, blob, await describeCrs(mesh.crs));
    if (!elements.#flat.shapes.some((shape) => areaShapes.has(shape)))
      throw refuse('The mesh has no triangles or quadrilaterals, so it has no tiles.');
    return elements;
  }

  /**
   * The elements of a layer that touch areas, numbered along the curve, some at a time, and the cell of each number.
   */
  async touching(
    layer: number,
    areas: readonly Area[],
  ): Promise<{ leaves: AsyncGenerator<Leaves>; cells: Uint32Array }> {
    const { cells, boxes } = await this.#layer(layer);
    return { leaves: touchingLeaves(boxes, areas), cells };
  }

  /** The nodes of a cell. */
  corners(cell: number): Uint32Array {
    const { connectivity, offsets } = this.#flat;
    return connectivity.subarray(offsets[cell]!, offsets[cell + 1]!);
  }

  /** x and y of the nodes of a cell; longitudes lie within half a turn of the first one. */
  ring(cell: number): number[] {
    const { nodes } = this.mesh;
    const ring: number[] = [];
    const turn = this.crs.geographic ? (2 * Math.PI) / this.crs.unit.factor : 0;
    for (const node of this.corners(cell)) {
      const x = nodes[3 * node]!;
      const first = ring[0] ?? x;
      ring.push(turn === 0 ? x : x - turn * Math.round((x - first) / turn), nodes[3 * node + 1]!);
    }
    return ring;
  }

  /** Id of a cell: the number in the file if all have one of their own, else the number from 1. */
  id(cell: number): number {
    const { cellIds } = this.mesh;
    if (cellIds === undefined) return cell + 1;
    this.#ownIds ??= cellIds.every((id) => id >= 0) && new Set(cellIds).size === cellIds.length;
    return this.#ownIds ? cellIds[cell]! : cell + 1;
  }

  #layer(layer: number): Promise<Layer> {
    return loadOnce(this.#kept, layer, () => this.#make(layer));
  }

  async #make(layer: number): Promise<Layer> {
    const { shapes } = this.#flat;
    const own: number[] = [];
    const unordered = new Boxes();
    for (let cell = 0; cell < shapes.length; cell++) {
      // Other requests go on meanwhile.
      if (cell % cellsAtOnce === cellsAtOnce - 1) await setImmediate();
      if (!areaShapes.has(shapes[cell]!) || (this.#layerOf?.[cell] ?? layer) !== layer) continue;
      own.push(cell);
      const { west, south, east, north } = boxOf(this.ring(cell), 2);
      unordered.add(west, south, east, north);
    }
    const ordering = unordered.ordering();
    let order = ordering.next();
    for (; !order.done; order = ordering.next()) await setImmediate();
    const boxes = new Float64Array(numbersABox * own.length);
    for (const [n, at] of order.value.entries()) {
      if (n % cellsAtOnce === cellsAtOnce - 1) await setImmediate();
      unordered.copy(at, boxes, numbersABox * n);
    }
    return { cells: order.value.map((n) => own[n]!), boxes };
  }
}

async function* touchingLeaves(boxes: Float64Array, areas: readonly Area[]): AsyncGenerator<Leaves> {
  const found = (at: number) => {
    const [west, south, east, north] = boxes.subarray(at, at + 4) as unknown as [number, number, number, number];
    return { number: at / numbersABox, offset: 0, end: 0, box: { west, south, east, north } };
  };
  for (let from = 0; from < boxes.length; from += numbersABox * cellsAtOnce) {
    // Other requests go on meanwhile.
    if (from > 0) await setImmediate();
    const touched: number[] = [];
    const end = Math.min(boxes.length, from + numbersABox * cellsAtOnce);
    for (let at = from; at < end; at += numbersABox)
      for (const { west, south, east, north } of areas)
        if (boxes[at]! <= east && boxes[at + 2]! >= west && boxes[at + 1]! <= north && boxes[at + 3]! >= south) {
          touched.push(at);
          break;
        }
    yield { touched, boxes, found };
  }
}

/** The box of places, of each of which some numbers follow each other, x and y first. */
function boxOf(places: ArrayLike<number>, stride: number): Area {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < places.length; at += stride) {
    west = Math.min(west, places[at]!);
    south = Math.min(south, places[at + 1]!);
    east = Math.max(east, places[at]!);
    north = Math.max(north, places[at + 1]!);
  }
  return { west, south, east, north };
}

/** Items with one value for each place, and their names, which differ. */
export function itemsOf({ items }: Mesh): { item: MeshItem; index: number; name: string }[] {
  const taken = new Set<string>();
  return items.flatMap((item, index) => {
    if (item.components !== undefined) return [];
    return { item, index, name: distinctName(item.name || `Item ${index + 1}`, taken, ' ') };
  });
}
