import test from 'ava';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { RequestError } from '../../src/files/errors.ts';
import { squares } from '../formats/tiles/tiling.ts';
import type { DecodedFeature } from '../world/decode-mvt.ts';
import { middleOf, tileAt, values } from './previews.ts';
import { hills, layerOf, open, scheme, tilesOf } from './vector-tiles.ts';

/** Length of lines within the tile without its buffer, in units. */
function lengthWithin(features: readonly DecodedFeature[]): number {
  let sum = 0;
  for (const { paths } of features)
    for (const path of paths)
      for (let n = 1; n < path.length; n++) {
        const [[ax, ay], [bx, by]] = [path[n - 1]!, path[n]!];
        let [from, to] = [0, 1];
        for (const [a, b] of [
          [ax, bx],
          [ay, by],
        ] as const) {
          if (a === b) {
            if (a < 0 || a >= 4096) to = from;
            continue;
          }
          const [one, other] = [(0 - a) / (b - a), (4096 - a) / (b - a)];
          [from, to] = [Math.max(from, Math.min(one, other)), Math.min(to, Math.max(one, other))];
        }
        if (to > from) sum += (to - from) * Math.hypot(bx - ax, by - ay);
      }
  return sum;
}

test('isolines of a grid are as long as those of contourpy', async (t) => {
  // Lengths in Web Mercator of the lines of contourpy on the centres of the cells, transformed by pyproj.
  const expected = new Map([
    [10, 17_975.1],
    [25, 14_694.6],
    [50, 11_453.5],
    [75, 8745.5],
    [90, 3749.3],
  ]);
  const preview = await open(t, hills);
  const description = await preview.describe();
  for (const z of [12, 13, 15]) {
    const lengths = new Map<number, number>();
    for (const tile of tilesOf(z, description)) {
      const lines = await layerOf(preview, 'isolines', { ...tile, levels: [...expected.keys()] });
      for (const line of lines) {
        const level = line.attributes.level as number;
        lengths.set(level, (lengths.get(level) ?? 0) + lengthWithin([line]));
      }
    }
    const unit = 40_075_016.686 / 2 ** z / 4096;
    for (const [level, length] of expected) {
      const own = (lengths.get(level) ?? 0) * unit;
      // Shorter on a coarse level, where a pixel is larger than a cell.
      t.true(Math.abs(own / length - 1) < (z < 13 ? 0.01 : 0.004), `${z} ${level}: ${own} instead of ${length}`);
    }
  }
});

test('isolines lie where the raster tile has their level, and meet those of the next tile', async (t) => {
  const preview = await open(t, hills);
  const { z, x, y } = tileAt(14, ...middleOf(await preview.describe()));
  const levels = [20, 40, 60, 80];
  const [left, right] = [
    await layerOf(preview, 'isolines', { z, x, y, levels }),
    await layerOf(preview, 'isolines', { z, x: x + 1, y, levels }),
  ];
  t.true(left.length > 0 && right.length > 0);
  const raster = (await values(preview, { z, x, y }))!;
  for (const { paths, attributes } of left)
    for (const [px, py] of paths.flat()) {
      const [u, v] = [px / 16 - 0.5, py / 16 - 0.5];
      if (!(u >= 0 && u < 255 && v >= 0 && v < 255)) continue;
      const [c, r] = [Math.floor(u), Math.floor(v)];
      const at = (i: number, j: number) => raster[(r + j) * 256 + c + i]!;
      const around = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
      const level = attributes.level as number;
      t.true(Math.min(...around) - 0.3 <= level && level <= Math.max(...around) + 0.3, `${level}: ${around}`);
    }
  const crossings = (lines: readonly DecodedFeature[], side: number) =>
    lines.flatMap(({ paths, attributes }) =>
      paths.flatMap((path) =>
        path.slice(1).flatMap(([bx, by], n) => {
          const [ax, ay] = path[n]!;
          if (ax < side === bx < side) return [];
          return [[attributes.level as number, ay + ((side - ax) / (bx - ax)) * (by - ay)] as const];
        }),
      ),
    );
  const order = (one: readonly [number, number], other: readonly [number, number]) =>
    one[0] - other[0] || one[1] - other[1];
  const [ours, theirs] = [crossings(left, 4096).sort(order), crossings(right, 0).sort(order)];
  t.true(ours.length > 0);
  t.is(ours.length, theirs.length);
  for (const [n, [level, at]] of ours.entries())
    t.true(theirs[n]![0] === level && Math.abs(theirs[n]![1] - at) <= 3, `${level} at ${at}, ${theirs[n]}`);
});

