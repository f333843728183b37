import type { TileRange } from '../../geo/tiles/matrices.ts';
import { latticeOf } from '../../geo/tiles/matrices.ts';
import type { MatrixLimits } from './description.ts';
import type { TilePlan } from './drawing.ts';
import { rangesOf } from './drawing.ts';
import { LimitsTally } from './limits.ts';
import type { OpenItem } from './tile-source.ts';
import type { CoveredArea, SourceSlice } from './values/item-values.ts';

/** A part of a tile that is looked at first. */
const PROBE = 32;

/** Rectangles of the tiles of levels that are drawn on request. Slices that have values at the same places share them. */
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
      const tally = new LimitsTally();
      await tallyOnRequest({ plan, item, slice, tally, signal: this.#signal }, area);
      this.#last = { digest, limits: tally.limits() };
    }
    return this.#last.limits;
  }
}

interface Options {
  readonly plan: TilePlan;
  readonly item: OpenItem;
  readonly slice: SourceSlice;
  readonly tally: LimitsTally;
  readonly signal: AbortSignal;
}

/**
 * Finds the tiles with data of levels that are not drawn yet. Areas that are known to be full or empty need no look at
 * their tiles; of the others each tile is looked at, so that the rectangles are exact.
 */
async function tallyOnRequest(options: Options, area: CoveredArea): Promise<void> {
  const tally = new OnRequestTally(options);
  await tally.visit(0, 0, 0, area);
}

class OnRequestTally {
  readonly #options: Options;
  readonly #ranges = new Map<number, readonly TileRange[]>();
  readonly #deepest: number;
  /** Tiles of the base level tell which of the levels above have data. */
  readonly #needsBase: boolean;

  constructor(options: Options) {
    const { base, onRequest } = options.plan;
    this.#options = options;
    this.#needsBase = onRequest.some((level) => level <= base);
    this.#deepest = Math.max(this.#needsBase ? base : 0, ...onRequest);
  }

  /** Whether the tile has data of the base level. */
  async visit(level: number, column: number, row: number, known: CoveredArea): Promise<boolean> {
    const { plan, signal, tally } = this.#options;
    signal.throwIfAborted();
    if (!this.#rangesOf(level).some((range) => isWithin(range, column, row))) return false;
    const area = known.of(level, column, row);
    if (area === 'none') return false;
    if (area === 'all') {
      this.#addBelow(level, column, row);
      return true;
    }
    const isWanted = plan.onRequest.includes(level);
    let has = false;
    if (level >= plan.base && (isWanted || (level === plan.base && this.#needsBase)))
      has = await this.#hasData(level, column, row);
    if (level < this.#deepest)
      for (const [x, y] of [
        [2 * column, 2 * row],
        [2 * column + 1, 2 * row],
        [2 * column, 2 * row + 1],
        [2 * column + 1, 2 * row + 1],
      ] as const)
        if ((await this.visit(level + 1, x, y, area)) && level < plan.base) has = true;
    if (has && isWanted) tally.add(level, column, row);
    return has;
  }

  #addBelow(level: number, column: number, row: number): void {
    for (const wanted of this.#options.plan.onRequest) {
      if (wanted < level) continue;
      const scale = 2 ** (wanted - level);
      for (const range of this.#rangesOf(wanted)) {
        const first = Math.max(range.firstColumn, column * scale);
        const end = Math.min(range.endColumn, (column + 1) * scale);
        if (first >= end) continue;
        const endRow = Math.min(range.endRow, (row + 1) * scale);
        for (let y = Math.max(range.firstRow, row * scale); y < endRow; y++)
          this.#options.tally.addRun(wanted, y, first, end - 1);
      }
    }
  }

  async #hasData(level: number, column: number, row: number): Promise<boolean> {
    const { matrices } = this.#options.plan;
    const range = { firstColumn: column, endColumn: column + 1, firstRow: row, endRow: row + 1 };
    const whole = latticeOf(matrices, level, range);
    const middle = PROBE * Math.floor(whole.width / PROBE / 2);
    const probe = { ...whole, column: whole.column + middle, row: whole.row + middle, width: PROBE, height: PROBE };
    return (await this.#hasValue(probe)) || this.#hasValue(whole);
  }

  async #hasValue(lattice: ReturnType<typeof latticeOf>): Promise<boolean> {
    const { item, slice } = this.#options;
    for (const plane of item.planes(lattice, true, slice))
      for await (const { values } of plane) if (values.some((value) => !Number.isNaN(value))) return true;
    return false;
  }

  #rangesOf(level: number): readonly TileRange[] {
    const { matrices, boxes } = this.#options.plan;
    let ranges = this.#ranges.get(level);
    if (ranges === undefined) {
      ranges = rangesOf(matrices, level, boxes);
      this.#ranges.set(level, ranges);
    }
    return ranges;
  }
}

const isWithin = ({ firstColumn, endColumn, firstRow, endRow }: TileRange, column: number, row: number) =>
  column >= firstColumn && column < endColumn && row >= firstRow && row < endRow;
