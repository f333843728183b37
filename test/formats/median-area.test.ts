import test from 'ava';
import { cellArea, medianArea } from '../../src/files/geo/mesh/flat-cells.ts';
import { randomOf } from '../world/random.ts';

test('the median of areas is the one in the middle of those that are no line, also among equal ones', (t) => {
  const random = randomOf(11);
  for (const count of [0, 1, 2, 3, 10, 999, 1000]) {
    for (const steps of [2, 5, 1e9]) {
      const draw = () => Math.floor(random() * steps) / steps;
      const nodes = Float64Array.from({ length: 9 * count }, draw);
      const connectivity = Uint32Array.from({ length: 3 * count }, (_, n) => n);
      const offsets = Uint32Array.from({ length: count + 1 }, (_, n) => 3 * n);
      const cells = { nodes, connectivity, offsets };
      const areas = Array.from({ length: count }, (_, cell) => cellArea(cells, cell))
        .filter((area) => area > 0)
        .sort((one, other) => one - other);
      t.is(medianArea(cells), areas[areas.length >> 1] ?? 1);
    }
  }
});