test('levels are round numbers, those of classes, or powers of ten of a logarithmic scheme', async (t) => {
  const preview = await open(t, hills);
  const tile = tileAt(11, ...middleOf(await preview.describe()));
  const levels = async (own: object) =>
    [
      ...new Set(
        (await layerOf(preview, 'isolines', { ...tile, scheme: { ...scheme, ...own } })).map(
          ({ attributes }) => attributes.level,
        ),
      ),
    ].sort((one, other) => Number(one) - Number(other));
  t.deepEqual(await levels({}), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
  t.deepEqual(await levels({ min: 0.1, max: 0.9 }), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
  t.deepEqual(await levels({ min: 10, max: 90, steps: 4 }), [10, 30, 50, 70, 90]);
  t.deepEqual(await levels({ min: 1, max: 100, log: true }), [1, 2, 5, 10, 20, 50]);
  await t.throwsAsync(layerOf(preview, 'isolines', { ...tile, levels: [1, Number.NaN] }), {
    instanceOf: RequestError,
    message: /must be a number, not NaN/,
  });
  await t.throwsAsync(layerOf(preview, 'isolines', { ...tile, levels: Array.from({ length: 201 }, (_, n) => n) }), {
    message: 'There are 201 levels of isolines; the maximum is 200.',
  });
});

test('isolines of elements are smooth: values go to the nodes', async (t) => {
  const side = 20;
  const mesh = squares(side, [500_000, 6_000_000]);
  const slope: Mesh = {
    ...mesh,
    values: async (item, step) => {
      const level = await mesh.values(0, step);
      if (item === 0) return level;
      const { connectivity } = mesh;
      return Float64Array.from(
        { length: connectivity.length / 3 },
        (_, n) =>
          (level[connectivity[3 * n]!]! + level[connectivity[3 * n + 1]!]! + level[connectivity[3 * n + 2]!]!) / 3,
      );
    },
  };
  const preview = await open(t, slope);
  const tile = tileAt(14, ...middleOf(await preview.describe()));
  const line = async (item: string) => {
    const lines = await layerOf(preview, 'isolines', { ...tile, item, levels: [3000] });
    t.is(lines.length, 1, item);
    return lines[0]!.paths[0]!;
  };
  const distance = ([x, y]: readonly [number, number], path: readonly (readonly [number, number])[]) =>
    Math.min(
      ...path.slice(1).map(([bx, by], n) => {
        const [ax, ay] = path[n]!;
        const share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
        const at = Math.max(0, Math.min(1, share));
        return Math.hypot(x - ax - at * (bx - ax), y - ay - at * (by - ay));
      }),
    );
  // The plane x + 2 y has straight isolines; at nodes of the border there are elements on one side only.
  const straight = await line('Level');
  const ends = [straight[0]!, straight.at(-1)!] as const;
  const smooth = await line('Number');
  for (const point of straight) t.true(distance(point, ends) < 16, String(point));
  for (const share of [0.3, 0.4, 0.5, 0.6, 0.7]) {
    const [[ax, ay], [bx, by]] = ends;
    t.true(distance([ax + share * (bx - ax), ay + share * (by - ay)], smooth) < 16, String(share));
  }
});
