import { Box } from '../../data/box.ts';
import { areaShapes, type Mesh } from '../../data/mesh.ts';
import { cellCentres, cellCount } from '../../data/mesh-cells.ts';
import { NumberList } from '../../data/number-list.ts';
import { ConversionError } from '../../errors.ts';
import { cellArea, cellBox } from '../mesh/flat-cells.ts';
import type { Chain } from '../vector/edge-tree.ts';
import { PreparedGeometry } from '../vector/prepared-geometry.ts';
import { areaInTriangle, clipToLeft, type Ring, signedArea } from './clip.ts';
import { SpatialHash, type Tile } from './spatial-hash.ts';
import type { ZoneWeights } from './statistics.ts';

type Cells = Pick<Mesh, 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;

/** Maximum number of elements of all zones together: 12 bytes each. */
const maxEntries = 40_000_000;
/** Parts of an element below this are rounding errors. */
const noise = 1e-12;
/** Rings with more vertices are cut at the middle of a tile before elements are clipped. */
const fewVertices = 24;
const maxDepth = 40;

/** A ring of a polygon; with the sign, outer rings have areas above 0 and holes below. */
interface SignedRing {
  readonly ring: Ring;
  sign: number;
}

/**
 * The elements of a flat mesh in each zone, weighted by area: with `coverage` the area within the zone, with `centre`
 * the whole area of the elements whose centre lies in the zone. Computed once and used for every item and step.
 */
export class ZoneElements {
  /** Number of zones added. */
  count = 0;
  readonly weights: ZoneWeights;
  /** Relative to the lower left corner of the mesh, because large coordinates would cost a small area its digits. */
  readonly #origin: readonly [x: number, y: number];
  readonly #local: Cells;
  readonly #areas: Float64Array;
  readonly #index: SpatialHash;
  readonly #centres: Float64Array | undefined;
  readonly #starts = new NumberList(Uint32Array);
  readonly #elements = new NumberList(Uint32Array);
  readonly #parts = new NumberList(Float64Array);
  /** Area of the present zone in each element. */
  readonly #sums: Float64Array;

