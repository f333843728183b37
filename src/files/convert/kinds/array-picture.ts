import type { MultiArray, Placement } from '../../data/multi-array.ts';
import { realValues } from '../../data/real-values.ts';
import { ConversionError } from '../../errors.ts';
import { meshPicturePng } from '../../geo/draw/mesh-picture.ts';
import { printedUnit } from '../../geo/draw/units.ts';
import { arrayToMesh } from '../bridges/array-to-mesh.ts';
import { chosenItem, chosenLayer, chosenStep, headingOf, type PictureChoice } from './picture-choice.ts';

/** A picture that was chosen, checked before the data are read. */
export interface ChosenArray {
  readonly item: number;
  readonly step: number;
  readonly layer: number;
  readonly layers: number;
}

export function chooseArray({ items, axes, time }: MultiArray, { item, step, layer }: PictureChoice): ChosenArray {
  const n = chosenItem(items, item);
  const dimensions = items[n]!.axes.length;
  if (dimensions < 1 || dimensions > 3)
    throw new ConversionError(
      `Item ${n} has ${dimensions} dimensions, and only values over one to three can be drawn. Choose another item.`,
    );
  const layers = dimensions === 3 ? axes[items[n]!.axes[0]!]!.values.length : 1;
  return { item: n, step: chosenStep(time, step), layer: chosenLayer(layers, layer), layers };
}

/**
 * The cells of an item over two dimensions, of three those of one layer: where they lie, else over their coordinates.
 */
export async function arrayPng(
  array: MultiArray,
  { item, step, layer, layers }: ChosenArray,
  side?: number,
): Promise<Uint8Array> {
  const { crs, ...located } = arrayToMesh(planeOfArray(array, item, layer), { context: { reportLoss() {} } });
  const { axes: numbers, ...shown } = array.items[item]!;
  const plane = numbers.slice(-2);
  const placed = isInPlane(array, plane);
  const labels = plane.map((n) => {
    const { name, unit } = array.axes[n]!;
    return unit === undefined ? name : `${name} (${printedUnit(unit)})`;
  });
  const [described] = located.items;
  const of = realValues(await located.values(0, step), described!);
  return meshPicturePng({
    mesh: { ...located, ...(placed && crs ? { crs } : {}) },
    values: { at: described!.location, of },
    unit: shown.unit === undefined ? undefined : printedUnit(shown.unit),
    side,
    ...headingOf(shown, item, { crs: placed ? crs : undefined, time: array.time, step, layer, layers }),
    ...(placed ? {} : { axes: [labels.at(-1)!, labels.length < 2 ? '' : labels[0]!] as const }),
  });
}

/** Whether the placement of an array is that of the last dimensions of an item. */
const isInPlane = ({ placement }: MultiArray, plane: readonly number[]): boolean =>
  placement !== undefined && placement.y === plane.at(-2) && placement.x === plane.at(-1);

/** An item over two dimensions, of three those of one layer, as an array of its own. */
export function planeOfArray(array: MultiArray, item: number, layer: number): MultiArray {
  const { axes: numbers, ...shown } = array.items[item]!;
  const solid = numbers.length === 3;
  const plane = numbers.slice(-2);
  const { placement, ...rest } = array;
  const placed = placement !== undefined && isInPlane(array, plane);
  return {
    ...rest,
    ...(placed ? { placement: solid ? layerPlacement(placement, array, numbers[0]!, layer) : placement } : {}),
    items: [{ ...shown, axes: plane }],
    read: (_, at, start, shape) =>
      array.read(item, at, solid ? [layer, ...start] : start, solid ? [1, ...shape] : shape),
  };
}

/** Placement of one layer. Cells between two levels of corners are drawn where they lie halfway up. */
function layerPlacement(placement: Placement, { axes }: MultiArray, z: number, layer: number): Placement {
  if (placement.by !== 'nodes' || placement.space?.z !== z) return placement;
  const { space: _, nodeX, nodeY, ...rest } = placement;
  const perLevel = nodeX.length / (axes[z]!.values.length + 1);
  const middle = (of: Float64Array) =>
    Float64Array.from({ length: perLevel }, (_, n) => {
      const lower = layer * perLevel + n;
      return (of[lower]! + of[lower + perLevel]!) / 2;
    });
  return { ...rest, nodeX: middle(nodeX), nodeY: middle(nodeY) };
}
