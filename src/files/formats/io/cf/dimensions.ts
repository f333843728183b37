import { defined } from '../../../data/defined.ts';
import type { Item } from '../../../data/item.ts';
import { stepCount } from '../../../data/time-axis.ts';
import type { ValueArray } from '../value-array.ts';
import type { Clock } from './clock.ts';
import { type Coordinates, coordinatesOf, roleOf } from './coordinates.ts';
import { isDown } from './levels.ts';
import { type Packing, packingOf } from './packing.ts';
import { type CfContext, type CfFile, type CfVariable, shortened, textOf } from './variable.ts';
import { ArrayView, type ViewDimension } from './view.ts';

/** Coordinates are held in memory; a dimension may have more values only if it has a coordinate variable. */
export const longestDimension = 10_000_000;

/** A variable with its dimensions in the order of the data model. */
export interface View {
  readonly variable: CfVariable;
  readonly packing: Packing;
  readonly item: Item;
  readonly array: ValueArray;
  readonly overTime: boolean;
  /** Besides time. */
  readonly own: readonly Dimension[];
}

/** A dimension of variables. */
export interface Dimension {
  /** Undefined: the variable's own. */
  readonly name: string | undefined;
  readonly length: number;
  readonly role: 'x' | 'y' | 'level' | 'other';
}

/** Coordinates of dimensions, each read once. */
export class Dimensions {
  readonly #file: CfFile;
  readonly #context: CfContext;
  readonly #read = new Map<string, Promise<Coordinates | undefined>>();
  /** Size of the unit of x and y in that of the coordinate system. */
  factor = 1;

  constructor(file: CfFile, context: CfContext) {
    this.#file = file;
    this.#context = context;
  }

  coordinates({ name, role }: Pick<Dimension, 'name' | 'role'>): Promise<Coordinates | undefined> {
    const factor = role === 'x' || role === 'y' ? this.factor : 1;
    const key = JSON.stringify([name, factor]);
    const found = this.#read.get(key) ?? coordinatesOf(this.#file, name, factor);
    this.#read.set(key, found);
    return found;
  }

  /**
   * The variable over time, its other dimensions, level, y and x. Dimensions of length 1 besides these are left out,
   * and so is a single level.
   */
  async viewOf(variable: CfVariable, clock: Clock | undefined): Promise<Pick<View, 'array' | 'overTime' | 'own'>> {
    const { shape, dimensions } = variable.metadata;
    const steps = clock === undefined ? 0 : stepCount(clock.time);
    // Zarr does not check that arrays have the dimension's length.
    const timeAt = dimensions.findIndex(
      (name, d) => name !== undefined && name === clock?.dimension && shape[d] === steps,
    );
    const taken = { x: false, y: false, level: false };
    const all = shape.map((length, from) => {
      const name = dimensions[from];
      const found = from === timeAt ? 'other' : roleOf(this.#file, name);
      const role: Dimension['role'] = found === 'other' || taken[found] ? 'other' : found;
      if (role !== 'other') taken[role] = true;
      return { name, length, from, role };
    });
    const placed = taken.x && taken.y;
    const own = all.filter(({ from, role, length }) => from !== timeAt && !(placed && length === 1 && isPlain(role)));
    for (const one of all) if (one.from !== timeAt && !own.includes(one)) await this.#reportSingle(variable, one);
    const order = { other: 0, level: 1, y: 2, x: 3 };
    const sorted = placed ? own.toSorted((one, other) => order[one.role] - order[other.role]) : own;
    const views: (ViewDimension & Dimension)[] = [];
    for (const one of sorted) views.push(defined({ ...one, order: await this.#direction(one) }) as never);
    const overTime = timeAt >= 0 || (clock !== undefined && clock.dimension === undefined);
    const first: ViewDimension[] = !overTime
      ? []
      : timeAt >= 0
        ? [
            defined({
              name: clock!.dimension,
              length: shape[timeAt]!,
              from: timeAt,
              order: clock!.order,
            }) as ViewDimension,
          ]
        : [{ name: 'time', length: 1 }];
    const array = new ArrayView(variable, [...first, ...views], packingOf(variable.metadata));
    return { array, overTime, own: views };
  }

  /**
   * Layers begin with the lowest, or the highest pressure; other coordinates rise, but an even y may run from the
   * north.
   */
  async #direction(dimension: Dimension): Promise<'reversed' | undefined> {
    const coordinates = await this.coordinates(dimension);
    if (coordinates === undefined || dimension.length < 2) return undefined;
    const { values, line, variable } = coordinates;
    const falls = values.every((value, n) => n === 0 || value < values[n - 1]!);
    const rises = values.every((value, n) => n === 0 || value > values[n - 1]!);
    if (dimension.role === 'level') return (isDown(variable, values) ? rises : falls) ? 'reversed' : undefined;
    if (dimension.role === 'y' && line !== undefined) return undefined;
    return falls ? 'reversed' : undefined;
  }

  async #reportSingle(variable: CfVariable, dimension: Dimension): Promise<void> {
    const coordinates = await this.coordinates(dimension);
    const name = shortened(dimension.name ?? 'a dimension');
    const value = coordinates === undefined ? '' : ` ${coordinates.values[0]}`;
    const units = coordinates && textOf(coordinates.variable.metadata.attributes.units);
    this.#context.reportLoss(
      `The only '${name}'${value}${units === undefined ? '' : ` ${units}`} of '${shortened(variable.metadata.name)}' was left out: data of one level have no layers.`,
    );
  }
}

const isPlain = (role: Dimension['role']): boolean => role === 'other' || role === 'level';

export const lineOf = async (dimension: Dimension, dimensions: Dimensions) => {
  const coordinates = await dimensions.coordinates(dimension);
  return coordinates?.values.length === dimension.length ? coordinates : undefined;
};
