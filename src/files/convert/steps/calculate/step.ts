import type { Data } from '../../../data/data.ts';
import type { Item } from '../../../data/item.ts';
import type { Mesh, MeshItem } from '../../../data/mesh.ts';
import type { ArrayItem, MultiArray } from '../../../data/multi-array.ts';
import { sameNumbers } from '../../../data/number-arrays.ts';
import { realValues } from '../../../data/real-values.ts';
import type { Series, SeriesItem } from '../../../data/series.ts';
import { ConversionError } from '../../../errors.ts';
import type { StepContext } from '../step-context.ts';
import { Calculator } from './calculator.ts';
import { calculatedGrid } from './grid.ts';
import type { CalculateTransformation } from './transformation.ts';

/** Data with new items that are calculated from others, all at the same cells and times. */
export async function apply(data: Data, step: CalculateTransformation, shared: StepContext): Promise<Data> {
  if (data.kind === 'bytes' || data.kind === 'features')
    throw new ConversionError('Only items can be calculated with.');
  const existing: readonly Item[] = data.kind === 'grid' ? data.bands : data.items;
  const calculator = new Calculator(step, existing, shared.context.remark);
  shared.resources.defer(() => calculator.report());
  const kept = step.keep ? keptItems(existing, calculator, shared) : [];
  if (data.kind === 'grid') return calculatedGrid(data, calculator, kept, shared);
  if (data.kind === 'mesh') return calculatedMesh(data, calculator, kept);
  return data.kind === 'series' ? calculatedSeries(data, calculator, kept) : calculatedArray(data, calculator, kept);
}

/** The items of the data that stay: those whose name no calculated item has. */
function keptItems(existing: readonly Item[], calculator: Calculator<Item>, { context }: StepContext): number[] {
  const names = new Set(calculator.items.map(({ name }) => name));
  return existing.flatMap(({ name }, n) => {
    if (name === undefined || !names.has(name)) return [n];
    context.remark(`The item '${name}' of the data was replaced by the calculated one.`);
    return [];
  });
}

/** @throws ConversionError unless the items that a new item needs are alike */
function checkAlike<I extends Item>(
  calculator: Calculator<Item>,
  items: readonly I[],
  alike: (one: I, other: I) => boolean,
) {
  for (const [n, { name }] of calculator.items.entries()) {
    const [first, ...others] = calculator.operandsOf(n).map((one) => items[one]!);
    const other = others.find((one) => !alike(first!, one));
    if (other !== undefined)
      throw new ConversionError(
        `'${name}' cannot be calculated: '${first!.name ?? ''}' and '${other.name ?? ''}' do not have their values at the same places.`,
      );
  }
}

function calculatedMesh(mesh: Mesh, calculator: Calculator<Item>, kept: readonly number[]): Mesh {
  const lengthsOf = ({ components = [] }: Item) => components.map(({ values }) => values.length);
  checkAlike(calculator, mesh.items, (one, other) => {
    return one.location === other.location && sameNumbers(lengthsOf(one), lengthsOf(other));
  });
  const { blocks: _, ...rest } = mesh;
  return {
    ...rest,
    items: [
      ...kept.map((n) => mesh.items[n]!),
      ...calculator.items.map((item, n): MeshItem => {
        const { location, components } = mesh.items[calculator.operandsOf(n)[0]!]!;
        return { ...item, location, ...(components && { components }) };
      }),
    ],
    async values(item, step) {
      if (item < kept.length) return mesh.values(kept[item]!, step);
      const n = item - kept.length;
      const columns = new Map<number, Float64Array>();
      for (const one of calculator.operandsOf(n))
        columns.set(one, realValues(await mesh.values(one, step), mesh.items[one]!));
      return calculator.values(n, columns, lengthOf(columns), String(step));
    },
  };
}

const lengthOf = (columns: ReadonlyMap<number, Float64Array>): number => [...columns.values()][0]!.length;

function calculatedArray(array: MultiArray, calculator: Calculator<Item>, kept: readonly number[]): MultiArray {
  checkAlike(calculator, array.items, (one, other) => sameNumbers(one.axes, other.axes));
  return {
    ...array,
    items: [
      ...kept.map((n) => array.items[n]!),
      ...calculator.items.map((item, n): ArrayItem => {
        const operands = calculator.operandsOf(n).map((one) => array.items[one]!);
        return { ...item, axes: operands[0]!.axes, overTime: operands.some(({ overTime }) => overTime) };
      }),
    ],
    async read(item, step, start, shape) {
      if (item < kept.length) return array.read(kept[item]!, step, start, shape);
      const n = item - kept.length;
      const columns = new Map<number, Float64Array>();
      for (const one of calculator.operandsOf(n))
        columns.set(one, realValues(await array.read(one, step, start, shape), array.items[one]!));
      return calculator.values(n, columns, lengthOf(columns), `${step} ${start.join(' ')}`);
    },
  };
}

function calculatedSeries(series: Series, calculator: Calculator<Item>, kept: readonly number[]): Series {
  return {
    ...series,
    items: [
      ...kept.map((n) => series.items[n]!),
      ...calculator.items.map((item, n): SeriesItem => {
        const [first, ...others] = calculator.operandsOf(n).map((one) => series.items[one]!.position);
        const same = first !== undefined && others.every((one) => one !== undefined && sameNumbers(first, one));
        return { ...item, ...(same && { position: first }) };
      }),
    ],
    async *chunks() {
      for await (const { values, ...steps } of series.chunks()) {
        const columns = new Map(calculator.operands.map((n) => [n, realValues(values[n]!, series.items[n]!)]));
        const made = calculator.items.map((_, n) =>
          calculator.values(n, columns, steps.offsets.length, String(steps.firstStep)),
        );
        yield { ...steps, values: [...kept.map((n) => values[n]!), ...made] };
      }
    },
  };
}
