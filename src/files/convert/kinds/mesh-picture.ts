import type { Axis } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { nodeCoordinates } from '../../data/mesh-cells.ts';
import { layerCount } from '../../data/mesh-columns.ts';
import { realValues } from '../../data/real-values.ts';
import { type MeshPicture, meshPicturePng } from '../../geo/draw/mesh-picture.ts';
import type { Values } from '../../geo/draw/mesh-raster.ts';
import { columnPlane, sectionPlane } from '../../geo/draw/section-plane.ts';
import { printedUnit } from '../../geo/draw/units.ts';
import { meshWithLayers } from '../steps/mesh-filters.ts';
import { chosenItem, chosenLayer, chosenStep, headingOf, type PictureChoice } from './picture-choice.ts';

/** Item, step and layer of a picture, validated before the data are read. */
export interface ChosenMesh {
  /** Absent: the mesh has no items. */
  readonly item?: number;
  readonly step: number;
  readonly layer: number;
  readonly layers: number;
}

export function chooseMesh(mesh: Mesh, { item, step, layer }: PictureChoice): ChosenMesh {
  const isFlat = mesh.layers === undefined || mesh.section !== undefined;
  const layers = isFlat ? 1 : layerCount(mesh.layers!);
  const chosen = mesh.items.length === 0 && item === undefined ? undefined : chosenItem(mesh.items, item);
  return {
    ...(chosen === undefined ? {} : { item: chosen }),
    step: chosenStep(mesh.time, step),
    layer: chosenLayer(layers, layer),
    layers,
  };
}

/** Draws a mesh from above, one layer of it, or a vertical section. */
export async function meshPng(mesh: Mesh, chosen: ChosenMesh, side?: number): Promise<Uint8Array> {
  const { item, step, layer, layers } = chosen;
  if (mesh.section !== undefined) return sectionPng(mesh, chosen, side);
  const shown = layers > 1 || mesh.layers !== undefined ? oneLayer(mesh, layer) : mesh;
  const place = { crs: mesh.crs, time: mesh.time, step, layer, layers };
  if (item === undefined)
    return meshPicturePng({ mesh: shown, side, ...bedOf(shown), ...headingOf({ name: 'Mesh' }, 0, place) });
  return meshPicturePng({
    mesh: shown,
    side,
    ...(await valuesOf(shown, item, step)),
    ...headingOf(titled(mesh.items[item]!), item, place),
  });
}

const oneLayer = (mesh: Mesh, layer: number): Mesh =>
  meshWithLayers(mesh, { type: 'VerticalFilterTransformation', by: 'index', from: layer, to: layer });

type Valued = Pick<MeshPicture, 'values' | 'unit'>;

async function valuesOf(mesh: Mesh, n: number, step: number): Promise<Valued> {
  const item: MeshItem = mesh.items[n]!;
  const all = realValues(await mesh.values(n, step), item);
  const values: Values = { at: item.location, of: item.components === undefined ? all : means(all, item.components) };
  return { values, unit: item.unit === undefined ? undefined : printedUnit(item.unit) };
}

/** The mean of the values at each place, such as those of a spectrum, without those that are missing. */
function means(values: Float64Array, components: readonly Axis[]): Float64Array {
  const each = components.reduce((product, axis) => product * axis.values.length, 1);
  return Float64Array.from({ length: values.length / each }, (_, place) => {
    const present = values.subarray(place * each, (place + 1) * each).filter((value) => !Number.isNaN(value));
    return present.reduce((sum, value) => sum + value, 0) / present.length;
  });
}

/** Title of the picture of a spectrum. */
function titled(item: MeshItem): Pick<MeshItem, 'name'> {
  if (item.components === undefined) return item;
  return { name: `${item.name ?? 'Item'}, mean over ${item.components.map(({ name }) => name).join(' and ')}` };
}

/** A mesh without items is coloured by the heights of its nodes, unless all are equal. */
function bedOf({ nodes }: Mesh): Valued {
  const of = nodeCoordinates(nodes, 2);
  return of.every((z) => z === of[0]) ? {} : { values: { at: 'node', of } };
}

async function sectionPng(mesh: Mesh, { item, step }: ChosenMesh, side: number | undefined): Promise<Uint8Array> {
  const heights = await mesh.heights?.(step);
  const place = { crs: mesh.crs, time: mesh.time, step };
  const named = item === undefined ? { name: 'Mesh' } : mesh.items[item]!;
  const heading = { ...headingOf(named, item ?? 0, place), side };
  const valued = item === undefined ? {} : await valuesOf(mesh, item, step);
  if (mesh.section === 'profile')
    return meshPicturePng({
      mesh: sectionPlane(mesh, heights),
      ...valued,
      ...heading,
      axes: ['Distance along the section', 'Height'],
    });
  const { values, ...rest } = valued as Valued;
  const twice =
    values?.at === 'node' ? { values: { ...values, of: Float64Array.of(...values.of, ...values.of) } } : { values };
  return meshPicturePng({ mesh: columnPlane(mesh, heights), ...twice, ...rest, ...heading, axes: ['', 'Height'] });
}
