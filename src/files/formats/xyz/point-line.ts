import { LineCells } from '../io/line-cells.ts';
import { LineWords } from '../io/line-words.ts';
import { maxColumns } from './parameters.ts';

/** The columns of a line; the carriage return of Windows lines belongs to none. */
export interface Columns {
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * How the columns of a file are separated. `cells`: by each comma, semicolon or tab. `blanks`: by
 * runs of blanks. `runs`: by runs of all of these, in a file whose first line is no point otherwise.
 */
export type Separation = 'cells' | 'blanks' | 'runs';

export const cellsOfLine = () => new LineCells(',;\t', maxColumns);
export const blanksOfLine = () => new LineWords(' \r', maxColumns);
export const runsOfLine = () => new LineWords(' \t,;\r', maxColumns);

/** Finds the columns of lines that are all separated in one way, or are cells among blanks and blanks among cells. */
export class PointLine implements Columns {
  count = 0;
  starts: Uint32Array;
  ends: Uint32Array;
  readonly #separation: Separation;
  readonly #columns: number;
  readonly #cells = cellsOfLine();
  readonly #words: LineWords;

  /** @param columns the usual number */
  constructor(separation: Separation, columns: number) {
    this.#separation = separation;
    this.#columns = columns;
    this.#words = separation === 'runs' ? runsOfLine() : blanksOfLine();
    this.starts = this.#words.starts;
    this.ends = this.#words.ends;
  }

  /**
   * Reads the line that begins at `from` and returns the beginning of the next one. A line of empty cells has no
   * columns.
   */
  read(bytes: Uint8Array, from: number): number {
    const cells = this.#cells;
    if (this.#separation === 'cells') {
      const next = cells.read(bytes, from);
      if (cells.count > 1) {
        this.#take(cells, this.#countOfCells());
        return next;
      }
    }
    const next = this.#words.read(bytes, from);
    this.#take(this.#words, this.#words.count);
    if (this.#separation !== 'blanks' || this.count === this.#columns || this.count === 0) return next;
    cells.read(bytes, from);
    const count = this.#countOfCells();
    if (count === this.#columns) this.#take(cells, count);
    return next;
  }

  /** Empty cells behind the last column do not count: lines may end with a separator. */
  #countOfCells(): number {
    const { count, filled } = this.#cells;
    if (filled === 0) return 0;
    return count > this.#columns && filled <= this.#columns ? this.#columns : count;
  }

  #take({ starts, ends }: Columns, count: number): void {
    this.count = count;
    this.starts = starts;
    this.ends = ends;
  }
}
