import type { StoredType } from './stored-values.ts';

/** A cell of a table: microseconds since 1970 in a column of times; null: no value. */
export type TableCell = number | bigint | string | null;

export interface TableColumn {
  readonly name: string;
  /** Symbol of the unit. */
  readonly unit?: string;
  readonly type: 'time' | 'text' | StoredType;
}

/** Rows that follow each other. */
export interface TableRows {
  readonly rows: number;
  /** For each column, the cell of a row. */
  readonly cells: readonly ((row: number) => TableCell)[];
}

/** A table without geometries, such as the rows of an answer. Times are on the clock of the data, without a zone. */
export interface Table {
  readonly columns: readonly TableColumn[];
  /** Name of the coordinate system of columns of coordinates. */
  readonly crs?: string;
  chunks(): AsyncIterable<TableRows> | Iterable<TableRows>;
}

/** Name of a column with its unit, by which readers find the unit again. */
export const headerOf = ({ name, unit }: TableColumn): string => (unit ? `${name} [${unit}]` : name);
