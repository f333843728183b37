import { FileSink } from 'hydrofiles/bytes';
import { type TableCell, type TableColumn, writeParquetTable } from 'hydrofiles/tables';
import type { WriteAnswer } from '../../datasets/files/write-data.ts';
import type { StoredColumn, StoredCoordinates, TableInput } from './table-input.ts';

/** Rows between two looks whether the client is still there. */
const pieceRows = 8192;

/** Writes values as a table, with the rows and columns of `format=json`. */
export const write: WriteAnswer<TableInput> = async ({ rows, crs, coordinates, values }, { path }, context) => {
  await using sink = await FileSink.create(path, { checksum: false });
  const cells = [...coordinates.map(coordinateOf), ...values.map(physicalOf)];
  await writeParquetTable(
    {
      columns: [...coordinates.map(({ name, type }) => ({ name, type })), ...values.map(columnOf)],
      ...(crs === undefined ? {} : { crs }),
      *chunks() {
        for (let first = 0; first < rows; first += pieceRows) {
          context.throwIfAborted();
          const from = first;
          yield { rows: Math.min(pieceRows, rows - first), cells: cells.map((cell) => (row) => cell(from + row)) };
        }
      },
    },
    sink,
  );
  await sink.flush();
  return { lost: [] };
};

const coordinateOf =
  ({ numbers, repeated }: StoredCoordinates) =>
  (row: number): TableCell => {
    const number = numbers[Math.floor(row / repeated) % numbers.length]!;
    return Number.isFinite(number) ? number : null;
  };

const isPlain = ({ scale = 1, offset = 0 }: StoredColumn['item']): boolean => scale === 1 && offset === 0;

const columnOf = ({ name, type, item }: StoredColumn): TableColumn => ({
  name,
  type: isPlain(item) ? type : 'Float64',
  ...(item.unit === undefined ? {} : { unit: item.unit }),
});

/** The physical value; null for nodata and what is not finite, as in `format=json`. */
function physicalOf({ type, item, values }: StoredColumn): (row: number) => TableCell {
  const { scale = 1, offset = 0, nodata, exactNodata } = item;
  const plain = isPlain(item);
  const empty = type === 'Float32' && nodata !== undefined ? Math.fround(nodata) : nodata;
  return (row) => {
    const value = values[row]!;
    if (typeof value === 'bigint') {
      if (exactNodata === undefined ? Number(value) === nodata : value === exactNodata) return null;
      return plain ? value : Number(value) * scale + offset;
    }
    if (value === empty) return null;
    const physical = plain ? value : value * scale + offset;
    return Number.isFinite(physical) ? physical : null;
  };
}
