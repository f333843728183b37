import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Grid } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { ItemFilter } from './transformation-shapes.ts';

/** Maximum number of items that a message names. */
const maxNamed = 50;

/** The requested bands, in the order of the request. */
export function chosenBands(grid: Grid, { items }: ItemFilter, context: Context): Grid {
  const chosen = choose(items, grid.bands, context);
  const { read: _, ...rest } = grid;
  return {
    ...rest,
    bands: chosen.map((n) => grid.bands[n]!),
    rows: (slice, wanted) => grid.rows({ ...slice, band: chosen[slice.band]! }, wanted),
  };
}

/** The requested fields, in the order of the request; geometries stay. */
export function chosenFields(data: FeatureCollection, { items }: ItemFilter, context: Context): FeatureCollection {
  const chosen = choose(items, data.fields, context);
  return {
    ...data,
    fields: chosen.map((n) => data.fields[n]!),
    async *chunks() {
      for await (const chunk of data.chunks())
        yield chunk.map((feature) => ({ ...feature, values: chosen.map((n) => feature.values[n]) }));
    },
  };
}

/**
 * Indices of the requested items. Reports items that do not exist.
 * @throws ConversionError if none exists
 */
export function choose(
  items: ItemFilter['items'],
  all: readonly { readonly name?: string }[],
  { reportLoss }: Context,
): number[] {
  const indices = new Map<string, number>();
  for (const [n, { name }] of all.entries()) if (name !== undefined && !indices.has(name)) indices.set(name, n);
  const chosen = new Set<number>();
  const missing: ItemFilter['items'] = [];
  for (const item of items) {
    const n = typeof item === 'number' ? item : indices.get(item);
    if (n !== undefined && n < all.length) chosen.add(n);
    else missing.push(item);
  }
  if (missing.length > 0 && chosen.size > 0)
    reportLoss(
      `The item filter names items that do not exist: ${several(missing)}. The data have the items ${listed(all)}.`,
    );
  if (chosen.size > 0) return [...chosen];
  const wanted = several(items);
  throw new ConversionError(
    all.length === 0
      ? `The item filter names ${wanted}, but the data have no items.`
      : `The item filter names ${wanted}, but the data only have the items ${listed(all)}.`,
  );
}

const quoted = (item: string | number): string => (typeof item === 'number' ? String(item) : `'${item.slice(0, 100)}'`);

const several = (items: ItemFilter['items']): string => cut(items.slice(0, maxNamed).map(quoted), items.length);

const listed = (all: readonly { readonly name?: string }[]): string => {
  const shown = all.slice(0, maxNamed).map(({ name }, n) => (name === undefined ? String(n) : `${n} ${quoted(name)}`));
  return cut(shown, all.length);
};

const cut = (shown: readonly string[], count: number): string =>
  `${shown.join(', ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`;