  constructor(cells: Cells, weights: ZoneWeights) {
    this.weights = weights;
    const { west, south } = Box.of(cells.nodes, 3);
    this.#origin = [west, south];
    const nodes = cells.nodes.map((value, n) => (n % 3 === 0 ? value - west : n % 3 === 1 ? value - south : value));
    this.#local = { ...cells, nodes };
    const count = cellCount(cells);
    this.#areas = new Float64Array(count);
    const boxes = new Float64Array(4 * count).fill(Number.NaN);
    for (let cell = 0; cell < count; cell++) {
      if (!areaShapes.has(cells.shapes[cell]!)) continue;
      this.#areas[cell] = cellArea(this.#local, cell);
      boxes.set(cellBox(this.#local, cell), 4 * cell);
    }
    this.#index = new SpatialHash(boxes);
    this.#centres = weights === 'centre' ? cellCentres(cells) : undefined;
    this.#sums = new Float64Array(count);
    this.#starts.push(0);
  }

  /**
   * Adds the next zone.
   * @param chains rings in the coordinates of the mesh, the outer ring of each polygon first; none: a zone without
   * elements
   * @throws ConversionError if all zones have too many elements to be held
   */
  add(chains: readonly Chain[]): void {
    this.count++;
    if (chains.length > 0) {
      const box = new Box();
      for (const { xy } of chains) box.add(xy, 2);
      const [x0, y0] = this.#origin;
      const tile: Tile = [box.west - x0, box.south - y0, box.east - x0, box.north - y0];
      const near = this.#index.find(tile);
      if (this.#centres !== undefined) this.#addCentres(chains, near, this.#centres);
      else this.#addAreas(chains, near, tile);
    }
    this.#starts.push(this.#elements.length);
    if (this.#elements.length > maxEntries)
      throw new ConversionError(
        `The first ${this.count} zones have more than ${maxEntries} elements together. Use fewer zones.`,
      );
  }

  #addCentres(chains: readonly Chain[], near: Uint32Array, centres: Float64Array): void {
    const prepared = new PreparedGeometry(chains);
    for (const cell of near)
      if (this.#areas[cell]! > 0 && prepared.covers(centres[3 * cell]!, centres[3 * cell + 1]!)) {
        this.#elements.push(cell);
        this.#parts.push(this.#areas[cell]!);
      }
  }

  #addAreas(chains: readonly Chain[], near: Uint32Array, tile: Tile): void {
    const rings = chains.map(({ xy, polygon }, n): SignedRing => {
      const outer = chains[n - 1]?.polygon !== polygon;
      return { ring: this.#localRing(xy), sign: outer ? 1 : -1 };
    });
    for (const one of rings) if (signedArea(one.ring) < 0) one.sign = -one.sign;
    this.#divide(rings, near, tile, 0);
    for (const cell of near) {
      const part = this.#sums[cell]! / this.#areas[cell]!;
      this.#sums[cell] = 0;
      if (!(part > noise)) continue;
      this.#elements.push(cell);
      this.#parts.push(part > 1 - noise ? this.#areas[cell]! : part * this.#areas[cell]!);
    }
  }

  #localRing(xy: Float64Array): Ring {
    const [x0, y0] = this.#origin;
    const closed = xy.length > 2 && xy[0] === xy.at(-2) && xy[1] === xy.at(-1);
    return xy.subarray(0, closed ? -2 : undefined).map((value, at) => value - (at % 2 === 0 ? x0 : y0));
  }

  /** Adds areas tile by tile: each tile has the part of the rings within it, so a long outline is not clipped often. */
  #divide(rings: readonly SignedRing[], cells: Uint32Array, tile: Tile, depth: number): void {
    const vertices = rings.reduce((sum, { ring }) => sum + ring.length / 2, 0);
    if (vertices === 0 || cells.length === 0) return;
    if (vertices <= fewVertices || cells.length === 1 || depth === maxDepth) {
      for (const cell of cells) this.#sums[cell]! += this.#areaIn(rings, cell);
      return;
    }
    const [west, south, east, north] = tile;
    const across = east - west >= north - south;
    const middle = across ? (west + east) / 2 : (south + north) / 2;
    // From a to b with the lower half on the left.
    const [ax, ay, bx, by] = across ? [middle, south, middle, south + 1] : [west + 1, middle, west, middle];
    const lower = clipped(rings, [ax, ay, bx, by]);
    const upper = clipped(rings, [bx, by, ax, ay]);
    const axis = across ? 0 : 1;
    const [lowerTile, upperTile]: readonly Tile[] = across
      ? [
          [west, south, middle, north],
          [middle, south, east, north],
        ]
      : [
          [west, south, east, middle],
          [west, middle, east, north],
        ];
    this.#divide(lower, this.#index.below(cells, axis, middle), lowerTile!, depth + 1);
    this.#divide(upper, this.#index.above(cells, axis, middle), upperTile!, depth + 1);
  }

  /** Area of the rings within an element: over the fan of its triangles, those that run clockwise with a minus. */
  #areaIn(rings: readonly SignedRing[], cell: number): number {
    const { nodes, connectivity, offsets } = this.#local;
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    const at = (n: number) => 3 * connectivity[n]!;
    let area = 0;
    let direction = 0;
    for (let n = first + 1; n + 1 < end; n++) {
      const [a, b, c] = [at(first), at(n), at(n + 1)];
      const triangle = Float64Array.of(nodes[a]!, nodes[a + 1]!, nodes[b]!, nodes[b + 1]!, nodes[c]!, nodes[c + 1]!);
      const double = signedArea(triangle);
      if (double === 0) continue;
      direction += double;
      if (double < 0) triangle.set([nodes[c]!, nodes[c + 1]!, nodes[b]!, nodes[b + 1]!], 2);
      for (const { ring, sign } of rings) area += Math.sign(double) * sign * areaInTriangle(ring, triangle);
    }
    return direction < 0 ? -area : area;
  }

  /** Elements `elements[starts[zone] … starts[zone + 1] - 1]` of a zone, and their weights. */
  taken(): { readonly starts: Uint32Array; readonly elements: Uint32Array; readonly areas: Float64Array } {
    return { starts: this.#starts.taken(), elements: this.#elements.taken(), areas: this.#parts.taken() };
  }
}

/** The parts of rings left of the line from a to b. */
const clipped = (rings: readonly SignedRing[], [ax, ay, bx, by]: Tile): SignedRing[] =>
  rings.flatMap(({ ring, sign }) => {
    const part = clipToLeft(ring, ax, ay, bx, by);
    return part.length < 6 ? [] : [{ ring: part, sign }];
  });
