import type { Axis, MultiArray, PlaceCoordinate } from 'hydrofiles/data';
import { invalidMember } from '../../errors.ts';
import type { Coverage } from '../coverage.ts';
import type { AxisColumn, OutputAxis } from '../output-axis.ts';
import type { OpenDataset } from '../stores.ts';
import { type DataInput, timeOfAnswer } from './stored-data.ts';
import { listed } from './table-input.ts';

/** Values at one place or several, as an array over time, further coordinates and the places. */
export function placesInput(dataset: OpenDataset, coverages: readonly Coverage[]): Pick<DataInput, 'data'> {
  const axes: Axis[] = [];
  const items: MultiArray['items'][number][] = [];
  const [first] = coverages as [Coverage];
  for (const coverage of coverages) {
    if (describePlaces(coverage) !== describePlaces(first)) {
      const some = coverages.map(({ ranges }) => `'${ranges[0]!.variable.id}'`);
      throw invalidMember(
        'item',
        `The items ${some.join(' and ')} have values at different places. Name items that have the same.`,
      );
    }
    const numbers = coverage.axes
      .filter(({ name }) => name !== 't')
      .map((axis) => {
        const known = axes.findIndex(({ name, values }) => name === nameOf(axis) && values.length === axis.length);
        return known >= 0 ? known : axes.push(axisOf(axis)) - 1;
      });
    items.push(
      ...coverage.ranges.map(({ variable }) => ({ ...variable.item, axes: numbers, overTime: coverage.timed })),
    );
  }
  const coordinates = [...first.axes, ...first.shared].flatMap((axis): PlaceCoordinate[] => {
    const number = axes.findIndex(({ name }) => name === nameOf(axis));
    const along = first.axes.includes(axis) && axis.length !== undefined ? { axis: number } : {};
    return axis.columns.flatMap((column) => {
      if (!isPlaceName(column.name)) return [];
      const values = listed(axis.length, column.number);
      return [{ name: column.name, ...along, values: column.type === 'Int32' ? Int32Array.from(values) : values }];
    });
  });
  const counted = axes.findIndex(({ name }) => name === placeAxis);
  const byNumber = first.axes.find(({ name }) => name === 'composite')?.columns.find(isNumber)?.name;
  const { crs } = dataset.data;
  return {
    data: {
      kind: 'array',
      ...(crs === undefined ? {} : { crs }),
      axes: axes.map((axis) =>
        axis.name === placeAxis && byNumber !== undefined ? { ...axis, name: byNumber } : axis,
      ),
      items,
      ...timeOfAnswer(dataset, coverages),
      places: { coordinates, ...(counted < 0 ? {} : { axis: counted }) },
    },
  };
}

/** Name of the axis that counts places, unless they have numbers of elements or nodes. */
const placeAxis = 'point';
const placeNames: ReadonlySet<string> = new Set(['x', 'y', 'z', 'layer', 'element', 'node']);
const isPlaceName = (name: string): name is PlaceCoordinate['name'] => placeNames.has(name);
const isNumber = ({ name }: AxisColumn): boolean => name === 'element' || name === 'node';
const nameOf = ({ name }: OutputAxis): string => (name === 'composite' ? placeAxis : name);

function axisOf(axis: OutputAxis): Axis {
  const { length, columns } = axis;
  const numbers = axis.name === 'composite' ? columns.find(isNumber) : columns.at(-1);
  return { name: nameOf(axis), values: listed(length, numbers?.number ?? ((n) => n + 1)) };
}

/** What tells the places of two answers apart. */
const describePlaces = ({ axes, shared }: Coverage): string =>
  JSON.stringify([
    axes.some(({ name }) => name === 'composite'),
    shared.filter(({ name }) => name === 'x' || name === 'y').map((axis) => axis.value(0)),
    axes.filter(({ name }) => name === 'composite').map((axis) => [axis.length, axis.length > 0 && axis.value(0)]),
  ]);
