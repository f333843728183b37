import type { ByteSink } from '../../../data/bytes.ts';
import { headerOf, type Table, type TableColumn } from '../../../data/table.ts';
import { distinctNames } from '../../io/distinct-names.ts';
import { createdBy } from '../created-by.ts';
import { DESCRIPTION_KEY } from '../own-description.ts';
import { logical, physical } from '../parquet/constants.ts';
import { struct } from '../parquet/thrift-writer.ts';
import { type ColumnSpec, ColumnWriter, timestampType } from './column-writer.ts';
import { ParquetFile } from './parquet-file.ts';
import { sampleColumns } from './series.ts';

const groupRows = 50_000;

/** pandas takes the members of this key as `DataFrame.attrs`. */
const PANDAS_KEY = 'PANDAS_ATTRS';

const columnTypes: Readonly<Record<TableColumn['type'], Omit<ColumnSpec, 'path'>>> = {
  ...sampleColumns,
  time: { type: physical.int64, annotation: timestampType(false) },
  text: { type: physical.bytes, annotation: { [logical.string]: struct({}) } },
};

/**
 * Writes a table as Parquet, in the order of its rows: units stand in the names of columns, and with the coordinate
 * system in the metadata of the file.
 */
export async function writeParquetTable(table: Table, sink: ByteSink): Promise<void> {
  const names = distinctNames(table.columns.map((column) => headerOf(column).toWellFormed()));
  const specs = table.columns.map(({ type }, n): ColumnSpec => ({ path: [names[n]!], ...columnTypes[type] }));
  const file = new ParquetFile(
    sink,
    specs.map((spec) => ({ name: spec.path[0]!, isOptional: true, columns: [spec] })),
  );
  const newColumns = () => specs.map((spec) => new ColumnWriter(spec));
  let [columns, held] = [newColumns(), 0];
  for await (const { rows, cells } of table.chunks())
    for (let row = 0; row < rows; row++) {
      for (const [n, column] of columns.entries()) putCell(column, cells[n]!(row));
      if (++held < groupRows) continue;
      await file.rowGroup(columns, held);
      [columns, held] = [newColumns(), 0];
    }
  if (held > 0) await file.rowGroup(columns, held);
  const units = Object.fromEntries(table.columns.flatMap(({ unit }, n) => (unit ? [[names[n]!, unit]] : [])));
  const more = { ...(table.crs === undefined ? {} : { crs: table.crs }), units };
  const description = { version: 1, kind: 'features', fields: [], ...more };
  await file.end({ [DESCRIPTION_KEY]: JSON.stringify(description), [PANDAS_KEY]: JSON.stringify(more) }, createdBy);
}

function putCell(column: ColumnWriter, cell: number | bigint | string | null): void {
  if (cell === null) column.null();
  else if (typeof cell === 'string') {
    const text = Buffer.from(cell.toWellFormed());
    column.text(text, 0, text.length);
  } else if (typeof cell === 'bigint') {
    const number = Number(cell);
    column.number(Number.isSafeInteger(number) ? number : cell);
  } else column.number(cell);
}
