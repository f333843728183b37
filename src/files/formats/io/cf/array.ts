import { defined } from '../../../data/defined.ts';
import type { Axis } from '../../../data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../../data/multi-array.ts';
import { FormatError } from '../../../errors.ts';
import { arrayOf } from '../value-array.ts';
import type { Clock } from './clock.ts';
import type { CurvilinearCells } from './curvilinear.ts';
import { type Dimension, type Dimensions, lineOf, longestDimension, type View } from './dimensions.ts';
import { affineOf, type HorizontalAxes } from './horizontal-axes.ts';
import { isDown, isPressure } from './levels.ts';
import { shortened, textOf } from './variable.ts';
import type { ViewDimension } from './view.ts';

export async function asArray(
  views: readonly View[],
  clock: Clock | undefined,
  place: HorizontalAxes | CurvilinearCells | undefined,
  dimensions: Dimensions,
): Promise<MultiArray> {
  const axes: Axis[] = [];
  const known: Dimension[] = [];
  const items: ArrayItem[] = [];
  for (const { own, item, overTime } of views) {
    const numbers: number[] = [];
    for (const dimension of own) {
      // Dimensions without a name are the variable's own.
      let n = known.findIndex(
        ({ name, length }) => name !== undefined && name === dimension.name && length === dimension.length,
      );
      if (n < 0) {
        n = known.push(dimension) - 1;
        axes.push(await axisOf(dimension, n, dimensions));
      }
      numbers.push(n);
    }
    items.push({ ...item, axes: numbers, overTime });
  }
  const at = (wanted: Dimension) =>
    known.findIndex(({ name, length }) => name === wanted.name && length === wanted.length);
  const placement = place && (await placementOf(place, { x: at(place.x), y: at(place.y) }, dimensions));
  const time = items.some(({ overTime }) => overTime) ? clock?.time : undefined;
  const head = defined({ axes, items, time, placement, crs: place?.crs }) as Omit<MultiArray, 'kind' | 'read'>;
  return arrayOf(
    head,
    views.map(({ array }) => array),
  );
}

async function placementOf(
  place: HorizontalAxes | CurvilinearCells,
  numbers: { readonly x: number; readonly y: number },
  dimensions: Dimensions,
): Promise<Placement | undefined> {
  if ('nodeX' in place) return { by: 'nodes', ...numbers, nodeX: place.nodeX, nodeY: place.nodeY };
  const affine = await affineOf(place, dimensions);
  return affine && { by: 'affine', ...numbers, affine };
}

async function axisOf(
  dimension: Dimension & Pick<ViewDimension, 'order'>,
  n: number,
  dimensions: Dimensions,
): Promise<Axis> {
  const { name, length, role, order } = dimension;
  if (length > longestDimension)
    throw new FormatError(
      `The dimension '${shortened(name ?? String(n))}' has ${length} values. The maximum is ${longestDimension}.`,
    );
  const coordinates = await lineOf(dimension, dimensions);
  const named = name ?? `dimension ${n + 1}`;
  if (coordinates === undefined) return { name: named, values: Float64Array.from({ length }, (_, index) => index) };
  const { variable, line } = coordinates;
  const down = role === 'level' && !isPressure(variable) && isDown(variable, coordinates.values);
  const directed = (values: Float64Array): Float64Array => {
    const own = order === 'reversed' ? values.toReversed() : values.slice();
    return down ? own.map((value) => -value + 0) : own;
  };
  const units = textOf(variable.metadata.attributes.units);
  return defined({
    name: named,
    unit: units,
    values: directed(coordinates.values),
    edges: line === undefined && coordinates.edges !== undefined ? directed(coordinates.edges) : undefined,
  }) as Axis;
}
