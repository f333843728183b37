import test from 'ava';
import { findPeak, floodItems, makeFlood } from '../../cli/demo/flood.ts';
import { makeTerrain } from '../../cli/demo/terrain.ts';
import { isEumPair } from '../../src/files/data/eum/eum.ts';
import { cellCentres } from '../../src/files/data/mesh-cells.ts';
import { timeOf } from '../../src/files/data/time-axis.ts';
import { cellArea } from '../../src/files/geo/mesh/flat-cells.ts';
import { triangleQuality } from '../../src/files/geo/mesh/quality.ts';

const made = makeTerrain();
const flood = makeFlood(made);
const centres = cellCentres(flood);
const cells = Array.from(flood.shapes.keys());
const isDry = (value: number) => value === Math.fround(1e-35);

test('the mesh of the demo has well-shaped elements, which are finer in the river', (t) => {
  const { smallestAngle } = triangleQuality({ nodes: flood.nodes, triangles: flood.connectivity });
  t.true(smallestAngle > 20, String(smallestAngle));
  const areas = (isInRiver: boolean) =>
    cells
      .filter((cell) => {
        const [x, y] = [centres[3 * cell]!, centres[3 * cell + 1]!];
        return Math.abs(x - made.valley.riverAt(y)) < 60 === isInRiver && !made.valley.isLake(x, y);
      })
      .map((cell) => cellArea(flood, cell));
  const mean = (all: number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  t.true(mean(areas(true)) < mean(areas(false)) / 2);
  t.deepEqual([...new Set(flood.nodeCodes)].sort(), [0, 1, 2, 3]);
});

test('the items of the demo have the EUM quantities of a flood model', (t) => {
  t.deepEqual(
    flood.items.map(({ name, eum }) => [name, eum]),
    [
      ['Surface elevation', { item: 100_078, unit: 1000 }],
      ['Total water depth', { item: 110_018, unit: 1000 }],
      ['Current speed', { item: 100_242, unit: 2000 }],
    ],
  );
  t.true(flood.items.every(({ eum }) => isEumPair(eum!)));
  t.deepEqual(
    [0, 12].map((step) => new Date(timeOf(flood.time!, step)).toISOString().slice(0, 13)),
    ['2026-01-24T00', '2026-01-24T12'],
  );
});

test('depth is the surface over the ground, and an element is dry in all items or in none', async (t) => {
  for (const step of [0, 5, 12]) {
    const [surface, depth, speed] = await Promise.all([0, 1, 2].map((item) => flood.values(item, step)));
    for (const cell of cells) {
      const dry = [surface, depth, speed].map((values) => isDry(values![cell]!));
      t.is(new Set(dry).size, 1);
      if (dry[0]) continue;
      t.true(Math.abs(surface![cell]! - centres[3 * cell + 2]! - depth![cell]!) < 1e-4);
      t.true(depth![cell]! >= 0.05 && speed![cell]! > 0 && speed![cell]! < 5);
    }
  }
});

test('the flood wave travels down the river: its peak is later in the south than in the north', async (t) => {
  const river = cells.filter((cell) => Math.abs(centres[3 * cell]! - made.valley.riverAt(centres[3 * cell + 1]!)) < 60);
  const steps = Array.from({ length: 13 }, (_, step) => step);
  const depths = await Promise.all(steps.map((step) => flood.values(floodItems.depth, step)));
  const culmination = (cell: number) => {
    const there = depths.map((values) => values[cell]!);
    return there.indexOf(Math.max(...there));
  };
  const byNorthing = river.toSorted((a, b) => centres[3 * b + 1]! - centres[3 * a + 1]!);
  t.true(culmination(byNorthing[0]!) < culmination(byNorthing.at(-1)!) - 1);
  const { step, area, depth } = await findPeak(flood);
  t.true(step > 2 && step < 8 && area > 5e6 && depth > 5);
});
