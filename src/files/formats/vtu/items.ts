import { type Axis, type Samples, VALUE_KINDS } from '../../data/item.ts';
import type { MeshItem } from '../../data/mesh.ts';
import { commonType, isFloat, sampleArrays } from '../../data/samples.ts';
import type { Context } from '../define.ts';
import { wrong } from './decode.ts';
import type { ArrayElement, VtuDocument } from './document.ts';
import { NODE_CODES } from './item-arrays.ts';
import { readNumbers, typeOf } from './numbers.ts';

/** Maximum number of components of an array. */
const maxComponents = 1 << 16;

/** An item with its array in each piece. */
export interface StoredItem {
  readonly item: MeshItem;
  readonly arrays: readonly ArrayElement[];
}

export const isNodeCodes = ({ name, type, components }: ArrayElement): boolean =>
  name === NODE_CODES && type === 'Int32' && components === 1;

/** Items at points, then items of cells, as the first piece names them. Arrays of texts are left out. */
export function storedItems({ pieces }: VtuDocument, { reportLoss }: Pick<Context, 'reportLoss'>): StoredItem[] {
  const items: StoredItem[] = [];
  for (const [location, key] of [
    ['node', 'pointData'],
    ['cell', 'cellData'],
  ] as const)
    for (const [place, array] of pieces[0]![key].entries()) {
      if (location === 'node' && isNodeCodes(array)) continue;
      if (array.type === 'String' || array.type === 'Bit') {
        reportLoss(`The array '${array.name}' holds no numbers (${array.type}) and was left out.`);
        continue;
      }
      const arrays = pieces.map((piece) => sameArray(piece[key], array, place));
      items.push({ item: itemOf(array, arrays, location), arrays });
    }
  return items;
}

function sameArray(arrays: readonly ArrayElement[], wanted: ArrayElement, place: number): ArrayElement {
  const { name, components } = wanted;
  const found = arrays[place]?.name === name ? arrays[place] : arrays.find((array) => array.name === name);
  if (found === undefined) throw wrong(wanted, 'is missing in another piece.', wanted.at);
  if (found.components !== components)
    throw wrong(found, `has not the ${components} components of the first piece.`, found.at);
  return found;
}

function itemOf(array: ArrayElement, arrays: readonly ArrayElement[], location: MeshItem['location']): MeshItem {
  const { name, unit, components } = array;
  if (components < 1 || components > maxComponents) throw wrong(array, `has ${components} components.`, array.at);
  const type = commonType(arrays.map(typeOf));
  return {
    name: name === '' ? 'Array' : name,
    location,
    type,
    ...(isFloat(type) ? { nodata: Number.NaN } : {}),
    ...(unit === undefined ? {} : { unit }),
    ...(components === 1 ? {} : { components: [componentAxis(components)] }),
  };
}

const componentAxis = (count: number): Axis => ({
  name: 'component',
  values: Float64Array.from({ length: count }, (_, n) => n),
});

/** Adds EUM codes and kinds of value to items, if the field data have one of each for each item. */
export function withQuantities(
  items: readonly StoredItem[],
  fields: ReadonlyMap<string, Samples>,
  { remark }: Pick<Context, 'remark'>,
): StoredItem[] {
  const [quantities, units, kinds] = ['EumItem', 'EumUnit', 'ValueType'].map((name) => fields.get(name));
  const given = [quantities, units, kinds].filter((one) => one !== undefined);
  if (given.some(({ length }) => length !== items.length)) {
    remark('EumItem, EumUnit and ValueType were ignored: they are not as many as the arrays of the file.');
    return [...items];
  }
  return items.map(({ item, arrays }, n) => {
    const valueKind = kinds === undefined ? undefined : VALUE_KINDS[kinds[n]!];
    return {
      arrays,
      item: {
        ...item,
        ...(quantities?.[n] && units !== undefined ? { eum: { item: quantities[n], unit: units[n]! } } : {}),
        ...(valueKind === undefined ? {} : { valueKind }),
      },
    };
  });
}

/** The values of an item in all pieces; points or cells vary fastest. */
export async function itemValues(document: VtuDocument, { item, arrays }: StoredItem): Promise<Samples> {
  const parts: Samples[] = [];
  for (const [n, { points, cells }] of document.pieces.entries()) {
    const array = arrays[n]!;
    const places = item.location === 'node' ? points : cells;
    parts.push(await readNumbers(document, array, places * array.components));
  }
  const components = arrays[0]!.components;
  if (parts.length === 1 && components === 1) return parts[0]!;
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const values = new sampleArrays[item.type!](total);
  let before = 0;
  for (const part of parts) {
    const places = part.length / components;
    for (let component = 0; component < components; component++)
      for (let place = 0; place < places; place++)
        values[(component * total) / components + before + place] = part[place * components + component]!;
    before += places;
  }
  return values;
}
