import type { Crs } from '../../../data/crs-reference.ts';
import { defined } from '../../../data/defined.ts';
import type { Band, Grid } from '../../../data/grid.ts';
import { stepCount } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import { gridOf } from '../value-array.ts';
import { shown } from '../zip.ts';
import type { GridDescription } from './description.ts';
import { itemOfDescription } from './items.ts';
import type { ArrayStore, OpenedStore, StoreArray } from './opened.ts';
import { originOf } from './read-origin.ts';
import { TIME, timeOfDescription } from './time.ts';

/** A grid that the writer has described. */
export async function readDescribedGrid(description: GridDescription, store: ArrayStore): Promise<OpenedStore<Grid>> {
  const { width, height, affine, located, crs, layers, items } = description;
  const time = description.time && (await timeOfDescription(description.time, () => store.array(TIME)));
  const shape = [
    ...(time === undefined ? [] : [stepCount(time)]),
    ...(layers === undefined ? [] : [layers.count]),
    height,
    width,
  ];
  const arrays = items.map(({ array }) => store.array(array));
  for (const array of arrays) checkShape(array, shape);
  const bands = items.map(
    ({ role, palette, ...item }, n) =>
      defined({ ...itemOfDescription(item, arrays[n]!.metadata.type), role, palette }) as Band,
  );
  const place = { affine, width, height, ...(layers && { layers: layers.count, firstLayer: layers.first }) };
  const origin = originOf(description, crs as Crs | undefined, place);
  const head = defined({ width, height, affine, located, crs, time, layers, origin }) as Omit<
    Grid,
    'kind' | 'bands' | 'rows'
  >;
  return { data: gridOf(head, bands, arrays), arrays };
}

/** @throws FormatError for another shape than the description says */
export function checkShape(
  { metadata: { name, shape: own } }: Pick<StoreArray, 'metadata'>,
  shape: readonly number[],
): void {
  if (own.length === shape.length && own.every((length, d) => length === shape[d])) return;
  throw new FormatError(`The array '${shown(name)}' has the shape ${own.join(' × ')} instead of ${shape.join(' × ')}.`);
}
