import type { Cell } from './cells.ts';

export interface Column {
  readonly name: string;
  readonly unit?: string;
  readonly type: 'number' | 'text';
}

/** Rows of a table from `first` on; fewer than `limit` only at the end. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly count?: number;
  read(first: number, limit: number, throwIfCancelled: () => void): Promise<Cell[][]>;
}
