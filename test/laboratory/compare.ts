import { UNDEFINED_ITEM } from '../../src/files/data/eum/eum.ts';
import { sameCrs, sridOf } from '../../src/files/geo/crs/crs.ts';
import type { Column, Facts, Value } from './facts.ts';
import type { Property } from './properties.ts';

interface Comparison {
  /** Whether the data have the property, so that it can be lost. */
  carried(facts: Facts): boolean;
  kept(before: Facts, after: Facts): boolean | Promise<boolean>;
}

const ZONE = /T.*(Z|[+-]\d\d:?\d\d)$/;
const isText = (value: Value): value is string => typeof value === 'string';
const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
const isPrecise = (value: Value): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value) && Math.fround(value) !== value);
const isEmpty = (value: Value): boolean => value === null;
const count = (values: readonly Value[], is: (value: Value) => boolean): number => values.filter(is).length;

/** Whether the name is that of the item, or that of the item with a place or a time. */
const holds = (called: string, item: string): boolean =>
  called === item || (called.startsWith(item) && /^,? \S/.test(called.slice(item.length)));

/** The columns of the output that hold an item or field of the input: several where a series per place was made. */
function columnsFor(column: Column, n: number, before: Facts, after: Facts): readonly Column[] {
  const { name } = column;
  const named = after.columns.filter((one) => holds(one.name, name));
  if (named.length > 0) return named;
  const each = after.columns.length / before.columns.length;
  return Number.isInteger(each) ? after.columns.slice(n * each, (n + 1) * each) : [];
}

/** One column with the values of all. */
const merged = ([first, ...more]: readonly Column[]): Column => ({
  ...first!,
  values: [...first!.values, ...more.flatMap(({ values }) => values)],
});

/** Whether each item or field that has the property keeps it in the output. */
const eachColumn = (
  has: (column: Column) => boolean,
  keeps: (before: Column, after: Column) => boolean,
): Comparison => ({
  carried: ({ columns }) => columns.some(has),
  kept: (before, given) => {
    const after = inOrderOf(before, given);
    return before.columns.every((column, n) => {
      if (!has(column)) return true;
      const found = columnsFor(column, n, before, after);
      return (
        found.length > 0 &&
        found.every((one) => keeps({ ...column, values: [] }, { ...one, values: [] })) &&
        keeps(column, merged(found))
      );
    });
  },
});

/** The output with its records in the order of the input, where a column has a number of its own in each. */
function inOrderOf(before: Facts, after: Facts): Facts {
  const marker = before.kind === 'features' && after.kind === 'features' ? markerOf(before) : -1;
  if (marker < 0) return after;
  const [own] = columnsFor(before.columns[marker]!, marker, before, after);
  const order = before.columns[marker]!.values.map((value) => own?.values.findIndex((one) => isSame(one, value)) ?? -1);
  if (order.includes(-1) || own?.values.length !== order.length) return after;
  const columns = after.columns.map((column) => ({ ...column, values: order.map((n) => column.values[n] ?? null) }));
  return { ...after, columns };
}

const sameSequence = <T>(
  one: readonly T[],
  other: readonly T[],
  same = Object.is as (a: T, b: T) => boolean,
): boolean => one.length === other.length && one.every((value, n) => same(value, other[n]!));

const near = (one: number, other: number): boolean => Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(one));

const asKey = ([x, y]: readonly [number, number], digits: number): string =>
  `${x.toFixed(digits)} ${y.toFixed(digits)}`;

const sameTypes = new Set(['number', 'bigint']);
/** Whether a table tells two values apart: missing ones, empty texts, zeros. */
const isSame = (one: Value, other: Value): boolean => {
  if (one === null || other === null || isText(one) || isText(other)) return one === other;
  return sameTypes.has(typeof one) && sameTypes.has(typeof other)
    ? Number(one) === Number(other)
    : Number(one) === Number(other);
};

/** All values of one column that is a number of its own in each record. */
const markerOf = ({ columns }: Facts): number =>
  columns.findIndex(
    ({ values, atNodes }) =>
      atNodes === undefined && values.length > 1 && values.every(isNumber) && new Set(values).size === values.length,
  );

