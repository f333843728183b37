import { joinTimes } from '../../data/join-times.ts';
import type { Mesh } from '../../data/mesh.ts';
import { nodeCount } from '../../data/mesh-cells.ts';
import { sameNumbers } from '../../data/number-arrays.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import { checkSameCrs } from './join-crs.ts';
import { convertValues, matchItems } from './join-items.ts';

/** Relative tolerance for coordinates of nodes: the rounding of single precision. */
const tolerance = 2 ** -23;

/**
 * Appends the steps of the input to the mesh of a dataset. Both must have the same nodes, elements, items and
 * coordinate system.
 */
export async function joinMeshes(present: Mesh, added: Mesh): Promise<Mesh> {
  await checkSameCrs(present, added, 'Meshes');
  checkSameCells(present, added, ['the dataset', 'the input']);
  const items = matchItems(present.items, added.items);
  checkPlaces(present, added, items);
  const time = joinTimes(present.time, added.time);
  const count = stepsOf(present);
  const { heights } = present;
  return {
    ...present,
    time,
    ...(present.origin === undefined ? {} : { origin: { ...present.origin, changed: true } }),
    ...(heights === undefined
      ? {}
      : { heights: (step: number) => (step < count ? heights(step) : added.heights!(step - count)) }),
    async values(item, step) {
      if (step < count) return present.values(item, step);
      const from = items[item]!;
      return convertValues(await added.values(from, step - count), added.items[from]!, present.items[item]!);
    },
  };
}

/**
 * @param words the two meshes in sentences
 * @throws ConversionError unless both have the same nodes and elements
 */
export function checkSameCells(present: Mesh, added: Mesh, words: readonly [string, string]): void {
  const [one, other] = [present, added].map((mesh) => `${nodeCount(mesh)} nodes and ${mesh.shapes.length} elements`);
  const [first, second] = words;
  if (one !== other)
    throw new ConversionError(`${first[0]!.toUpperCase()}${first.slice(1)} has ${one}, and ${second} ${other}.`);
  const same =
    sameNumbers(present.shapes, added.shapes) &&
    sameNumbers(present.connectivity, added.connectivity) &&
    present.section === added.section &&
    (present.heights === undefined) === (added.heights === undefined);
  if (!same) throw new ConversionError(`The elements of ${second} differ from those of ${first}.`);
  checkNodes(present, added, words);
}

function checkNodes(
  { nodes: present }: Mesh,
  { nodes: added }: Mesh,
  [first, second]: readonly [string, string],
): void {
  for (let n = 0; n < present.length; n++) {
    const [one, other] = [present[n]!, added[n]!];
    if (Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other))) continue;
    const node = Math.floor(n / 3);
    const place = ({ 0: x, 1: y }: ArrayLike<number>) => `(${x}, ${y})`;
    throw new ConversionError(
      `Node ${node + 1} lies at ${place(present.subarray(3 * node))} in ${first}, and at ${place(added.subarray(3 * node))} in ${second}.`,
    );
  }
}

function checkPlaces({ items: present }: Mesh, { items: added }: Mesh, matched: readonly number[]): void {
  for (const [n, item] of present.entries()) {
    const other = added[matched[n]!]!;
    const axes = [item, other].map(({ components = [] }) => components.map(({ values }) => values.join()).join(';'));
    if (item.location !== other.location || axes[0] !== axes[1])
      throw new ConversionError(
        `The item '${item.name ?? ''}' has its values at other places, frequencies or directions in the input than in the dataset.`,
      );
  }
}
