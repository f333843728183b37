/* Tables of rows without geometries, as Parquet and CSV. */

import type { ByteSink } from './data/bytes.ts';
import type { Table } from './data/table.ts';

export type { Table, TableCell, TableColumn, TableRows } from './data/table.ts';

export async function writeParquetTable(table: Table, sink: ByteSink): Promise<void> {
  await (await import('./formats/geoparquet/write/table.ts')).writeParquetTable(table, sink);
}

export async function writeCsvTable(table: Table, sink: ByteSink): Promise<void> {
  await (await import('./formats/csv/write-table.ts')).writeCsvTable(table, sink);
}
