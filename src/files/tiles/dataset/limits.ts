import type { MatrixLimits } from './description.ts';

/** Rectangles of the tiles that were added, row by row within a level. */
export class LimitsTally {
  readonly #rows = new Map<number, Map<number, [number, number][]>>();

  add(level: number, column: number, row: number): void {
    this.addRun(level, row, column, column);
  }

  addRun(level: number, row: number, firstColumn: number, lastColumn: number): void {
    const rows = this.#rows.get(level) ?? new Map<number, [number, number][]>();
    this.#rows.set(level, rows);
    const runs = rows.get(row) ?? [];
    rows.set(row, runs);
    const last = runs.at(-1);
    if (last !== undefined && last[1] === firstColumn - 1) last[1] = lastColumn;
    else runs.push([firstColumn, lastColumn]);
  }

  /** Equal runs of consecutive rows become one rectangle. */
  limits(): MatrixLimits[] {
    return [...this.#rows]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([level, rows]) => rectangles(level, rows));
  }
}

/** The tiles of a deeper level that a rectangle holds. */
export function scaled(limits: MatrixLimits, level: number): MatrixLimits {
  const scale = 2 ** (level - Number(limits.tileMatrix));
  return {
    tileMatrix: String(level),
    minTileRow: limits.minTileRow * scale,
    maxTileRow: (limits.maxTileRow + 1) * scale - 1,
    minTileCol: limits.minTileCol * scale,
    maxTileCol: (limits.maxTileCol + 1) * scale - 1,
  };
}

function rectangles(level: number, rows: ReadonlyMap<number, [number, number][]>): MatrixLimits[] {
  const done: MatrixLimits[] = [];
  let open = new Map<string, MatrixLimits>();
  for (const [row, runs] of [...rows].toSorted(([one], [other]) => one - other)) {
    const next = new Map<string, MatrixLimits>();
    for (const [minTileCol, maxTileCol] of joined(runs)) {
      const key = `${minTileCol}-${maxTileCol}`;
      const above = open.get(key);
      if (above !== undefined && above.maxTileRow === row - 1) {
        next.set(key, { ...above, maxTileRow: row });
        open.delete(key);
      } else next.set(key, { tileMatrix: String(level), minTileRow: row, maxTileRow: row, minTileCol, maxTileCol });
    }
    done.push(...open.values());
    open = next;
  }
  return [...done, ...open.values()];
}

/** Runs in order, each as long as possible. */
function joined(runs: readonly (readonly [number, number])[]): [number, number][] {
  const all: [number, number][] = [];
  for (const [first, end] of runs.toSorted(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last !== undefined && first <= last[1] + 1) last[1] = Math.max(last[1], end);
    else all.push([first, end]);
  }
  return all;
}
