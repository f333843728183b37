import {
  type ArrayItem,
  type Axis,
  eumUnit,
  type Item,
  type MeshItem,
  type MultiArray,
  type ValueArray,
} from 'hydrofiles/data';
import type { OpenedStore } from 'hydrofiles/zarr';

/** A dimension of an item besides time: what its indices count. */
export type Dimension =
  | { readonly role: 'x' | 'y' | 'place' }
  /** Layers from the lowest; heights if they are known. */
  | { readonly role: 'layer'; readonly axis: Axis }
  /** Any other coordinate, such as the frequency of a spectrum. */
  | { readonly role: 'other'; readonly axis: Axis };

/** An item of a dataset with its array. */
export interface Variable {
  /** Unique in the dataset. */
  readonly id: string;
  readonly item: Item;
  readonly array: ValueArray;
  /** The first dimension of the array is time. */
  readonly timed: boolean;
  /** The others, in the order of the array. */
  readonly dimensions: readonly Dimension[];
  /** Whether the values of a mesh item lie at nodes or cells. */
  readonly location?: MeshItem['location'];
}

/** The number that is no data in binary answers; NaN for values with a scale or an offset. */
export const noDataOf = ({ scale = 1, offset = 0, nodata = Number.NaN }: Item): number =>
  scale !== 1 || offset !== 0 ? Number.NaN : nodata;

/** Symbol of the unit of an item. */
export const unitSymbol = ({ unit, eum }: Item): string | undefined => unit ?? (eum && eumUnit(eum.unit)?.symbol);

export function listVariables({ data, arrays }: OpenedStore): Variable[] {
  const made = (item: Item, n: number, timed: boolean, dimensions: readonly Dimension[]): Variable => {
    const array = arrays[n]!;
    return { id: array.metadata.name, item, array, timed, dimensions };
  };
  const timed = data.time !== undefined;
  if (data.kind === 'grid') {
    const layer = data.layers && layerDimension(data.layers);
    return data.bands.map((band, n) => made(band, n, timed, [...(layer ? [layer] : []), { role: 'y' }, { role: 'x' }]));
  }
  if (data.kind === 'mesh')
    return data.items.map((item, n) => {
      const others = (item.components ?? []).map((axis): Dimension => ({ role: 'other', axis }));
      return { ...made(item, n, timed, [...others, { role: 'place' }]), location: item.location };
    });
  return data.items.map((item, n) => made(item, n, timed && item.overTime, dimensionsOf(data, item)));
}

const layerDimension = ({
  count,
  first,
  spacing,
  unit,
}: {
  count: number;
  first: number;
  spacing: number;
  unit?: string;
}): Dimension => ({
  role: 'layer',
  axis: {
    name: 'layer',
    ...(unit === undefined ? {} : { unit }),
    values: Float64Array.from({ length: count }, (_, n) => first + n * spacing),
  },
});

/**
 * Dimensions of an item of an array: where its cells lie if they are its last two, in this order; one before them
 * counts layers.
 */
function dimensionsOf({ axes, placement }: MultiArray, item: ArrayItem): Dimension[] {
  const [y, x] = item.axes.slice(-2);
  const placed = placement !== undefined && placement.y === y && placement.x === x;
  return item.axes.map((number, d): Dimension => {
    const axis = axes[number]!;
    if (!placed) return { role: 'other', axis };
    if (d >= item.axes.length - 2) return { role: number === x ? 'x' : 'y' };
    return { role: item.axes.length === 3 ? 'layer' : 'other', axis };
  });
}
