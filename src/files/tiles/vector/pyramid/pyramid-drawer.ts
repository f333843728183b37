import { closeSync, openSync, readSync } from 'node:fs';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import { FeatureChooser } from '../choose-features.ts';
import type { PlacedFeature } from '../placed.ts';
import { TileAreas } from '../tile-area.ts';
import { type TileKey, ValueTable } from '../tile-values.ts';
import { TileDrawer, type TileNumber, zippedTile } from '../vector-tile.ts';
import type { PlacedFeatures } from './placed-features.ts';
import { placedFeature } from './placed-record.ts';
import { TileTree, type TreeNode } from './tile-tree.ts';

/** Source of all tiles of an archive. Plain data for threads. */
export interface PyramidContent {
  readonly placed: PlacedFeatures;
  readonly crs: KnownCrs;
  readonly layer: { readonly name: string; readonly keys: readonly TileKey[] };
  readonly levels: { readonly first: number; readonly last: number };
}

/** A tile to be drawn, alone or with all tiles below it. */
export interface PyramidJob {
  readonly node: TreeNode;
  readonly below: boolean;
}

/** Takes a gzipped tile. */
export type AddTile = (tile: TileNumber, bytes: Uint8Array) => void | Promise<void>;

/** Unneeded bytes between two features that are read to save a call. */
const maxGap = 1 << 12;
const maxRead = 4 << 20;

/**
 * Draws tiles. Features are read once for a tile and all tiles below it. Holds WebAssembly memory and a file until
 * `close`.
 */
export class PyramidDrawer {
  readonly #content: PyramidContent;
  readonly #areas: TileAreas;
  readonly #tree: TileTree;
  readonly #file: number;
  #bytes = Buffer.allocUnsafeSlow(maxRead);

  private constructor(content: PyramidContent, areas: TileAreas) {
    this.#content = content;
    this.#areas = areas;
    this.#tree = new TileTree(content.placed, areas);
    this.#file = openSync(content.placed.path, 'r');
  }

  static async create(content: PyramidContent): Promise<PyramidDrawer> {
    return new PyramidDrawer(content, await TileAreas.create(content.crs));
  }

  async draw({ node, below }: PyramidJob, add: AddTile): Promise<void> {
    const values = new ValueTable(this.#content.layer.keys);
    const drawer = new TileDrawer(this.#content.layer, values);
    const features = new Map<number, PlacedFeature>();
    const { first, last } = this.#content.levels;
    const drawn = async (one: TreeNode): Promise<void> => {
      if (one.tile.level >= first) await this.#drawTile(one, { drawer, values, features }, add);
      if (!below || one.tile.level >= last) return;
      for (const child of this.#tree.children(one)) await drawn(child);
    };
    if (below) this.#read(node.touched, values, features);
    await drawn(node);
  }

  #drawTile(
    { tile, area, touched }: TreeNode,
    { drawer, values, features }: Drawing,
    add: AddTile,
  ): ReturnType<AddTile> {
    const { boxes, positions, sizes, lines, box, bounds } = this.#content.placed;
    const chooser = new FeatureChooser(this.#areas.pixel(tile, area.tile, box!), lines);
    const found = (at: number) => {
      const number = at / 4;
      return { number, offset: positions[number]!, end: positions[number]! + sizes[number]! };
    };
    chooser.add({ touched: touched.map((number) => 4 * number), boxes, found });
    const chosen = chooser.chosen();
    this.#read(
      chosen.features.map(({ number }) => number),
      values,
      features,
    );
    const bytes = drawer.draw(
      tile,
      { lines, side: chosen.side, bounds },
      { features: chosen.features, placed: ({ number }) => features.get(number) },
    );
    if (bytes !== undefined) return add(tile, zippedTile(bytes));
  }

  /** Reads features that are not in memory yet, all into one piece of memory. */
  #read(numbers: ArrayLike<number>, values: ValueTable, features: Map<number, PlacedFeature>): void {
    const { positions, sizes, ownIds } = this.#content.placed;
    const missing: number[] = [];
    let length = 0;
    for (let n = 0; n < numbers.length; n++) {
      if (features.has(numbers[n]!)) continue;
      missing.push(numbers[n]!);
      length += sizes[numbers[n]!]!;
    }
    missing.sort((one, other) => positions[one]! - positions[other]!);
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let n = 0, at = 0; n < missing.length; ) {
      const start = positions[missing[n]!]!;
      let [last, end] = [n, start];
      for (; last < missing.length; last++) {
        const from = positions[missing[last]!]!;
        const to = from + sizes[missing[last]!]!;
        if (last > n && (from > end + maxGap || to > start + maxRead)) break;
        end = to;
      }
      const read = this.#bytesFrom(start, end);
      for (; n < last; n++) {
        const number = missing[n]!;
        const from = positions[number]! - start;
        const own = at;
        at += read.copy(bytes, at, from, from + sizes[number]!);
        const feature = placedFeature(bytes.subarray(own, at), values);
        features.set(number, ownIds && feature.id >= 0 ? feature : { ...feature, id: number + 1 });
      }
    }
  }

  /** Bytes of the file, valid until the next ones are read. */
  #bytesFrom(start: number, end: number): Buffer {
    const length = end - start;
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file, this.#bytes, done, length - done, start + done);
      if (read === 0) throw new Error('The temporary file of features is cut.');
      done += read;
    }
    return this.#bytes.subarray(0, length);
  }

  close(): void {
    this.#areas.close();
    closeSync(this.#file);
  }
}

interface Drawing {
  readonly drawer: TileDrawer;
  readonly values: ValueTable;
  readonly features: Map<number, PlacedFeature>;
}
