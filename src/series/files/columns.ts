import { eumUnitNamed } from 'hydrofiles/data';
import type { Cell } from 'hydrofiles/series';
import type { TableCell, TableColumn } from 'hydrofiles/tables';
import { columnsOf, type SeriesColumn } from '../cells.ts';
import type { Series } from '../definitions.ts';

/** A column of a file: that of a series' values, or of one of its data fields. */
export interface FileColumn extends TableColumn {
  /** Number of the series, and of the column in it: 0 is the value. */
  readonly series: number;
  readonly column: number;
  readonly source: SeriesColumn;
}

/**
 * Columns of several series: the value by the name of its item, with the id of the series if others have the same name;
 * data fields by their own name, after that of the values where there are several series.
 */
export function fileColumns(all: readonly Pick<Series, 'id' | 'item' | 'dataFields'>[]): FileColumn[] {
  const names = Map.groupBy(all, ({ item }) => item.name);
  return all.flatMap((one, series) => {
    const { id, item } = one;
    const name = names.get(item.name)!.length > 1 ? `${item.name}, ${id}` : item.name;
    const unit = eumUnitNamed(item.unit)?.symbol;
    return columnsOf(one).map((source, column): FileColumn => {
      const place = { series, column, source, type: typeOf(source) };
      if (column === 0) return { ...place, name, ...(unit === undefined || unit === '' ? {} : { unit }) };
      return { ...place, name: all.length > 1 ? `${name}, ${source.name}` : source.name };
    });
  });
}

function typeOf({ dataType, flags }: SeriesColumn): TableColumn['type'] {
  switch (dataType) {
    case 'Text':
      return 'text';
    case 'Date':
    case 'DateTime':
      return 'time';
    case 'Flag':
      return flags.every(({ id }) => typeof id === 'number') ? 'Int64' : 'text';
    case 'Single':
      return 'Float32';
    case 'Double':
      return 'Float64';
    default:
      return dataType;
  }
}

/** A stored cell as a cell of a table: flags by their ids. */
export function tableCell(cell: Cell, { source: { dataType, flags }, type }: FileColumn): TableCell {
  if (dataType !== 'Flag' || cell === null) return cell;
  const id = flags[cell as number]?.id ?? null;
  return id === null || type === 'Int64' ? id : String(id);
}
