import { defined } from '../../../data/defined.ts';
import type { Axis } from '../../../data/item.ts';
import { FormatError } from '../../../errors.ts';
import { type WholeArray, wholeArray } from './content.ts';
import type { AxisDescription } from './description.ts';
import type { ArrayNames } from './items.ts';
import type { ArrayStore } from './opened.ts';

/** Coordinate variables of axes, with bounds where they have edges. */
export class AxisArrays {
  readonly wholes: WholeArray[] = [];
  readonly #names: ArrayNames;
  readonly #shared: { axis: Axis; described: AxisDescription }[] = [];

  constructor(names: ArrayNames) {
    this.#names = names;
  }

  /** Adds a coordinate variable for an axis. */
  add(axis: Axis): AxisDescription {
    const { name, unit, eum, values, edges } = axis;
    const array = this.#names.claim(name);
    const bounds = edges === undefined ? undefined : this.#names.claim(`${array}_bounds`);
    const attributes = defined({ long_name: name, units: unit, bounds });
    const shape = [values.length];
    this.wholes.push(wholeArray(array, 'Float64', values, { dimensions: [array], shape, attributes }));
    if (edges !== undefined && bounds !== undefined) {
      const pairs = Float64Array.from({ length: 2 * values.length }, (_, n) => edges[Math.floor(n / 2) + (n % 2)]!);
      const both = { dimensions: [array, 'bound'], shape: [values.length, 2] };
      this.wholes.push(wholeArray(bounds, 'Float64', pairs, both));
    }
    return defined({ array, name, unit, eum, bounds }) as AxisDescription;
  }

  /** The variable of an equal axis, if there is one. */
  share(axis: Axis): AxisDescription {
    const known = this.#shared.find((one) => isSame(one.axis, axis));
    if (known !== undefined) return known.described;
    const described = this.add(axis);
    this.#shared.push({ axis, described });
    return described;
  }
}

const isSame = (one: Axis, other: Axis): boolean =>
  one === other ||
  (one.name === other.name &&
    one.unit === other.unit &&
    one.eum?.item === other.eum?.item &&
    one.eum?.unit === other.eum?.unit &&
    sameNumbers(one.values, other.values) &&
    sameNumbers(one.edges, other.edges));

const sameNumbers = (one: Float64Array | undefined, other: Float64Array | undefined): boolean =>
  one === other ||
  (one !== undefined && one.length === other?.length && one.every((value, n) => Object.is(value, other[n])));

/** The axis of a description, with its coordinates. */
export async function axisOfDescription(
  { array, bounds, ...described }: AxisDescription,
  store: ArrayStore,
): Promise<Axis> {
  const variable = store.array(array);
  if (variable.metadata.shape.length !== 1)
    throw new FormatError(
      `The coordinates '${array}' have ${variable.metadata.shape.length} dimensions instead of one.`,
    );
  const values = Float64Array.from(await variable.all(), Number);
  if (bounds === undefined) return defined({ ...described, values }) as Axis;
  const pairs = await store.array(bounds).all([values.length, 2]);
  const edges = Float64Array.from({ length: values.length + 1 }, (_, n) =>
    Number(n < values.length ? pairs[2 * n] : (pairs.at(-1) ?? 0)),
  );
  return defined({ ...described, values, edges }) as Axis;
}
