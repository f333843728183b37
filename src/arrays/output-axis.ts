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

/** An axis of numbers by their index. */
export function numbersAt(name: string, length: number, number: (index: number) => number): OutputAxis {
  const own = column(name, 'Float64', number);
  return { name, length, columns: [own], value: own.cell };
}

/** An axis of numbers. */
export function numbers(name: string, values: ArrayLike<number>, even = false): OutputAxis {
  const { length } = values;
  return {
    ...numbersAt(name, length, (index) => values[index]!),
    ...(even && length > 1 ? { even: [values[0]!, values[length - 1]!] } : {}),
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
  columns: numbers(name, values).columns,
});

/** Places whose coordinates are not those of a grid, by their index: not listed before an answer needs them. */
export interface Points {
  readonly length: number;
  x(index: number): number;
  y(index: number): number;
  readonly z?: ((index: number) => number) | undefined;
  /** Further columns of the table, such as the numbers of elements. */
  readonly columns?: readonly AxisColumn[];
}

export function composite({ columns = [], ...points }: Points): OutputAxis {
  const along = coordinatesOf(points);
  return {
    name: 'composite',
    length: points.length,
    columns: [...columns, ...along.flatMap((axis) => axis.columns)],
    coordinates: along.map((axis) => axis.name),
    value: (index) => `[${along.map((axis) => axis.value(index)).join(',')}]`,
  };
}

/** The coordinates of a single position as axes of one value; further columns come first. */
export function single({ columns = [], ...point }: Points): OutputAxis[] {
  const [first, ...rest] = coordinatesOf(point);
  return [{ ...first!, columns: [...columns, ...first!.columns] }, ...rest];
}

const coordinatesOf = ({ length, x, y, z }: Points): OutputAxis[] => [
  numbersAt('x', length, x),
  numbersAt('y', length, y),
  ...(z === undefined ? [] : [numbersAt('z', length, z)]),
];
