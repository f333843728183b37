import type { Samples } from '../../../data/item.ts';
import { FormatError } from '../../../errors.ts';
import type { DfsBlock } from './blocks.ts';
import type { DfsArray } from './typed-array.ts';
import { fixedNumbers } from './values.ts';

/** The spatial axis of an item. */
export interface DfsAxis {
  readonly tag: number;
  /** Code of the EUM unit of its coordinates. */
  readonly unit: number;
  /** Number of values along each of x, y and z that the axis has. */
  readonly counts: readonly number[];
  /** First coordinate of each dimension, then spacing of each; only of equidistant axes. */
  readonly spacing: readonly number[];
  /** Coordinates of non-equidistant and curvilinear axes. */
  readonly coordinates: readonly DfsArray[];
}

export const axisTag = {
  point: 31051,
  equidistant1: 31052,
  nonEquidistant1: 31053,
  equidistant2: 31055,
  nonEquidistant2: 31056,
  equidistant3: 31058,
  nonEquidistant3: 31059,
  curvilinear2: 31061,
  curvilinear3: 31062,
} as const;

const firstAxisTag = 31050;
const lastAxisTag = 31099;
/** Axes for which DHI's libraries write no arrays. */
const timeVarying = [31054, 31057, 31060];

interface AxisShape {
  dimensions: number;
  /** Float32 numbers of an equidistant axis. */
  spacing?: number;
  /** Lengths of the arrays of coordinates. */
  coordinates?(counts: readonly number[]): number[];
  type?: 'Float32' | 'Float64';
}

const nodes = (counts: readonly number[]) => counts.reduce((product, count) => product * (count + 1), 1);

const shapes: Readonly<Record<number, AxisShape>> = {
  [axisTag.point]: { dimensions: 0 },
  [axisTag.equidistant1]: { dimensions: 1, spacing: 2 },
  [axisTag.nonEquidistant1]: { dimensions: 1, coordinates: ([n]) => [3 * n!], type: 'Float32' },
  [axisTag.equidistant2]: { dimensions: 2, spacing: 4 },
  [axisTag.nonEquidistant2]: { dimensions: 2, coordinates: (counts) => counts.map((n) => n + 1), type: 'Float64' },
  [axisTag.equidistant3]: { dimensions: 3, spacing: 6 },
  [axisTag.nonEquidistant3]: { dimensions: 3, coordinates: (counts) => counts.map((n) => n + 1), type: 'Float64' },
  [axisTag.curvilinear2]: { dimensions: 2, coordinates: (counts) => [nodes(counts), nodes(counts)], type: 'Float64' },
  [axisTag.curvilinear3]: {
    dimensions: 3,
    coordinates: (counts) => [nodes(counts), nodes(counts), nodes(counts)],
    type: 'Float64',
  },
};

export const isAxisTag = (number: number): boolean => number > firstAxisTag && number <= lastAxisTag;

/** Values of an item per step. */
export const elementsOfAxis = ({ counts }: Pick<DfsAxis, 'counts'>): number =>
  counts.reduce((product, count) => product * count, 1);

/** @throws FormatError for an unknown axis, or if the lengths of its arrays do not match its counts */
export async function readAxis(block: DfsBlock): Promise<DfsAxis> {
  const shape = shapes[block.tag];
  if (timeVarying.includes(block.tag))
    throw new FormatError(
      'The file has a spatial axis that varies over time, which no known program writes.',
      block.offset,
    );
  if (shape === undefined) throw new FormatError(`The spatial axis ${block.tag} is not known.`, block.offset);
  const [unit, ...counts] = await fixedNumbers(block, 0, 'Int32', shape.dimensions + 1);
  for (const count of counts) if (count < 0) throw new FormatError(`A spatial axis has ${count} values.`, block.offset);
  if (!Number.isSafeInteger(elementsOfAxis({ counts }) * 8))
    throw new FormatError(`A spatial axis has ${counts.join(' × ')} values.`, block.offset);
  const spacing = shape.spacing === undefined ? [] : await fixedNumbers(block, 1, 'Float32', shape.spacing);
  const lengths = shape.coordinates?.(counts) ?? [];
  const coordinates = block.arrays.slice(1, 1 + lengths.length);
  if (lengths.some((length, n) => coordinates[n]?.count !== length || coordinates[n].type !== shape.type))
    throw new FormatError(
      `A spatial axis of ${counts.join(' × ')} values has arrays of ${coordinates.map((one) => `${one.count} ${one.type}`).join(', ') || 'no'} coordinates.`,
      block.offset,
    );
  return { tag: block.tag, unit: unit!, counts, spacing, coordinates };
}

/** The arrays of an axis block. */
export const axisArrays = ({ unit, counts, spacing, coordinates }: DfsAxis): (Samples | DfsArray)[] => [
  Int32Array.of(unit, ...counts),
  ...(spacing.length === 0 ? [] : [Float32Array.from(spacing)]),
  ...coordinates,
];

/** EUM's code of the metre. */
export const METRE = 1000;

const equidistantTags = [axisTag.point, axisTag.equidistant1, axisTag.equidistant2, axisTag.equidistant3];

/** An axis with a value at `first[d] + k · step[d]` in each dimension d; without dimensions a single value. */
export const equidistantAxis = (
  counts: readonly number[],
  first: readonly number[] = counts.map(() => 0),
  step: readonly number[] = counts.map(() => 1),
  unit: number = METRE,
): DfsAxis => ({ tag: equidistantTags[counts.length]!, unit, counts, spacing: [...first, ...step], coordinates: [] });

/** Whether two axes have the same kind, counts and spacing. */
export const isAlike = (one: DfsAxis, other: DfsAxis): boolean =>
  one.tag === other.tag &&
  one.unit === other.unit &&
  one.counts.every((count, n) => count === other.counts[n]) &&
  one.spacing.every((value, n) => value === other.spacing[n]);

/** Whether two axes are the same, coordinates included: each item of a file has its own copy. */
export async function isSameAxis(one: DfsAxis, other: DfsAxis): Promise<boolean> {
  if (!isAlike(one, other)) return false;
  for (const [n, array] of one.coordinates.entries()) {
    const [values, others] = await Promise.all([array.load(), other.coordinates[n]!.load()]);
    if (!values.every((value, k) => value === others[k])) return false;
  }
  return true;
}
