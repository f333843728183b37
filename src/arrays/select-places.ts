import type { Indices } from 'hydrofiles/data';
import { invalidMember } from '../errors.ts';
import type { MeshPlaces } from './mesh-places.ts';
import { type AxisColumn, composite, numbersAt, other, single, wholeColumn } from './output-axis.ts';
import { checkLayer, keysOf, outside } from './select-cells.ts';
import { all, type Choice, type Selection } from './selection.ts';
import type { Variable } from './variables.ts';

/** Chosen nodes and cells of a request, which its items share. */
export type ChosenPlaces = Map<NonNullable<Variable['location']>, Uint32Array>;

/** Values of an item at nodes or in cells of a mesh. */
export function selectPlaces(
  variable: Variable,
  places: MeshPlaces,
  choice: Choice,
  known: ChosenPlaces = new Map(),
): Selection {
  const location = variable.location!;
  const chosen = known.get(location) ?? chosenPlaces(variable, places, choice);
  known.set(location, chosen);
  const others = variable.dimensions.filter((dimension) => dimension.role === 'other');
  const keys = keysOf(others);
  const indices: Indices[] = [...others.map(({ axis }) => all(axis.values.length)), chosen];
  const before = others.map(({ axis }, d) => other(axis, keys[d]!));
  const at = gatherPoints(places, location, chosen);
  const isColumn = choice.point !== undefined && chosen.length > 1;
  if (isColumn) {
    const { length, x, y, z, columns } = at;
    const up = numbersAt('z', length, z!);
    return {
      indices,
      axes: [...before, { ...up, columns: [...columns, ...up.columns] }],
      shared: single({ length: 1, x, y }),
      shape: 'place',
    };
  }
  const isOne = chosen.length === 1 && (choice.point ?? choice.elements) !== undefined;
  return isOne
    ? { indices, axes: before, shared: single(at), shape: 'place' }
    : {
        indices,
        axes: [...before, composite(at)],
        shared: [],
        shape: 'points',
        ...(choice.elements === undefined ? {} : { isList: true }),
      };
}

function chosenPlaces({ id, location }: Variable, places: MeshPlaces, choice: Choice): Uint32Array {
  const { point, box, elements, layer } = choice;
  if (layer !== undefined && (location === 'node' || places.layers === undefined))
    throw invalidMember(
      'layer',
      `The item '${id}' has no layers${location === 'node' ? ': its values lie at nodes' : ''}.`,
    );
  checkLayer(layer, places.layers?.count ?? 0);
  const isInLayer = (index: number) => layer === undefined || places.layers!.of[index] === layer;
  const at = places.at(location!);
  if (elements !== undefined) {
    const found = elements.map((number) => {
      const index = places.findIndex(location!, number);
      if (index !== undefined) return index;
      throw invalidMember('element', `The mesh has no ${location === 'node' ? 'node' : 'element'} ${number}.`);
    });
    return Uint32Array.from(new Set(found)).sort().filter(isInLayer);
  }
  if (point !== undefined) {
    if (places.layers === undefined && places.hasVolumes)
      throw invalidMember('point', 'The mesh has volumes without layers. Ask for its values with bbox or element.');
    const cell = places.find(point.x, point.y);
    if (cell === undefined) throw outside(point.x, point.y);
    if (location === 'node') return places.nearestNodes(cell, point.x, point.y);
    const { first, length } = places.column(cell);
    return Uint32Array.from({ length }, (_, n) => first + n).filter(isInLayer);
  }
  const found = new Uint32Array(at.length / 3);
  let count = 0;
  for (let index = 0; index < found.length; index++) {
    const [x, y] = [at[3 * index]!, at[3 * index + 1]!];
    if (box !== undefined && !(x >= box.west && x <= box.east && y >= box.south && y <= box.north)) continue;
    if (isInLayer(index)) found[count++] = index;
  }
  return found.slice(0, count);
}

/** Coordinates of places, and their numbers in the table; heights only if the mesh has layers. */
function gatherPoints(places: MeshPlaces, location: 'node' | 'cell', chosen: Uint32Array) {
  const at = places.at(location);
  const along = (axis: number) => (index: number) => at[3 * chosen[index]! + axis]!;
  const { layers } = places;
  const columns: AxisColumn[] = [
    wholeColumn(location === 'node' ? 'node' : 'element', (n) => places.number(location, chosen[n]!)),
  ];
  if (layers !== undefined && location === 'cell') columns.push(wholeColumn('layer', (n) => layers.of[chosen[n]!]!));
  return { length: chosen.length, x: along(0), y: along(1), z: places.hasHeights ? along(2) : undefined, columns };
}
