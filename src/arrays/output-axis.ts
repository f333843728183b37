import type { Axis } from 'hydrofiles/data';

/** A column of a table; cells are texts of JSON. */
export interface AxisColumn {
  readonly name: string;
  readonly type: 'time' | 'Int32' | 'Float64';
  /** Times in microseconds since 1970. */
  number(index: number): number;
  cell(index: number): string;
}

/** A dimension of an answer, or a coordinate that all its values share (`length` 1). */
export interface OutputAxis {
  /** Key in the domain of CoverageJSON: `t`, `z`, `y`, `x`, `composite`, or that of another coordinate. */
  readonly name: string;
  readonly length: number;
  /** Columns of the table. */
  readonly columns: readonly AxisColumn[];
  /** Identifiers of the coordinates of a tuple; absent: the values are numbers or times. */
  readonly coordinates?: readonly string[];
  /** The first and last of evenly spaced values, which need not be listed. */
  readonly even?: readonly [first: number, last: number];
  /** A value as JSON. */
  value(index: number): string;
}

const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : 'null');

const column = (name: string, type: 'Int32' | 'Float64', number: (index: number) => number): AxisColumn => ({
  name,
  type,
  number,
  cell: (index) => numberText(number(index)),
});

/** A column of numbers of elements, nodes or layers. */
export const wholeColumn = (name: string, number: (index: number) => number): AxisColumn =>
  column(name, 'Int32', number);
const realColumn = (name: string, values: ArrayLike<number>): AxisColumn =>
  column(name, 'Float64', (index) => values[index]!);

/** An axis of numbers. */
export function numbers(name: string, values: ArrayLike<number>, even = false): OutputAxis {
  const own = realColumn(name, values);
  const { length } = values;
  return {
    name,
    length,
    columns: [own],
    ...(even && length > 1 ? { even: [values[0]!, values[length - 1]!] } : {}),
    value: own.cell,
  };
}

/** Layers: their numbers from the lowest, and heights. */
export function layers(chosen: readonly number[], axis: Pick<Axis, 'values'>): OutputAxis {
  const heights = numbers(
    'z',
    chosen.map((layer) => axis.values[layer]!),
  );
  return { ...heights, columns: [wholeColumn('layer', (index) => chosen[index]!), ...heights.columns] };
}

/** A further coordinate of an item. */
export const other = ({ name, values }: Axis, key: string): OutputAxis => ({
  ...numbers(key, values),
  columns: [realColumn(name, values)],
});

/** Places whose coordinates are not those of a grid. */
export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z?: Float64Array | undefined;
  /** Further columns of the table, such as the numbers of elements. */
  readonly columns?: readonly AxisColumn[];
}

export function composite({ x, y, z, columns = [] }: Points): OutputAxis {
  const along = [numbers('x', x), numbers('y', y), ...(z === undefined ? [] : [numbers('z', z)])];
  return {
    name: 'composite',
    length: x.length,
    columns: [...columns, ...along.flatMap((axis) => axis.columns)],
    coordinates: along.map((axis) => axis.name),
    value: (index) => `[${along.map((axis) => axis.value(index)).join(',')}]`,
  };
}

/** The coordinates of a single position as axes of one value; further columns come first. */
export function single({ x, y, z, columns = [] }: Points): OutputAxis[] {
  const [first, ...rest] = [numbers('x', x), numbers('y', y), ...(z === undefined ? [] : [numbers('z', z)])];
  return [{ ...first!, columns: [...columns, ...first!.columns] }, ...rest];
}
