import type { Table, TableCell, TableColumn } from '../../data/table.ts';
import { writeCsvTable } from '../../formats/csv/write-table.ts';
import type { Cell } from './cells.ts';
import type { ItemName } from './choose.ts';
import type { ProfileAnswer } from './profile.ts';
import type { SeriesAnswer } from './series.ts';
import type { StatisticsAnswer } from './statistics.ts';
import type { TableAnswer } from './table.ts';
import type { Times } from './times.ts';
import type { ValuesAnswer } from './values-at.ts';

/** A table as CSV (RFC 4180) with a header in which units stand. */
export async function csvOf(table: Table): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  await writeCsvTable(table, { append: async (bytes) => void parts.push(bytes) });
  return Buffer.concat(parts);
}

const number = (name: string, unit?: string): TableColumn => ({ name, ...(unit ? { unit } : {}), type: 'Float64' });
const text = (name: string): TableColumn => ({ name, type: 'text' });
const itemColumn = ({ name, unit }: ItemName): TableColumn => number(name, unit);
const places = [number('longitude'), number('latitude')];

/** A row per point and step, or per feature at a point. */
export function valuesTable(answer: ValuesAnswer): Table {
  if (answer.kind === 'features')
    return tableOf(
      [...places, text('id'), ...answer.fields.map(({ name }) => text(name))],
      answer.points.flatMap(({ point, features }) =>
        features.map(({ id, values }) => [...point, id ?? null, ...values]),
      ),
    );
  const { time, steps, items } = answer;
  const times = time === undefined ? undefined : momentsOf(time);
  return tableOf(
    [...places, ...(time === undefined ? [] : [timeColumn(time)]), ...items.map(itemColumn)],
    answer.points.flatMap(({ point, values }) =>
      steps.map((_, n) => [...point, ...(times === undefined ? [] : [times[n]!]), ...values.map((own) => own[n]!)]),
    ),
  );
}

export const profileTable = ({ item, distances, points, values }: ProfileAnswer): Table =>
  tableOf(
    [number('distance', 'm'), ...places, itemColumn(item)],
    distances.map((distance, n) => [distance, ...points[n]!, values[n]!]),
  );

/** A row per time that an item has; other items have no value there. */
export function seriesTable({ items }: SeriesAnswer): Table {
  const rows = new Map<string, { time: string | number; again: number; values: Cell[] }>();
  for (const [n, { time, values }] of items.entries()) {
    const seen = new Map<string | number, number>();
    for (const [k, moment] of momentsOf(time).entries()) {
      // A time may come more than once.
      const again = seen.get(moment) ?? 0;
      seen.set(moment, again + 1);
      const key = `${again} ${moment}`;
      const row = rows.get(key) ?? { time: moment, again, values: items.map((): Cell => null) };
      row.values[n] = values[k]!;
      rows.set(key, row);
    }
  }
  const ordered = [...rows.values()].sort((one, other) =>
    one.time === other.time ? one.again - other.again : one.time < other.time ? -1 : 1,
  );
  const [first] = items;
  return tableOf(
    [first === undefined ? text('time') : timeColumn(first.time), ...items.map(itemColumn)],
    ordered.map(({ time, values }) => [time, ...values]),
  );
}

/** A row per figure, bin and frequent value. */
export function statisticsTable(answer: StatisticsAnswer): Table {
  const { unit } = answer.item;
  const { count, empty, min = null, max = null, mean = null, standardDeviation = null, histogram, frequent } = answer;
  const figures = { count, empty, min, max, mean, standardDeviation };
  const bins = histogram?.counts ?? [];
  const side = (n: number) => histogram!.from + ((histogram!.to - histogram!.from) * n) / bins.length;
  return tableOf(
    [text('figure'), number('from', unit), number('to', unit), text('text'), number('value')],
    [
      ...Object.entries(figures).map(([name, value]): Cell[] =>
        typeof value === 'string' ? [name, null, null, value, null] : [name, null, null, null, value],
      ),
      ...bins.map((inBin, n): Cell[] => ['bin', side(n), side(n + 1), null, inBin]),
      ...(frequent ?? []).map((one): Cell[] => ['frequent', null, null, String(one.value), one.count]),
    ],
  );
}

export const rowsTable = ({ columns, rows }: TableAnswer): Table =>
  tableOf(
    columns.map(({ name, unit, type }) => (type === 'number' ? number(name, unit) : text(name))),
    rows,
  );

const momentsOf = (time: Times): readonly (string | number)[] => ('times' in time ? time.times : time.offsets);
const timeColumn = (time: Times): TableColumn => ('times' in time ? text('time') : number('time', time.unit));

function tableOf(columns: readonly TableColumn[], rows: readonly (readonly Cell[])[]): Table {
  const cell = (value: Cell): TableCell => (typeof value === 'boolean' ? String(value) : value);
  return {
    columns,
    chunks: () => [{ rows: rows.length, cells: columns.map((_, n) => (row: number) => cell(rows[row]![n]!)) }],
  };
}
