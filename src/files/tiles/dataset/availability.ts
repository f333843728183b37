import { latticeOf, type TileRange } from '../matrices.ts';
import { rangesOf, type TilePlan } from '../raster/drawing.ts';
import type { OpenItem } from '../raster/tile-source.ts';
import type { CoveredArea, SourceSlice } from '../raster/values/item-values.ts';
import type { MatrixLimits } from './description.ts';
import { LimitsTally, scaled } from './limits.ts';

/** With more tiles at the edge of the data, the search goes no deeper. */
const MOST_EDGE_TILES = 24_000;
/** Maximum number of tiles at the edge whose values are read to see whether they have data. */
const MOST_PROBES = 1000;
/** Runs of tiles in rows that are joined to rectangles. */
const MOST_RUNS = 50_000;

/**
 * Rectangles of the tiles of levels that are drawn on request. Slices that have values at the same places share them.
 */
export class LimitsOnRequest {
  readonly #signal: AbortSignal;
  #last: { readonly digest: string; readonly limits: readonly MatrixLimits[] } | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async limits(plan: TilePlan, item: OpenItem, slice: SourceSlice): Promise<readonly MatrixLimits[]> {
    if (plan.onRequest.length === 0) return [];
    const { digest, area } = await item.values.coverage(slice);
    if (this.#last?.digest !== digest) {
      this.#last = { digest, limits: await tallyOnRequest({ plan, item, slice, signal: this.#signal }, area) };
    }
    return this.#last.limits;
  }
}

interface Options {
  readonly plan: TilePlan;
  readonly item: OpenItem;
  readonly slice: SourceSlice;
  readonly signal: AbortSignal;
}

/** A tile of which a part has data. */
interface EdgeTile {
  readonly column: number;
  readonly row: number;
  readonly area: CoveredArea;
  has: boolean;
}

/**
 * Finds the tiles with data on levels that are drawn on request, from the top of the quadtree down. Full and empty
 * tiles are not divided further. The values of tiles at the edge of the data are read; if a level has too many of them,
 * all count as tiles with data. Levels below the last divided one have the rectangles of that level.
 */
async function tallyOnRequest({ plan, item, slice, signal }: Options, whole: CoveredArea): Promise<MatrixLimits[]> {
  const { base, onRequest } = plan;
  const deepest = Math.max(...onRequest, onRequest.some((level) => level < base) ? base : 0);
  const probe = new TileProbe({ plan, item, slice });
  /** By level: full tiles, which are not divided, and those of which a part has data. */
  const full: EdgeTile[][] = [];
  const edges: EdgeTile[][] = [];
  let [next, probes]: [EdgeTile[], number] = [[{ column: 0, row: 0, area: whole, has: true }], MOST_PROBES];
  for (let level = 0; level <= deepest && next.length <= MOST_EDGE_TILES; level++) {
    const ranges = rangesOf(plan.matrices, level, plan.boxes);
    const [ownFull, ownEdges]: [EdgeTile[], EdgeTile[]] = [[], []];
    for (const tile of next) {
      signal.throwIfAborted();
      if (!ranges.some((range) => isWithin(range, tile.column, tile.row))) continue;
      const area = tile.area.of(level, tile.column, tile.row);
      if (area === 'all') ownFull.push(tile);
      else if (area !== 'none') ownEdges.push({ ...tile, area });
    }
    if (level >= base && ownEdges.length <= probes)
      for (const tile of ownEdges) {
        signal.throwIfAborted();
        probes--;
        tile.has = await probe.hasData(level, tile.column, tile.row);
      }
    full.push(ownFull);
    edges.push(ownEdges);
    next = ownEdges.flatMap(({ column, row, area }) =>
      [0, 1, 2, 3].map((n) => ({ column: 2 * column + (n & 1), row: 2 * row + (n >> 1), area, has: true })),
    );
  }
  return onRequest.flatMap((level) => limitsOf(level, { base, full, edges }));
}

/**
 * Rectangles of a level. Those of levels beyond the tiles at the edge that are known are the same as on the last such
 * level.
 */
function limitsOf(
  level: number,
  { base, full, edges }: { base: number; full: readonly EdgeTile[][]; edges: readonly EdgeTile[][] },
): MatrixLimits[] {
  const last = edges.length - 1;
  // A tile above the base has data if one of the base does.
  const from = Math.min(last, Math.max(level, Math.min(base, last)));
  const tiles = [
    ...full.slice(0, from + 1).flatMap((some, n) => some.map((tile) => ({ ...tile, level: n }))),
    ...edges[from]!.filter(({ has }) => has).map((tile) => ({ ...tile, level: from })),
  ];
  const rows = tiles.reduce((sum, tile) => sum + 2 ** Math.max(0, level - tile.level), 0);
  if (rows <= MOST_RUNS) {
    const tally = new LimitsTally();
    for (const tile of tiles) addTo(tally, level, tile);
    return tally.limits();
  }
  // Too many rows to be joined: a rectangle for each group of tiles of the same size.
  return [...Map.groupBy(tiles, (tile) => tile.level)].flatMap(([own, some]) => {
    const tally = new LimitsTally();
    for (const tile of some) addTo(tally, Math.min(own, level), tile);
    return tally.limits().map((limits) => scaled(limits, level));
  });
}

/** Adds the tiles of a level that lie in a tile, or the one in which it lies. */
function addTo(tally: LimitsTally, level: number, tile: Pick<EdgeTile, 'column' | 'row'> & { level: number }): void {
  const scale = 2 ** (level - tile.level);
  const [first, end] = [Math.floor(tile.column * scale), Math.ceil((tile.column + 1) * scale)];
  for (let row = Math.floor(tile.row * scale); row < (tile.row + 1) * scale; row++)
    tally.addRun(level, row, first, end - 1);
}

/** A part of a tile that is looked at first. */
const PROBE = 32;

class TileProbe {
  readonly #of: Pick<Options, 'plan' | 'item' | 'slice'>;

  constructor(of: Pick<Options, 'plan' | 'item' | 'slice'>) {
    this.#of = of;
  }

  async hasData(level: number, column: number, row: number): Promise<boolean> {
    const { matrices } = this.#of.plan;
    const range = { firstColumn: column, endColumn: column + 1, firstRow: row, endRow: row + 1 };
    const whole = latticeOf(matrices, level, range);
    const middle = PROBE * Math.floor(whole.width / PROBE / 2);
    const probe = { ...whole, column: whole.column + middle, row: whole.row + middle, width: PROBE, height: PROBE };
    return (await this.#hasValue(probe)) || this.#hasValue(whole);
  }

  async #hasValue(lattice: ReturnType<typeof latticeOf>): Promise<boolean> {
    const { item, slice } = this.#of;
    for (const plane of item.planes(lattice, true, slice))
      for await (const { values } of plane) if (values.some((value) => !Number.isNaN(value))) return true;
    return false;
  }
}

const isWithin = ({ firstColumn, endColumn, firstRow, endRow }: TileRange, column: number, row: number) =>
  column >= firstColumn && column < endColumn && row >= firstRow && row < endRow;
