import { type Box, HALF_WORLD } from '../../matrices.ts';
import type { TileArea, TileAreas } from '../tile-area.ts';
import { BUFFER, EXTENT } from '../units.ts';
import type { TileNumber } from '../vector-tile.ts';
import type { PlacedFeatures } from './placed-features.ts';

/** A tile, and the features whose boxes touch it. */
export interface TreeNode {
  readonly tile: TileNumber;
  readonly area: TileArea;
  /** Numbers of features, ascending. */
  readonly touched: Uint32Array;
}

/**
 * Beside a tile features can lie that reach into it: in its buffer, drawn larger than they are, or moved onto the map.
 */
const margin = (4 * BUFFER) / EXTENT;
const turns = [0, -2 * HALF_WORLD, 2 * HALF_WORLD];

/** Finds the features of tiles down the pyramid: those of a tile are among those of the tile above. */
export class TileTree {
  readonly #placed: Pick<PlacedFeatures, 'count' | 'boxes' | 'box' | 'bounds'>;
  readonly #areas: TileAreas;

  constructor(placed: Pick<PlacedFeatures, 'count' | 'boxes' | 'box' | 'bounds'>, areas: TileAreas) {
    this.#placed = placed;
    this.#areas = areas;
  }

  /** Undefined for a tile without features. */
  root(): TreeNode | undefined {
    return this.#node({ level: 0, column: 0, row: 0 }, undefined);
  }

  children(node: TreeNode): TreeNode[] {
    const { level, column, row } = node.tile;
    return [0, 1, 2, 3].flatMap((n) => {
      const tile = { level: level + 1, column: 2 * column + (n & 1), row: 2 * row + (n >> 1) };
      return this.#node(tile, node) ?? [];
    });
  }

  #node(tile: TileNumber, above: TreeNode | undefined): TreeNode | undefined {
    if (!this.#mayHave(tile)) return undefined;
    const area = this.#areas.of(tile);
    // Sides of a tile bend in other projections, so that it can reach over the tile above.
    const isInside = above !== undefined && area.wanted.every((one) => above.area.wanted.some((all) => has(all, one)));
    const touched = this.#touching(area.wanted, isInside ? above.touched : undefined);
    return touched.length === 0 ? undefined : { tile, area, touched };
  }

  #mayHave({ level, column, row }: TileNumber): boolean {
    const size = (2 * HALF_WORLD) / 2 ** level;
    const [west, north, east, south] = this.#placed.bounds;
    return (
      south >= (row - margin) * size &&
      north <= (row + 1 + margin) * size &&
      turns.some((turn) => east + turn >= (column - margin) * size && west + turn <= (column + 1 + margin) * size)
    );
  }

  #touching(wanted: readonly Box[], among: Uint32Array | undefined): Uint32Array {
    const { boxes, count, box } = this.#placed;
    const most = among?.length ?? count;
    const touched = new Uint32Array(most);
    let length = 0;
    // Most areas beyond the antimeridian have no feature at all.
    const areas = box === undefined ? wanted : wanted.filter((area) => touches(area, box));
    for (let n = 0; n < most; n++) {
      const feature = among === undefined ? n : among[n]!;
      const at = 4 * feature;
      for (const { west, south, east, north } of areas)
        if (boxes[at]! <= east && boxes[at + 2]! >= west && boxes[at + 1]! <= north && boxes[at + 3]! >= south) {
          touched[length++] = feature;
          break;
        }
    }
    return touched.slice(0, length);
  }
}

const touches = (one: Box, other: Box): boolean =>
  one.west <= other.east && one.east >= other.west && one.south <= other.north && one.north >= other.south;

const has = (all: Box, one: Box): boolean =>
  all.west <= one.west && all.east >= one.east && all.south <= one.south && all.north >= one.north;
