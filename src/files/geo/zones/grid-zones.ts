import type { Grid, RowBlock, Slice } from '../../data/grid.ts';
import { realValues } from '../../data/real-values.ts';
import type { ZoneStatistic } from './statistics.ts';
import type { ZoneCells, ZoneSpans } from './zone-cells.ts';
import { ZoneTally } from './zone-tally.ts';

/** Computes the statistics of zones over slices of a grid, block by block. */
export class GridZones {
  readonly #grid: Grid;
  readonly #spans: ZoneSpans;
  readonly #cells: ZoneCells;
  readonly #statistics: readonly ZoneStatistic[];
  /** Zones with cells, by their first row. */
  readonly #order: Uint32Array;
  readonly #bottom: number;

  constructor(grid: Grid, cells: ZoneCells, statistics: readonly ZoneStatistic[]) {
    this.#grid = grid;
    const spans = cells.spans();
    this.#spans = spans;
    this.#cells = cells;
    this.#statistics = statistics;
    const all = Uint32Array.from({ length: cells.count }, (_, zone) => zone);
    this.#order = all.filter((zone) => spans.top(zone) < spans.bottom(zone));
    this.#order.sort((a, b) => spans.top(a) - spans.top(b) || a - b);
    this.#bottom = this.#order.reduce((most, zone) => Math.max(most, spans.bottom(zone)), 0);
  }

  /** One number per zone and statistic, statistics of a zone side by side; NaN for none. */
  async slice(slice: Slice, signal: AbortSignal): Promise<Float64Array> {
    const tally = new ZoneTally(this.#cells.count, this.#statistics, this.#cells.weights);
    const spans = this.#spans;
    let active: number[] = [];
    let next = 0;
    if (this.#order.length > 0)
      for await (const block of this.#grid.rows(slice, { first: spans.top(this.#order[0]!), end: this.#bottom })) {
        signal.throwIfAborted();
        const end = block.firstRow + block.rowCount;
        while (next < this.#order.length && spans.top(this.#order[next]!) < end) active.push(this.#order[next++]!);
        if (active.length === 0) continue;
        const values = realValues(block.exact ?? block.samples, this.#grid.bands[slice.band]!);
        for (const zone of active) this.#addRows(tally, zone, block, values);
        for (const zone of active) if (spans.bottom(zone) <= end) tally.finish(zone);
        active = active.filter((zone) => spans.bottom(zone) > end);
      }
    for (let zone = 0; zone < this.#cells.count; zone++) if (spans.top(zone) >= spans.bottom(zone)) tally.finish(zone);
    return tally.results();
  }

  #addRows(tally: ZoneTally, zone: number, { firstRow, rowCount }: RowBlock, values: Float64Array): void {
    const { firsts, ends, weights, ...rows } = this.#spans;
    const first = Math.max(firstRow, rows.top(zone));
    const end = Math.min(firstRow + rowCount, rows.bottom(zone));
    for (let row = first; row < end; row++) {
      const at = (row - firstRow) * this.#grid.width;
      const last = rows.start(zone, row + 1);
      for (let n = rows.start(zone, row); n < last; n++)
        tally.add(zone, values, at + firsts[n]!, at + ends[n]!, weights[n]!);
    }
  }
}
