import { distinctName } from '../../../data/distinct-name.ts';
import type { MultiArray } from '../../../data/multi-array.ts';
import type { PlaceCoordinate, Places } from '../../../data/places.ts';
import type { ArraySpec, Attributes } from '../../io/store/array-spec.ts';
import { type StoreContent, type WholeArray, wholeArray } from '../../io/store/content.ts';
import { coordinateAttributes, known } from '../../io/store/crs.ts';
import { ATTRIBUTE } from '../../io/store/description.ts';
import { TIME } from '../../io/store/time.ts';

type Placed = MultiArray & { readonly places: Places };

export const isPlaced = (data: { readonly kind: string; readonly places?: unknown }): data is Placed =>
  data.kind === 'array' && data.places !== undefined;

/** The only place of data that count none. */
const STATION = 'station';
const isNumber = ({ name }: Pick<PlaceCoordinate, 'name'>): boolean => name === 'element' || name === 'node';

/**
 * The content of an array with the coordinates of its places: discrete sampling geometries of CF 1.11, chapter 9, in
 * the orthogonal form. Without a description, so that readers take the items for series of places.
 */
export async function withPlaces(content: StoreContent, array: Placed): Promise<StoreContent> {
  const { places, crs } = array;
  const system = await known(crs);
  const dimensions = dimensionNames(content, array);
  const usedNames = new Set([TIME, ...content.items.map(({ spec }) => spec.name), ...dimensions.values()]);
  const counted = places.axis === undefined ? undefined : dimensions.get(places.axis);
  const added: WholeArray[] = [];
  const hasId = places.coordinates.some((one) => isNumber(one) && one.axis === places.axis);
  const role = { cf_role: 'timeseries_id' };
  if (!hasId && counted === undefined)
    added.push(
      wholeArray(distinctName(STATION, usedNames), 'Int32', Int32Array.of(1), {
        dimensions: [],
        shape: [],
        attributes: { ...role, long_name: STATION },
      }),
    );
  for (const { name, axis, values } of places.coordinates) {
    const along = axis === undefined ? undefined : dimensions.get(axis)!;
    if (along === name) continue;
    const isId = isNumber({ name }) && axis === places.axis;
    const type = values instanceof Int32Array ? 'Int32' : 'Float64';
    added.push(
      wholeArray(distinctName(name, usedNames), type, values, {
        dimensions: along === undefined ? [] : [along],
        shape: along === undefined ? [] : [values.length],
        attributes: { ...attributesOf(name, system), ...(isId ? role : {}) },
      }),
    );
  }
  const names = added.map(({ spec }) => spec.name);
  const { [ATTRIBUTE]: _, ...attributes } = content.attributes;
  const isProfile = array.axes.some(({ name }) => name === 'z');
  const featureType = array.time === undefined || isProfile ? {} : { featureType: 'timeSeries' };
  return {
    ...content,
    attributes: { ...attributes, ...featureType },
    wholes: [
      ...content.wholes.map((whole) => {
        const { name } = whole.spec;
        if (name === counted && !hasId) return counting(whole, { ...role, long_name: name });
        const own = places.coordinates.find((one) => one.name === name && dimensions.get(one.axis ?? -1) === name);
        return own === undefined
          ? whole
          : counting(whole, { ...attributesOf(own.name, system), ...(name === counted ? role : {}) });
      }),
      ...added,
    ],
    items: content.items.map((item) => ({
      ...item,
      spec: withCoordinates(item.spec, names, added),
    })),
  };
}

/** The coordinate variable of an axis with other attributes; numbers of places are integers. */
function counting({ spec, values }: WholeArray, attributes: Attributes): WholeArray {
  if (attributes.positive !== undefined) return { spec: { ...spec, attributes }, values };
  return wholeArray(spec.name, 'Int32', Int32Array.from(values as ArrayLike<number>), {
    dimensions: [...spec.dimensions],
    shape: [...spec.shape],
    attributes,
  });
}

/** Names the coordinates that vary along the dimensions of an item, or along none. */
function withCoordinates(spec: ArraySpec, names: readonly string[], added: readonly WholeArray[]): ArraySpec {
  const own = names.filter((_, n) => added[n]!.spec.dimensions.every((one) => spec.dimensions.includes(one)));
  return { ...spec, attributes: { ...spec.attributes, ...(own.length === 0 ? {} : { coordinates: own.join(' ') }) } };
}

/** Names of the dimensions of the axes that items have. */
function dimensionNames({ items }: StoreContent, array: MultiArray): Map<number, string> {
  const names = new Map<number, string>();
  for (const [n, { spec }] of items.entries()) {
    const own = array.items[n]!;
    const first = spec.dimensions.length - own.axes.length;
    for (const [d, axis] of own.axes.entries()) names.set(axis, spec.dimensions[first + d]!);
  }
  return names;
}

function attributesOf(name: PlaceCoordinate['name'], system: Parameters<typeof coordinateAttributes>[1]): Attributes {
  if (name === 'z') return { long_name: 'height', units: 'm', positive: 'up', axis: 'Z' };
  if (name === 'x' || name === 'y') {
    const { axis: _, ...attributes } = coordinateAttributes(name, system);
    return { long_name: name, ...attributes };
  }
  return { long_name: name };
}
