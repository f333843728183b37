import type { Axis } from '../../src/files/data/item.ts';
import type { ArrayItem, MultiArray, Placement } from '../../src/files/data/multi-array.ts';
import type { Model, Variation } from './model.ts';
import { itemsOf, samplesOf, timeOf, utm32 } from './model-parts.ts';

const [WIDTH, HEIGHT] = [4, 3];
const indices = (name: string, count: number): Axis => ({
  name,
  values: Float64Array.from({ length: count }, (_, n) => n),
});

/** Cells whose columns spread upwards. */
function curvilinear(x: number, y: number): Placement {
  const at = Array.from({ length: (WIDTH + 1) * (HEIGHT + 1) }, (_, n) => [
    n % (WIDTH + 1),
    Math.floor(n / (WIDTH + 1)),
  ]);
  return {
    by: 'nodes',
    x,
    y,
    nodeX: Float64Array.from(at, ([column, row]) => 500_000 + 100 * column! * (1 + row! / 10)),
    nodeY: Float64Array.from(at, ([column, row]) => 5_800_000 + 100 * row! + 5 * column!),
  };
}

function make(wanted: ReadonlySet<Variation>): MultiArray {
  const plane = [indices('y', HEIGHT), indices('x', WIDTH)];
  const frequency: Axis = { name: 'frequency', unit: 'Hz', values: Float64Array.of(0.05, 0.1, 0.3) };
  const axes = wanted.has('dimensions') ? [frequency, ...plane] : plane;
  const items = itemsOf(wanted).map((item): ArrayItem => {
    return { ...item, axes: [...axes.keys()], overTime: wanted.has('calendar') || wanted.has('calendar:relative') };
  });
  return {
    kind: 'array',
    crs: utm32,
    axes,
    placement: curvilinear(axes.length - 1, axes.length - 2),
    items,
    ...timeOf(wanted),
    async read(item, step, start, shape) {
      const sizes = axes.map(({ values }) => values.length);
      const count = sizes.reduce((product, size) => product * size, 1);
      const whole = samplesOf(wanted, items, { item, step, count });
      const wantedCells = shape.reduce((product, size) => product * size, 1);
      return whole.slice(0, wantedCells).map((_, n) => {
        let [rest, at, stride] = [n, 0, 1];
        for (let axis = sizes.length - 1; axis >= 0; axis--) {
          at += (start[axis]! + (rest % shape[axis]!)) * stride;
          rest = Math.floor(rest / shape[axis]!);
          stride *= sizes[axis]!;
        }
        return whole[at]!;
      });
    },
  };
}

export const arrayModel: Model = {
  together: ['crs', 'calendar', 'unit', 'nodata', 'precision', 'order', 'names', 'quantity', 'kindOfValue'],
  alone: ['calendar:relative', 'dimensions'],
  make,
};
