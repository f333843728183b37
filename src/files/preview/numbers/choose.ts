import { chosenItem, chosenLayer, chosenStep } from '../../convert/kinds/picture-choice.ts';
import { type MeshLayer, meshLayers } from '../../convert/steps/mesh-layers.ts';
import type { Bytes } from '../../data/bytes.ts';
import { type Data, kindNouns } from '../../data/data.ts';
import { layersOf } from '../../data/grid.ts';
import type { Item } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError, RequestError } from '../../errors.ts';
import { itemName as namedItem } from '../describe.ts';

/** Data that a preview shows. */
export type PreviewData = Exclude<Data, Bytes>;

/** What a request chooses of data. Absent: the first item, the last step, the highest layer. */
export interface Choice {
  /** Id (the number from 0 as text), or name that no other item has. Of features a field. */
  readonly item?: string;
  /** Number from 0. */
  readonly step?: number;
  /** Number from 0 at the bottom. */
  readonly layer?: number;
}

/** Items by their ids: bands, items, fields of features. */
export function itemsOf(data: PreviewData): readonly Pick<Item, 'name' | 'unit'>[] {
  if (data.kind !== 'grid') return data.kind === 'features' ? data.fields : data.items;
  return data.bands.map((band, n) => ({ ...band, name: namedItem(band, n, 'grid') }));
}

/** The name of an item, which files may omit. */
export const nameOf = (item: Pick<Item, 'name'>, n: number): string => namedItem(item, n, 'mesh');

/** An item as answers name it. */
export interface ItemName {
  readonly id: string;
  readonly name: string;
  readonly unit?: string;
}

export const itemName = (items: readonly Pick<Item, 'name' | 'unit'>[], n: number): ItemName => {
  const { unit } = items[n]!;
  return { id: String(n), name: nameOf(items[n]!, n), ...(unit === undefined ? {} : { unit }) };
};

/** @throws RequestError for an item that does not exist, or a name that several have */
export function itemNumber(items: readonly Pick<Item, 'name'>[], asked: string | undefined): number {
  const isId = asked !== undefined && /^\d{1,9}$/.test(asked);
  if (isId && Number(asked) < items.length) return Number(asked);
  const named = items.flatMap((item, n) => (nameOf(item, n) === asked ? [n] : []));
  if (named.length > 1)
    throw new RequestError(
      `${named.length} items are named '${asked}'. Name one of them by its id: ${named.slice(0, 50).join(', ')}.`,
    );
  return named[0] ?? checked(() => chosenItem(items, isId ? Number(asked) : asked));
}

/** @throws RequestError for a step that does not exist */
export const stepNumber = (data: PreviewData, step: number | undefined): number =>
  data.kind === 'features' || data.kind === 'series' ? 0 : checked(() => chosenStep(data.time, whole('step', step)));

export const stepCountOf = (data: PreviewData): number =>
  data.kind === 'features' || data.kind === 'series' ? 1 : stepsOf(data);

/** @throws RequestError for a layer that does not exist */
export const layerNumber = (data: PreviewData, item: number, layer: number | undefined): number =>
  checked(() => chosenLayer(layersOfItem(data, item), whole('layer', layer)));

/** Number of layers in which an item has values. */
export function layersOfItem(data: PreviewData, item: number): number {
  if (data.kind === 'grid') return layersOf(data);
  if (data.kind === 'mesh') return data.section === undefined ? layersOfMesh(data).count : 1;
  if (data.kind !== 'array') return 1;
  const { axes } = data.items[item]!;
  return axes.length === 3 ? data.axes[axes[0]!]!.values.length : 1;
}

/** Layers of meshes that are asked again and again, with their triangles. */
const layered = new WeakMap<Mesh, { readonly count: number; layerOf(layer: number): MeshLayer }>();

/** @throws ConversionError for a mesh that stands upright */
export function layersOfMesh(mesh: Mesh): { readonly count: number; layerOf(layer: number): MeshLayer } {
  const known = layered.get(mesh) ?? meshLayers({ ...mesh, items: [] }, 'values');
  layered.set(mesh, known);
  return known;
}

/** @throws ConversionError for an item with several values per place, such as a spectrum */
export function checkSingle(items: readonly Item[], item: number): void {
  if (items[item]!.components !== undefined)
    throw new ConversionError(
      `The item '${nameOf(items[item]!, item)}' has several values at each place, such as a spectrum. Choose another one.`,
    );
}

/** What these data have none of. */
export const refused = (data: PreviewData, what: string): ConversionError =>
  new ConversionError(`The dataset holds ${kindNouns[data.kind].plural}, which have no ${what}.`);

function whole(what: string, n: number | undefined): number | undefined {
  if (n === undefined || (Number.isInteger(n) && n >= 0)) return n;
  throw new RequestError(`${what} must be a whole number from 0, not ${n}.`);
}

/** A choice that cannot be met is a wrong request. */
function checked(choose: () => number): number {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new RequestError(error.message);
  }
}