/** Types of the geometries that there are. */
const placed = ({ geometries }: Facts): string[] => geometries.filter((type) => type !== null);

const positive = (values: readonly number[]): boolean => values.some((value) => Number.isFinite(value) && value !== 0);

const valuesOfAll = (columns: readonly Column[]): Set<Value> => new Set(columns.flatMap(({ values }) => values));

const empties = eachColumn(
  ({ values }) => values.some(isEmpty) && values.some(isNumber),
  (before, after) =>
    count(before.values, isNumber) === count(after.values, isNumber) ||
    count(before.values, isNumber) * after.values.length === count(after.values, isNumber) * before.values.length,
);

/** Missing values, empty texts, zeros and false: a table tells them apart. */
const nulls = eachColumn(
  ({ values }) => values.some(isEmpty) && !values.every(isEmpty),
  (before, after) =>
    before.values.length === after.values.length &&
    [null, '', 0, false].every(
      (one) =>
        count(before.values, (value) => isSame(value, one)) === count(after.values, (value) => isSame(value, one)),
    ),
);

export const comparisons: Readonly<Record<Property, Comparison>> = {
  crs: {
    carried: ({ crs }) => crs !== undefined,
    kept: async ({ crs: one }, { crs: other }) =>
      one !== undefined &&
      other !== undefined &&
      (sridOf(one) === undefined && sridOf(other) === undefined ? one.wkt === other.wkt : await sameCrs(one, other)),
  },
  rotation: {
    carried: ({ rotated }) => rotated,
    // A writer may turn the order of rows: the centres of the cells say where they are.
    kept: (before, after) => {
      const places = new Set(after.places.map((place) => asKey(place, 2)));
      return after.kind === 'grid' || after.kind === 'array' || after.kind === 'series'
        ? before.places.every((place) => places.has(asKey(place, 2)))
        : after.places.length > before.places.length;
    },
  },
  timeZone: eachColumn(
    ({ values }) => values.some((value) => isText(value) && ZONE.test(value)),
    (before, after) => {
      const zone = (value: Value) => (isText(value) ? ZONE.exec(value)?.[1]?.replace('Z', '+00:00') : undefined);
      return before.values.every((value, n) => {
        const other = after.values[n] ?? null;
        if (zone(value) === undefined) return true;
        return zone(value) === zone(other) && Date.parse(String(value)) === Date.parse(String(other));
      });
    },
  ),
  calendar: {
    carried: ({ times }) => times !== undefined && times.list.length > 1,
    kept: ({ times: one }, { times: other }) =>
      one !== undefined &&
      other !== undefined &&
      one.relative === other.relative &&
      sameSequence(one.list, other.list, (a, b) => Math.abs(a - b) < 0.5),
  },
  unit: eachColumn(
    ({ unit }) => unit !== undefined,
    // A unit in the header of a column is part of the name where EUM and UDUNITS do not know it.
    (before, after) => before.unit === after.unit || after.name.endsWith(`[${before.unit}]`),
  ),
  nodata: {
    carried: (facts) => facts.kind !== 'features' && empties.carried(facts),
    kept: empties.kept,
  },
  precision: {
    carried: ({ columns, places }) =>
      columns.some(({ values }) => values.some(isPrecise)) || places.flat().some(isPrecise),
    kept: async (before, after) => {
      const values = before.columns.every((column, n) => {
        const found = valuesOfAll(columnsFor(column, n, before, after));
        return column.values.filter(isPrecise).every((value) => found.has(value));
      });
      // The plane of a grid and of cells made of it differ, and another system: then values count alone.
      const planes =
        before.kind === after.kind &&
        before.kind !== 'array' &&
        after.places.length > 0 &&
        (before.crs === undefined || after.crs === undefined || (await sameCrs(before.crs, after.crs)));
      const places = new Set(after.places.map((place) => asKey(place, 7)));
      const heights = new Set(after.heights.map((z) => z.toPrecision(12)));
      // Heights that are lost altogether are no matter of precision.
      const sameHeights =
        heights.size === 0 || before.heights.every((z) => !isPrecise(z) || heights.has(z.toPrecision(12)));
      return values && (!planes || (sameHeights && before.places.every((place) => places.has(asKey(place, 7)))));
    },
  },
  order: {
    carried: ({ columns }) => columns.length > 1,
    kept: (before, after) => {
      const found = before.columns.map((column, n) => {
        const [first] = columnsFor(column, n, before, after);
        return first === undefined ? -1 : after.columns.indexOf(first);
      });
      const there = found.filter((n) => n >= 0);
      if (!there.every((n, k) => k === 0 || n > there[k - 1]!)) return false;
      const byPlace =
        before.kind === 'grid' || before.kind === 'array' || after.kind === 'series' || after.kind === 'grid';
      if (byPlace) return true;
      const marker = markerOf(before);
      const [column] = marker < 0 ? [] : columnsFor(before.columns[marker]!, marker, before, after);
      return column === undefined || sameSequence(before.columns[marker]!.values, column.values, isSame);
    },
  },
  names: {
    carried: ({ columns }) => columns.some(({ name }) => name !== ''),
    kept: (before, after) =>
      before.columns.every(
        ({ name, values }) =>
          name === '' || values.every(isEmpty) || after.columns.some((one) => holds(one.name, name)),
      ),
  },
  dimensions: {
    carried: ({ heights }) => positive(heights),
    kept: (before, after) => {
      // A grid has them in a band.
      const values = after.columns.flatMap((column) => column.values.filter((value) => typeof value === 'number'));
      const heights = new Set([...after.heights, ...values].map(Math.fround));
      return before.heights.every((height) => !Number.isFinite(height) || heights.has(Math.fround(height)));
    },
  },
  null: {
    carried: ({ kind, columns, geometries }) =>
      kind === 'features' && (columns.some(({ values }) => values.some(isEmpty)) || geometries.includes(null)),
    kept: (before, after) =>
      sameSequence(before.geometries.toSorted().map(isEmpty), after.geometries.toSorted().map(isEmpty)) &&
      nulls.kept(before, after) === true,
  },
  mixedGeometry: {
    carried: ({ geometries }) => new Set(geometries.filter((type) => type !== null)).size > 1,
    // A mesh has a cell for each geometry of one part.
    kept: (before, after) =>
      after.kind === 'mesh'
        ? (after.columns[0]?.values.length ?? 0) === placed(before).length
        : sameSequence(placed(before).toSorted(), placed(after).toSorted()),
  },
  quantity: eachColumn(
    ({ eum }) => eum !== undefined && eum.item !== UNDEFINED_ITEM,
    (before, after) => before.eum?.item === after.eum?.item && before.eum?.unit === after.eum?.unit,
  ),
  kindOfValue: eachColumn(
    ({ valueKind = 'instantaneous' }) => valueKind !== 'instantaneous',
    (before, after) => before.valueKind === after.valueKind,
  ),
  ids: {
    carried: ({ ids }) => ids.length > 0,
    // Some formats have them in a column.
    kept: (before, after) => {
      const ids = before.ids.map(String).toSorted();
      const lists = [after.ids, ...after.columns.map(({ values }) => values)];
      return lists.some((list) => sameSequence(ids, list.map(String).toSorted()));
    },
  },
  layers: {
    carried: ({ layers }) => layers.length > 0,
    kept: (before, after) => {
      if (after.kind === before.kind) return sameSequence(before.layers, after.layers, near);
      // Tiles have layers of a mesh, too; cells of a mesh stand between the boundaries of layers.
      if (before.kind === 'mesh') return Math.max(...before.layers) === after.layers.length;
      const levels = [...new Set(after.heights)].toSorted((a, b) => a - b);
      return before.layers.every((height, n) => near((levels[n]! + levels[n + 1]!) / 2, height));
    },
  },
  measures: {
    carried: ({ measures }) => positive(measures),
    kept: (before, after) => sameSequence(before.measures.toSorted(), after.measures.toSorted()),
  },
};
