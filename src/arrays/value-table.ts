import { invalidMember } from '../errors.ts';
import type { Coverage } from './coverage.ts';
import type { AxisColumn } from './output-axis.ts';
import { valueText } from './value-text.ts';

const pieceRows = 2048;

interface TableColumn {
  readonly name: string;
  /** Cell of a row, as JSON. */
  cell(row: number): string;
}

interface Table {
  readonly columns: readonly TableColumn[];
  readonly rows: number;
}

/** Which values of an axis the rows of a table have: each for `repeated` rows, then the next one. */
export interface CoordinateColumn {
  readonly column: AxisColumn;
  readonly length: number;
  readonly repeated: number;
}

/** The only coverage of a table with a row for each time and place, and the columns of its coordinates. */
export function tableOf(
  coverages: readonly Coverage[],
): { coverage: Coverage; rows: number; coordinates: readonly CoordinateColumn[] } | undefined {
  const [coverage, ...others] = coverages;
  if (coverage === undefined) return undefined;
  if (others.length > 0) {
    const some = coverages.map(({ ranges }) => ranges[0]!.variable.id);
    throw invalidMember(
      'item',
      `The items ${some.join(' and ')} have values at different times or places, so they do not fit into one table. Name items that do, or ask for format=covjson.`,
    );
  }
  const { axes, shared } = coverage;
  const rows = axes.reduce((size, { length }) => size * length, 1);
  const coordinates: CoordinateColumn[] = [];
  let repeated = rows;
  for (const { columns, length } of axes) {
    repeated = length === 0 ? 0 : repeated / length;
    const times = repeated;
    coordinates.push(...columns.map((column) => ({ column, length, repeated: times })));
  }
  coordinates.push(
    ...shared.flatMap(({ columns }) => columns.map((column) => ({ column, length: 1, repeated: rows }))),
  );
  // Time stands first, then numbers of places, then coordinates, then values.
  return { coverage, rows, coordinates: coordinates.toSorted((one, other) => rank(one) - rank(other)) };
}

const order = ['time', 'element', 'node', 'layer', 'x', 'y', 'z'];
const rank = ({ column: { name } }: CoordinateColumn): number =>
  order.includes(name) ? order.indexOf(name) : order.length;

/** A row for each time and place, with the values of all items. */
function tabulate(coverages: readonly Coverage[]): Table {
  const found = tableOf(coverages);
  if (found === undefined) return { columns: [], rows: 0 };
  const { coverage, rows, coordinates } = found;
  return {
    rows,
    columns: [
      ...coordinates.map(({ column: { name, cell }, length, repeated }) =>
        remembered(name, cell, (row) => Math.floor(row / repeated) % length),
      ),
      ...coverage.ranges.map(({ variable, values }) => ({ name: variable.id, cell: valueText(variable, values) })),
    ],
  };
}

/** Consecutive rows often have the same coordinate. */
function remembered(name: string, cell: AxisColumn['cell'], indexOf: (row: number) => number): TableColumn {
  let [last, text] = [-1, ''];
  return {
    name,
    cell(row) {
      const index = indexOf(row);
      if (index !== last) [last, text] = [index, cell(index)];
      return text;
    },
  };
}

function* lines({ columns, rows }: Table, line: (cells: string[], row: number) => string): Generator<string> {
  for (let first = 0; first < rows; first += pieceRows) {
    let piece = '';
    for (let row = first; row < Math.min(rows, first + pieceRows); row++)
      piece += line(
        columns.map(({ cell }) => cell(row)),
        row,
      );
    yield piece;
  }
}

/** `{"columns":[…],"data":[[…],…]}`. */
export function* jsonTable(coverages: readonly Coverage[]): Generator<string> {
  const table = tabulate(coverages);
  yield `{"columns":${JSON.stringify(table.columns.map(({ name }) => name))},"data":[`;
  yield* lines(table, (cells, row) => `${row === 0 ? '' : ','}[${cells.join(',')}]`);
  yield ']}';
}

/** RFC 4180 with a header; no value is an empty cell. */
export function* csvTable(coverages: readonly Coverage[]): Generator<string> {
  const table = tabulate(coverages);
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  yield `${table.columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
  // Cells are numbers, times and null.
  yield* lines(
    table,
    (cells) => `${cells.map((cell) => (cell === 'null' ? '' : cell.replaceAll('"', ''))).join(',')}\r\n`,
  );
}
