import test from 'ava';
import { Boxes, REORDERED } from '../../src/files/geo/vector/spatial-order.ts';
import { collection, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';

/** Points of a square with so many of them in a row. */
function square(side: number): Boxes {
  const boxes = new Boxes();
  for (let n = 0; n < side * side; n++) {
    const [x, y] = [n % side, Math.floor(n / side)];
    boxes.add(x, y, x, y);
  }
  return boxes;
}

test('the Hilbert curve visits each cell once, moves to a neighbouring cell each time, and runs from corner to corner', (t) => {
  for (const side of [2, 16, 256]) {
    const order = square(side).order();
    t.is(new Set(order).size, side * side);
    const steps = Array.from(order.subarray(1), (place, n) => {
      const before = order[n]!;
      return (
        Math.abs((place % side) - (before % side)) + Math.abs(Math.floor(place / side) - Math.floor(before / side))
      );
    });
    t.deepEqual(new Set(steps), new Set([1]), `${side}`);
    t.deepEqual([order[0], order.at(-1)], [0, side - 1]);
  }
});

test('features with equal positions keep their order; features without a geometry come last', (t) => {
  const boxes = new Boxes();
  for (const x of [5, 0, 5]) boxes.add(x, 1, x, 1);
  boxes.add(Infinity, Infinity, -Infinity, -Infinity);
  boxes.add(0, 1, 0, 1);
  t.deepEqual([...boxes.order()], [1, 4, 0, 2, 3]);
});

test('sorting in many steps gives the same order', (t) => {
  const boxes = square(512);
  const ordering = boxes.ordering();
  let [steps, step] = [0, ordering.next()];
  for (; !step.done; step = ordering.next()) steps++;
  t.true(steps >= 24, `${steps} steps for ${boxes.length} features`);
  t.deepEqual(step.value, boxes.order());
});

test('only features that change their order are said to do so', async (t) => {
  for (const writer of ['GISWriter', 'GeoParquetWriter'])
    for (const [xs, changes] of [
      [[0, 1], false],
      [[1, 0], true],
    ] as const) {
      const text = collection(xs.map((x) => feature(geometryOf('Point', [x, 0]), {})));
      const { receipt } = await converted(t, text, { reader: 'GeoJsonReader', writer });
      t.is(receipt.remarks.includes(REORDERED), changes);
    }
});
